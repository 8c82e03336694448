//! Work handed from one thread to the next in batches, whose room is used again.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Pieces in a batch: few enough to stay in the cache, many enough that the threads seldom meet.
const BATCH: usize = 32;
/// Batches on their way, so that neither side waits for the other's every pause.
const ON_THE_WAY: usize = 16;

struct Batch<T> {
    pieces: Vec<T>,
    filled: usize,
}

/// The side that fills.
pub(crate) struct Giver<T> {
    full: SyncSender<Batch<T>>,
    empty: Receiver<Batch<T>>,
    batch: Batch<T>,
}

/// The side that uses.
pub(crate) struct Taker<T> {
    full: Receiver<Batch<T>>,
    empty: SyncSender<Batch<T>>,
}

/// Both sides; the pieces begin as copies of `blank`.
pub(crate) fn relay<T: Clone>(blank: &T) -> (Giver<T>, Taker<T>) {
    let fresh = || Batch { pieces: vec![blank.clone(); BATCH], filled: 0 };
    let ((full, filled), (back, empty)) = (sync_channel(ON_THE_WAY), sync_channel(ON_THE_WAY));
    for _ in 1..ON_THE_WAY {
        // There is room for all of them.
        let _ = back.try_send(fresh());
    }
    (Giver { full, empty, batch: fresh() }, Taker { full: filled, empty: back })
}

impl<T> Giver<T> {
    /// Fills the next piece, which still holds what it was before; false when nobody takes any more.
    pub(crate) fn give(&mut self, fill: impl FnOnce(&mut T)) -> bool {
        fill(&mut self.batch.pieces[self.batch.filled]);
        self.batch.filled += 1;
        if self.batch.filled < self.batch.pieces.len() {
            return true;
        }
        let Ok(next) = self.empty.recv() else { return false };
        self.full.send(std::mem::replace(&mut self.batch, next)).is_ok()
    }
}

impl<T> Drop for Giver<T> {
    /// What is left goes off; then the other side comes to its end.
    fn drop(&mut self) {
        let rest = Batch { pieces: std::mem::take(&mut self.batch.pieces), filled: self.batch.filled };
        // Nobody is left to be told that nobody is left.
        let _ = self.full.send(rest);
    }
}

impl<T> Taker<T> {
    /// Uses every piece in its order, until the giver is gone or a piece cannot be used.
    pub(crate) fn each<E>(self, mut use_piece: impl FnMut(&T) -> Result<(), E>) -> Result<(), E> {
        while let Ok(mut batch) = self.full.recv() {
            batch.pieces[..batch.filled].iter().try_for_each(&mut use_piece)?;
            batch.filled = 0;
            let _ = self.empty.try_send(batch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_arrives_in_its_order_and_a_taker_that_leaves_ends_the_giving() {
        for count in [0, 1, BATCH, BATCH + 1, 100 * BATCH + 7] {
            let (mut giver, taker) = relay(&0);
            let thread = std::thread::spawn(move || {
                let mut next = 0;
                taker.each(|piece| {
                    assert_eq!(*piece, next);
                    next += 1;
                    if next == 50 * BATCH { Err(next) } else { Ok(()) }
                })
            });
            let given = (0..count).all(|number| giver.give(|piece| *piece = number));
            drop(giver);
            let cut = count > 50 * BATCH;
            assert_eq!(thread.join().unwrap(), if cut { Err(50 * BATCH) } else { Ok(()) });
            assert_eq!(given, !cut);
        }
    }
}
