//! Poses that somebody else tells, checked.

use filters_lib::WorldTwist;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use robot_model_lib::LARGEST;

use crate::joints::lengths;
use crate::{OdometryParams, Refused};

/// How far from 1 the length of a quaternion may be: messages are rounded, not wrong.
const UNIT: f64 = 1e-3;

/// A body's motion as somebody else knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// The base in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the base's origin in world axes; None when it is not told.
    pub twist: Option<WorldTwist>,
}

impl Body {
    /// What a `MultiDOFJointState` says of the base: poses as x y z and x y z w, twists (or none) linear first.
    pub fn told<S: AsRef<str>>(
        frame: &str,
        names: &[S],
        poses: &[[f64; 7]],
        twists: &[[f64; 6]],
        params: &OdometryParams,
    ) -> Result<Self, Refused> {
        lengths("transforms", poses.len(), names.len())?;
        if !twists.is_empty() {
            lengths("twist", twists.len(), names.len())?;
        }
        let base = &params.base_frame;
        let at = names.iter().position(|name| name.as_ref() == base).ok_or_else(|| Refused::NoBody {
            name: base.clone(),
            found: names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "),
        })?;
        let pose = placed(frame, &poses[at], params)?;
        let twist = match twists.get(at) {
            Some(numbers) => {
                finite(base, "twist", numbers)?;
                Some(WorldTwist(nalgebra::Vector6::from(*numbers)))
            }
            None => None,
        };
        Ok(Self { pose, twist })
    }
}

/// A pose of the base in the odom frame: x y z and the quaternion x y z w.
pub fn placed(frame: &str, numbers: &[f64; 7], params: &OdometryParams) -> Result<Isometry3<f64>, Refused> {
    if !frame.is_empty() && frame != params.odom_frame {
        return Err(Refused::Frame { found: frame.into(), wanted: params.odom_frame.clone() });
    }
    finite(&params.base_frame, "pose", numbers)?;
    let [x, y, z, i, j, k, w] = *numbers;
    let q = Quaternion::new(w, i, j, k);
    let norm = q.norm();
    if (norm - 1.0).abs() > UNIT {
        return Err(Refused::NotUnit { norm });
    }
    Ok(Isometry3::from_parts(Vector3::new(x, y, z).into(), UnitQuaternion::new_normalize(q)))
}

/// The same numbers of a pose.
pub fn numbers(pose: &Isometry3<f64>) -> [f64; 7] {
    let (p, q) = (&pose.translation, &pose.rotation);
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}

fn finite(name: &str, what: &'static str, numbers: &[f64]) -> Result<(), Refused> {
    // Squares of what is larger are no longer finite, and the covariance holds such squares.
    if numbers.iter().all(|number| number.abs() <= LARGEST) {
        Ok(())
    } else {
        Err(Refused::NotFinite { name: name.into(), what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_farther_than_any_robot_gets_is_refused() {
        let params = OdometryParams::default();
        let told = |x: f64, v: f64| {
            let pose = [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            Body::told("odom", &["base_link"], &[pose], &[[v, 0.0, 0.0, 0.0, 0.0, 0.0]], &params)
        };
        assert!(told(LARGEST, -LARGEST).is_ok());
        for odd in [1e10, -1e154, f64::MAX, f64::INFINITY, f64::NAN] {
            assert!(told(odd, 0.0).is_err() && told(0.0, odd).is_err(), "{odd}");
        }
    }
}
