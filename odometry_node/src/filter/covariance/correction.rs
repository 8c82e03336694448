//! Kalman corrections: by a foot's six numbers, and by one number.

use super::super::block::{Block, ZERO, add, apply, dot, inverse_factor, minus, subtract_product, whitened};
use super::{Covariance, POSE};

impl Covariance {
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

/// L⁻¹ and y's squared distance in its own covariance; None when that is not positive definite.
pub(crate) fn distance(s: &Block, y: &[f64; 6]) -> Option<(Block, f64)> {
    let inverse = inverse_factor(s)?;
    let white = apply(&inverse, y);
    Some((inverse, dot(&white, &white)))
}
