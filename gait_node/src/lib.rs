//! Sources of motion and of the control cycle.
