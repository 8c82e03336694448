//! What is fuzzed.

mod bag;
mod cores;
mod files;
mod filter;
mod robot;

/// Takes an input; a panic is a find. Cores keep their state from one input to the next for a while.
pub(crate) type Give = Box<dyn FnMut(&[u8])>;

/// Something that reads what others wrote.
#[derive(Clone, Copy)]
pub struct Target {
    /// What the command line calls it.
    pub name: &'static str,
    /// Words of its format.
    pub(crate) words: &'static [&'static str],
    /// Inputs to begin with.
    pub(crate) corpus: fn() -> anyhow::Result<Vec<Vec<u8>>>,
    /// Makes it ready.
    pub(crate) build: fn() -> anyhow::Result<Give>,
}

/// All of them.
pub fn targets() -> Vec<Target> {
    let mut all = files::TARGETS.to_vec();
    all.push(bag::TARGET);
    all.extend(cores::TARGETS);
    all
}
