//! A robot from its URDF, and joints for a place: the pony draws a circle with one hoof.
//!
//!     cargo run -p examples --example 02_inverse_kinematics
//!
//! `Kinematics` goes from joints to places, `ChainIk` from places to joints. Both allocate when they are made and never after, so they
//! may be used in the control cycle.

use robot_model_lib::nalgebra::{Vector3, convert};
use robot_model_lib::{ChainIk, IkGoal, IkOptions, IkStatus, Kinematics};

fn main() -> anyhow::Result<()> {
    let model = examples::pony()?;
    println!("{} joints, {} chains", model.joints().len(), model.chains().len());

    // Where the hoof of the first leg is when every joint stands in the middle of its way.
    let mut joints = vec![0.0; model.joints().len()];
    let mut kinematics = Kinematics::of_contacts(&model);
    kinematics.update(&joints);
    let home = kinematics.contact_frame(0);

    // A circle of 2 cm, 3 cm above that. The joints found last are where the next search begins.
    let mut leg = ChainIk::new(&model, 0, IkOptions::default());
    let mut farthest: f64 = 0.0;
    for step in 0..=100 {
        let angle = std::f64::consts::TAU * f64::from(step) / 100.0;
        let mut goal = home;
        goal.translation.vector += Vector3::new(0.02 * angle.cos(), 0.02 * angle.sin(), 0.03);
        let found = leg.solve(&IkGoal::Pose(convert(goal)), &mut joints);
        anyhow::ensure!(found.status == IkStatus::Reached, "out of reach at {angle:.2} rad");
        // Trust, but verify: forward again.
        kinematics.update(&joints);
        let reached = kinematics.contact_frame(0);
        farthest = farthest.max((reached.translation.vector - goal.translation.vector).norm());
    }
    println!("farthest from the circle: {farthest:.1e} m");

    let chain = model.chains()[0].joints.clone();
    for (joint, angle) in model.joints()[chain.clone()].iter().zip(&joints[chain]) {
        println!("{:<24} {:+.3} rad", joint.name, angle);
    }
    Ok(())
}
