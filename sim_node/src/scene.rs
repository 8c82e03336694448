//! What the robot stands on and carries.

/// Servos decide this often, s: one step of a [`crate::World`].
pub(crate) const SERVO_STEP: f64 = 0.001;

/// How the base of the robot is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// It stands on its feet, or falls.
    Free,
    /// It hangs on a stand: legs move in the air.
    Fixed,
}

/// What the robot stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Terrain {
    /// A level floor.
    Flat,
    /// A plane that rises ahead by an angle, rad.
    Slope(f64),
    /// Square slabs of random height on a level floor; those around the start are level.
    Steps {
        /// Of the highest, m.
        height: f64,
        /// Of the sequence of heights.
        seed: u64,
    },
    /// Level, with a third of its area slippery.
    Patches {
        /// Of the slippery part.
        friction: f64,
        /// Of their places.
        seed: u64,
    },
}

/// Something heavy on the base, small beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Payload {
    /// kg; 0 for none.
    pub mass: f64,
    /// Where, m in the base's frame.
    pub at: [f64; 3],
}

/// All that is not the robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// How the base is held.
    pub base: Base,
    /// What the robot stands on.
    pub terrain: Terrain,
    /// Coulomb friction between feet and ground.
    pub friction: f64,
    /// Radius of the spheres that a foot touches the ground with, one at each of its contact's points, m.
    pub foot_radius: f64,
    /// What the base carries.
    pub payload: Payload,
    /// Of gravity, m/s².
    pub gravity: f64,
    /// One step of the physics at the most, s: a whole number of them makes a millisecond.
    pub timestep: f64,
    /// The link on which the IMU sits; empty for the base.
    pub imu_link: String,
}

impl Default for Scene {
    fn default() -> Self {
        Scene {
            base: Base::Free,
            terrain: Terrain::Flat,
            friction: 0.8,
            foot_radius: 0.005,
            payload: Payload::default(),
            gravity: 9.81,
            timestep: 0.001,
            imu_link: String::new(),
        }
    }
}

impl Scene {
    /// Steps of the physics in a millisecond. Steps that did not fill it would let the world go slower than its clock.
    pub fn substeps(&self) -> u16 {
        (SERVO_STEP / self.timestep - 1e-6).ceil().clamp(1.0, 1000.0) as u16
    }

    /// How steep the ground is, rad about −y.
    pub fn slope(&self) -> f64 {
        match self.terrain {
            Terrain::Slope(angle) => angle,
            _ => 0.0,
        }
    }
}
