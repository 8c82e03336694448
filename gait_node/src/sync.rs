//! The beat of the control cycle.

use param_lib::params;

params! {
    /// What `sync_node` can be told.
    pub struct SyncParams {
        /// Duration of the control cycle; a change takes effect with the next cycle.
        period: f64 = 0.01, unit "s", range 0.0005..=1.0;
    }
}
