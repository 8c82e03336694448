//! How far ahead of the trajectory each joint's goals lie, and how long a servo may take to them.

/// A step of the servos' own clock, s: playtimes are whole numbers of it.
const TICK: f64 = 0.0112;

/// What a joint has of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTiming {
    /// Name of the joint.
    pub joint: String,
    /// How far ahead, s.
    pub lead: Option<f64>,
    /// Its servo's own lag, s.
    pub delay: Option<f64>,
}

/// For each joint its lead, and the lead and the delay together, in the order of the stream.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    own: Vec<JointTiming>,
    lead: Vec<f64>,
    ahead: Vec<f64>,
}

impl Timing {
    /// What joints have of their own, from now on.
    pub fn set(&mut self, own: Vec<JointTiming>) {
        self.own = own;
    }

    /// Works it out for these joints; those that have nothing of their own have the lead and the delay of all.
    pub fn order(&mut self, joints: &[String], lead: f64, delay: f64) {
        self.lead.clear();
        self.ahead.clear();
        for joint in joints {
            let own = self.own.iter().find(|own| own.joint == *joint);
            let lead = own.and_then(|own| own.lead).unwrap_or(lead);
            self.lead.push(lead);
            self.ahead.push(lead + own.and_then(|own| own.delay).unwrap_or(delay));
        }
    }

    /// How long each servo may take to its goal beside the cycle itself, in the order of the joints, s.
    pub fn lead(&self) -> &[f64] {
        &self.lead
    }

    /// How far ahead goals lie, in the order of the joints, s.
    pub fn ahead(&self) -> &[f64] {
        &self.ahead
    }
}

/// The duration of a goal: as the formula has it, or a fixed one in steps of the servos' clock.
pub fn playtime(fixed: f64, lead: f64, period: f64) -> f64 {
    if fixed > 0.0 { (fixed / TICK).round().max(1.0) * TICK } else { lead + period }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_has_what_is_its_own_and_else_what_all_have() {
        let names = ["a", "b", "c"].map(String::from);
        let mut timing = Timing::default();
        timing.order(&names, 0.01, 0.03);
        assert_eq!(timing.ahead(), [0.04; 3]);
        let own = |joint: &str, lead, delay| JointTiming { joint: joint.into(), lead, delay };
        timing.set(vec![own("b", Some(0.0), None), own("c", None, Some(0.1)), own("d", Some(9.0), None)]);
        timing.order(&names, 0.01, 0.03);
        assert_eq!(timing.ahead(), [0.04, 0.03, 0.11]);
        assert_eq!(timing.lead(), [0.01, 0.0, 0.01]);
    }

    #[test]
    fn playtimes_are_those_of_the_formula_or_whole_ticks() {
        assert_eq!(playtime(0.0, 0.056, 0.01), 0.066);
        assert_eq!(playtime(0.0001, 0.056, 0.01), 0.0112);
        assert!((playtime(0.024, 0.056, 0.01) - 0.0224).abs() < 1e-15);
    }
}
