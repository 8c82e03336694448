//! Filters on topics: wrenches, inertial samples, joint states.

use filter_node::tf::{Frames, TfError, When};
use filter_node::{ImuChain, ImuSample, JointChains, WrenchChain, WrenchSample};
use filters_lib::Wrench;
use filters_lib::chain::Value;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3, Vector6};

use super::Give;
use super::cores::living;
use super::robot::{joint_names, pony};
use crate::Choices;

/// Every frame is where every other is.
struct OneFrame;

impl Frames for OneFrame {
    fn lookup(&self, _: &str, _: &str, _: When) -> Result<Isometry3<f64>, TfError> {
        Ok(Isometry3::identity())
    }
}

struct Filters {
    joints: JointChains,
    wrench: WrenchChain,
    imu: ImuChain,
}

fn chain(types: &[(&str, &[(&str, Value)])]) -> Vec<(String, Value)> {
    let mut params = vec![];
    for (number, (kind, own)) in (1..).zip(types) {
        params.push((format!("filter{number}.name"), Value::Text(format!("f{number}"))));
        params.push((format!("filter{number}.type"), Value::from(*kind)));
        params
            .extend(own.iter().map(|(name, value)| (format!("filter{number}.params.{name}"), value.clone())));
    }
    params
}

fn make() -> anyhow::Result<Filters> {
    let failed = |errors: Vec<filters_lib::chain::ChainError>| anyhow::anyhow!("{errors:?}");
    let alpha = [("alpha", Value::from(0.5))];
    let fields = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let double = chain(&[("control_filters/ExponentialFilterDouble", &alpha)]);
    let median = chain(&[("Median", &[("window", Value::Integer(3))])]);
    Ok(Filters {
        joints: JointChains::build(&double, 0.01, &fields(&["position", "velocity", "effort"]))
            .map_err(failed)?,
        wrench: WrenchChain::build(&median, 0.01, 100, 0.1).map_err(failed)?,
        imu: ImuChain::build(&median, 0.01, &fields(&["angular_velocity", "linear_acceleration"]))
            .map_err(failed)?,
    })
}

pub(crate) fn build() -> anyhow::Result<Give> {
    let names = joint_names(&pony()?);
    let mut last = 1_000_000_000;
    living(make, move |core, choices| {
        let stamp = choices.stamp(last);
        match choices.byte() % 4 {
            0 | 1 => {
                let name = choices.names(&names);
                let mut arrays = [(); 3].map(|()| choices.array(name.len()));
                let absent =
                    arrays.each_ref().map(|array| array.iter().filter(|value| value.is_nan()).count());
                let [position, velocity, effort] = &mut arrays;
                if core.joints.take(stamp, &name, [position, velocity, effort], |_, _| {}).is_ok() {
                    for (array, absent) in arrays.iter().zip(absent) {
                        let odd = array.iter().filter(|value| !value.is_finite()).count();
                        assert!(odd <= absent, "{array:?}");
                    }
                }
            }
            2 => {
                let wrench = Wrench(Vector6::from([(); 6].map(|()| choices.number())));
                let sample = WrenchSample { stamp, frame: "sensor".into(), wrench, arrived: stamp };
                let _ = core.wrench.push(sample);
                while let Some(next) = core.wrench.next(&OneFrame, stamp) {
                    if let Ok(sample) = next {
                        assert!(sample.wrench.0.iter().all(|x| x.is_finite()));
                    }
                }
            }
            _ => {
                let turn = Quaternion::new(1.0, choices.ordinary(), choices.ordinary(), choices.ordinary());
                let mut sample = ImuSample {
                    orientation: Some(UnitQuaternion::new_normalize(turn)),
                    angular_velocity: Some(vector(choices)),
                    linear_acceleration: Some(vector(choices)),
                };
                if core.imu.take(stamp, &mut sample).is_ok() {
                    let all = sample.angular_velocity.iter().chain(&sample.linear_acceleration);
                    assert!(all.flat_map(|vector| vector.iter()).all(|x| x.is_finite()));
                }
            }
        }
        last = stamp.clamp(0, 1 << 60);
    })
}

fn vector(choices: &mut Choices<'_>) -> Vector3<f64> {
    Vector3::new(choices.number(), choices.number(), choices.number())
}
