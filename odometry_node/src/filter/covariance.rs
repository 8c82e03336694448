//! The filter's covariance, in blocks of six: the body's pose, its velocity, each foot that is in the state, and what an
//! inertial sensor does not know of itself.

mod correction;
mod propagation;
mod sensor;

pub(crate) use correction::distance;

use super::block::{Block, ZERO, add, add_outer, transposed};

/// Block of the body's pose: (φ, ρ).
pub(crate) const POSE: usize = 0;
/// Block of the body's velocity: (angular, linear).
pub(crate) const RATE: usize = 1;
/// Blocks before the first foot's.
pub(crate) const FEET: usize = 2;
/// Blocks after the last foot's: biases and gravity.
const SENSOR: usize = 2;

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
        let size = FEET + legs + SENSOR;
        let mut active = Vec::with_capacity(size);
        active.extend([POSE, RATE]);
        Self { size, blocks: vec![ZERO; size * size], active, gains: vec![ZERO; size] }
    }

    /// No feet; the given variances. What is known of an inertial sensor stays, for it has nothing to do with the place.
    pub(crate) fn restart(&mut self, pose: &Block, rate: &Block) {
        let has_sensor = self.has_sensor();
        let kept = [self.bias(), self.gravity()].map(|block| *self.at(block, block));
        self.active.clear();
        self.active.extend([POSE, RATE]);
        self.blocks.fill(ZERO);
        *self.at_mut(POSE, POSE) = *pose;
        *self.at_mut(RATE, RATE) = *rate;
        if has_sensor {
            let [bias, gravity] = &kept;
            self.add_sensor(bias, gravity);
        }
    }

    /// As at the very first: of an inertial sensor nothing is known either.
    pub(crate) fn forget_sensor(&mut self) {
        let feet = self.bias();
        self.active.retain(|&block| block < feet);
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
}
