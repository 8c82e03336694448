//! Gaits: which leg lifts when.

use nalgebra::Point2;

/// A gait. Each leg stands for the share `duty` of the period, then swings; legs differ in when they begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Duration of one step of every leg, s.
    pub period: f64,
    /// Share of the period in which a leg stands.
    pub duty: f64,
    /// Where in the period each leg is when the first is at its start, 0…1.
    pub phases: Vec<f64>,
}

impl Pattern {
    /// Becomes another gait of as many legs, in the storage that it has.
    pub fn become_like(&mut self, other: &Pattern) {
        (self.period, self.duty) = (other.period, other.duty);
        self.phases.clone_from(&other.phases);
    }

    /// How long a leg stands, s.
    pub fn stance_time(&self) -> f64 {
        self.duty * self.period
    }

    /// How long a leg swings, s: whole cycles, so that it lands with one.
    pub fn swing_time(&self, cycle: f64) -> f64 {
        ((1.0 - self.duty) * self.period / cycle - 1e-9).ceil().max(2.0) * cycle
    }

    /// Whether a leg begins to swing while the phase, which is not wrapped, goes from `phase` on by `step`.
    pub fn lifts(&self, leg: usize, phase: f64, step: f64) -> bool {
        // The end of one step is the start of the next to the last bit, so none is counted twice or missed.
        let lifts = |phase: f64| (phase + self.phases[leg] - self.duty).floor();
        lifts(phase + step) > lifts(phase)
    }

    /// The phase just before a leg lifts.
    pub fn start(&self, leg: usize, step: f64) -> f64 {
        self.duty - self.phases[leg] - 0.5 * step
    }

    /// The phase in which a leg has done a share of its swing.
    pub fn in_swing(&self, leg: usize, share: f64) -> f64 {
        self.duty + share * (1.0 - self.duty) - self.phases[leg]
    }

    /// Time until a leg lifts, s, from a phase on.
    pub fn lifts_in(&self, leg: usize, phase: f64) -> f64 {
        (1.0 - (phase + self.phases[leg] - self.duty).rem_euclid(1.0)) * self.period
    }
}

/// One leg after the other, from the rear to the front on one side, then on the other: with four legs the walk of a horse
/// (left hind, left fore, right hind, right fore), with six the wave of an insect.
pub fn walk_phases(homes: &[Point2<f64>]) -> Vec<f64> {
    by_side(homes, |rank, legs, left| {
        let phase = rank as f64 / (2 * legs) as f64;
        // The later a leg shall lift, the less of its period has gone.
        (1.0 - phase - if left { 0.0 } else { 0.5 }).rem_euclid(1.0)
    })
}

/// Every second leg together: with four legs the diagonals of a trot, with six the tripods.
pub fn trot_phases(homes: &[Point2<f64>]) -> Vec<f64> {
    by_side(homes, |rank, _, left| 0.5 * ((rank + usize::from(left)) % 2) as f64)
}

/// A number for each leg by its rank from the rear on its side, the number of legs there, and whether that is the left.
fn by_side(homes: &[Point2<f64>], number: impl Fn(usize, usize, bool) -> f64) -> Vec<f64> {
    let of_leg = |leg: &Point2<f64>| {
        let left = leg.y > 0.0;
        let side = homes.iter().filter(|other| (other.y > 0.0) == left);
        let rank = side.clone().filter(|other| other.x < leg.x).count();
        number(rank, side.count(), left)
    };
    homes.iter().map(of_leg).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Legs in the order in which they lift, first one first; together means the same place.
    fn order(pattern: &Pattern) -> Vec<Vec<usize>> {
        let step = 0.001;
        let mut phase = pattern.start(0, step);
        let mut order = vec![];
        for _ in 0..1000 {
            let lifts: Vec<usize> =
                (0..pattern.phases.len()).filter(|&leg| pattern.lifts(leg, phase, step)).collect();
            if !lifts.is_empty() {
                order.push(lifts);
            }
            phase += step;
        }
        order
    }

    fn pony() -> [Point2<f64>; 4] {
        [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)].map(|(x, y)| Point2::new(x, y))
    }

    #[test]
    fn a_horse_walks_in_lateral_sequence_and_trots_on_diagonals() {
        let walk = Pattern { period: 1.0, duty: 0.8, phases: walk_phases(&pony()) };
        assert_eq!(order(&walk), [[0], [3], [1], [2]], "left fore, right hind, right fore, left hind");
        let trot = Pattern { period: 1.0, duty: 0.5, phases: trot_phases(&pony()) };
        assert_eq!(order(&trot), [[0, 3], [1, 2]]);
    }

    #[test]
    fn an_insect_of_six_legs_trots_on_tripods() {
        let homes = [(1., 1.), (1., -1.), (0., 1.), (0., -1.), (-1., 1.), (-1., -1.)];
        let trot =
            Pattern { period: 1.0, duty: 0.5, phases: trot_phases(&homes.map(|(x, y)| Point2::new(x, y))) };
        assert_eq!(order(&trot), [[0, 3, 4], [1, 2, 5]]);
    }

    #[test]
    fn a_swing_takes_whole_cycles() {
        let pattern = Pattern { period: 0.9, duty: 0.6, phases: vec![] };
        assert_eq!(pattern.swing_time(0.01), 36.0 * 0.01);
        assert_eq!(pattern.swing_time(0.025), 15.0 * 0.025);
        assert_eq!(pattern.swing_time(1.0), 2.0);
    }
}
