//! Somebody who stands beside the robot.

use super::World;
use crate::SimError;
use crate::mjcf::LINK;
use mujoco_rs::prelude::MjtObjBase;
use nalgebra::Vector3;

/// Pushes that can act at the same time.
pub(super) const PUSHES: usize = 8;
/// What the physics bear in their steps of a millisecond, N.
const HARDEST: f64 = 10_000.0;
/// s.
const LONGEST: f64 = 10.0;
/// What is left of a push by rounding, s.
const OVER: f64 = 1e-9;

#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    body: usize,
    force: Vector3<f64>,
    left: f64,
}

impl World {
    /// Pushes a link (the base if empty) at its origin with a force (N, axes of the world) for a time, s.
    pub fn push(&mut self, link: &str, force: Vector3<f64>, duration: f64) -> Result<(), SimError> {
        let sane = force.norm() <= HARDEST && duration > 0.0 && duration <= LONGEST;
        if !sane {
            return Err(SimError::Push);
        }
        if self.waiting {
            return Err(SimError::Held);
        }
        if self.pushes.len() == PUSHES {
            return Err(SimError::Pushes);
        }
        // A name for C ends at a zero.
        let name = format!("{LINK}{link}");
        let model = self.data.model();
        let found =
            if link.contains(char::from(0)) { None } else { model.name_to_id(MjtObjBase::mjOBJ_BODY, &name) };
        let body = if link.is_empty() { Some(self.base) } else { found };
        let body = body.ok_or_else(|| SimError::UnknownLink(link.into()))?;
        self.pushes.push(Push { body, force, left: duration });
        Ok(())
    }

    /// Pushes for `dt` seconds. A push that ends within them is weaker instead: its impulse is what counts.
    pub(super) fn push_bodies(&mut self, dt: f64) {
        self.data.xfrc_applied_mut().fill([0.0; 6]);
        for push in &mut self.pushes {
            let force = push.force * (push.left / dt).min(1.0);
            // MuJoCo takes forces at the centre of mass.
            let origin = Vector3::from(self.data.xpos()[push.body]);
            let moment = (origin - Vector3::from(self.data.xipos()[push.body])).cross(&force);
            let wrench = &mut self.data.xfrc_applied_mut()[push.body];
            wrench.iter_mut().zip(force.iter().chain(&moment)).for_each(|(sum, part)| *sum += part);
            push.left -= dt;
        }
        self.pushes.retain(|push| push.left > OVER);
    }
}
