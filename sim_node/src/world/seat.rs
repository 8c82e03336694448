//! A servo's place in the world.

use crate::Drive;
use herkulex_node::sim::SimServo;

/// A servo and the coordinates of its joint.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub drive: Drive,
    pub position: usize,
    pub velocity: usize,
    /// What the servo gives the joint: motor less viscous friction, N·m.
    pub effort: f64,
    /// Where a shaft that is held is held, rad at the joint.
    held: Option<f64>,
    /// Inertia that is at the joint whatever hangs on it, kg·m².
    armature: f64,
    damping: f64,
    /// What its shorted windings give the joint, N·m.
    brake: f64,
}

impl Seat {
    pub fn new(drive: Drive, position: usize, velocity: usize) -> Seat {
        let (armature, damping) = (drive.armature(), drive.damping());
        Seat { drive, position, velocity, effort: 0.0, held: None, armature, damping, brake: 0.0 }
    }

    /// Forgets what it held and braked.
    pub fn reset(&mut self) {
        (self.held, self.brake) = (None, 0.0);
    }

    /// What acts at the joint in a step of the physics, beside the friction that MuJoCo knows of. Brakes and held shafts are taken against
    /// the least inertia that there can be, the motor's own, so that no step length makes them unstable.
    pub fn torque(&mut self, servo: &SimServo, angle: f64, velocity: f64, dt: f64) -> f64 {
        let gear = self.drive.gear;
        let motor = gear * servo.motor_torque();
        self.effort = motor - self.damping * servo.damping_factor() * velocity;
        let more = self.damping * (servo.damping_factor() - 1.0);
        // It comes near to −more·velocity as fast as the motor's inertia bears, and is just that at an even speed.
        self.brake -= (self.brake + more * velocity) / (1.0 + more * dt / self.armature);
        if !servo.is_blocked() {
            self.held = None;
            return motor + self.brake - gear * servo.load;
        }
        let at = *self.held.get_or_insert(angle);
        // A spring of a quarter and a damper of half of what one step could just bear.
        self.armature / dt * (0.25 / dt * (at - angle) - 0.5 * velocity)
    }
}
