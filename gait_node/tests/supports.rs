//! A leg that is said to stand does stand: while a motion is entered, played and left, and after a restart.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony, rules, standing};
use gait_node::{Activity, Interpolation, JointTrack, Motion, MotionLimits, Source, Trajectory, Walker};
use proptest::prelude::*;
use robot_model_lib::Kinematics;

fn motion(times: &[f64], tracks: &[(&str, &[f64])]) -> Motion {
    let track = |(name, position): &(&str, &[f64])| JointTrack {
        name: (*name).into(),
        position: position.to_vec(),
        ..JointTrack::default()
    };
    let tracks = tracks.iter().map(track).collect();
    let trajectory = Trajectory { interpolation: Interpolation::Cubic, times: times.to_vec(), tracks };
    Motion::new(&trajectory, &pony(), &rules(MotionLimits::Refuse)).unwrap()
}

fn step(walker: &mut Walker) {
    assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
}

/// Steps until it does something else; gives what the supports of the legs were meanwhile.
fn during(walker: &mut Walker, activity: Activity) -> Vec<[Option<f64>; 4]> {
    let mut seen = vec![];
    while walker.activity() == activity {
        seen.push(walker.supports()[..4].try_into().unwrap());
        step(walker);
    }
    seen
}

#[test]
fn a_leg_that_a_motion_lifts_or_moves_does_not_stand_while_the_motion_is_entered_played_and_left() {
    let mut walker = standing(params());
    // Leg 1 is lifted from the start, leg 2 stands by its track, leg 3 moves and nobody says what it does there.
    let tracks: [(&str, &[f64]); 5] = [
        ("leg1_hip_pitch", &[-0.5, -0.4]),
        ("support/leg1", &[0.0, 0.0]),
        ("leg2_hip_yaw", &[0.05, 0.0]),
        ("support/leg2", &[1.0, 1.0]),
        ("leg3_knee", &[0.2, 0.3]),
    ];
    walker.play(motion(&[1.0, 2.0], &tracks));
    step(&mut walker);
    let expected = [0.0, 1.0, 0.0, 1.0].map(Some);
    let playing = during(&mut walker, Activity::Playing);
    assert!(playing.len() >= 200 && playing.iter().all(|seen| *seen == expected), "{:?}", playing[0]);
    let rising = during(&mut walker, Activity::Rising);
    assert!(rising.len() > 100 && rising.iter().all(|seen| *seen == expected), "{:?}", rising[0]);
    assert_eq!(walker.activity(), Activity::Standing);
    assert_eq!(walker.supports()[..4], [Some(1.0); 4]);
}

#[test]
fn a_leg_in_the_air_stands_when_the_next_motion_has_put_it_down_and_not_before() {
    let mut walker = standing(params());
    walker.play(motion(&[1.0, 2.0], &[("leg1_hip_pitch", &[-0.5, -0.5]), ("support/leg1", &[0.0, 0.0])]));
    (0..150).for_each(|_| step(&mut walker));
    walker.play(motion(&[1.0, 2.0], &[("leg1_hip_pitch", &[0.0, 0.0]), ("support/leg1", &[1.0, 1.0])]));
    step(&mut walker);
    let playing = during(&mut walker, Activity::Playing);
    let down = playing.iter().position(|seen| seen[0] == Some(1.0)).unwrap();
    assert!((99..=101).contains(&down), "a second to get there: {down} cycles");
    assert!(playing[down..].iter().all(|seen| *seen == [Some(1.0); 4]));
}

#[test]
fn after_a_restart_it_takes_back_what_it_said_before_and_at_a_first_start_it_says_nothing() {
    let names: Vec<String> = pony().joints().iter().map(|joint| joint.name.clone()).collect();
    for (source, said) in [(Source::Commanded, Some(0.0)), (Source::Measured, None)] {
        let mut walker = Walker::new(pony(), params(), PERIOD).unwrap();
        walker.pose(source, &names, &vec![0.1; names.len()]).unwrap();
        while walker.activity() == Activity::Waiting {
            assert_eq!(walker.supports()[..4], [None; 4]);
            walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
        }
        let rising = during(&mut walker, Activity::Rising);
        assert!(
            rising.len() > 100 && rising.iter().all(|seen| *seen == [said; 4]),
            "{source:?}: {:?}",
            rising[0]
        );
        assert_eq!(walker.supports()[..4], [Some(1.0); 4]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Motions without support tracks, one after the other and interrupted at any time: a leg that is said to stand has
    /// its foot where it stood.
    #[test]
    fn a_leg_that_is_said_to_stand_has_not_moved(
        plays in prop::collection::vec((1..5_usize, -0.4..0.4_f64, 1..300_usize, any::<bool>()), 1..5)
    ) {
        let mut walker = standing(params());
        let mut kinematics = Kinematics::new(walker.model());
        kinematics.update(walker.positions());
        let stood: Vec<_> = (0..4).map(|leg| kinematics.contact(leg).centre).collect();
        for (leg, goal, cycles, halt) in plays {
            walker.play(motion(&[0.5, 1.0], &[(&format!("leg{leg}_hip_pitch"), &[0.2, goal])]));
            for cycle in 0..cycles {
                if halt && cycle + 1 == cycles {
                    walker.stand();
                }
                step(&mut walker);
                kinematics.update(walker.positions());
                for (leg, stood) in stood.iter().enumerate() {
                    let moved = (kinematics.contact(leg).centre - stood).norm();
                    prop_assert!(walker.supports()[leg] == Some(0.0) || moved < 1e-6, "leg{}: {} m", leg + 1, moved);
                }
            }
        }
    }
}
