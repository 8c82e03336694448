//! Inputs that came before the `sync` of their cycle: topics have no order among each other.

use crate::given::Given;
use crate::support::Support;
use cycle_lib::STALL;

/// Messages so many cycles ahead of the last `sync` are kept for theirs, though cycles fell out of the beat between the two; more is no race
/// but a stall, or a source with a wrong clock.
pub(crate) const KEPT_AHEAD: i64 = STALL;

/// What messages of one cycle to come gave, all in all.
#[derive(Clone, Debug)]
pub(crate) struct KeptCycle {
    cycle: Option<i64>,
    pub joints: Vec<Given>,
    pub supports: Vec<Option<Support>>,
}

/// The cycles to come, each in a place of its own.
#[derive(Debug)]
pub(crate) struct Kept {
    cycles: Vec<KeptCycle>,
}

impl Kept {
    pub fn new(joints: usize, chains: usize) -> Kept {
        let cycle =
            KeptCycle { cycle: None, joints: vec![Given::NONE; joints], supports: vec![None; chains] };
        Kept { cycles: vec![cycle; KEPT_AHEAD as usize] }
    }

    /// Inputs of a cycle at most [`KEPT_AHEAD`] after the present one.
    pub fn at(&mut self, cycle: i64) -> &mut KeptCycle {
        let kept = &mut self.cycles[cycle.rem_euclid(KEPT_AHEAD) as usize];
        kept.cycle = Some(cycle);
        kept
    }

    /// The first cycle up to this one for which something is kept.
    pub fn first(&self, up_to: i64) -> Option<i64> {
        self.cycles.iter().filter_map(|kept| kept.cycle).filter(|cycle| *cycle <= up_to).min()
    }

    /// Forgets what was kept for a cycle, or for all of them.
    pub fn clear(&mut self, cycle: Option<i64>) {
        for kept in self.cycles.iter_mut().filter(|kept| cycle.is_none() || kept.cycle == cycle) {
            kept.cycle = None;
            kept.joints.fill(Given::NONE);
            kept.supports.fill(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::{Origin, Topic};
    use crate::input::Input;
    use crate::params::Priority;
    use crate::time::CycleTime;

    #[test]
    fn each_cycle_to_come_has_its_own_place_and_fields_come_together() {
        let mut kept = Kept::new(1, 0);
        let origin = Origin { topic: Topic::Joints, names: 0, time: CycleTime::Absent };
        for (cycle, position, velocity) in
            [(5, 1.0, f64::NAN), (6, 7.0, 7.0), (5, f64::NAN, 2.0), (5, 3.0, f64::NAN)]
        {
            let input = Input { position, velocity, ..Input::NONE };
            kept.at(cycle).joints[0].merge(input, origin, Priority::Last);
        }
        assert_eq!((kept.first(4), kept.first(9)), (None, Some(5)));
        let Input { position, velocity, effort } = kept.at(5).joints[0].input(Priority::Last, true);
        assert!((position, velocity) == (3.0, 2.0) && effort.is_nan());
        kept.clear(Some(5));
        assert_eq!(kept.first(9), Some(6));
        kept.clear(None);
        assert!(kept.first(9).is_none() && kept.at(6).joints[0].is_none());
    }
}
