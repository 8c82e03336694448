//! How the covariance goes on in time and about another origin.

use nalgebra::Vector3;

use super::super::block::{Block, halves};
use super::{Covariance, POSE, RATE};

impl Covariance {
    /// P ← Φ·P·Φᵀ for a time `dt`: φ' = φ + dt·ρω, ρ' = ρ + dt·(ρv + lever × ρω) and for feet ρ' = ρ + dt·lever × ρω.
    ///
    /// `lever` gives the place of a block's point from the origin of the errors.
    pub(crate) fn move_on(&mut self, dt: f64, lever: impl Fn(usize) -> Vector3<f64>) {
        for side in 0..2 {
            for at in 0..self.active.len() {
                let block = self.active[at];
                if block == RATE || block >= self.bias() {
                    continue;
                }
                let arm = lever(block);
                for other in 0..self.active.len() {
                    let other = self.active[other];
                    // Rows first, then columns: those of P are the rows of its transpose.
                    let (from, to) = if side == 0 {
                        ((RATE, other), (block, other))
                    } else {
                        ((other, RATE), (other, block))
                    };
                    let rate = *self.at(from.0, from.1);
                    let target = self.at_mut(to.0, to.1);
                    if side == 0 {
                        for (target, rate) in target.iter_mut().zip(&rate) {
                            move_column(target, rate, block, &arm, dt);
                        }
                    } else {
                        move_columns(target, &rate, block, &arm, dt);
                    }
                }
            }
        }
    }

    /// Errors are told about another origin: ρ' = ρ − shift × φ.
    pub(crate) fn shift_origin(&mut self, shift: &Vector3<f64>) {
        for side in 0..2 {
            for at in 0..self.active.len() {
                let block = self.active[at];
                if block == RATE || block >= self.bias() {
                    continue;
                }
                for other in 0..self.active.len() {
                    let other = self.active[other];
                    let (from, to) = if side == 0 {
                        ((POSE, other), (block, other))
                    } else {
                        ((other, POSE), (other, block))
                    };
                    let pose = *self.at(from.0, from.1);
                    let target = self.at_mut(to.0, to.1);
                    if side == 0 {
                        for (target, pose) in target.iter_mut().zip(&pose) {
                            let (turn, _) = halves(pose);
                            let moved = shift.cross(&turn);
                            (0..3).for_each(|i| target[3 + i] -= moved[i]);
                        }
                    } else {
                        cross_columns(target, &pose, shift, -1.0);
                    }
                }
            }
        }
    }
}

/// One column of a block's rows, moved on by a column of the velocity's.
#[inline]
fn move_column(target: &mut [f64; 6], rate: &[f64; 6], block: usize, arm: &Vector3<f64>, dt: f64) {
    let (turn, speed) = halves(rate);
    let mut moved = arm.cross(&turn) * dt;
    if block == POSE {
        moved += speed * dt;
        (0..3).for_each(|i| target[i] += turn[i] * dt);
    }
    (0..3).for_each(|i| target[3 + i] += moved[i]);
}

/// The same for columns.
#[inline]
fn move_columns(target: &mut Block, rate: &Block, block: usize, arm: &Vector3<f64>, dt: f64) {
    if block == POSE {
        for (target, rate) in target.as_flattened_mut().iter_mut().zip(rate.as_flattened()) {
            *target += rate * dt;
        }
    }
    cross_columns(target, rate, arm, dt);
}

/// The last three columns += share · arm × the first three of another block.
#[inline]
fn cross_columns(target: &mut Block, from: &Block, arm: &Vector3<f64>, share: f64) {
    for row in 0..6 {
        let moved = arm.cross(&Vector3::new(from[0][row], from[1][row], from[2][row])) * share;
        (0..3).for_each(|i| target[3 + i][row] += moved[i]);
    }
}
