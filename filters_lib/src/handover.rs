//! From one source of a value to another without a jump.

/// Bumpless transfer: when the source of a value changes, the output goes on from where it was and the difference fades, evenly
/// over a time; between two changes the output is the input, without any lag.
///
/// y = u + d·x, with d = y₋ − u and x = 1 at a change, x' = max(0, x − T/τ).
///
/// ```
/// # use filters_lib::Handover;
/// let mut torque = Handover::new(2.0);
/// assert_eq!(torque.step(2.5, false, 0.25), 2.5);
/// // The source falls silent and 0 is taken instead: in four steps.
/// let fading = [true, false, false, false].map(|changed| torque.step(0.0, changed, 0.25));
/// assert_eq!(fading, [1.875, 1.25, 0.625, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handover {
    output: f64,
    difference: f64,
    left: f64,
}

impl Handover {
    /// At rest at a value.
    pub fn new(value: f64) -> Handover {
        Handover { output: value, ..Handover::default() }
    }

    /// The output for an input that has, or has not, `changed` its source since the step before; `part` is T/τ, the part of a
    /// transfer that this step makes up: 1 and more is all of it.
    #[inline]
    pub fn step(&mut self, value: f64, changed: bool, part: f64) -> f64 {
        if changed {
            (self.difference, self.left) = (self.output - value, 1.0);
        }
        self.left = (self.left - part).max(0.0);
        // What is through is through: an infinite difference must not linger as NaN.
        self.output = if self.left > 0.0 { value + self.difference * self.left } else { value };
        self.output
    }

    /// The last output.
    pub fn output(&self) -> f64 {
        self.output
    }

    /// Whether a transfer is under way.
    pub fn is_under_way(&self) -> bool {
        self.left > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Two constant sources, changed at any time: no step is longer than the part of what lies between them.
        #[test]
        fn the_output_never_jumps(
            sources in prop::collection::vec(any::<bool>(), 1..60), values in prop::array::uniform2(-1.0..1.0f64),
            part in 0.01..1.0f64,
        ) {
            let mut before = sources[0];
            let value = |of: bool| values[usize::from(of)];
            let mut handover = Handover::new(value(before));
            for of in sources {
                let last = handover.output();
                let output = handover.step(value(of), of != before, part);
                before = of;
                prop_assert!((output - last).abs() <= part * (values[0] - values[1]).abs() + 1e-12);
            }
            for _ in 0..=(1.0 / part).ceil() as usize {
                handover.step(value(before), false, part);
            }
            prop_assert_eq!((handover.output(), handover.is_under_way()), (value(before), false));
        }
    }
}
