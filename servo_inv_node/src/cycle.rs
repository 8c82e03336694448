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
    /// In a cycle after: it has overtaken its `sync`.
    Early,
    /// There is no `sync`, or no longer.
    Unsynced,
}

/// What a `sync` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The start of a cycle.
    Anew,
    /// The start of a cycle in which a message has come already.
    Already,
    /// Time that went back, as it does when a recording starts again.
    Back,
}

/// The cycle that is under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    current: Option<Current>,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    start_ns: i64,
    period: Option<f64>,
    /// Periods since the cycle before it began, and of that one.
    since: f64,
    since_before: f64,
    /// Start of the last `sync`; before that of the cycle when an early message began it.
    heard_ns: i64,
}

impl Cycle {
    /// A `sync` came.
    pub fn begin(&mut self, start_ns: i64, period: f64) -> Begun {
        let period = Some(period).filter(|p| PERIODS.contains(p));
        let begun = match self.current {
            Some(current) if start_ns < current.heard_ns => Begun::Back,
            Some(current) if current.heard_ns < current.start_ns && start_ns <= current.start_ns => {
                Begun::Already
            }
            _ => Begun::Anew,
        };
        let since = match (begun, self.current, period) {
            (Begun::Already, Some(current), _) => current.since,
            (Begun::Anew, Some(before), Some(period)) => periods(before.start_ns, start_ns, period),
            _ => 1.0,
        };
        // A message may be stamped in the middle of its cycle, which begins with its own sync, not with one before that.
        let assumed = self.current.filter(|_| begun == Begun::Already).map(|current| current.start_ns);
        let of_another =
            |assumed: &i64| assumed.saturating_sub(start_ns) as f64 * 1e-9 >= period.unwrap_or(f64::INFINITY);
        let start = assumed.filter(of_another).unwrap_or(start_ns);
        let since_before = match begun {
            Begun::Already => self.current.map_or(1.0, |current| current.since_before),
            _ => self.current.map_or(1.0, |current| current.since),
        };
        self.current = Some(Current { start_ns: start, period, since, since_before, heard_ns: start_ns });
        begun
    }

    /// An early message begins its cycle; the `sync` is on its way.
    pub fn assume(&mut self, at_ns: i64, parameter: f64) {
        if let Some(current) = &mut self.current {
            current.since_before = current.since;
            current.since = periods(current.start_ns, at_ns, current.period.unwrap_or(parameter));
            current.start_ns = at_ns;
        }
    }

    /// Where a message of time `at_ns` falls; `parameter` is the period where `sync` does not say it.
    pub fn place(&self, at_ns: i64, parameter: f64) -> Place {
        let Some(current) = self.current else {
            return Place::Unsynced;
        };
        let period = current.period.unwrap_or(parameter);
        let elapsed = |since_ns: i64| at_ns.saturating_sub(since_ns) as f64 * 1e-9;
        if elapsed(current.start_ns) < 0.0 {
            Place::Late
        } else if elapsed(current.heard_ns) > LOST_AFTER * period {
            Place::Unsynced
        } else if elapsed(current.start_ns) < (1.0 - 1e-6) * period {
            Place::Within
        } else {
            Place::Early
        }
    }

    /// Periods from the previous cycle to the one of a message: more than one when the machine slept through some.
    pub fn since_previous(&self, place: Place) -> f64 {
        match (place, self.current) {
            (Place::Within | Place::Early, Some(current)) => current.since,
            (Place::Late, Some(current)) => current.since_before,
            _ => 1.0,
        }
    }

    /// Duration of the cycle, s: what `sync` says as long as there is one, else the parameter.
    pub fn period(&self, place: Place, parameter: f64) -> f64 {
        match (place, self.current) {
            (Place::Within | Place::Late | Place::Early, Some(current)) => {
                current.period.unwrap_or(parameter)
            }
            _ => parameter,
        }
    }
}

fn periods(from_ns: i64, to_ns: i64, period: f64) -> f64 {
    (to_ns.saturating_sub(from_ns) as f64 * 1e-9 / period).round().max(1.0)
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
        assert_eq!(cycle.begin(1000 * MS, 0.02), Begun::Anew);
        let places = [999, 1000, 1019, 1020, 1059, 1061].map(|ms| cycle.place(ms * MS, 0.5));
        let (within, early) = (Place::Within, Place::Early);
        assert_eq!(places, [Place::Late, within, within, early, early, Place::Unsynced]);
        assert_eq!(places.map(|p| cycle.period(p, 0.5)), [0.02, 0.02, 0.02, 0.02, 0.02, 0.5]);
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
        assert_eq!([5, 6, 5].map(|ns| cycle.begin(ns, 0.01)), [Begun::Anew, Begun::Anew, Begun::Back]);
    }

    #[test]
    fn a_sync_that_was_overtaken_begins_nothing_and_one_before_it_neither() {
        let mut cycle = Cycle::default();
        cycle.begin(100 * MS, 0.01);
        cycle.assume(123 * MS, 0.5);
        assert_eq!((cycle.place(123 * MS, 0.5), cycle.since_previous(Place::Within)), (Place::Within, 2.0));
        assert_eq!([110, 120].map(|ms| cycle.begin(ms * MS, 0.01)), [Begun::Already; 2]);
        assert_eq!(cycle.begin(130 * MS, 0.01), Begun::Anew);
        // Its own sync; from here on the cycle is an ordinary one.
        let mut cycle = Cycle::default();
        cycle.begin(100 * MS, 0.01);
        cycle.assume(113 * MS, 0.5);
        assert_eq!(cycle.begin(110 * MS, 0.01), Begun::Already);
        assert_eq!(cycle.begin(120 * MS, 0.01), Begun::Anew);
        assert_eq!(cycle.since_previous(Place::Within), 1.0);
    }
}
