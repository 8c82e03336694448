//! A robot's day: it gets up, sits down, loses its torque and finds it again, is halted and goes on.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony, standing};
use gait_node::{Activity, GaitParams, Note, Source, Velocity, Walker};
use robot_model_lib::Kinematics;

/// Steps until it does something, at most a minute.
fn until(walker: &mut Walker, activity: Activity) -> usize {
    for cycle in 0..6000 {
        if walker.activity() == activity {
            return cycle;
        }
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
    }
    panic!("still {}", walker.activity());
}

fn names(walker: &Walker) -> Vec<String> {
    walker.model().joints().iter().map(|joint| joint.name.clone()).collect()
}

/// Where the feet are, seen from the base.
fn feet(walker: &Walker, kinematics: &mut Kinematics) -> Vec<nalgebra::Vector3<f64>> {
    kinematics.update(walker.positions());
    (0..4).map(|leg| kinematics.contact(leg).centre.coords).collect()
}

/// Distances between feet, which nothing changes while they stand.
fn spans(feet: &[nalgebra::Vector3<f64>]) -> Vec<f64> {
    (0..4).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| (feet[a] - feet[b]).norm()).collect()
}

#[test]
fn it_sits_down_and_gets_up_on_feet_that_stay() {
    let mut walker = standing(params());
    let mut kinematics = Kinematics::new(walker.model());
    let stood = feet(&walker, &mut kinematics);
    let sit = params().postures.0.iter().find(|(name, _)| name == "sit").unwrap().1.height;
    assert!(walker.sit());
    let mut lowest = f64::INFINITY;
    let mut watch = |walker: &mut Walker, cycles: usize| {
        for _ in 0..cycles {
            walker.command(Velocity { forward: 0.06, ..Velocity::ZERO });
            walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
            let now = feet(walker, &mut kinematics);
            let slipped =
                spans(&now).iter().zip(spans(&stood)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(slipped < 1e-6, "{slipped} m");
            assert_eq!(walker.supports()[..4], [Some(1.0); 4]);
            lowest = lowest.min(-now[0].z);
        }
    };
    watch(&mut walker, 600);
    assert_eq!(walker.activity(), Activity::Sitting, "commands do not make it walk");
    watch(&mut walker, 1);
    walker.stand();
    while walker.activity() != Activity::Standing {
        watch(&mut walker, 1);
    }
    assert!((lowest - sit).abs() < 1e-3, "{lowest}");
    until(&mut walker, Activity::Walking);
}

#[test]
fn it_gets_up_from_lying_by_way_of_sitting() {
    let mut walker = Walker::new(pony(), params(), PERIOD).unwrap();
    let names = names(&walker);
    // Collapsed: knees and hips at their stops.
    let stop = |name: &String, limits: robot_model_lib::Limits| match name {
        knee if knee.contains("knee") => {
            if limits.upper > -limits.lower {
                limits.upper
            } else {
                limits.lower
            }
        }
        _ => limits.clamp(0.0),
    };
    let lying: Vec<f64> =
        names.iter().zip(walker.model().joints()).map(|(name, joint)| stop(name, joint.limits)).collect();
    walker.pose(Source::Measured, &names, &lying).unwrap();
    until(&mut walker, Activity::Rising);
    let mut kinematics = Kinematics::new(walker.model());
    let mut slid: f64 = 0.0;
    while walker.activity() == Activity::Rising {
        let (before, stood) = (feet(&walker, &mut kinematics), walker.supports()[0] == Some(1.0));
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
        if stood {
            let now = feet(&walker, &mut kinematics);
            slid += spans(&now).iter().zip(spans(&before)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        }
    }
    assert_eq!(walker.activity(), Activity::Standing);
    assert!(slid < 1e-5, "from sitting on its feet stay: {slid} m");
}

#[test]
fn without_torque_it_follows_what_is_measured_and_gets_up_from_there() {
    let mut walker = standing(params());
    let (names, joints) = (names(&walker), walker.positions().len());
    for _ in 0..200 {
        walker.command(Velocity { forward: 0.06, ..Velocity::ZERO });
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
    }
    // One joint of thirty is no reason to fall.
    let mut on = vec![true; joints];
    on[3] = false;
    assert!(walker.torque(&names, &on) && walker.activity() == Activity::Walking);
    assert!(walker.torque(&names, &vec![false; joints]));
    assert_eq!((walker.activity(), walker.supports()[0]), (Activity::Limp, Some(0.0)));
    assert!(
        !walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")),
        "silent until it knows where its joints are"
    );
    assert!(walker.waits_for().contains("no torque"));
    // Somebody folds its legs; what is commanded elsewhere does not count.
    let fallen: Vec<f64> = walker.model().joints().iter().map(|joint| joint.limits.clamp(0.4)).collect();
    walker.pose(Source::Commanded, &names, &vec![0.1; joints]).unwrap();
    walker.pose(Source::Measured, &names, &fallen).unwrap();
    for _ in 0..100 {
        assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
        assert_eq!((walker.positions(), walker.activity()), (&fallen[..], Activity::Limp));
    }
    // Torque comes joint by joint; only what is measured after the last one has it counts.
    let mut on = vec![false; joints];
    for joint in 0..joints {
        on[joint] = true;
        walker.torque(&names, &on);
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
        assert_eq!(walker.activity(), Activity::Limp, "joint {joint}");
    }
    let fallen: Vec<f64> = walker.model().joints().iter().map(|joint| joint.limits.clamp(0.35)).collect();
    walker.pose(Source::Measured, &names, &fallen).unwrap();
    let rise_speed = params().rise_speed;
    let mut before = fallen;
    while walker.activity() != Activity::Standing {
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
        assert_ne!(walker.activity(), Activity::Walking, "commands of before are over");
        if walker.supports()[0] == Some(0.0) {
            let way = |(q, b): (&f64, &f64)| (q - b).abs();
            let fastest = walker.positions().iter().zip(&before).map(way).fold(0.0, f64::max);
            assert!(fastest <= rise_speed * PERIOD + 1e-12, "{fastest}");
        }
        before = walker.positions().to_vec();
    }
}

#[test]
fn a_low_battery_makes_it_sit_once() {
    let mut walker = standing(GaitParams { low_battery: 7.0, ..params() });
    let mut said = 0;
    walker.battery(6.8);
    for _ in 0..1000 {
        walker.step(PERIOD, 1.0, &mut |note| said += usize::from(matches!(note, Note::LowBattery { .. })));
    }
    assert_eq!((walker.activity(), said), (Activity::Sitting, 1));
    walker.stand();
    for _ in 0..1000 {
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
    }
    assert_eq!(walker.activity(), Activity::Standing, "whoever insists is obeyed");
}

#[test]
fn a_robot_without_the_posture_cannot_sit() {
    let mut walker = standing(GaitParams { postures: Default::default(), ..params() });
    assert!(!walker.sit());
    walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
    assert_eq!(walker.activity(), Activity::Standing);
}
