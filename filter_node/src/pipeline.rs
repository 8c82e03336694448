//! One chain between two topics, whatever it carries.

use crate::imu::ImuChain;
use crate::joints::JointChains;
use crate::params::{ChainParams, ChainType, FilterParams};
use crate::running::RunningChain;
use crate::wrench::WrenchChain;
use filters_lib::chain::ParamInfo;
use filters_lib::{BodyTwist, ChainError};
use nalgebra::{Isometry3, Vector3};
use param_lib::ParamError;

/// A chain on its kind of message.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are a few of them, for the life of the node")]
pub enum Pipeline {
    /// A chain for `std_msgs/Float64`.
    Number(RunningChain<f64>),
    /// A chain for `geometry_msgs/Vector3Stamped`.
    Vector(RunningChain<Vector3<f64>>),
    /// A chain for `geometry_msgs/TwistStamped`.
    Twist(RunningChain<BodyTwist>),
    /// A chain for `geometry_msgs/PoseStamped`.
    Pose(RunningChain<Isometry3<f64>>),
    /// A chain for `geometry_msgs/WrenchStamped`.
    Wrench(WrenchChain),
    /// A chain for `sensor_msgs/Imu`.
    Imu(ImuChain),
    /// A chain for `sensor_msgs/JointState`.
    Joints(JointChains),
}

/// `$call` on the chain of a pipeline, whatever it carries.
macro_rules! on_chain {
    ($pipeline:expr, $chain:ident => $call:expr) => {
        match $pipeline {
            Pipeline::Number($chain) => $call,
            Pipeline::Vector($chain) => $call,
            Pipeline::Twist($chain) => $call,
            Pipeline::Pose($chain) => $call,
            Pipeline::Wrench($chain) => $call,
            Pipeline::Imu($chain) => $call,
            Pipeline::Joints($chain) => $call,
        }
    };
}

impl Pipeline {
    /// Builds the chain; an error is all that is wrong with it.
    pub fn build(chain: &ChainParams, node: &FilterParams) -> Result<Pipeline, Vec<ChainError>> {
        let (filters, period) = (&chain.filters, chain.period());
        Ok(match chain.kind {
            ChainType::Float64 => Pipeline::Number(RunningChain::build(filters, period, &0.0)?),
            ChainType::Vector3 => Pipeline::Vector(RunningChain::build(filters, period, &Vector3::zeros())?),
            ChainType::Twist => Pipeline::Twist(RunningChain::build(filters, period, &BodyTwist::default())?),
            ChainType::Pose => Pipeline::Pose(RunningChain::build(filters, period, &Isometry3::identity())?),
            ChainType::Imu => Pipeline::Imu(ImuChain::build(filters, period, &chain.fields)?),
            ChainType::JointState => Pipeline::Joints(JointChains::build(filters, period, &chain.fields)?),
            ChainType::Wrench => {
                let queue_size = usize::try_from(node.queue_size).unwrap_or(1);
                Pipeline::Wrench(WrenchChain::build(filters, period, queue_size, node.tf_timeout)?)
            }
        })
    }

    /// Begins anew with the next sample.
    pub fn restart(&mut self) {
        on_chain!(self, chain => chain.restart());
    }

    /// Every parameter of the filters.
    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        on_chain!(self, chain => chain.describe())
    }

    fn set(&mut self, chain: &ChainParams) -> Result<(), ChainError> {
        on_chain!(self, own => own.set(&chain.filters, chain.period()))
    }
}

/// Brings all pipelines to new parameters, or none of them; what the filters remember stays.
pub fn set_all(
    pipelines: &mut [Pipeline],
    before: &FilterParams,
    after: &FilterParams,
) -> Result<(), ParamError> {
    let mut changed = vec![];
    for ((pipeline, old), new) in pipelines.iter().zip(&before.chains).zip(&after.chains) {
        // NaN means "not set" and equals nothing: such a chain is set once more, which does no harm.
        let next = if old == new {
            None
        } else {
            let mut next = pipeline.clone();
            next.set(new).map_err(|fault| ParamError::Several(vec![new.blame(fault)]))?;
            Some(next)
        };
        changed.push(next);
    }
    for (pipeline, next) in pipelines.iter_mut().zip(changed) {
        if let Some(next) = next {
            *pipeline = next;
        }
        if let Pipeline::Wrench(wrench) = pipeline {
            wrench.set_timeout(after.tf_timeout);
        }
    }
    Ok(())
}
