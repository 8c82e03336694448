//! How servos hang on joints.

use herkulex_node::codec::Model;
use herkulex_node::params::{BridgeParams, ServoParams};
use herkulex_node::sim::{Mechanics, SimServo};
use param_lib::{Overrides, ParamError, Params, Table};

/// A servo and the joint that it drives: servo angle = gear·(joint angle) + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// The joint's name.
    pub joint: String,
    /// The servo's id on the bus.
    pub id: u8,
    /// The servo's model.
    pub model: Model,
    /// Turns of the servo per turn of the joint, with the sign of the direction; not 0.
    pub gear: f64,
    /// The servo's angle from its middle when the joint is at 0, rad.
    pub offset: f64,
    /// The servo's motor, seen from its own shaft.
    pub mechanics: Mechanics,
}

impl Drive {
    /// The servos as the bridge's parameter file has them: one file says what hangs on the bus, to both of its sides.
    pub fn from_bridge_file(text: &str) -> Result<Vec<Drive>, ParamError> {
        let overrides = Overrides::from_text(text)?.for_node("/herkulex_node");
        let table = Table::declare_all(BridgeParams::specs(), &overrides)?;
        let drive = |(joint, servo): &(String, ServoParams)| {
            let model = servo.model.model();
            Drive {
                joint: joint.clone(),
                id: servo.id as u8,
                model,
                gear: servo.gear * servo.direction as f64,
                offset: servo.offset,
                mechanics: Mechanics::of(model),
            }
        };
        Ok(BridgeParams::read(&table)?.servos.0.iter().map(drive).collect())
    }

    /// The servo with its joint at an angle.
    pub fn servo(&self, joint_angle: f64) -> SimServo {
        SimServo::new(self.model, self.id, self.to_servo(joint_angle))
    }

    /// The servo's angle for the joint's, rad.
    pub fn to_servo(&self, joint_angle: f64) -> f64 {
        self.gear * joint_angle + self.offset
    }

    /// Inertia of motor and gears at the joint, kg·m²: α0/α3 at the servo's shaft, which turns `gear` times as fast.
    pub fn armature(&self) -> f64 {
        self.gear * self.gear * self.mechanics.alpha[0] / self.mechanics.alpha[3]
    }

    /// Viscous friction at the joint, N·m·s/rad: α1/α3 at the shaft.
    pub fn damping(&self) -> f64 {
        self.gear * self.gear * self.mechanics.alpha[1] / self.mechanics.alpha[3]
    }

    /// Dry friction at the joint, N·m: α2/α3 at the shaft.
    pub fn friction(&self) -> f64 {
        self.gear.abs() * self.mechanics.alpha[2] / self.mechanics.alpha[3]
    }
}
