//! All example robots walk: the shipped control path against weight, in virtual time. One table of what they were told and what they did;
//! `cargo test -p sim_node --features lockstep --test robots -- --nocapture` shows it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Stretch, robot, stretch};
use nalgebra::Vector3;
use robot_model_lib::Dynamics;
use sim_node::{Lockstep, Scene, Terrain};

/// A robot, a gait of it, and speeds that it can: ahead, to the side, m/s; turning, rad/s.
struct Case {
    robot: &'static str,
    gait: &'static str,
    speeds: [f64; 3],
}

const CASES: [Case; 7] = [
    Case { robot: "pony", gait: "walk", speeds: [0.06, 0.03, 0.2] },
    Case { robot: "pony", gait: "trot", speeds: [0.1, 0.03, 0.2] },
    Case { robot: "hexapod", gait: "walk", speeds: [0.03, 0.03, 0.12] },
    Case { robot: "hexapod", gait: "trot", speeds: [0.1, 0.06, 0.3] },
    Case { robot: "hexapod", gait: "ripple", speeds: [0.05, 0.04, 0.2] },
    Case { robot: "quadruped", gait: "walk", speeds: [0.04, 0.02, 0.15] },
    Case { robot: "quadruped", gait: "trot", speeds: [0.1, 0.04, 0.3] },
];

/// A line of the table.
struct Row {
    who: String,
    what: &'static str,
    went: Stretch,
    /// Whether it has to go where it is told, or only to stay on its feet.
    is_bound: bool,
}

impl Row {
    fn show(&self) -> String {
        let Stretch { wanted: [x, y, yaw], moved: [mx, my, turned], tilt, is_up } = self.went;
        let fell = if is_up { "" } else { "  FELL" };
        format!(
            "{:16} {:12} {x:6.3} {y:6.3} {:6.1}   {mx:6.3} {my:6.3} {:6.1}   {:4.1}{fell}",
            self.who,
            self.what,
            yaw.to_degrees(),
            turned.to_degrees(),
            tilt.to_degrees()
        )
    }

    fn is_right(&self) -> bool {
        self.went.is_up && (!self.is_bound || self.went.is_within_a_tenth())
    }
}

/// A minute and more: every way it can go, and halts. A halt is only survived: the stride under way is still walked to its end.
fn minute(case: &Case, rows: &mut Vec<Row>) {
    let [ahead, side, turn] = case.speeds;
    let stretches = [
        ("stand", [0.0; 3], 2.0),
        ("ahead", [ahead, 0.0, 0.0], 14.0),
        ("turn", [0.0, 0.0, turn], 10.0),
        ("sidestep", [0.0, side, 0.0], 12.0),
        ("back", [-0.8 * ahead, 0.0, 0.0], 12.0),
        ("arc", [0.6 * ahead, 0.0, -0.4 * turn], 12.0),
        ("halt", [0.0; 3], 4.0),
    ];
    let files = robot(case.robot);
    let mut robot = Lockstep::stand(&files, case.gait, &files.world.scene()).unwrap();
    for (what, velocity, seconds) in stretches {
        let went = stretch(&mut robot, velocity, seconds);
        rows.push(Row {
            who: format!("{} {}", case.robot, case.gait),
            what,
            went,
            is_bound: velocity != [0.0; 3],
        });
    }
}

/// A tenth of the weight for a tenth of a second, from the side, in the middle of a walk.
fn pushed(case: &Case, rows: &mut Vec<Row>) {
    let files = robot(case.robot);
    let weight = Dynamics::new(&files.model().unwrap()).unwrap().mass() * 9.81;
    let mut robot = Lockstep::stand(&files, case.gait, &files.world.scene()).unwrap();
    let velocity = [case.speeds[0], 0.0, 0.0];
    stretch(&mut robot, velocity, 4.0);
    robot.world().push("", Vector3::new(0.0, 0.1 * weight, 0.0), 0.1).unwrap();
    let went = stretch(&mut robot, velocity, 6.0);
    rows.push(Row { who: format!("{} {}", case.robot, case.gait), what: "pushed", went, is_bound: true });
}

/// Slopes of 5°. The quadruped's weight is at the edge of its three points there: it stays on its feet, and gets less far up, farther down.
fn sloped(case: &Case, rows: &mut Vec<Row>) {
    for (what, slope) in [("up 5°", 5f64), ("down 5°", -5.0)] {
        let files = robot(case.robot);
        let scene = Scene { terrain: Terrain::Slope(slope.to_radians()), ..files.world.scene() };
        let mut robot = Lockstep::stand(&files, case.gait, &scene).unwrap();
        let went = stretch(&mut robot, [case.speeds[0], 0.0, 0.0], 10.0);
        rows.push(Row {
            who: format!("{} {}", case.robot, case.gait),
            what,
            went,
            is_bound: case.robot != "quadruped",
        });
    }
}

fn table(cases: &[&Case]) -> Vec<Row> {
    let mut rows = vec![];
    for case in cases {
        minute(case, &mut rows);
        if case.gait == "walk" {
            pushed(case, &mut rows);
            sloped(case, &mut rows);
        }
    }
    rows
}

#[test]
fn every_robot_walks_in_every_gait_for_a_minute_is_pushed_and_climbs_and_goes_where_it_is_told() {
    let names = ["pony", "hexapod", "quadruped"];
    let rows: Vec<Row> = std::thread::scope(|scope| {
        let of = |name: &'static str| CASES.iter().filter(move |case| case.robot == name).collect::<Vec<_>>();
        let runs = names.map(|name| scope.spawn(move || table(&of(name))));
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    println!("{:16} {:12} {:>20}   {:>20}   tilt, °", "robot, gait", "", "commanded m, m, °", "true m, m, °");
    rows.iter().for_each(|row| println!("{}", row.show()));
    let wrong: Vec<String> = rows.iter().filter(|row| !row.is_right()).map(Row::show).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
