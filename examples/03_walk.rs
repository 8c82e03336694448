//! A walk without ROS: `Walker` is all of `gait_node` but its topics. A velocity in, a pose out, once a cycle.
//!
//!     cargo run -p examples --example 03_walk
//!
//! How far it got is read from its feet: one that stands stays where it is, so the body moves by what the foot moves back under it.

use gait_node::{Activity, GaitParams, Velocity, Walker};
use param_lib::{Params, Table};
use robot_model_lib::Kinematics;
use robot_model_lib::nalgebra::Point3;

const PERIOD: f64 = 0.01;

fn main() -> anyhow::Result<()> {
    let model = examples::pony()?;
    let mut kinematics = Kinematics::of_contacts(&model);
    // The parameters that the robot is shipped with; on a robot it would wait for a first pose of the servos.
    let table = Table::declare_all(GaitParams::specs(), &examples::said_to("/gait_node", "gait.yaml")?)?;
    let params = GaitParams { wait_for_pose: false, ..GaitParams::read(&table)? };
    let mut walker = Walker::new(model, params, PERIOD)?;

    // It stands up before it listens to anybody.
    let mut cycles = 0;
    while walker.activity() != Activity::Standing {
        walker.step(PERIOD, 1.0, &mut |note| println!("{note}"));
        cycles += 1;
        anyhow::ensure!(cycles < 2000, "it does not stand up");
    }
    println!("stands after {:.2} s", f64::from(cycles) * PERIOD);

    // Ten seconds forward. A command holds for `command_timeout`, so it is given again and again.
    let mut way = 0.0;
    // Of each foot: whether it stands, and where it is below the body.
    let mut before: Vec<(bool, Point3<f64>)> = vec![];
    for _ in 0..1000 {
        walker.command(Velocity { forward: 0.05, left: 0.0, turn: 0.0 });
        walker.step(PERIOD, 1.0, &mut |note| println!("{note}"));
        kinematics.update(walker.positions());
        let feet: Vec<_> = (0..4)
            .map(|leg| {
                (walker.supports()[leg].is_some_and(|support| support > 0.0), kinematics.contact(leg).centre)
            })
            .collect();
        let stood = feet.iter().zip(&before).filter(|(now, then)| now.0 && then.0);
        let (moved, count) =
            stood.fold((0.0, 0.0), |(sum, n), (now, then)| (sum + then.1.x - now.1.x, n + 1.0));
        way += moved / f64::max(count, 1.0);
        before = feet;
    }
    println!("walked: {way:.3} m in 10 s");

    // Nobody commands any more: it stops, and brings its feet home.
    let mut cycles = 0;
    while walker.activity() != Activity::Standing {
        walker.step(PERIOD, 1.0, &mut |note| println!("{note}"));
        cycles += 1;
        anyhow::ensure!(cycles < 2000, "it does not come to a stand");
    }
    println!("stands again after {:.2} s", f64::from(cycles) * PERIOD);
    Ok(())
}
