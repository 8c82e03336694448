//! What an inertial measurement unit says, all of it or nothing.

use crate::running::{RunningChain, Stamps};
use filters_lib::ChainError;
use filters_lib::chain::{ChainSignal, ParamInfo, Value};
use nalgebra::{UnitQuaternion, Vector3};

/// The words of the parameter `fields`, in the order of [`ImuSample`].
pub(crate) const IMU_FIELDS: [&str; 3] = ["orientation", "angular_velocity", "linear_acceleration"];

/// One message; what it does not measure is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImuSample {
    /// Orientation in the frame of the world.
    pub orientation: Option<UnitQuaternion<f64>>,
    /// Angular velocity in the sensor's axes, rad/s.
    pub angular_velocity: Option<Vector3<f64>>,
    /// Linear acceleration in the sensor's axes, m/s².
    pub linear_acceleration: Option<Vector3<f64>>,
}

/// A chain for each part that is filtered.
#[derive(Clone, Debug)]
pub struct ImuChain {
    orientation: Option<RunningChain<UnitQuaternion<f64>>>,
    vectors: [Option<RunningChain<Vector3<f64>>>; 2],
    stamps: Stamps,
}

impl ImuChain {
    /// From the parameters `filterN.…`; of `fields` the others pass as they are. An orientation takes filters that blend
    /// and follow only.
    pub fn build(
        params: &[(String, Value)],
        period: f64,
        fields: &[String],
    ) -> Result<Self, Vec<ChainError>> {
        let filtered = |field: usize| fields.iter().any(|name| name == IMU_FIELDS[field]);
        let orientation =
            filtered(0).then(|| RunningChain::build(params, period, &UnitQuaternion::identity()));
        let vector = |field| {
            filtered(field).then(|| RunningChain::build(params, period, &Vector3::zeros())).transpose()
        };
        Ok(ImuChain {
            vectors: [vector(1)?, vector(2)?],
            orientation: orientation.transpose()?,
            stamps: Stamps::default(),
        })
    }

    /// Filters a message in place; true when time was set back and the chains began anew with it. One that is refused
    /// changes nothing. What is absent stays so, and its filters do not step.
    pub fn take(&mut self, stamp_ns: i64, sample: &mut ImuSample) -> filters_lib::Result<bool> {
        let jumped = self.stamps.jumps(stamp_ns);
        if jumped {
            let mut anew = self.clone();
            anew.restart();
            anew.step(sample)?;
            *self = anew;
        } else {
            self.step(sample)?;
        }
        self.stamps.took(stamp_ns);
        Ok(jumped)
    }

    fn step(&mut self, sample: &mut ImuSample) -> filters_lib::Result<()> {
        // What passes unfiltered is looked at too: a message is good or it is not.
        let mut vectors = [&mut sample.angular_velocity, &mut sample.linear_acceleration];
        for (chain, vector) in self.vectors.iter_mut().zip(&vectors) {
            prepare(chain.as_mut(), vector.as_ref())?;
        }
        prepare(self.orientation.as_mut(), sample.orientation.as_ref())?;
        for (chain, vector) in self.vectors.iter_mut().zip(&mut vectors) {
            commit(chain.as_mut(), vector.as_mut());
        }
        commit(self.orientation.as_mut(), sample.orientation.as_mut());
        Ok(())
    }

    /// Begins anew with the next message.
    pub fn restart(&mut self) {
        self.orientation.iter_mut().for_each(RunningChain::restart);
        self.vectors.iter_mut().flatten().for_each(RunningChain::restart);
    }

    /// Changes parameters of its filters, all or none.
    pub fn set(&mut self, changes: &[(String, Value)], period: f64) -> Result<(), ChainError> {
        self.orientation.iter_mut().try_for_each(|chain| chain.set(changes, period))?;
        self.vectors.iter_mut().flatten().try_for_each(|chain| chain.set(changes, period))
    }

    /// Every parameter of the filters; none when nothing is filtered.
    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        let vectors = self.vectors.iter().flatten().map(RunningChain::describe);
        vectors.chain(self.orientation.iter().map(RunningChain::describe)).next().unwrap_or_default()
    }
}

fn prepare<S: ChainSignal>(
    chain: Option<&mut RunningChain<S>>,
    sample: Option<&S>,
) -> filters_lib::Result<()> {
    match (chain, sample) {
        (Some(chain), Some(sample)) => chain.prepare(sample),
        (None, Some(sample)) => sample.check("the message"),
        (_, None) => Ok(()),
    }
}

fn commit<S: ChainSignal>(chain: Option<&mut RunningChain<S>>, sample: Option<&mut S>) {
    if let (Some(chain), Some(sample)) = (chain, sample) {
        sample.clone_from(chain.commit());
    }
}
