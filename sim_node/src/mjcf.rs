//! The robot and its ground in MuJoCo's own language.

mod body;
mod terrain;

use crate::scene::SERVO_STEP;
use crate::{Base, Drive, Scene, SimError};
use body::Bodies;
use robot_model_lib::{ModelConfig, RobotModel};
use std::fmt::Write as _;

/// What the names of feet begin with; the chain's name follows, then `/` and the point's number.
pub const FOOT: &str = "foot/";
/// What the names of bodies begin with; the link's name follows. MuJoCo has a body `world` of its own.
pub const LINK: &str = "link/";
/// What the names of everything that is ground begin with.
pub const GROUND: &str = "ground";

/// MJCF of a robot in a scene. Joints have the URDF's names, bodies too, behind `link/`. Feet touch the ground with a sphere at each point of their
/// chain's default contact, all other links with their boxes, cylinders and spheres; links do not touch each other.
pub fn mjcf(
    model: &RobotModel,
    config: &ModelConfig,
    drives: &[Drive],
    scene: &Scene,
) -> Result<String, SimError> {
    let robot = model.urdf();
    if let Some(drive) = drives.iter().find(|d| !robot.joints.iter().any(|j| j.name == d.joint)) {
        return Err(SimError::UnknownJoint(drive.joint.clone()));
    }
    if !scene.imu_link.is_empty() && !robot.links.iter().any(|l| l.name == scene.imu_link) {
        return Err(SimError::UnknownLink(scene.imu_link.clone()));
    }
    let mut bodies = Bodies { robot, config, drives, scene, text: String::new() };
    bodies.write(root(robot), scene.base == Base::Free);
    let mut equalities = String::new();
    for joint in robot.joints.iter().filter(|j| j.joint_type != urdf_rs::JointType::Fixed) {
        if let Some(mimic) = &joint.mimic {
            let (offset, factor) = (mimic.offset.unwrap_or(0.0), mimic.multiplier.unwrap_or(1.0));
            let (own, master) = (escape(&joint.name), escape(&mimic.joint));
            let _ = write!(
                equalities,
                "<joint joint1=\"{own}\" joint2=\"{master}\" polycoef=\"{offset} {factor} 0 0 0\"/>"
            );
        }
    }
    let timestep = SERVO_STEP / f64::from(scene.substeps());
    let gravity = numbers(&[0.0, 0.0, -scene.gravity]);
    Ok(format!(
        "<mujoco model=\"{name}\"><compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\" \
         balanceinertia=\"true\" boundmass=\"1e-6\" boundinertia=\"1e-9\" fusestatic=\"false\"/>\
         <option timestep=\"{timestep}\" integrator=\"implicitfast\" cone=\"elliptic\" impratio=\"10\" gravity=\"{gravity}\">\
         <flag energy=\"enable\"/></option>\
         <worldbody>{ground}{bodies}</worldbody><equality>{equalities}</equality>\
         <sensor><gyro name=\"gyro\" site=\"imu\"/><accelerometer name=\"accelerometer\" site=\"imu\"/>\
         <framequat name=\"orientation\" objtype=\"site\" objname=\"imu\"/></sensor></mujoco>",
        name = escape(model.name()),
        ground = terrain::ground(scene),
        bodies = bodies.text,
    ))
}

/// The link that is nobody's child; a model that was read has exactly one.
fn root(robot: &urdf_rs::Robot) -> &str {
    let child = |link: &&urdf_rs::Link| robot.joints.iter().all(|j| j.child.link != link.name);
    robot.links.iter().find(child).map_or("", |link| link.name.as_str())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn numbers(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(f64::to_string).collect();
    words.join(" ")
}
