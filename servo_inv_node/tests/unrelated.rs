//! What servo_ident must not learn from: joints that do not move by their goals. And what it saves.
#![allow(clippy::unwrap_used)]

use servo_inv_node::ident::{self, Found, IdentError, Identification, Outcome};
use servo_inv_node::model::ServoModel;
use servo_inv_node::params::{IdentParams, SavedServo, servos_file, storable};

const MODEL: ServoModel = ServoModel { kp: 480.0, kgear: 1.0, alpha: [0.0; 4] };

/// A servo that is late by 30 ms (first order); `seen` is what its encoder, or another, says at a time.
fn run(goal: fn(f64) -> f64, seen: fn(f64, f64) -> f64) -> Result<Outcome, IdentError> {
    let settings = ident::Settings { min_samples: 10, ..ident::Settings::from(&IdentParams::default()) };
    let name = ["j".to_owned()];
    let mut identification = Identification::new(settings, &name, MODEL, vec![], 7.4);
    identification.start("j").unwrap();
    let mut q = goal(100.0);
    for k in 0..2000 {
        let t = 100.0 + f64::from(k) * 0.01;
        identification.goals(t, &name, &[goal(t)], &[0.0112]).unwrap();
        q += (goal(t) - q) * 0.01 / 0.03;
        identification.positions(t, &name, &[seen(t, q)]).unwrap();
    }
    let outcome = identification.stop("j");
    assert_eq!(identification.servos()[0].found.is_some(), outcome.is_ok());
    outcome
}

fn swing(t: f64) -> f64 {
    0.5 * (3.0 * t).sin()
}

#[test]
fn a_servo_that_follows_its_goals_is_identified() {
    assert!(run(swing, |_, q| q).is_ok());
}

/// It came out with an alpha0 of 889.
#[test]
fn a_joint_that_is_turned_by_hand_is_not() {
    let by_hand = run(|_| 0.0, |t, _| 0.8 * (2.0 * t).sin());
    assert!(matches!(by_hand, Err(IdentError::GoalsStand(_))), "{by_hand:?}");
}

#[test]
fn a_reversed_encoder_and_another_joint_are_not() {
    for seen in [
        |_: f64, q: f64| -q,
        |t: f64, _: f64| 0.5 * (3.0 * t + 2.0).sin(),
        |t: f64, _: f64| 0.5 * (7.1 * t).sin(),
    ] {
        let outcome = run(swing, seen);
        assert!(matches!(outcome, Err(IdentError::Unrelated { .. })), "{outcome:?}");
    }
}

/// Another joint of the same leg goes in phase, but not as far, from another middle, or twice in a step.
#[test]
fn another_joint_of_like_phase_is_not() {
    for seen in [
        |t: f64, _: f64| 0.2 * (3.0 * t - 0.2).sin(),
        |t: f64, _: f64| 0.4 + 0.5 * (3.0 * t - 0.2).sin(),
        |t: f64, _: f64| 0.3 * (3.0 * t - 0.2).sin() + 0.2 * (6.0 * t).sin(),
    ] {
        let outcome = run(swing, seen);
        assert!(matches!(outcome, Err(IdentError::Unexplained { .. })), "{outcome:?}");
    }
}

#[test]
fn one_model_out_of_range_does_not_keep_the_others_from_the_file() {
    let servo = |joint: &str, alpha0: f64, ahead: f64| SavedServo {
        joint: joint.into(),
        model: ServoModel { alpha: [alpha0, 0.0, 0.0, 0.0], ..MODEL },
        found: Some(Found { delay: 0.0, playtime: 0.0112, ahead_of_model: ahead, ahead_alone: ahead }),
    };
    let (good, bad) = storable(vec![servo("a", 1.0, 0.02), servo("b", 1e8, 0.02), servo("c", 1.0, -0.02)]);
    assert_eq!(good.iter().map(|s| s.joint.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert!(bad.len() == 1 && bad[0].contains("servo_models.b.alpha"), "{bad:?}");
    let text = servos_file(&good).unwrap();
    assert!(
        text.contains("delay: 0.02") && text.contains("delay: 0.0\n") && !text.contains("delay: -"),
        "{text}"
    );
}
