//! Where in the control cycle a message falls.

/// A cycle that lasts this many periods without the next `sync` has lost its beat. Going on as if it still ran would let
/// the distance from the previous cycle's position, and with it the lead, grow without end.
const LOST_AFTER: f64 = 3.0;

/// A period that a `sync` may ask for, s: the range of the parameter `period`.
const PERIODS: std::ops::RangeInclusive<f64> = 0.0005..=1.0;

/// Where a message falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the cycle that the last `sync` began.
    Within,
    /// In a cycle before: it was overtaken by `sync`.
    Late,
    /// There is no `sync`, or no longer.
    Unsynced,
}

/// The cycle that the last `sync` began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    current: Option<Current>,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    start_ns: i64,
    period: Option<f64>,
    /// Periods since the cycle before it began.
    since: f64,
}

impl Cycle {
    /// A cycle begins. True when time went back, as it does when a recording starts again.
    pub fn begin(&mut self, start_ns: i64, period: f64) -> bool {
        let went_back = self.current.is_some_and(|c| start_ns < c.start_ns);
        let period = Some(period).filter(|p| PERIODS.contains(p));
        let since = match (self.current, period) {
            (Some(before), Some(period)) => {
                (start_ns.saturating_sub(before.start_ns) as f64 * 1e-9 / period).round().max(1.0)
            }
            _ => 1.0,
        };
        self.current = Some(Current { start_ns, period, since });
        went_back
    }

    /// Where a message of time `at_ns` falls; `period` is the parameter.
    pub fn place(&self, at_ns: i64, period: f64) -> Place {
        let Some(current) = self.current else {
            return Place::Unsynced;
        };
        let elapsed_s = at_ns.saturating_sub(current.start_ns) as f64 * 1e-9;
        if elapsed_s < 0.0 {
            Place::Late
        } else if elapsed_s <= LOST_AFTER * current.period.unwrap_or(period) {
            Place::Within
        } else {
            Place::Unsynced
        }
    }

    /// Periods from the previous cycle to the one of a message: more than one when the machine slept through some.
    pub fn since_previous(&self, place: Place) -> f64 {
        match (place, self.current) {
            (Place::Within, Some(current)) => current.since,
            _ => 1.0,
        }
    }

    /// Duration of the cycle, s: what `sync` says as long as there is one, else the parameter.
    pub fn period(&self, place: Place, parameter: f64) -> f64 {
        match (place, self.current) {
            (Place::Within | Place::Late, Some(current)) => current.period.unwrap_or(parameter),
            _ => parameter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn without_a_sync_nothing_is_in_a_cycle() {
        let cycle = Cycle::default();
        assert_eq!(cycle.place(5, 0.01), Place::Unsynced);
        assert_eq!(cycle.period(Place::Unsynced, 0.01), 0.01);
    }

    #[test]
    fn a_message_belongs_to_the_cycle_in_which_its_stamp_falls() {
        let mut cycle = Cycle::default();
        assert!(!cycle.begin(1000 * MS, 0.02));
        let places = [999, 1000, 1020, 1059, 1061].map(|ms| cycle.place(ms * MS, 0.5));
        assert_eq!(places, [Place::Late, Place::Within, Place::Within, Place::Within, Place::Unsynced]);
        assert_eq!(places.map(|p| cycle.period(p, 0.5)), [0.02, 0.02, 0.02, 0.02, 0.5]);
    }

    #[test]
    fn a_sync_without_a_sensible_period_leaves_the_parameter() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
            let mut cycle = Cycle::default();
            cycle.begin(0, bad);
            assert_eq!(cycle.period(Place::Within, 0.01), 0.01);
        }
    }

    #[test]
    fn cycles_that_fell_out_are_counted() {
        let mut cycle = Cycle::default();
        let since = [0, 10, 20, 41, 50, 45].map(|ms| {
            cycle.begin(ms * MS, 0.01);
            cycle.since_previous(Place::Within)
        });
        assert_eq!(since, [1.0, 1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(cycle.since_previous(Place::Unsynced), 1.0);
    }

    #[test]
    fn time_that_goes_back_is_noticed() {
        let mut cycle = Cycle::default();
        assert!(!cycle.begin(5, 0.01));
        assert!(!cycle.begin(6, 0.01));
        assert!(cycle.begin(5, 0.01));
    }
}
