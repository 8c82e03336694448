//! What can be seen of the world.

use super::World;
use crate::{FootTruth, ImuSample, Truth};
use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

fn quaternion(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
}

impl World {
    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.data.time()
    }

    /// Potential and kinetic energy, J.
    pub fn energy(&self) -> (f64, f64) {
        let [potential, kinetic] = *self.data.energy();
        (potential, kinetic)
    }

    /// All coordinates and velocities, as they are in the physics.
    pub fn state(&self) -> (&[f64], &[f64]) {
        (self.data.qpos(), self.data.qvel())
    }

    /// How the robot is, into a place that was used before: nothing is allocated then.
    pub fn look(&self, truth: &mut Truth) {
        let data = &self.data;
        let (q, v) = (data.qpos(), data.qvel());
        // Coordinates are of the end of the step; frames, contacts and sensors of its start.
        let (at, turn) = match self.free {
            true => (Vector3::new(q[0], q[1], q[2]), quaternion(&q[3..7])),
            false => (data.xpos()[self.base].into(), quaternion(&data.xquat()[self.base])),
        };
        truth.base = Isometry3::from_parts(Translation3::from(at), turn);
        let part = |from: usize| {
            if self.free { Vector3::new(v[from], v[from + 1], v[from + 2]) } else { Vector3::zeros() }
        };
        (truth.velocity, truth.turning) = (part(0), part(3));
        truth.positions.clear();
        truth.positions.extend(self.seats.iter().map(|seat| q[seat.position]));
        truth.velocities.clear();
        truth.velocities.extend(self.seats.iter().map(|seat| v[seat.velocity]));
        truth.efforts.clear();
        truth.efforts.extend(self.seats.iter().map(|seat| seat.effort));
        self.look_at_feet(truth);
    }

    fn look_at_feet(&self, truth: &mut Truth) {
        let data = &self.data;
        if truth.feet.len() != self.feet.len() {
            let foot = |foot: &super::Foot| FootTruth {
                chain: foot.chain.clone(),
                position: Vector3::zeros(),
                force: Vector3::zeros(),
                moment: Vector3::zeros(),
            };
            truth.feet = self.feet.iter().map(foot).collect();
        }
        for (seen, foot) in truth.feet.iter_mut().zip(&self.feet) {
            let sum: Vector3<f64> =
                foot.geoms.iter().map(|&geom| Vector3::from(data.geom_xpos()[geom])).sum();
            seen.position = sum / foot.geoms.len() as f64;
            (seen.force, seen.moment) = (Vector3::zeros(), Vector3::zeros());
        }
        truth.body_touches = false;
        // Whoever holds the robot has its weight.
        if self.waiting {
            return;
        }
        for (i, contact) in data.contact().iter().enumerate() {
            let [a, b] = contact.geom.map(|geom| usize::try_from(geom).unwrap_or(usize::MAX));
            let ground = |geom: usize| self.is_ground.get(geom).copied().unwrap_or(false);
            // A contact's force acts on the second of the two.
            let (other, sign) = if ground(a) { (b, 1.0) } else { (a, -1.0) };
            let Ok(force) = data.try_contact_force(i) else { continue };
            match self.foot_of.get(other).copied().flatten() {
                None => truth.body_touches |= force[0] > 0.0,
                Some(foot) => {
                    // Its axes are rows: the normal first.
                    let axes = Matrix3::from_row_slice(&contact.frame);
                    let force = axes.transpose() * Vector3::new(force[0], force[1], force[2]) * sign;
                    let foot = &mut truth.feet[foot];
                    foot.force += force;
                    foot.moment += (Vector3::from(contact.pos) - foot.position).cross(&force);
                }
            }
        }
    }

    /// What a perfect IMU shows.
    pub fn imu(&self) -> ImuSample {
        let s = self.data.sensordata();
        let vector = |from: usize| Vector3::new(s[from], s[from + 1], s[from + 2]);
        let orientation = quaternion(&s[6..10]);
        // The physics know nothing of the hand that holds a robot: to them it has just been dropped.
        match self.waiting {
            true => {
                let accel = orientation.inverse() * Vector3::new(0.0, 0.0, self.gravity);
                ImuSample { gyro: Vector3::zeros(), accel, orientation }
            }
            false => ImuSample { gyro: vector(0), accel: vector(3), orientation },
        }
    }
}
