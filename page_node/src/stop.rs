//! The stop that people press: it holds until the bus says so and until it is cleared.
//!
//! The latch itself is the bridge's (`herkulex_node/stop`, which outlives nodes); here is what is known of it. An unconfirmed stop is asked for
//! again and again, and a stop that somebody else pressed or cleared is seen in the bridge's diagnostics.

use crate::protocol::StopState;

/// Diagnostics are this old at the most when they come, s: what they say may be of before the last order.
const GRACE: f64 = 2.5;

/// What is known of the stop.
#[derive(Clone, Debug, Default)]
pub struct StopLatch {
    state: StopState,
    text: String,
    /// Since the last order from here, s.
    ordered: Option<f64>,
    /// How often it was pressed.
    presses: u64,
}

impl StopLatch {
    /// How far it is.
    pub fn state(&self) -> StopState {
        self.state
    }

    /// What the bus said of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How often it was pressed: whoever clears it clears these, and none that comes later.
    pub fn presses(&self) -> u64 {
        self.presses
    }

    /// Somebody pressed it, at the time `now`, s. One that seems to hold is asked for as well: somebody else may have cleared it a moment ago.
    pub fn ask(&mut self, now: f64) {
        (self.state, self.text) = (StopState::Asked, "asked for".into());
        self.ordered = Some(now);
        self.presses += 1;
    }

    /// What the bus answered; an answer to a stop that was cleared meanwhile says nothing.
    pub fn answered(&mut self, held: bool, text: &str, now: f64) {
        if self.state == StopState::None {
            return;
        }
        if held {
            (self.state, self.ordered) = (StopState::Held, Some(now));
        }
        self.text = text.into();
    }

    /// The bus cleared it, as was asked for after so many `presses`. Whether it is: one that was pressed meanwhile stands, and has to be asked for
    /// again, for nobody knows which of the two the bus did last.
    pub fn cleared(&mut self, presses: u64, now: f64) -> bool {
        let stands = self.presses != presses;
        if stands {
            self.state = StopState::Asked;
        } else {
            *self = StopLatch { ordered: Some(now), presses, ..StopLatch::default() };
        }
        !stands
    }

    /// What the bridge's diagnostics say; `None` when it is silent, which changes nothing. Whether anything changed.
    pub fn observe(&mut self, stopped: Option<bool>, now: f64) -> bool {
        if self.ordered.is_some_and(|at| now - at < GRACE) {
            return false;
        }
        let seen = match (self.state, stopped) {
            (StopState::None | StopState::Asked, Some(true)) => StopState::Held,
            (StopState::Held, Some(false)) => StopState::None,
            _ => return false,
        };
        self.state = seen;
        self.text = if seen == StopState::Held { "the bus is stopped".into() } else { String::new() };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_asked_for_until_the_bus_confirms_it_and_holds_until_it_is_cleared() {
        let mut stop = StopLatch::default();
        stop.ask(0.0);
        stop.answered(false, "herkulex_node did not answer", 1.0);
        assert_eq!((stop.state(), stop.text()), (StopState::Asked, "herkulex_node did not answer"));
        assert!(!stop.observe(Some(false), 60.0), "a bus that is not stopped yet does not end the asking");
        stop.answered(true, "stopped", 61.0);
        assert_eq!(stop.state(), StopState::Held);
        assert!(stop.cleared(stop.presses(), 70.0));
        stop.answered(true, "stopped", 70.1);
        assert_eq!(stop.state(), StopState::None, "a late answer does not bring it back");
    }

    /// The page shows a stop that somebody else cleared half a second ago: whoever presses it now wants it.
    #[test]
    fn a_second_press_reaches_the_bus_as_the_first_one_did() {
        let mut stop = StopLatch::default();
        stop.ask(0.0);
        stop.answered(true, "stopped", 0.1);
        stop.ask(10.0);
        assert_eq!(stop.state(), StopState::Asked, "the bus is asked again");
        assert!(!stop.observe(Some(false), 60.0), "and until it confirms it nothing else ends it");
        stop.answered(true, "stopped", 60.1);
        assert_eq!(stop.state(), StopState::Held);
    }

    #[test]
    fn whoever_clears_does_not_clear_what_is_pressed_meanwhile() {
        let mut stop = StopLatch::default();
        stop.ask(0.0);
        stop.answered(true, "stopped", 0.1);
        let presses = stop.presses();
        // The bus is asked to clear it; before its answer comes somebody presses it again, and the bus confirms that, too.
        stop.ask(5.0);
        stop.answered(true, "stopped", 5.1);
        assert!(!stop.cleared(presses, 5.2));
        assert_eq!(stop.state(), StopState::Asked);
        stop.answered(true, "stopped", 5.3);
        assert!(stop.cleared(stop.presses(), 6.0));
        assert_eq!(stop.state(), StopState::None);
    }

    #[test]
    fn what_others_do_is_seen_but_not_what_was_true_before_an_order() {
        let mut stop = StopLatch::default();
        assert!(stop.observe(Some(true), 0.0) && stop.state() == StopState::Held);
        assert!(!stop.observe(None, 5.0), "silence is no news");
        assert!(stop.observe(Some(false), 6.0) && stop.state() == StopState::None);
        stop.ask(10.0);
        stop.answered(true, "", 10.1);
        assert!(!stop.observe(Some(false), 11.0), "of before the order");
        assert!(stop.observe(Some(false), 13.0));
    }
}
