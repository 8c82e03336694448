//! How the base leans, as an accelerometer shows it over some time.

use nalgebra::{UnitQuaternion, Vector3};
use robot_model_lib::{RobotModel, fixed_pose};

use crate::Refused;
use crate::inverse::TIME_JUMP;

/// A sensor that was silent for longer, s, begins anew.
const GAP: f64 = 1.0;
/// A mean force below this, m/s², is that of a robot that falls, and shows no direction.
const FALLING: f64 = 1.0;

/// A bump of the sensor counts no more than this, m/s².
const HARDEST: f64 = 30.0;

/// The mean specific force in the base's axes. Over a time in which the speed does not change much it is gravity, whatever
/// the body did meanwhile: steps sway it to and fro, and efforts that followed the sway would take away what holds it upright.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lean {
    /// Time of the last sample, ns, and the mean then.
    last: Option<(i64, Vector3<f64>)>,
    /// When last it stood on one foot or two, ns.
    tipped: Option<i64>,
    /// The sensor's frame, and how it is turned on the base.
    mount: Option<(String, UnitQuaternion<f64>)>,
}

impl Lean {
    /// A sample of a time (ns) in the axes of `frame`, a link that is fixed to the base (empty: the base itself): angular velocity
    /// (rad/s), and acceleration less gravity (m/s²), of which the mean over `time_constant` (s) is taken. It turns with the base.
    pub fn take(
        &mut self,
        model: &RobotModel,
        (stamp, frame): (i64, &str),
        [gyro, accel]: [[f64; 3]; 2],
        time_constant: f64,
    ) -> Result<(), Refused> {
        let (gyro, accel) = (Vector3::from(gyro), Vector3::from(accel));
        if !(gyro.norm_squared().is_finite() && accel.norm_squared().is_finite()) {
            return Err(Refused::NotFinite { what: "imu" });
        }
        let mount = self.mount(model, frame)?;
        let (turn, seen) = (mount * gyro, (mount * accel).cap_magnitude(HARDEST));
        let since = |last: i64| stamp.saturating_sub(last) as f64 * 1e-9;
        let mean = match self.last {
            Some((last, mean)) if (0.0..=GAP).contains(&since(last)) => {
                let step = since(last);
                let mean = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -turn.z * step) * mean;
                mean + (seen - mean) * -(-step / time_constant).exp_m1()
            }
            // Overtaken on the way; a clock that was set back begins anew.
            Some((last, _)) if (-TIME_JUMP..0.0).contains(&since(last)) => return Ok(()),
            _ => seen,
        };
        self.last = Some((stamp, mean));
        Ok(())
    }

    /// So many feet stand at a time (ns). Between steps on two feet a body tips, and efforts against a mean lean would tip it further.
    pub fn stands_on(&mut self, feet: usize, stamp: i64) {
        if (1..=2).contains(&feet) {
            self.tipped = Some(stamp);
        }
    }

    /// The lean at a time (ns), when a sample is known that is at most `timeout` (s) old and three feet or more, or none, stood for
    /// `time_constant` (s): a turn that brings the base's axes to a world whose Oz is up, without a heading.
    pub fn at(&self, stamp: i64, timeout: f64, time_constant: f64) -> Option<UnitQuaternion<f64>> {
        let within = |time: i64, limit: f64| (stamp.saturating_sub(time) as f64 * 1e-9).abs() <= limit;
        let (_, force) = self.last.filter(|(at, _)| timeout > 0.0 && within(*at, timeout))?;
        if self.tipped.is_some_and(|tipped| within(tipped, time_constant)) || force.norm() < FALLING {
            return None;
        }
        // Upside down any axis will do.
        let over = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        Some(UnitQuaternion::rotation_between(&force, &Vector3::z()).unwrap_or_else(over))
    }

    fn mount(&mut self, model: &RobotModel, frame: &str) -> Result<UnitQuaternion<f64>, Refused> {
        if let Some((_, turn)) = self.mount.as_ref().filter(|(known, _)| known == frame) {
            return Ok(*turn);
        }
        let turn = match frame {
            "" => UnitQuaternion::identity(),
            frame => {
                let pose =
                    fixed_pose(model, frame).ok_or_else(|| Refused::NotFixed { name: frame.into() })?;
                UnitQuaternion::from_rotation_matrix(&pose.rotation)
            }
        };
        self.mount = Some((frame.into(), turn));
        Ok(turn)
    }
}
