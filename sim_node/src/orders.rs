//! Orders from one thread to another, each answered.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long an order may wait to be taken.
const PATIENCE: Duration = Duration::from_secs(1);

/// What becomes of an order, or why it is refused.
type Answer = Result<(), String>;

/// An order that was taken, and where its answer goes.
pub(crate) struct Asked<T> {
    pub order: T,
    number: u64,
    answer: Sender<Answer>,
}

impl<T> Asked<T> {
    /// Answers; whoever asked may have gone.
    pub fn answer(&self, result: Answer) {
        let _ = self.answer.send(result);
    }
}

/// A queue of orders.
pub(crate) struct Orders<T>(Arc<Mutex<(Vec<Asked<T>>, u64)>>);

impl<T> Clone for Orders<T> {
    fn clone(&self) -> Self {
        Orders(self.0.clone())
    }
}

impl<T> Default for Orders<T> {
    fn default() -> Self {
        Orders(Arc::default())
    }
}

impl<T> Orders<T> {
    /// Gives an order and waits for what becomes of it. One that nobody takes is taken back: it must not happen later, when whoever
    /// gave it believes that it was refused.
    pub fn give(&self, order: T) -> Answer {
        let nobody = || Err("there is no robot yet".into());
        let (answer, answered): (_, Receiver<Answer>) = channel();
        let number = {
            let mut queue = self.lock();
            queue.1 += 1;
            let number = queue.1;
            queue.0.push(Asked { order, number, answer });
            number
        };
        if let Ok(result) = answered.recv_timeout(PATIENCE) {
            return result;
        }
        let mut queue = self.lock();
        let before = queue.0.len();
        queue.0.retain(|asked| asked.number != number);
        let is_taken = queue.0.len() == before;
        drop(queue);
        if is_taken { answered.recv().unwrap_or_else(|_| nobody()) } else { nobody() }
    }

    /// All that were given since the last call.
    pub fn take(&self) -> Vec<Asked<T>> {
        std::mem::take(&mut self.lock().0)
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<Asked<T>>, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_nobody_took_does_not_happen_later() {
        let orders = Orders::default();
        assert!(orders.give("push").is_err());
        assert!(orders.take().is_empty());
    }

    #[test]
    fn an_order_that_is_taken_is_answered_however_long_it_takes() {
        let orders = Orders::default();
        let other = orders.clone();
        let robot = std::thread::spawn(move || {
            loop {
                if let Some(asked) = other.take().first() {
                    std::thread::sleep(PATIENCE + Duration::from_millis(100));
                    asked.answer(if asked.order == "push" { Ok(()) } else { Err("what?".into()) });
                    return;
                }
                std::thread::yield_now();
            }
        });
        assert_eq!(orders.give("push"), Ok(()));
        assert!(robot.join().is_ok());
    }
}
