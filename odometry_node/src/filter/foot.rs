//! Feet: how one joins and leaves the state, and how much one that moves is allowed to say.

use nalgebra::{Matrix3, Vector3};

use super::Filter;
use super::block::{Block, halves, joined, quarter};
use super::covariance::{FEET, distance};

/// Squared distance of an innovation of six numbers (position and orientation) that one foot in a hundred exceeds by noise
/// alone: the 99 % quantile of χ² with six degrees of freedom.
const GATE: f64 = 16.81;
/// The same for a point foot, which says its position alone: three degrees of freedom.
const POINT_GATE: f64 = 11.34;
/// How far above its place a sole has lifted, σ: one in seven hundred is so by noise alone.
const LIFTED: f64 = 3.0;

/// A foot of the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Foot {
    /// Whether it is in the state.
    pub is_in_state: bool,
    /// Its contact in the world, m.
    pub place: Vector3<f64>,
    /// Its axes in the world.
    pub axes: Matrix3<f64>,
    /// Whether it is known to have stood before it joined.
    pub is_settled: bool,
}

/// A foot as the joints show it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    /// Its contact in the base frame, m.
    pub place: Vector3<f64>,
    /// Its axes in the base frame.
    pub axes: Matrix3<f64>,
    /// Direction into the ground, in its own axes.
    pub normal: Vector3<f64>,
    /// Covariance of (orientation, place) in world axes.
    pub noise: Block,
    /// Whether the ground holds its orientation too.
    pub is_flat: bool,
}

impl Default for Foot {
    fn default() -> Self {
        Self { is_in_state: false, place: Vector3::zeros(), axes: Matrix3::identity(), is_settled: false }
    }
}

impl Seen {
    /// The squared distance that one foot in a hundred exceeds by noise alone.
    pub(super) fn gate(&self) -> f64 {
        if self.is_flat { GATE } else { POINT_GATE }
    }

    /// How a foot has turned and moved, as far as the ground would have kept it from it.
    pub(super) fn held(&self, turned: &Matrix3<f64>, moved: &Vector3<f64>) -> [f64; 6] {
        joined(&if self.is_flat { turn_of(turned) } else { Vector3::zeros() }, moved)
    }
}

impl Filter {
    /// A foot stands where it is seen; the ground is asked of it.
    pub(crate) fn join(&mut self, leg: usize, seen: &Seen, is_settled: bool) {
        let turn = self.state.turn();
        let place = self.state.pose.translation.vector + turn * seen.place;
        self.state.feet[leg] = Foot { is_in_state: true, place, axes: turn * seen.axes, is_settled };
        self.covariance.join(FEET + leg, &seen.noise);
        self.ask_ground(leg, seen);
    }

    /// A foot is in the air, or moves over the ground.
    pub(crate) fn leave(&mut self, leg: usize) {
        if self.state.feet[leg].is_in_state {
            self.state.feet[leg] = Foot::default();
            self.covariance.leave(FEET + leg);
        }
    }

    /// Corrects the state by the feet of the set (a bit per leg, the first lowest); those that have lifted leave it.
    pub(crate) fn correct(&mut self, mut open: u32, seen: &[Option<Seen>]) {
        let mut is_held = false;
        // The nearest first: those that fit tell where the others should be.
        while let Some(leg) = self.nearest(open, seen) {
            open &= !(1 << leg);
            let Some(seen) = &seen[leg] else { continue };
            if is_held && self.has_lifted(leg, seen) {
                self.leave(leg);
            } else {
                self.correct_one(leg, seen);
                is_held = true;
            }
        }
    }

    /// Whether a foot is above its place, for all that nearer feet say of the body.
    ///
    /// Feet that begin to swing rise slowly at first, and together: each is within the gate, and the body would sink to meet
    /// them halfway until feet that stand seem to move. The ground gives way to no foot, so the higher ones are those that
    /// lift. Points do not show how the body leans, so one that rises and a body that leans look alike.
    fn has_lifted(&self, leg: usize, seen: &Seen) -> bool {
        let up = self.plane.up.into_inner();
        let (_, moved) = halves(&self.innovation(leg, seen));
        let s = self.covariance.of_relative(FEET + leg, &seen.noise);
        let variance = up.dot(&(quarter(&s, 3, 3) * up));
        seen.is_flat && up.dot(&moved) > LIFTED * variance.sqrt()
    }

    /// The open foot that is nearest to where it is expected.
    fn nearest(&self, open: u32, seen: &[Option<Seen>]) -> Option<usize> {
        if open.count_ones() == 1 {
            return Some(open.trailing_zeros() as usize);
        }
        let mut best: Option<(usize, f64)> = None;
        for (leg, seen) in seen.iter().enumerate().filter(|(leg, _)| open >> leg & 1 == 1) {
            let Some(seen) = seen else { continue };
            let s = self.covariance.of_relative(FEET + leg, &seen.noise);
            let far = distance(&s, &self.innovation(leg, seen)).map_or(f64::INFINITY, |(_, far)| far);
            if best.is_none_or(|(_, least)| far < least) {
                best = Some((leg, far));
            }
        }
        best.map(|(leg, _)| leg)
    }

    /// What the joints say of a foot beyond what was expected: (θ − φ, ρ_foot − ρ) and noise.
    fn innovation(&self, leg: usize, seen: &Seen) -> [f64; 6] {
        let foot = &self.state.feet[leg];
        let turn = self.state.turn();
        let place = turn * seen.place - (foot.place - self.state.pose.translation.vector);
        seen.held(&(turn * seen.axes * foot.axes.transpose()), &place)
    }

    /// Corrects by one foot.
    ///
    /// One whose innovation is beyond the gate has slipped: its own error is widened along the innovation until that is at
    /// the gate. It says the less of the body the farther it slipped (its pull falls with 1/|y|), and is believed again as
    /// soon as it stays where it is.
    fn correct_one(&mut self, leg: usize, seen: &Seen) {
        let block = FEET + leg;
        let y = self.innovation(leg, seen);
        let s = self.covariance.of_relative(block, &seen.noise);
        let Some((mut inverse, far)) = distance(&s, &y) else { return };
        let gate = seen.gate();
        if far > gate {
            self.covariance.add_outer(block, &y, 1.0 / gate - 1.0 / far);
            let wider = self.covariance.of_relative(block, &seen.noise);
            let Some((wider, _)) = distance(&wider, &y) else { return };
            inverse = wider;
        }
        let mut correction = self.state.correction();
        self.covariance.correct_relative(block, &y, &inverse, |block, error| correction.add(block, &error));
    }
}

/// Rotation vector of a rotation matrix, for angles below a half turn.
fn turn_of(r: &Matrix3<f64>) -> Vector3<f64> {
    let v = Vector3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]) * 0.5;
    let sine = v.norm();
    if sine < 1e-9 { v } else { v * (sine.atan2((r.trace() - 1.0) * 0.5) / sine) }
}

#[cfg(test)]
mod tests {
    use super::super::Noise;
    use super::super::block::diagonal;
    use super::*;
    use nalgebra::Isometry3;

    const HEIGHT: f64 = 0.3;
    const DT: f64 = 0.01;

    fn sole([x, y]: [f64; 2], rise: f64) -> Option<Seen> {
        let (place, noise) = (Vector3::new(x, y, rise - HEIGHT), diagonal(1e-6, 1e-7));
        Some(Seen { place, axes: Matrix3::identity(), normal: -Vector3::z(), noise, is_flat: true })
    }

    /// Begins on four soles; gives how far the body is off in height and how it leans, at most, and which soles are still in the state
    /// after so many cycles in which they rise by so much each, evenly accelerated.
    fn after(rises: [f64; 4], cycles: i32) -> (f64, f64, [bool; 4]) {
        let places = [[0.2, 0.1], [0.2, -0.1], [-0.2, 0.1], [-0.2, -0.1]];
        let mut filter = Filter::new(4);
        // As shipped.
        let noise = Noise { slip: 5e-4, acceleration: 0.2, angular_acceleration: 0.8, ..Noise::default() };
        filter.noise = Noise { ground_height: 2e-3, ground_lean: 0.01, ..noise };
        filter.start(&Isometry3::translation(0.0, 0.0, HEIGHT), false);
        (0..4).for_each(|leg| filter.join(leg, &sole(places[leg], 0.0).unwrap(), true));
        let (mut sunk, mut lean) = (0.0_f64, 0.0_f64);
        for cycle in 1..=cycles {
            filter.coast(DT);
            let part = (f64::from(cycle) / f64::from(cycles)).powi(2);
            let seen: Vec<_> = (0..4).map(|leg| sole(places[leg], part * rises[leg])).collect();
            let open = (0..4).filter(|leg| filter.state.feet[*leg].is_in_state).map(|leg| 1 << leg).sum();
            filter.correct(open, &seen);
            let pose = filter.state.pose;
            sunk = sunk.max((pose.translation.z - HEIGHT).abs());
            lean = lean.max(pose.rotation.angle());
        }
        (sunk, lean, std::array::from_fn(|leg| filter.state.feet[leg].is_in_state))
    }

    #[test]
    fn the_body_does_not_follow_soles_that_begin_to_swing_together() {
        for cycles in [5, 8, 10, 12, 15] {
            let (sunk, lean, stands) = after([0.02, 0.0, 0.0, 0.02], cycles);
            assert_eq!(stands, [false, true, true, false], "{cycles}");
            assert!(sunk < 1e-3 && lean < 1e-2, "{cycles}: {sunk} m, {lean} rad");
        }
    }

    #[test]
    fn a_body_that_sinks_onto_its_soles_keeps_them_all() {
        let (sunk, _, stands) = after([0.02; 4], 50);
        assert_eq!(stands, [true; 4]);
        assert!((sunk - 0.02).abs() < 1e-3);
    }
}
