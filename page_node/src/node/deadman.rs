//! The dead-man's switch at work: whoever drives and is not heard is halted when the lease ends, whatever the page's other tasks do at that moment.

use super::hub::Hub;
use std::sync::Arc;
use std::time::Duration;

/// Until the process ends.
pub(super) async fn keep(hub: Arc<Hub>) {
    loop {
        let until = hub.state().drive.until();
        let Some(until) = until else {
            hub.driving.notified().await;
            continue;
        };
        let rest = Duration::from_secs_f64((until - hub.now()).max(0.0));
        // A lease that was made shorter ends sooner than was waited for.
        let _ = tokio::time::timeout(rest, hub.driving.notified()).await;
        let now = hub.now();
        let is_silent = hub.state().drive.expire(now);
        if is_silent {
            hub.command([0.0; 3]);
            hub.tell_drive();
        }
    }
}
