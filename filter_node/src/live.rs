//! A chain of filters on a stream of samples.

use crate::tf::JUMP_NS;
use filters_lib::chain::{ChainSignal, Value};
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
    /// Takes the next stamp (ns; 0 for none); true when it begins a new time.
    pub(crate) fn jump(&mut self, stamp_ns: i64) -> bool {
        if stamp_ns == 0 {
            return false;
        }
        let jumps = self.newest_ns.saturating_sub(stamp_ns) > JUMP_NS;
        self.newest_ns = if jumps { stamp_ns } else { self.newest_ns.max(stamp_ns) };
        jumps
    }
}

/// A chain that begins at its first sample.
#[derive(Clone, Debug)]
pub struct LiveChain<S: ChainSignal> {
    chain: Chain<S>,
    period: f64,
    output: S,
    stamps: Stamps,
}

impl<S: ChainSignal> LiveChain<S> {
    /// From the parameters `filterN.…`; see [`Chain::build`].
    pub fn build(params: &[(String, Value)], period: f64, like: &S) -> Result<Self, Vec<ChainError>> {
        let chain = Chain::build(params, period, like)?;
        Ok(LiveChain { chain, period, output: like.clone(), stamps: Stamps::default() })
    }

    /// The chain itself.
    pub fn chain(&self) -> &Chain<S> {
        &self.chain
    }

    /// The chain itself, to be told where frames are.
    pub fn chain_mut(&mut self) -> &mut Chain<S> {
        &mut self.chain
    }

    /// Filters one sample. A sample that is refused changes nothing.
    pub fn take(&mut self, sample: &S) -> filters_lib::Result<&S> {
        self.chain.update_into(sample, &mut self.output)?;
        Ok(&self.output)
    }

    /// Says which stamp (ns; 0 for none) the next sample has. When time was set back the chain begins anew, and this is
    /// true.
    pub fn at(&mut self, stamp_ns: i64) -> bool {
        let jumps = self.stamps.jump(stamp_ns);
        if jumps {
            self.restart();
        }
        jumps
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
