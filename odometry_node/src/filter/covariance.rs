//! The filter's covariance, in blocks of six: the body's pose, its velocity, and each foot that is in the state.

use nalgebra::Vector3;

use super::block::{
    Block, ZERO, add, add_outer, apply, dot, halves, inverse_factor, minus, subtract_product, transposed,
    whitened,
};

/// Block of the body's pose: (φ, ρ).
pub(crate) const POSE: usize = 0;
/// Block of the body's velocity: (angular, linear).
pub(crate) const RATE: usize = 1;
/// Blocks before the first foot's.
pub(crate) const FEET: usize = 2;

/// Covariance of the state. All room is taken at construction; a foot's block counts while it is in the state.
#[derive(Debug, Clone)]
pub(crate) struct Covariance {
    size: usize,
    blocks: Vec<Block>,
    /// Blocks in the state, ascending.
    active: Vec<usize>,
    /// Room for the gains of a correction.
    gains: Vec<Block>,
}

impl Covariance {
    /// For so many legs.
    pub(crate) fn new(legs: usize) -> Self {
        let size = FEET + legs;
        let mut active = Vec::with_capacity(size);
        active.extend([POSE, RATE]);
        Self { size, blocks: vec![ZERO; size * size], active, gains: vec![ZERO; size] }
    }

    /// No feet; the given variances.
    pub(crate) fn restart(&mut self, pose: &Block, rate: &Block) {
        self.active.clear();
        self.active.extend([POSE, RATE]);
        self.blocks.fill(ZERO);
        *self.at_mut(POSE, POSE) = *pose;
        *self.at_mut(RATE, RATE) = *rate;
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> &Block {
        &self.blocks[row * self.size + column]
    }

    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut Block {
        &mut self.blocks[row * self.size + column]
    }

    fn set_symmetric(&mut self, row: usize, column: usize, block: &Block) {
        *self.at_mut(row, column) = *block;
        *self.at_mut(column, row) = transposed(block);
    }

    /// A foot joins the state where it is seen from the body: its error is the body's and that of the measurement.
    pub(crate) fn join(&mut self, foot: usize, noise: &Block) {
        self.leave(foot);
        for at in 0..self.active.len() {
            let other = self.active[at];
            let block = *self.at(POSE, other);
            self.set_symmetric(foot, other, &block);
        }
        let mut own = *self.at(POSE, POSE);
        add(&mut own, noise);
        *self.at_mut(foot, foot) = own;
        let at = self.active.partition_point(|&block| block < foot);
        self.active.insert(at, foot);
    }

    /// A foot leaves the state.
    pub(crate) fn leave(&mut self, foot: usize) {
        self.active.retain(|&block| block != foot);
    }

    /// Adds a variance to a block.
    pub(crate) fn add(&mut self, block: usize, noise: &Block) {
        add(self.at_mut(block, block), noise);
    }

    /// Makes a block uncertain along a direction.
    pub(crate) fn add_outer(&mut self, block: usize, direction: &[f64; 6], share: f64) {
        add_outer(self.at_mut(block, block), direction, share);
    }

    /// P ← Φ·P·Φᵀ for a time `dt`: φ' = φ + dt·ρω, ρ' = ρ + dt·(ρv + lever × ρω) and for feet ρ' = ρ + dt·lever × ρω.
    ///
    /// `lever` gives the place of a block's point from the origin of the errors.
    pub(crate) fn move_on(&mut self, dt: f64, lever: impl Fn(usize) -> Vector3<f64>) {
        for side in 0..2 {
            for at in 0..self.active.len() {
                let block = self.active[at];
                if block == RATE {
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
                if block == RATE {
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

    /// Covariance of y = (a foot's error) − (the body's) + noise.
    pub(crate) fn of_relative(&self, foot: usize, noise: &Block) -> Block {
        let mut s = minus(
            &minus(self.at(foot, foot), self.at(foot, POSE)),
            &minus(self.at(POSE, foot), self.at(POSE, POSE)),
        );
        add(&mut s, noise);
        s
    }

    /// Kalman correction with that y, given L⁻¹ of its covariance; `moved` gets each block's correction.
    pub(crate) fn correct_relative(
        &mut self,
        foot: usize,
        y: &[f64; 6],
        inverse: &Block,
        mut moved: impl FnMut(usize, [f64; 6]),
    ) {
        for at in 0..self.active.len() {
            let block = self.active[at];
            self.gains[block] = whitened(&minus(self.at(block, foot), self.at(block, POSE)), inverse);
        }
        let white = apply(inverse, y);
        self.subtract_gains();
        self.active.iter().for_each(|&block| moved(block, apply(&self.gains[block], &white)));
    }

    /// Kalman correction with one number y, the sum of rows · (errors of their blocks) and noise of this variance. `limit`
    /// bounds y² in units of its variance: what is beyond counts as noise.
    pub(crate) fn correct_scalar(
        &mut self,
        rows: &[(usize, [f64; 6])],
        y: f64,
        noise: f64,
        limit: f64,
        mut moved: impl FnMut(usize, [f64; 6]),
    ) {
        let mut variance = noise;
        for at in 0..self.active.len() {
            let block = self.active[at];
            let mut gain = [0.0; 6];
            for (of, row) in rows {
                let part = apply(self.at(block, *of), row);
                (0..6).for_each(|i| gain[i] += part[i]);
            }
            variance +=
                rows.iter().filter(|(of, _)| *of == block).map(|(_, row)| dot(row, &gain)).sum::<f64>();
            self.gains[block] = ZERO;
            self.gains[block][0] = gain;
        }
        let variance = variance.max(y * y / limit);
        if variance.is_nan() || variance <= 0.0 {
            return;
        }
        let root = 1.0 / variance.sqrt();
        for &block in &self.active {
            self.gains[block][0].iter_mut().for_each(|gain| *gain *= root);
        }
        self.subtract_gains();
        for &block in &self.active {
            moved(block, self.gains[block][0].map(|gain| gain * root * y));
        }
    }

    /// P −= W·Wᵀ.
    fn subtract_gains(&mut self) {
        for at in 0..self.active.len() {
            let row = self.active[at];
            for other in at..self.active.len() {
                let column = self.active[other];
                let mut block = *self.at(row, column);
                subtract_product(&mut block, &self.gains[row], &self.gains[column]);
                self.set_symmetric(row, column, &block);
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

/// L⁻¹ and y's squared distance in its own covariance; None when that is not positive definite.
pub(crate) fn distance(s: &Block, y: &[f64; 6]) -> Option<(Block, f64)> {
    let inverse = inverse_factor(s)?;
    let white = apply(&inverse, y);
    Some((inverse, dot(&white, &white)))
}
