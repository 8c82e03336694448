//! The last values of a signal.

/// The last n values, newest first, in n + 1 places: the one too many takes the next value before it counts. A ring of no
/// length keeps the last value all the same: it is what the ring is filled with when it grows.
#[derive(Debug, Clone)]
pub(crate) struct Ring<S> {
    places: Vec<S>,
    newest: usize,
    length: usize,
    // How many of the places but the free one hold a value.
    held: usize,
}

impl<S: Clone> Ring<S> {
    /// `length` values like `value`.
    pub(crate) fn filled(length: usize, value: &S) -> Self {
        let kept = length.max(1);
        Self { places: vec![value.clone(); kept + 1], newest: 0, length, held: kept }
    }

    /// How many values there can be.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// How many values count: the length, or fewer when not as many came since the last [`clear`](Self::clear).
    #[inline]
    pub(crate) fn known(&self) -> usize {
        self.held.min(self.length)
    }

    pub(crate) fn fill(&mut self, value: &S) {
        self.places.iter_mut().for_each(|place| place.clone_from(value));
        self.held = self.places.len() - 1;
    }

    pub(crate) fn clear(&mut self) {
        self.held = 0;
    }

    /// The values that count, newest first.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &S> + Clone {
        let [early, late] = self.stretches();
        early.iter().chain(late).take(self.known())
    }

    /// The places as they lie in memory, newest first; behind the values that count is the free one.
    #[inline]
    pub(crate) fn stretches(&self) -> [&[S]; 2] {
        let (late, early) = self.places.split_at(self.newest);
        [early, late]
    }

    /// The oldest value, which the next one replaces, if there are as many as can be.
    #[inline]
    pub(crate) fn leaving(&self) -> Option<&S> {
        let length = self.length;
        (length > 0 && self.held == length).then(|| &self.places[self.place(length - 1)])
    }

    /// Writes the next value to the free place.
    #[inline]
    pub(crate) fn prepare(&mut self, value: &S) {
        self.free().clone_from(value);
    }

    /// The free place, for a next value that is written part by part.
    #[inline]
    pub(crate) fn free(&mut self) -> &mut S {
        let free = self.place(self.places.len() - 1);
        &mut self.places[free]
    }

    /// The value that was prepared.
    #[inline]
    pub(crate) fn prepared(&self) -> &S {
        &self.places[self.place(self.places.len() - 1)]
    }

    /// The value that was prepared becomes the newest.
    #[inline]
    pub(crate) fn commit(&mut self) {
        self.newest = self.place(self.places.len() - 1);
        self.held = (self.held + 1).min(self.places.len() - 1);
    }

    /// As if the value that was prepared had been there for ever.
    pub(crate) fn fill_with_prepared(&mut self) {
        let free = self.place(self.places.len() - 1);
        for i in 0..self.places.len() {
            if let Ok([place, prepared]) = self.places.get_disjoint_mut([i, free]) {
                place.clone_from(prepared);
            }
        }
        self.held = self.places.len() - 1;
    }

    /// Changes the length; the newest values stay. A full ring that grows repeats its oldest value.
    pub(crate) fn resize(&mut self, length: usize) {
        let (was_full, kept) = (self.held == self.places.len() - 1, length.max(1));
        let oldest = self.places[self.place(self.held.saturating_sub(1))].clone();
        self.places.rotate_left(self.newest);
        self.newest = 0;
        self.places.truncate(self.held.min(kept));
        self.held = if was_full { kept } else { self.places.len() };
        self.places.resize(kept + 1, oldest);
        self.length = length;
    }

    #[inline]
    fn place(&self, age: usize) -> usize {
        let place = self.newest + age;
        if place < self.places.len() { place } else { place - self.places.len() }
    }
}
