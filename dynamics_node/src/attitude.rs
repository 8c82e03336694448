//! How the base leans, as body messages say it.

use nalgebra::{Quaternion, UnitQuaternion};

use crate::Refused;

/// How far from 1 the length of a quaternion may be: messages are rounded, not wrong.
const UNIT: f64 = 1e-3;

/// The last orientation of the base, for as long as it holds.
#[derive(Debug, Clone)]
pub(crate) struct Attitude {
    frame: String,
    last: Option<(i64, UnitQuaternion<f64>)>,
}

impl Attitude {
    /// Of the frame of this name.
    pub fn new(frame: &str) -> Self {
        Self { frame: frame.into(), last: None }
    }

    /// Takes a message of a time (ns): quaternions x y z w of named frames.
    pub fn take<S: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        mut turns: impl ExactSizeIterator<Item = [f64; 4]>,
    ) -> Result<(), Refused> {
        if turns.len() != names.len() {
            return Err(Refused::Lengths { what: "transforms", found: turns.len(), names: names.len() });
        }
        let place = names.iter().position(|name| name.as_ref() == self.frame);
        let found = place.and_then(|place| turns.nth(place));
        let [x, y, z, w] = found.ok_or_else(|| Refused::NoBody { name: self.frame.clone() })?;
        let turn = Quaternion::new(w, x, y, z);
        let norm = turn.norm();
        if norm.is_nan() || (norm - 1.0).abs() > UNIT {
            return Err(Refused::NotUnit { name: self.frame.clone(), norm });
        }
        self.last = Some((stamp, UnitQuaternion::new_normalize(turn)));
        Ok(())
    }

    /// The orientation at a time (ns), when one is known that is at most `timeout` (s) old.
    pub fn at(&self, stamp: i64, timeout: f64) -> Option<UnitQuaternion<f64>> {
        let fresh = |(at, _): &(i64, _)| (stamp.saturating_sub(*at) as f64 * 1e-9).abs() <= timeout;
        self.last.filter(|last| timeout > 0.0 && fresh(last)).map(|(_, turn)| turn)
    }
}
