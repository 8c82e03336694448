//! Motions that are repeated, played backwards, halted and resumed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony, rules, standing};
use gait_node::{Activity, Interpolation, JointTrack, Motion, MotionLimits, Trajectory, Velocity, Walker};
use proptest::prelude::*;

fn trajectory(times: &[f64], neck: &[f64], support: &[f64]) -> Trajectory {
    let track = |name: &str, position: &[f64]| JointTrack {
        name: name.into(),
        position: position.to_vec(),
        ..JointTrack::default()
    };
    let mut tracks = vec![track("neck_yaw", neck)];
    if !support.is_empty() {
        tracks.push(track("support/leg1", support));
    }
    Trajectory { interpolation: Interpolation::Cubic, times: times.to_vec(), tracks }
}

fn motion(trajectory: &Trajectory) -> Motion {
    Motion::new(trajectory, &pony(), &rules(MotionLimits::Refuse)).unwrap()
}

fn neck(walker: &Walker) -> usize {
    walker.model().joints().iter().position(|joint| joint.name == "neck_yaw").unwrap()
}

/// One cycle within position, speed and acceleration of every joint.
fn step(walker: &mut Walker) {
    let (q, qd) = (walker.positions().to_vec(), walker.velocities().to_vec());
    assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
    let most = 50.0 * PERIOD * (1.0 + 1e-6);
    for (at, joint) in walker.model().joints().iter().enumerate() {
        let (p, v) = (walker.positions()[at], walker.velocities()[at]);
        assert!(joint.limits.contains(p) && v.abs() <= joint.limits.velocity, "{}", joint.name);
        assert!(
            (v - qd[at]).abs() <= most && (p - q[at] - PERIOD * qd[at]).abs() <= 0.5 * most * PERIOD,
            "{}",
            joint.name
        );
    }
}

#[test]
fn a_motion_that_ends_as_it_begins_is_repeated_without_a_pause() {
    assert_eq!(params().joint_acceleration, 50.0);
    let mut walker = standing(params());
    walker.play(motion(&trajectory(&[0.5, 1.0, 1.5], &[0.0, 0.3, 0.0], &[])).named("shake").repeated(true));
    let neck = neck(&walker);
    let mut peaks = 0;
    for _ in 0..1000 {
        let rose = walker.velocities()[neck] > 0.0;
        step(&mut walker);
        peaks += usize::from(rose && walker.velocities()[neck] <= 0.0);
    }
    // Half a second or so to get there, then one a second.
    assert!((9..=10).contains(&peaks), "{peaks}");
    let progress = walker.progress().unwrap();
    assert_eq!((progress.name, progress.duration), ("shake", 1.0));
    // A round ends half a second after its peak.
    assert!((peaks - 1..=peaks).contains(&(progress.rounds as usize)), "{} {peaks}", progress.rounds);
    walker.stand();
    while walker.activity() != Activity::Standing {
        step(&mut walker);
    }
    assert!(walker.progress().is_none());
}

#[test]
fn backwards_is_the_same_the_other_way_round() {
    let forward = trajectory(&[0.5, 1.0, 2.5], &[0.1, 0.3, -0.2], &[1.0, 0.0, 1.0]);
    let mut backward = forward.clone();
    backward.reverse();
    let (there, back) = (motion(&forward), motion(&backward));
    assert_eq!((there.duration(), back.entry_time()), (back.duration(), 0.5));
    let (mut a, mut b) = ((vec![0.0; 40], vec![0.0; 40]), (vec![0.0; 40], vec![0.0; 40]));
    // Between two cycles: supports change at points.
    for k in 0..200 {
        let time = 0.005 + 0.01 * f64::from(k);
        there.write(time, &mut a.0, &mut a.1);
        back.write(2.0 - time, &mut b.0, &mut b.1);
        assert!(a.0.iter().zip(&b.0).all(|(a, b)| (a - b).abs() < 1e-12), "{time}");
        assert!(a.1.iter().zip(&b.1).all(|(a, b)| (a + b).abs() < 1e-9), "{time}");
        assert!(there.supports(time).eq(back.supports(2.0 - time)), "{time}");
    }
    backward.reverse();
    assert_eq!((backward.times, &backward.tracks[0]), (forward.times.clone(), &forward.tracks[0]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Halted at any time, however often: it brakes, holds whatever is commanded, goes on where it was, passes all its
    /// positions and ends in standing.
    #[test]
    fn halted_and_resumed_it_goes_on_where_it_was(
        necks in prop::collection::vec(-0.9..0.9_f64, 2..6), gap in 0.1..0.8_f64, first in 0.05..1.0_f64, repeat: bool,
        halts in prop::collection::vec((1..150_usize, 20..60_usize), 1..4)
    ) {
        let times: Vec<f64> = (0..necks.len()).map(|k| first + gap * k as f64).collect();
        let mut walker = standing(params());
        let neck = neck(&walker);
        let stretched = Motion::new(&trajectory(&times, &necks, &[]), walker.model(), &rules(MotionLimits::Stretch)).unwrap();
        walker.play(stretched.repeated(repeat));
        let mut seen = vec![];
        step(&mut walker);
        for (cycles, pause) in halts {
            for _ in 0..cycles {
                step(&mut walker);
                seen.push(walker.positions()[neck]);
            }
            if walker.activity() != Activity::Playing {
                break;
            }
            let time = walker.progress().unwrap().time;
            walker.halt();
            for _ in 0..pause {
                walker.command(Velocity { forward: 0.1, ..Velocity::ZERO });
                step(&mut walker);
                prop_assert_eq!(walker.activity(), Activity::Halted);
            }
            // 7.1 rad/s at the most, at 50 rad/s²: within 15 cycles.
            prop_assert!(walker.velocities().iter().all(|v| *v == 0.0));
            let progress = walker.progress().unwrap();
            // Below zero it was on its way to where it goes on.
            prop_assert!(progress.paused && (time < 0.0 || progress.time == time), "{:?} {}", progress, time);
            prop_assert!(walker.resume() && !walker.resume());
        }
        for _ in 0..3000 {
            if walker.activity() == Activity::Standing || (repeat && walker.progress().is_some_and(|p| p.rounds > 1)) {
                break;
            }
            step(&mut walker);
            seen.push(walker.positions()[neck]);
        }
        prop_assert!(repeat || walker.activity() == Activity::Standing);
        for wanted in necks {
            prop_assert!(seen.iter().any(|q| (q - wanted).abs() <= 7.1 * PERIOD), "{}", wanted);
        }
    }
}
