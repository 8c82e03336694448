//! Joint names of several sources turned into places, without a search or an allocation once a source is known.

use crate::note::Refusal;
use robot_model_lib::{JointSlot, NameCache, RobotModel};

/// Sources that send different names on one topic; more than this many take turns.
const SOURCES: usize = 16;

/// One cache per source on a topic.
#[derive(Debug)]
pub(crate) struct KnownNames {
    sources: Vec<NameCache<JointSlot>>,
    next: usize,
}

impl KnownNames {
    pub fn new() -> Self {
        KnownNames { sources: vec![], next: 0 }
    }

    /// The source that sends these names; a name that stands twice is refused and not remembered.
    pub fn find(&mut self, model: &RobotModel, names: &[String]) -> Result<usize, Refusal> {
        if let Some(known) = self.sources.iter().position(|source| source.holds(names)) {
            return Ok(known);
        }
        if let Some(name) = duplicate(names) {
            return Err(Refusal::Duplicate { name: name.into() });
        }
        let index = self.place();
        self.sources[index].resolve(names, |name| model.find_joint(name));
        Ok(index)
    }

    /// The place of the source's name `i`.
    pub fn slot(&self, source: usize, i: usize) -> JointSlot {
        self.sources[source].found()[i]
    }

    fn place(&mut self) -> usize {
        if self.sources.len() < SOURCES {
            self.sources.push(NameCache::new());
            return self.sources.len() - 1;
        }
        self.next = (self.next + 1) % SOURCES;
        self.next
    }
}

/// A name that stands twice.
pub(crate) fn duplicate(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
