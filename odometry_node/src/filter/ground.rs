//! The ground that feet are expected on.

use nalgebra::{Isometry3, Unit, Vector3};

use super::Filter;
use super::block::joined;
use super::covariance::{FEET, POSE};
use super::foot::Seen;

/// Beyond this many variances a foothold is not part of the plane: a stone or a step; the excess counts as noise.
const LIMIT: f64 = 9.0;

/// What is known of the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Known {
    /// Nothing.
    #[default]
    None,
    /// It is one plane, wherever that lies.
    Flat,
    /// It is this plane.
    Level,
}

/// A plane in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    /// What is known of it.
    pub known: Known,
    /// A point of it, m.
    pub point: Vector3<f64>,
    /// Upwards.
    pub up: Unit<Vector3<f64>>,
}

impl Default for Plane {
    fn default() -> Self {
        Self { known: Known::None, point: Vector3::zeros(), up: Vector3::z_axis() }
    }
}

impl Plane {
    /// The plane goes along when the world is set anew about the body.
    pub(crate) fn carried(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> Self {
        let way = to * from.inverse();
        Self { point: (way * nalgebra::Point3::from(self.point)).coords, up: way.rotation * self.up, ..*self }
    }
}

impl Filter {
    /// A foot that has come to stand is asked of the plane.
    pub(super) fn ask_ground(&mut self, leg: usize, seen: &Seen) {
        match self.plane.known {
            Known::None => {}
            Known::Level => self.ask_plane(leg, seen),
            Known::Flat => {
                for other in 0..self.state.feet.len() {
                    let foot = &self.state.feet[other];
                    if other != leg && foot.is_in_state {
                        self.ask_neighbour(leg, other, seen);
                    }
                }
            }
        }
    }

    /// The plane itself: up·(d − point) = 0 with d = d̂ + φ × (d̂ − o) + ρ, and the normal −up = m + θ × m.
    fn ask_plane(&mut self, leg: usize, seen: &Seen) {
        let (up, block) = (self.plane.up.into_inner(), FEET + leg);
        let place = self.state.feet[leg].place;
        let height = -up.dot(&(place - self.plane.point));
        let lever = (place - self.state.origin).cross(&up);
        self.learn(&[(POSE, turn(&lever)), (block, shift(&up))], height, self.noise.ground_height);
        if seen.is_flat {
            for side in tangents(&up) {
                // With −up for m in the row: a lean of the estimate says nothing of the heading.
                let lean = side.dot(&(-up - self.state.feet[leg].axes * seen.normal));
                self.learn(&[(block, turn(&side.cross(&up)))], lean, self.noise.ground_lean);
            }
        }
    }

    /// A neighbour's plane: its normal is this foot's, and the way between them lies across it.
    fn ask_neighbour(&mut self, leg: usize, other: usize, seen: &Seen) {
        if !seen.is_flat {
            return;
        }
        let (block, beside) = (FEET + leg, FEET + other);
        let up = -(self.state.feet[other].axes * seen.normal);
        let way = self.state.feet[leg].place - self.state.feet[other].place;
        // up turns with the neighbour's θ, the way with the body's φ.
        let lever = up.cross(&way);
        let rows = [(POSE, turn(&-lever)), (block, shift(&up)), (beside, joined(&lever, &-up))];
        let twice = std::f64::consts::SQRT_2;
        self.learn(&rows, -up.dot(&way), twice * self.noise.ground_height);
        for side in tangents(&up) {
            let lean = side.dot(&(-up - self.state.feet[leg].axes * seen.normal));
            let lever = side.cross(&up);
            self.learn(
                &[(block, turn(&lever)), (beside, turn(&-lever))],
                lean,
                twice * self.noise.ground_lean,
            );
        }
    }

    fn learn(&mut self, rows: &[(usize, [f64; 6])], y: f64, sigma: f64) {
        let mut correction = self.state.correction();
        self.covariance
            .correct_scalar(rows, y, sigma * sigma, LIMIT, |block, error| correction.add(block, &error));
    }
}

/// Two directions across `up` and each other.
fn tangents(up: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let side = if up.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    let first = up.cross(&side).normalize();
    [first, up.cross(&first)]
}

fn turn(row: &Vector3<f64>) -> [f64; 6] {
    joined(row, &Vector3::zeros())
}

fn shift(row: &Vector3<f64>) -> [f64; 6] {
    joined(&Vector3::zeros(), row)
}
