//! Names of messages turned into indices without a search in every cycle.

/// Remembers what an array of names was resolved to.
///
/// A message carries the same names in the same order every time, so [`NameCache::resolve`] compares
/// the names with the remembered ones and searches (and allocates) only when they changed.
///
/// ```
/// use robot_model_lib::NameCache;
/// let mut cache = NameCache::new();
/// let lengths = cache.resolve(&["ear", "tail"], |name| name.len());
/// assert_eq!(lengths, [3, 4]);
/// // The same names again: the search is not called.
/// assert_eq!(cache.resolve(&["ear", "tail"], |_| unreachable!()), [3, 4]);
/// ```
#[derive(Debug, Clone)]
pub struct NameCache<T> {
    names: Vec<String>,
    found: Vec<T>,
}

impl<T> NameCache<T> {
    /// A cache that remembers nothing yet.
    pub const fn new() -> Self {
        Self { names: Vec::new(), found: Vec::new() }
    }

    /// What `find` gave for each of `names`, now or when they were first seen.
    pub fn resolve<S: AsRef<str>>(&mut self, names: &[S], find: impl FnMut(&str) -> T) -> &[T] {
        if !self.holds(names) {
            self.names = names.iter().map(|name| name.as_ref().to_owned()).collect();
            self.found = self.names.iter().map(String::as_str).map(find).collect();
        }
        &self.found
    }

    /// The remembered names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What was found for each of the remembered names.
    pub fn found(&self) -> &[T] {
        &self.found
    }

    /// Whether these are the remembered names; a caller that must act on a change asks first.
    pub fn holds<S: AsRef<str>>(&self, names: &[S]) -> bool {
        self.names.len() == names.len()
            && self.names.iter().zip(names).all(|(known, name)| known == name.as_ref())
    }
}

impl<T> Default for NameCache<T> {
    fn default() -> Self {
        Self::new()
    }
}
