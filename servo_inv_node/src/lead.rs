//! The lead: a goal ahead of the trajectory by the time that the servo is late.

/// How far ahead goals are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// How far ahead, s.
    pub lead: f64,
    /// Time from the previous position to this one, s: that of a cycle, or of several when some fell out.
    pub span: f64,
    /// A longer step within the span is a jump of the trajectory and not a motion that goes on; rad or m.
    pub max_step: f64,
}

impl Lead {
    /// target = q + (q − q_prev)·lead/span, or q itself when the trajectory jumped.
    #[inline]
    pub fn target(&self, q: f64, q_prev: f64) -> f64 {
        if self.is_jump(q - q_prev) { q } else { self.led(q, q_prev) }
    }

    /// Any value, as far ahead as the goals.
    #[inline]
    pub fn led(&self, now: f64, before: f64) -> f64 {
        now + (now - before) * self.lead / self.span
    }

    /// Whether a step of the trajectory is too long to be motion.
    #[inline]
    pub fn is_jump(&self, step: f64) -> bool {
        step.abs() > self.max_step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_lies_ahead_by_the_lead() {
        let lead = Lead { lead: 0.056, span: 0.028, max_step: 1.0 };
        // 0.01 rad in 28 ms is 0.02 rad in 56 ms.
        assert!((lead.target(0.5, 0.49) - 0.52).abs() < 1e-15);
        assert_eq!(Lead { lead: 0.0, ..lead }.target(0.5, 0.49), 0.5);
        assert!((Lead { span: 0.056, ..lead }.target(0.5, 0.48) - 0.52).abs() < 1e-15, "the same speed");
    }

    #[test]
    fn a_jump_is_not_prolonged() {
        let lead = Lead { lead: 0.1, span: 0.01, max_step: 1.0 };
        assert_eq!(lead.target(1.5, 0.0), 1.5);
        assert_eq!(lead.target(-1.5, 0.0), -1.5);
    }
}
