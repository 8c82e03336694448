//! Which cycle a message belongs to.

/// When a message says that it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleTime {
    /// It does not say: it fits any cycle.
    Absent,
    /// In this cycle.
    Number(u32),
    /// At this time, ns; the cycle is the one in which it falls.
    Stamp(i64),
}

/// The cycle that is under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cycle {
    /// 0 before the first sync.
    pub number: u32,
    pub start_ns: i64,
    pub period: f64,
}

impl Cycle {
    /// The message's cycle when it is another one than this. Before the first sync there is none to differ from.
    pub fn differs(&self, time: CycleTime) -> Option<i64> {
        let current = i64::from(self.number);
        let other = match time {
            _ if self.number == 0 => return None,
            CycleTime::Absent | CycleTime::Number(0) | CycleTime::Stamp(0) => return None,
            CycleTime::Number(number) => i64::from(number),
            CycleTime::Stamp(ns) => {
                let since = ns.saturating_sub(self.start_ns) as f64 * 1e-9;
                current.saturating_add((since / self.period).floor() as i64)
            }
        };
        (other != current).then_some(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_belongs_to_the_cycle_in_which_it_falls() {
        let cycle = Cycle { number: 7, start_ns: 1_000_000_000, period: 0.01 };
        assert_eq!(cycle.differs(CycleTime::Stamp(1_000_000_000)), None);
        assert_eq!(cycle.differs(CycleTime::Stamp(1_009_999_999)), None);
        assert_eq!(cycle.differs(CycleTime::Stamp(1_010_000_000)), Some(8));
        assert_eq!(cycle.differs(CycleTime::Stamp(999_999_999)), Some(6));
        assert_eq!(cycle.differs(CycleTime::Stamp(0)), None);
        assert!(cycle.differs(CycleTime::Stamp(i64::MIN)).is_some_and(|c| c < 0));
    }

    #[test]
    fn a_number_must_be_the_current_one_or_absent() {
        let cycle = Cycle { number: 7, start_ns: 0, period: 0.01 };
        assert_eq!([0, 6, 7, 8].map(|n| cycle.differs(CycleTime::Number(n))), [None, Some(6), None, Some(8)]);
        assert_eq!(Cycle { number: 0, ..cycle }.differs(CycleTime::Number(3)), None);
    }
}
