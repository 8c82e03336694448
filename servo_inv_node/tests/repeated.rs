//! Messages that come twice, or late, tell `servo_ident` what they told it the first time: no more and no less.
#![allow(clippy::unwrap_used)]

mod simulated;

use servo_inv_node::ident::Identification;
use servo_inv_node::model::ServoModel;
use simulated::SETTINGS;

fn position(t: f64) -> f64 {
    0.5 * (5.0 * t).sin()
}

/// What comes beside the stream itself.
#[derive(Clone, Copy, Default)]
struct More {
    goals_twice: bool,
    efforts_twice: bool,
    late_goals: bool,
    late_efforts: bool,
}

/// Windows used and alphas found in ten seconds of a swinging joint that is 30 ms late.
fn learn(more: More) -> (u64, [f64; 4]) {
    let joints = vec!["knee".to_string()];
    let model = ServoModel { kp: 480.0, kgear: 1.0, alpha: [1.0, 96.0, 7.0, 296.0] };
    let mut ident = Identification::new(SETTINGS, &joints, model, vec![], 7.4);
    ident.start("knee").unwrap();
    let goal = |ident: &mut Identification, t: f64| ident.goals(t, &joints, &[position(t)], &[0.02]).unwrap();
    let effort =
        |ident: &mut Identification, t: f64| ident.efforts(t, &joints, &[0.3 * (5.0 * t).cos()]).unwrap();
    for k in 0..5000 {
        let t = 100.0 + 0.002 * f64::from(k);
        if k % 5 == 0 {
            let is_tenth = k % 50 == 0;
            goal(&mut ident, t);
            more.goals_twice.then(|| goal(&mut ident, t));
            (more.late_goals && is_tenth).then(|| goal(&mut ident, t - 0.005));
            effort(&mut ident, t);
            more.efforts_twice.then(|| effort(&mut ident, t));
            (more.late_efforts && is_tenth).then(|| effort(&mut ident, t - 0.005));
        }
        ident.positions(t, &joints, &[position(t - 0.03)]).unwrap();
    }
    let used = ident.servos()[0].session.as_ref().unwrap().used();
    let alphas = ident.stop("knee").map(|outcome| outcome.model.alpha);
    (used, alphas.unwrap_or([f64::MAX; 4]))
}

/// One stamp twice, or one message that was overtaken, cleared the signal: of 151 windows none was left.
#[test]
fn what_comes_again_or_late_changes_nothing() {
    let once = learn(More::default());
    assert!(once.0 > 100, "{once:?}");
    for more in [
        More { goals_twice: true, ..More::default() },
        More { efforts_twice: true, ..More::default() },
        More { late_goals: true, ..More::default() },
        More { late_efforts: true, ..More::default() },
        More { goals_twice: true, efforts_twice: true, late_goals: true, late_efforts: true },
    ] {
        assert_eq!(learn(more), once);
    }
}
