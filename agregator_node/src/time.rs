//! Which cycle a message belongs to.

use cycle_lib::Cycles;

/// When a message says that it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleTime {
    /// It does not say: it is of the present cycle.
    Absent,
    /// In the cycle of this number, as `sync` counts.
    Number(u32),
    /// At this time, ns.
    Stamp(i64),
}

impl CycleTime {
    /// The stamp (ns) of a message counts where there is one, else its cycle number; 0 is absent.
    pub fn new(stamp_ns: i64, number: u32) -> CycleTime {
        match (stamp_ns, number) {
            (0, 0) => CycleTime::Absent,
            (0, number) => CycleTime::Number(number),
            (stamp_ns, _) => CycleTime::Stamp(stamp_ns),
        }
    }

    /// Whether it does not say.
    pub(crate) fn is_absent(self) -> bool {
        matches!(self, CycleTime::Absent | CycleTime::Number(0) | CycleTime::Stamp(0))
    }

    /// Cycles from the present one, which has this `number`, to that of the message. Before the first `sync` there is no
    /// other.
    pub(crate) fn ahead(self, cycles: &Cycles, number: u32) -> i64 {
        match self {
            _ if !cycles.is_synced() || self.is_absent() => 0,
            CycleTime::Absent => 0,
            CycleTime::Number(of) => numbers_between(number, of),
            CycleTime::Stamp(ns) => cycles.index(ns).saturating_sub(cycles.current()),
        }
    }
}

/// From one cycle number to another, the shorter way: after `u32::MAX` comes 1.
fn numbers_between(from: u32, to: u32) -> i64 {
    let ahead = i64::from(to) - i64::from(from);
    let round = i64::from(u32::MAX);
    if ahead > round / 2 {
        ahead - round
    } else if ahead < -round / 2 {
        ahead + round
    } else {
        ahead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_before_a_number_and_zero_is_neither() {
        let mut cycles = Cycles::new(0.01);
        let ahead = |cycles: &Cycles, ns, number| CycleTime::new(ns, number).ahead(cycles, 7);
        assert_eq!(ahead(&cycles, 5, 9), 0, "before the first sync there is no other cycle");
        cycles.sync(0, 1_000_000_000, 0.01);
        assert_eq!(ahead(&cycles, 0, 0), 0);
        assert_eq!([6, 7, 8].map(|number| ahead(&cycles, 0, number)), [-1, 0, 1]);
        assert_eq!([999_000_000, 1_009_000_000, 1_009_999_000].map(|ns| ahead(&cycles, ns, 3)), [-1, 0, 1]);
        assert!(ahead(&cycles, i64::MIN, 0) < -1_000_000 && ahead(&cycles, i64::MAX, 0) > 1_000_000);
        // The numbers go round: … MAX − 1, MAX, 1, 2 …
        assert_eq!([u32::MAX, u32::MAX - 1].map(|number| ahead(&cycles, 0, number)), [-7, -8]);
        assert_eq!(CycleTime::Number(1).ahead(&cycles, u32::MAX), 1);
    }
}
