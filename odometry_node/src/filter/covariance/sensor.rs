//! The part of an inertial sensor: the blocks of its biases and of gravity, in the state from its first sample on.

use nalgebra::{Matrix3, Vector3};

use super::super::block::{Block, ZERO, diagonal};
use super::{Covariance, RATE};

impl Covariance {
    /// Block of the biases: (gyro, accelerometer).
    pub(crate) fn bias(&self) -> usize {
        self.size - 2
    }

    /// Block of gravity: its first three.
    pub(crate) fn gravity(&self) -> usize {
        self.size - 1
    }

    pub(crate) fn has_sensor(&self) -> bool {
        self.active.last() == Some(&self.gravity())
    }

    /// The sensor is new: the given variances.
    pub(crate) fn add_sensor(&mut self, bias: &Block, gravity: &Block) {
        for (block, variance) in [(self.bias(), bias), (self.gravity(), gravity)] {
            for at in 0..self.active.len() {
                self.set_symmetric(block, self.active[at], &ZERO);
            }
            *self.at_mut(block, block) = *variance;
            self.active.push(block);
        }
    }

    /// The angular velocity is the gyro's: its error is −R·(that of the bias), and noise of this variance.
    pub(crate) fn follow_gyro(&mut self, turn: &Matrix3<f64>, noise: f64) {
        for at in 0..self.active.len() {
            let other = self.active[at];
            self.at_mut(RATE, other).iter_mut().for_each(|column| column[..3].fill(0.0));
            self.at_mut(other, RATE)[..3].fill([0.0; 6]);
        }
        self.couple(RATE, 0, &[(self.bias(), 0, -turn)]);
        self.add(RATE, &diagonal(noise, 0.0));
    }

    /// P ← Φ·P·Φᵀ, in which three errors of a block, from one on, gain matrices times three errors of other blocks (or of the
    /// other half of their own).
    pub(crate) fn couple(&mut self, block: usize, from: usize, terms: &[(usize, usize, Matrix3<f64>)]) {
        for at in 0..self.active.len() {
            let other = self.active[at];
            for (source, first, matrix) in terms {
                let rows = *self.at(*source, other);
                for (target, rows) in self.at_mut(block, other).iter_mut().zip(&rows) {
                    let gained = matrix * Vector3::new(rows[*first], rows[first + 1], rows[first + 2]);
                    (0..3).for_each(|i| target[from + i] += gained[i]);
                }
            }
        }
        for at in 0..self.active.len() {
            let other = self.active[at];
            for (source, first, matrix) in terms {
                let columns = *self.at(other, *source);
                let target = self.at_mut(other, block);
                for row in 0..6 {
                    let own = |i: usize| columns[first + i][row];
                    let gained = matrix * Vector3::new(own(0), own(1), own(2));
                    (0..3).for_each(|i| target[from + i][row] += gained[i]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::block::subtract_product;
    use super::super::{FEET, POSE};
    use super::*;
    use nalgebra::DMatrix;

    fn dense(covariance: &Covariance) -> DMatrix<f64> {
        let size = 6 * covariance.size;
        DMatrix::from_fn(size, size, |i, j| covariance.at(i / 6, j / 6)[j % 6][i % 6])
    }

    /// A positive definite covariance without zeros, one foot in the state.
    fn full() -> Covariance {
        let mut covariance = Covariance::new(1);
        covariance.join(FEET, &ZERO);
        covariance.add_sensor(&ZERO, &ZERO);
        let number = |block: usize, at: usize| ((block * 36 + at * 7) as f64).sin();
        let factor = |block: usize| -> Block {
            std::array::from_fn(|column| std::array::from_fn(|row| -number(block, 6 * column + row)))
        };
        for row in 0..covariance.size {
            for column in 0..covariance.size {
                let mut product = if row == column { diagonal(1.0, 2.0) } else { ZERO };
                let left = factor(row);
                subtract_product(&mut product, &left, &factor(column).map(|c| c.map(|x| -x)));
                *covariance.at_mut(row, column) = product;
            }
        }
        covariance
    }

    #[test]
    fn coupling_is_the_product_with_the_whole_matrix() {
        let mut covariance = full();
        let before = dense(&covariance);
        let matrix = |seed: f64| Matrix3::from_fn(|i, j| (seed + i as f64 * 1.3 - j as f64 * 0.7).cos());
        let (bias, gravity) = (covariance.bias(), covariance.gravity());
        let terms = [
            (gravity, 0, matrix(1.0)),
            (POSE, 0, matrix(2.0)),
            (bias, 3, matrix(3.0)),
            (RATE, 0, matrix(4.0)),
        ];
        covariance.couple(RATE, 3, &terms);
        let mut phi = DMatrix::identity(before.nrows(), before.nrows());
        for (block, first, matrix) in terms {
            phi.slice_mut((6 * RATE + 3, 6 * block + first), (3, 3)).copy_from(&matrix);
        }
        let expected = &phi * before * phi.transpose();
        assert!((dense(&covariance) - expected).amax() < 1e-12);
    }

    #[test]
    fn a_gyro_takes_the_place_of_the_angular_velocity() {
        let mut covariance = full();
        let before = dense(&covariance);
        let turn = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        covariance.follow_gyro(&turn, 0.25);
        let mut phi = DMatrix::identity(before.nrows(), before.nrows());
        phi.slice_mut((6 * RATE, 6 * RATE), (3, 3)).fill(0.0);
        phi.slice_mut((6 * RATE, 6 * covariance.bias()), (3, 3)).copy_from(&-turn);
        let mut expected = &phi * before * phi.transpose();
        (0..3).for_each(|i| expected[(6 * RATE + i, 6 * RATE + i)] += 0.25);
        assert!((dense(&covariance) - expected).amax() < 1e-12);
    }
}
