//! Wrenches, which wait for the transforms of their time.

use crate::running::{RunningChain, Stamps};
use crate::tf::{Frames, TfError, When};
use filters_lib::chain::{ParamInfo, Value};
use filters_lib::signal::Signal;
use filters_lib::{Chain, ChainError, GravityFrames, Wrench};
use std::collections::VecDeque;

/// A wrench with its frame and time.
#[derive(Clone, Debug, PartialEq)]
pub struct WrenchSample {
    /// Stamp, ns; 0 means "now" to tf.
    pub stamp: i64,
    /// Frame of its axes and of the point it acts at.
    pub frame: String,
    /// Force, N, and torque, N·m.
    pub wrench: Wrench,
    /// When it came, ns of any clock that never goes back.
    pub arrived: i64,
}

/// Why a wrench was dropped. The filters are as they were.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Dropped {
    /// The transforms did not come in time.
    #[error("no transform: {0}")]
    Transform(#[from] TfError),
    /// A filter refused it.
    #[error("{0}")]
    Refused(#[from] filters_lib::Error),
    /// A gravity compensation must know the frame.
    #[error("the message has no frame_id")]
    NoFrame,
}

/// What a sample did to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// Time was set back and the chain begins anew.
    pub jumped: bool,
    /// So many that waited were dropped, the oldest first.
    pub dropped: usize,
}

/// What a gravity compensation wants to know.
#[derive(Clone, Debug)]
struct Need {
    index: usize,
    world: String,
    sensor: String,
    output: String,
}

/// A chain of filters on wrenches. Those that wait keep their order.
#[derive(Clone, Debug)]
pub struct WrenchChain {
    chain: RunningChain<Wrench>,
    needs: Vec<Need>,
    waiting: VecDeque<WrenchSample>,
    queue_size: usize,
    timeout_ns: i64,
    stamps: Stamps,
}

impl WrenchChain {
    /// From the parameters `filterN.…`; a message waits at most `timeout` s, and `queue_size` of them at once.
    pub fn build(
        params: &[(String, Value)],
        period: f64,
        queue_size: usize,
        timeout: f64,
    ) -> Result<Self, Vec<ChainError>> {
        let chain = RunningChain::build(params, period, &Wrench::default())?;
        let need = |(index, names): (usize, filters_lib::chain::FrameNames<'_>)| Need {
            index,
            world: names.world.into(),
            sensor: names.sensor.into(),
            output: names.output.into(),
        };
        let needs = chain.chain().frames().map(need).collect();
        let queue_size = queue_size.max(1);
        let (waiting, stamps) = (VecDeque::new(), Stamps::default());
        let mut wrenches = WrenchChain { chain, needs, waiting, queue_size, timeout_ns: 0, stamps };
        wrenches.set_timeout(timeout);
        Ok(wrenches)
    }

    /// Changes the longest wait, s.
    pub fn set_timeout(&mut self, timeout: f64) {
        self.timeout_ns = (timeout * 1e9) as i64;
    }

    /// Changes parameters, all or none.
    pub fn set(&mut self, changes: &[(String, Value)], period: f64) -> Result<(), ChainError> {
        self.chain.set(changes, period)
    }

    /// Every parameter of the filters.
    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        self.chain.describe()
    }

    /// Whether it needs frames at all.
    pub fn needs_frames(&self) -> bool {
        !self.needs.is_empty()
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Begins anew with the next sample, and forgets those that wait.
    pub fn restart(&mut self) {
        self.chain.restart();
        self.waiting.clear();
    }

    /// Takes a sample, and says for which samples there is no room any more. One that is refused changes nothing.
    pub fn push(&mut self, sample: WrenchSample) -> Result<Pushed, Dropped> {
        sample.wrench.check("wrench")?;
        if self.needs_frames() && sample.frame.is_empty() {
            return Err(Dropped::NoFrame);
        }
        let jumped = self.stamps.jumps(sample.stamp);
        self.stamps.took(sample.stamp);
        if jumped {
            self.chain.restart();
        }
        let room = if jumped { 0 } else { self.queue_size - 1 };
        let dropped = self.waiting.len().saturating_sub(room);
        self.waiting.drain(..dropped);
        self.waiting.push_back(sample);
        Ok(Pushed { jumped, dropped })
    }

    /// The next sample in order, filtered and in the frame that its filters give it, or why it was dropped; nothing while
    /// it waits. `now` is of the clock of [`WrenchSample::arrived`].
    pub fn next(&mut self, frames: &impl Frames, now: i64) -> Option<Result<WrenchSample, Dropped>> {
        let sample = self.waiting.front()?;
        let placed = place(self.chain.chain_mut(), &self.needs, sample, frames);
        if let Err(Dropped::Transform(error)) = &placed
            && error.may_pass()
            && now.saturating_sub(sample.arrived) < self.timeout_ns
        {
            return None;
        }
        let mut sample = self.waiting.pop_front()?;
        let filtered = placed.and_then(|()| Ok(*self.chain.take(&sample.wrench)?));
        Some(filtered.map(|wrench| {
            sample.wrench = wrench;
            if let Some(need) = self.needs.iter().rfind(|need| !need.output.is_empty()) {
                need.output.clone_into(&mut sample.frame);
            }
            sample
        }))
    }
}

/// Tells every gravity compensation where its frames are at the sample's time. One that has an output frame hands the
/// wrench on in that frame.
fn place(
    chain: &mut Chain<Wrench>,
    needs: &[Need],
    sample: &WrenchSample,
    frames: &impl Frames,
) -> Result<(), Dropped> {
    let when = When::stamp(sample.stamp);
    let mut input = sample.frame.as_str();
    for need in needs {
        let output = if need.output.is_empty() { input } else { &need.output };
        let poses = GravityFrames {
            sensor_from_input: frames.lookup(&need.sensor, input, when)?,
            sensor_from_world: frames.lookup(&need.sensor, &need.world, when)?,
            output_from_sensor: frames.lookup(output, &need.sensor, when)?,
        };
        chain.set_frames(need.index, &poses)?;
        input = output;
    }
    Ok(())
}
