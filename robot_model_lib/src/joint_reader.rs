//! Joint messages of several sources, read without a search or an allocation once a source is known.

use crate::joint_message::{Field, MessageError, check_fields, check_names};
use crate::names::NameCache;

/// Sources that send different names on one topic; more than this many take turns.
const SOURCES: usize = 16;

/// Reads the joint messages of one topic: checks them, and turns names into what `find` gives for each.
///
/// ```
/// use robot_model_lib::{Field, JointReader};
/// let (mut reader, servos) = (JointReader::new(), ["knee", "hip"]);
/// let find = |name: &str| servos.iter().position(|servo| *servo == name);
/// let source = reader.read(&["hip", "wing"], &[Field::new("position", &[0.1, 0.2])], find)?;
/// assert_eq!(reader.found(source), [Some(1), None]);
/// # Ok::<(), robot_model_lib::MessageError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JointReader<T> {
    sources: Vec<NameCache<T>>,
    next: usize,
}

impl<T> JointReader<T> {
    /// A reader that knows no source yet.
    pub const fn new() -> Self {
        JointReader { sources: Vec::new(), next: 0 }
    }

    /// Checks a message and gives the number of its source for [`JointReader::found`]. A message that is refused is not
    /// remembered.
    pub fn read<S: AsRef<str>>(
        &mut self,
        names: &[S],
        fields: &[Field<'_>],
        find: impl FnMut(&str) -> T,
    ) -> Result<usize, MessageError> {
        check_fields(names, fields)?;
        if let Some(known) = self.sources.iter().position(|source| source.holds(names)) {
            return Ok(known);
        }
        check_names(names)?;
        let source = if self.sources.len() < SOURCES {
            self.sources.push(NameCache::new());
            self.sources.len() - 1
        } else {
            self.next = (self.next + 1) % SOURCES;
            self.next
        };
        self.sources[source].resolve(names, find);
        Ok(source)
    }

    /// What was found for each name of a source that was just read.
    pub fn found(&self, source: usize) -> &[T] {
        self.sources.get(source).map_or(&[], NameCache::found)
    }

    /// The names of a source.
    pub fn names(&self, source: usize) -> &[String] {
        self.sources.get(source).map_or(&[], NameCache::names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_remembered_and_refused_messages_are_not() {
        let mut reader = JointReader::new();
        let mut searched = 0;
        let mut read = |names: &[&str]| {
            let source = reader.read(names, &[], |name| {
                searched += 1;
                name.len()
            })?;
            Ok::<_, MessageError>(reader.found(source).to_vec())
        };
        assert_eq!(read(&["ear", "tail"]), Ok(vec![3, 4]));
        assert_eq!(read(&["tail"]), Ok(vec![4]));
        assert_eq!(read(&["ear", "tail"]), Ok(vec![3, 4]));
        assert!(read(&["a", "a"]).is_err() && read(&["a", "a"]).is_err());
        for k in 0..40 {
            assert_eq!(read(&[&"x".repeat(k + 5)]), Ok(vec![k + 5]));
        }
        assert_eq!(searched, 3 + 40);
        assert_eq!(reader.sources.len(), SOURCES);
    }
}
