//! The pony with its own configuration.
#![allow(dead_code, clippy::unwrap_used)]

use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays, Refused};

pub struct Rig {
    pub core: InverseDynamics,
}

pub fn rig(params: DynamicsParams) -> Rig {
    Rig { core: InverseDynamics::new(test_lib::pony(), &params).unwrap() }
}

pub fn names(rig: &Rig) -> Vec<String> {
    rig.core.model().joints().iter().map(|joint| joint.name.clone()).collect()
}

impl Rig {
    /// Efforts of the standing pose at rest, model joint order.
    pub fn still(&mut self, stamp: i64) -> Result<Vec<f64>, Refused> {
        let name = names(self);
        let zeros = vec![0.0; name.len()];
        let pose =
            PoseArrays { name: &name, position: &zeros, velocity: &zeros, acceleration: &zeros, effort: &[] };
        self.core.efforts(stamp, &pose).map(<[f64]>::to_vec)
    }
}
