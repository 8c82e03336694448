//! What was said to nobody: parameter files for other nodes, arguments that no node of the process knows.

use crate::seat::Seating;
use param_lib::{Overrides, ParamError};

/// Warns of it, in the log of the node that was most likely meant. `absent` are nodes that the process could have and has not:
/// their files are no mistake.
pub(crate) fn warn_of_strays(overrides: &Overrides, seatings: &[Seating], absent: &[&str]) {
    let nodes: Vec<&str> = seatings.iter().map(|seating| seating.inner.full_name.as_str()).collect();
    for stray in overrides.stray_files(&nodes, absent) {
        let meant = seatings.iter().find(|seating| seating.inner.full_name == stray.node);
        meant.into_iter().for_each(|seating| seating.inner.log.warn(&stray));
    }
    for argument in overrides.arguments() {
        let refused = |seating: &Seating| seating.unknown.iter().find(|e| is_of(e, argument)).cloned();
        let errors: Option<Vec<ParamError>> = seatings.iter().map(refused).collect();
        // Somebody knows it.
        let Some(errors) = errors else { continue };
        let all = seatings.iter().zip(&errors);
        let meant = all.clone().find(|(_, error)| has_nearest(error)).or_else(|| all.clone().next());
        meant.into_iter().for_each(|(seating, error)| seating.inner.log.warn(error));
    }
}

fn is_of(error: &ParamError, argument: &str) -> bool {
    matches!(error, ParamError::Unknown { name, .. } if name == argument)
}

fn has_nearest(error: &ParamError) -> bool {
    matches!(error, ParamError::Unknown { nearest: Some(_), .. })
}
