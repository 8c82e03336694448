//! Identification of simulated servos: known alphas, coarse encoders, noise, and motion that shows nothing.
#![allow(clippy::unwrap_used, clippy::panic)]

mod simulated;

use servo_inv_node::ident::{IdentError, Identification, Profile, Setpoint, Settings, ramp_lag};
use servo_inv_node::model::ServoModel;
use simulated::{Noise, SETTINGS, Servo};
use std::f64::consts::TAU;

/// One encoder step of the servos.
const QUANTUM: f64 = 0.3 * TAU / 360.0;

#[derive(Clone, Copy)]
struct Trial {
    truth: ServoModel,
    voltage: f64,
    rate: f64,
    goal_period: f64,
    settings: Settings,
    seconds: f64,
    noise: f64,
    seed: u64,
    /// Desired position and torque.
    motion: fn(f64) -> (f64, f64),
    /// Torque that nobody speaks of.
    disturbance: fn(f64) -> f64,
    /// From a goal until the servo really obeys it, s.
    delay: f64,
    /// How far ahead goals lie, s.
    ahead: f64,
}

/// A leg joint that walks: a slow stance with weight on the leg, a fast swing without.
fn gait(t: f64) -> (f64, f64) {
    let phase = TAU * 0.8 * t;
    let position = 0.2 + 0.5 * (phase + 0.85 * phase.sin()).sin() + 0.1 * (TAU * 0.31 * t).sin();
    let torque = 0.6 + 0.8 * (phase + 2.6).sin() + 0.3 * (2.0 * phase).cos();
    (position, torque)
}

impl Trial {
    fn new(truth: ServoModel) -> Trial {
        Trial {
            truth,
            voltage: 7.4,
            rate: 500.0,
            goal_period: 0.01,
            settings: SETTINGS,
            seconds: 10.0,
            noise: 0.0005,
            seed: 1,
            motion: gait,
            disturbance: |_| 0.0,
            delay: 0.0,
            ahead: 0.0,
        }
    }

    /// Goals go straight to the desired position, as they do for a servo of which nothing is known.
    fn run(&self, guess: [f64; 4]) -> Identification {
        let joints = vec!["knee".to_string()];
        let model = ServoModel { alpha: guess, ..self.truth };
        let mut ident = Identification::new(self.settings, &joints, model, vec![], self.voltage);
        self.drive(&mut ident);
        ident
    }

    /// And tells by how much the servo was late, by least squares on the velocity, s.
    fn drive(&self, ident: &mut Identification) -> f64 {
        let joints = vec!["knee".to_string()];
        let mut servo = Servo::new(self.truth, self.voltage, (self.motion)(0.0).0);
        let mut noise = Noise::new(self.seed);
        let fine = 2e-5;
        let mut late = (0.0, 0.0);
        let (mut next_goal, mut next_measurement) = (0.0, 0.0);
        for k in 0..((self.seconds + 0.5) / fine) as usize {
            let t = k as f64 * fine;
            if k == 25_000 && ident.servos()[0].session.is_none() {
                ident.start("knee").unwrap();
            }
            if t >= next_goal - 1e-9 {
                next_goal += self.goal_period;
                let (q, torque) = (self.motion)(t);
                let before = (self.motion)(t - self.goal_period).0;
                let target = (q + (q - before) * self.ahead / self.goal_period) * self.truth.kgear;
                ident.goals(t, &joints, &[target], &[self.goal_period]).unwrap();
                ident.efforts(t, &joints, &[torque]).unwrap();
                servo.goal(t + self.delay, target, self.goal_period);
            }
            if t >= next_measurement - 1e-9 {
                next_measurement += 1.0 / self.rate;
                let exact = servo.position() + self.noise * noise.gauss();
                let measured = (exact / QUANTUM).round() * QUANTUM;
                ident.positions(t, &joints, &[measured]).unwrap();
            }
            let torque = (self.motion)(t + fine - self.delay).1 + (self.disturbance)(t + fine);
            servo.advance(fine, torque);
            let (error, by) = (servo.position() - (self.motion)(t + fine).0, self.goal_period);
            let velocity = ((self.motion)(t + by).0 - (self.motion)(t - by).0) / (2.0 * by);
            if t > 0.5 {
                late.0 -= error * velocity;
                late.1 += velocity * velocity;
            }
        }
        late.0 / late.1
    }
}

const PONY: [[f64; 4]; 2] = [[1.39, 52.1, 7.09, 212.0], [2.11, 54.0, 12.5, 235.0]];

fn servo(alpha: [f64; 4]) -> ServoModel {
    ServoModel { kp: 100.0, kgear: 2.155, alpha }
}

/// Root mean square of the relative errors of twenty trials with different noise, for each alpha.
fn error(trial: Trial) -> [f64; 4] {
    let mut squares = [0.0; 4];
    for seed in 1..=20 {
        let outcome = Trial { seed, ..trial }.run([0.0; 4]).stop("knee").unwrap();
        let (before, after) = (outcome.position_error_before, outcome.position_error_after);
        assert!(after < 0.02 * before, "{before} {after}");
        assert!(outcome.torque_error_after.unwrap() < 0.02 * outcome.torque_error_before.unwrap());
        for (i, square) in squares.iter_mut().enumerate() {
            *square += (outcome.model.alpha[i] / trial.truth.alpha[i] - 1.0).powi(2) / 20.0;
        }
    }
    squares.map(f64::sqrt)
}

#[test]
fn ten_seconds_of_walking_with_a_coarse_encoder_give_the_alphas_to_one_percent() {
    for alpha in PONY {
        let error = error(Trial::new(servo(alpha)));
        assert!(error.iter().all(|e| *e < 0.01), "{alpha:?}: {error:?}");
    }
}

#[test]
fn at_a_fifth_of_the_rate_only_the_coulomb_friction_is_less_certain() {
    // 7 units of friction bend this servo by two encoder steps, and there are a thousand positions to tell them from.
    for alpha in PONY {
        let error = error(Trial { rate: 100.0, ..Trial::new(servo(alpha)) });
        assert!([0, 1, 3].iter().all(|i| error[*i] < 0.01) && error[2] < 0.04, "{alpha:?}: {error:?}");
    }
}

#[test]
fn a_known_delay_of_the_goals_changes_nothing() {
    let mut trial = Trial::new(servo(PONY[0]));
    trial.settings.goal_delay = 0.05;
    trial.delay = 0.05;
    let error = error(trial);
    assert!(error.iter().all(|e| *e < 0.01), "{error:?}");
}

#[test]
fn without_torque_the_guess_of_its_alpha_stays_and_the_others_are_found() {
    let trial = Trial { motion: |t| (gait(t).0, 0.0), ..Trial::new(servo(PONY[1])) };
    let outcome = trial.run([0.0, 0.0, 0.0, 200.0]).stop("knee").unwrap();
    assert_eq!(outcome.unseen, [false, false, false, true]);
    assert_eq!(outcome.model.alpha[3], 200.0);
    assert!((outcome.model.alpha[1] / PONY[1][1] - 1.0).abs() < 0.01, "{:?}", outcome.model.alpha);
}

#[test]
fn a_servo_that_stands_teaches_nothing_and_forgets_nothing() {
    let trial = Trial { motion: |_| (0.3, 0.5), seconds: 60.0, rate: 100.0, ..Trial::new(servo(PONY[0])) };
    let mut ident = trial.run([1.0, 50.0, 7.0, 200.0]);
    let session = ident.servos()[0].session.as_ref().unwrap();
    assert_eq!((session.used(), session.alpha()), (0, [1.0, 50.0, 7.0, 200.0]));
    let refused = ident.stop("knee").unwrap_err().to_string();
    assert!(refused.contains("0 windows of motion of 50") && refused.contains("it goes on"), "{refused}");
    ident.abort("knee").unwrap();
    assert_eq!(ident.servos()[0].model.alpha, [1.0, 50.0, 7.0, 200.0]);
}

#[test]
fn five_minutes_of_even_motion_do_not_make_it_diverge() {
    // Up and down at one speed: next to nothing is shown of inertia, and speed and friction cannot be told apart.
    fn even(t: f64) -> (f64, f64) {
        ((t.rem_euclid(4.0) - 2.0).abs() * 0.5, 0.0)
    }
    let trial = Trial { motion: even, seconds: 300.0, rate: 50.0, ..Trial::new(servo(PONY[0])) };
    let outcome = trial.run([1.0, 50.0, 7.0, 200.0]).stop("knee").unwrap();
    assert!(outcome.model.alpha.iter().all(|a| a.is_finite() && *a < 1000.0), "{outcome:?}");
    // Together they still explain what was measured.
    assert!(outcome.position_error_after < 0.002 && outcome.model.alpha[3] == 200.0, "{outcome:?}");
}

#[test]
fn goals_from_before_time_went_back_do_not_stand_in_the_way() {
    let trial = Trial::new(servo(PONY[0]));
    let joints = vec!["knee".to_string()];
    let model = ServoModel { alpha: [0.0; 4], ..trial.truth };
    let mut ident = Identification::new(trial.settings, &joints, model, vec![], trial.voltage);
    ident.start("knee").unwrap();
    // A bag that was played, and starts again from its beginning.
    for k in 0..300 {
        let t = 5000.0 + f64::from(k) * 0.01;
        ident.goals(t, &joints, &[0.3], &[0.01]).unwrap();
        ident.positions(t, &joints, &[0.1]).unwrap();
    }
    trial.drive(&mut ident);
    let found = ident.stop("knee").unwrap().model.alpha;
    let error = |i: usize| (found[i] / PONY[0][i] - 1.0).abs();
    assert!((0..4).all(|i| error(i) < 0.03), "{found:?}");
}

/// With a goal_delay that is far too long viscous friction would come out negative. What is left must explain the motion as
/// well as it can: no change of the others makes it better.
#[test]
fn alphas_that_cannot_be_negative_leave_the_best_of_the_others() {
    let mut trial = Trial { rate: 100.0, ..Trial::new(servo(PONY[0])) };
    trial.settings.goal_delay = 0.1;
    trial.settings.forgetting = 1.0;
    let outcome = trial.run([0.0; 4]).stop("knee").unwrap();
    let found = outcome.model.alpha;
    assert!(outcome.clamped.iter().any(|c| *c) && found.iter().all(|a| *a >= 0.0), "{outcome:?}");
    for (i, factor) in [(0, 0.8), (0, 1.25), (1, 0.8), (1, 1.25), (2, 0.8), (2, 1.25), (3, 0.8), (3, 1.25)] {
        let mut other = found;
        other[i] = if found[i] > 0.0 { found[i] * factor } else { factor };
        let mut ident = trial.run(other);
        let left = match ident.stop("knee") {
            Ok(outcome) => outcome.position_error_before,
            Err(e) => panic!("{e}"),
        };
        assert!(left >= outcome.position_error_after, "alpha{i} {}: {left} < {outcome:?}", other[i]);
    }
}

/// Half a minute of walking as the model says, then somebody holds the leg for some seconds: what is found there explains the
/// whole worse than the model that is in use.
#[test]
fn a_model_that_explains_less_than_the_one_in_use_is_refused_with_figures() {
    fn held(t: f64) -> f64 {
        if t > 30.0 { 0.3 * (gait(t + 0.005).0 - gait(t - 0.005).0) / 0.01 } else { 0.0 }
    }
    let trial = Trial { seconds: 34.0, rate: 100.0, disturbance: held, ..Trial::new(servo(PONY[0])) };
    let mut ident = trial.run(PONY[0]);
    let refused = ident.stop("knee").unwrap_err();
    let IdentError::Worse { before, after, .. } = refused else { panic!("{refused}") };
    assert!(before < after);
    let text = refused.to_string();
    assert!(text.contains(&format!("{before:.6} rad")) && text.contains(&format!("{after:.6}")), "{text}");
    assert_eq!(ident.servos()[0].model.alpha, PONY[0], "the model in use stays");
    assert!(ident.servos()[0].session.is_none(), "and it is over");
}

/// Encoder, noise and rates as robots have them. The answer tells its own deviation; beyond three of them is one trial in four
/// hundred.
#[test]
fn the_pure_delay_is_told_apart_from_viscous_friction() {
    for (rate, window, seconds, delay) in [
        (500.0, 0.16, 10.0, 0.02),
        (100.0, 0.16, 20.0, 0.0),
        (100.0, 0.3, 20.0, 0.034),
        (50.0, 0.3, 40.0, 0.02),
    ] {
        let mut square = 0.0;
        for seed in 1..=6 {
            let mut trial = Trial { rate, seconds, delay, seed, ..Trial::new(servo(PONY[0])) };
            trial.settings.window = window;
            trial.settings.find_delay = true;
            let outcome = trial.run([0.0; 4]).stop("knee").unwrap();
            let (found, deviation) = outcome.delay.unwrap();
            assert!((found - delay).abs() < 3.0 * deviation, "{rate} Hz: {outcome:?}");
            square += (found - delay).powi(2) / 6.0;
            let alpha1 = outcome.model.alpha[1];
            // What the one has too much the other has too little: (alpha1 − truth)/(kp·V) is the error of the delay.
            let mistaken = (alpha1 - PONY[0][1]) / (100.0 * trial.voltage) + outcome.goal_delay - delay;
            assert!(mistaken.abs() < 0.001, "{rate} Hz: {outcome:?}");
        }
        assert!(square.sqrt() < 0.003, "{rate} Hz, {delay} s: {}", square.sqrt());
    }
}

#[test]
fn goals_that_lie_ahead_as_it_says_make_the_servo_arrive_in_time() {
    for (delay, voltage) in [(0.0, 7.4), (0.015, 12.0), (0.03, 7.4)] {
        let mut trial = Trial { delay, voltage, rate: 100.0, seconds: 20.0, ..Trial::new(servo(PONY[0])) };
        // Weight makes a servo sag, which no lead makes up for.
        trial.motion = |t| (gait(t).0, 0.0);
        let lag = |trial: &Trial| {
            let joints = vec!["knee".to_string()];
            let mut ident = Identification::new(trial.settings, &joints, trial.truth, vec![], trial.voltage);
            trial.drive(&mut ident)
        };
        let before = lag(&trial);
        let ahead = trial.run([0.0; 4]).stop("knee").unwrap().ahead_alone;
        trial.ahead = ahead;
        let after = lag(&trial);
        assert!(before > 0.05 && after.abs() < 0.003, "{before} s, {after} s with {ahead} s");
    }
}

#[test]
fn the_ramp_to_a_goal_is_late_by_its_playtime_or_half_of_the_cycle_more() {
    // By simulation: a setpoint that follows even goals, its mean lag over many cycles.
    for (playtime, period) in [(0.01, 0.01), (0.0112, 0.01), (0.066, 0.01), (0.004, 0.01), (0.0, 0.02)] {
        let mut setpoint = Setpoint::default();
        let (mut sum, mut n) = (0.0, 0.0);
        let mut next = 0.0;
        for k in 0..200_000 {
            let t = f64::from(k) * 1e-5;
            if t >= next - 1e-9 {
                setpoint.push(t, next, playtime);
                next += period;
            }
            if let Some(at) = setpoint.at(t, Profile::Ramp).filter(|_| t > 1.0) {
                sum += t - at;
                n += 1.0;
            }
        }
        let expected = ramp_lag(playtime, period);
        assert!((sum / n - expected).abs() < 2e-5, "{playtime} {period}: {} {expected}", sum / n);
    }
}

#[test]
fn orders_out_of_turn_are_refused_by_name() {
    let joints = vec!["knee".to_string()];
    let mut ident = Identification::new(SETTINGS, &joints, servo(PONY[0]), vec![], 12.0);
    let text = |e: IdentError| e.to_string();
    assert!(text(ident.stop("knee").unwrap_err()).contains("\"knee\" is not being identified"));
    assert!(text(ident.abort("knee").unwrap_err()).contains("\"knee\" is not being identified"));
    assert!(text(ident.start("ear").unwrap_err()).contains("\"ear\" is not among"));
    ident.start("knee").unwrap();
    assert!(text(ident.start("knee").unwrap_err()).contains("already"));
    ident.abort("knee").unwrap();
    assert!(ident.battery(f64::NAN).is_err() && ident.battery(7.4).is_ok());
}

#[test]
fn with_no_joints_named_every_joint_that_has_goals_can_be_identified() {
    let model = servo(PONY[0]);
    let known = vec![("tail".to_string(), servo(PONY[1]))];
    let mut ident = Identification::new(SETTINGS, &[], model, known, 12.0);
    let joints = ["knee".to_string(), "tail".to_string()];
    ident.goals(1.0, &joints, &[0.0, 0.0], &[0.1, 0.1]).unwrap();
    let found: Vec<_> = ident.servos().iter().map(|s| (s.joint.as_str(), s.model.alpha)).collect();
    assert_eq!(found, [("knee", PONY[0]), ("tail", PONY[1])]);
    assert!(ident.goals(1.0, &joints, &[0.0, f64::NAN], &[0.1, 0.1]).is_err());
    assert!(ident.goals(1.0, &joints, &[0.0], &[0.1, 0.1]).is_err());
    assert!(ident.positions(1.0, &joints, &[f64::INFINITY, 0.0]).is_err());
    assert!(ident.efforts(1.0, &joints, &[0.0; 3]).is_err());
}
