//! A chain of filters on a stream of samples.

use crate::tf::JUMP_NS;
use filters_lib::chain::{ChainSignal, ParamInfo, Value};
use filters_lib::{Chain, ChainError, Filter};

/// Notices when time is set back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    newest_ns: i64,
}

impl Default for Stamps {
    fn default() -> Self {
        Stamps { newest_ns: i64::MIN }
    }
}

impl Stamps {
    /// Whether a stamp (ns; 0 for none) begins a new time.
    pub(crate) fn jumps(&self, stamp_ns: i64) -> bool {
        stamp_ns != 0 && self.newest_ns.saturating_sub(stamp_ns) > JUMP_NS
    }

    /// A message of this stamp was taken.
    pub(crate) fn took(&mut self, stamp_ns: i64) {
        if stamp_ns != 0 {
            self.newest_ns = if self.jumps(stamp_ns) { stamp_ns } else { self.newest_ns.max(stamp_ns) };
        }
    }
}

/// A chain that begins at its first sample.
#[derive(Clone, Debug)]
pub struct RunningChain<S: ChainSignal> {
    chain: Chain<S>,
    period: f64,
    output: S,
    stamps: Stamps,
}

impl<S: ChainSignal> RunningChain<S> {
    /// From the parameters `filterN.…`; see [`Chain::build`].
    pub fn build(params: &[(String, Value)], period: f64, like: &S) -> Result<Self, Vec<ChainError>> {
        let chain = Chain::build(params, period, like)?;
        Ok(RunningChain { chain, period, output: like.clone(), stamps: Stamps::default() })
    }

    /// The chain itself.
    pub fn chain(&self) -> &Chain<S> {
        &self.chain
    }

    /// The chain itself, to be given the places of frames.
    pub fn chain_mut(&mut self) -> &mut Chain<S> {
        &mut self.chain
    }

    /// Every parameter of its filters.
    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        self.chain.describe()
    }

    /// Filters one sample. A sample that is refused changes nothing.
    pub fn take(&mut self, sample: &S) -> filters_lib::Result<&S> {
        self.chain.update_into(sample, &mut self.output)?;
        Ok(&self.output)
    }

    /// Filters one sample with a stamp (ns; 0 for none). When time was set back the chain begins anew with it, which is
    /// told beside the output. A sample that is refused changes nothing, whatever its stamp.
    pub fn take_at(&mut self, stamp_ns: i64, sample: &S) -> filters_lib::Result<(&S, bool)> {
        let jumped = self.stamps.jumps(stamp_ns);
        if jumped {
            let mut anew = self.chain.clone();
            anew.reset();
            anew.update_into(sample, &mut self.output)?;
            self.chain = anew;
        } else {
            self.take(sample)?;
        }
        self.stamps.took(stamp_ns);
        Ok((&self.output, jumped))
    }

    /// The output for one sample, which counts once [`commit`](Self::commit) follows.
    pub(crate) fn prepare(&mut self, sample: &S) -> filters_lib::Result<()> {
        self.chain.prepare(sample, &mut self.output)
    }

    /// The sample that was prepared counts.
    pub(crate) fn commit(&mut self) -> &S {
        self.chain.commit();
        &self.output
    }

    /// The next sample is the first again.
    pub fn restart(&mut self) {
        self.chain.reset();
    }

    /// Changes parameters and period, all or none; what the filters remember stays.
    pub fn set(&mut self, changes: &[(String, Value)], period: f64) -> Result<(), ChainError> {
        let mut chain = self.chain.clone();
        if period == self.period {
            chain.set(changes)?;
        } else if chain.set_period(period).and_then(|()| chain.set(changes)).is_err() {
            // A corner frequency may fit the new period only, or only together with the old one.
            chain = self.chain.clone();
            chain.set(changes)?;
            chain.set_period(period)?;
        }
        (self.chain, self.period) = (chain, period);
        Ok(())
    }
}
