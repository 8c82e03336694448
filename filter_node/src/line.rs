//! One chain between two topics, whatever it carries.

use crate::joints::JointChains;
use crate::live::LiveChain;
use crate::params::{ChainParams, ChainType, FilterParams};
use crate::wrench::WrenchChain;
use filters_lib::{BodyTwist, ChainError};
use param_lib::ParamError;

/// A chain on its kind of message.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are a few of them, for the life of the node")]
pub enum Line {
    /// `std_msgs/Float64`.
    Number(LiveChain<f64>),
    /// `geometry_msgs/WrenchStamped`.
    Wrench(WrenchChain),
    /// `sensor_msgs/JointState`.
    Joints(JointChains),
    /// `geometry_msgs/TwistStamped`.
    Twist(LiveChain<BodyTwist>),
}

impl Line {
    /// Builds the chain; an error is all that is wrong with it.
    pub fn build(chain: &ChainParams, node: &FilterParams) -> Result<Line, Vec<ChainError>> {
        let (filters, period) = (&chain.filters, chain.period());
        Ok(match chain.kind {
            ChainType::Float64 => Line::Number(LiveChain::build(filters, period, &0.0)?),
            ChainType::Twist => Line::Twist(LiveChain::build(filters, period, &BodyTwist::default())?),
            ChainType::JointState => Line::Joints(JointChains::build(filters, period, &chain.fields)?),
            ChainType::Wrench => {
                let queue_size = usize::try_from(node.queue_size).unwrap_or(1);
                Line::Wrench(WrenchChain::build(filters, period, queue_size, node.tf_timeout)?)
            }
        })
    }

    /// Begins anew with the next sample.
    pub fn restart(&mut self) {
        match self {
            Line::Number(chain) => chain.restart(),
            Line::Twist(chain) => chain.restart(),
            Line::Joints(chains) => chains.restart(),
            Line::Wrench(chain) => chain.restart(),
        }
    }

    fn set(&mut self, chain: &ChainParams) -> Result<(), ChainError> {
        let (filters, period) = (&chain.filters, chain.period());
        match self {
            Line::Number(live) => live.set(filters, period),
            Line::Twist(live) => live.set(filters, period),
            Line::Joints(joints) => joints.set(filters, period),
            Line::Wrench(wrench) => wrench.set(filters, period),
        }
    }
}

/// Brings all lines to new parameters, or none of them; what the filters remember stays.
pub fn set_all(lines: &mut [Line], before: &FilterParams, after: &FilterParams) -> Result<(), ParamError> {
    let mut changed = vec![];
    for ((line, old), new) in lines.iter().zip(&before.lines).zip(&after.lines) {
        // NaN means "not set" and equals nothing: such a chain is set once more, which does no harm.
        let next = if old == new {
            None
        } else {
            let mut next = line.clone();
            next.set(new).map_err(|fault| ParamError::Several(vec![new.blame(fault)]))?;
            Some(next)
        };
        changed.push(next);
    }
    for (line, next) in lines.iter_mut().zip(changed) {
        if let Some(next) = next {
            *line = next;
        }
        if let Line::Wrench(wrench) = line {
            wrench.set_timeout(after.tf_timeout);
        }
    }
    Ok(())
}
