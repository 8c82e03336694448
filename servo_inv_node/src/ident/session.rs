//! The identification of one servo, from start to stop.

use super::Settings;
use super::constrained::nonnegative;
use super::rls::{Rls, dot};
use super::setpoint::{Setpoint, Signal};
use super::window::{Sample, Window};
use crate::model::ServoModel;
use std::collections::VecDeque;

/// As many samples are kept; a window that holds more is too wide for such a rate.
const KEPT: usize = 4096;

/// An alpha whose variance is still this part of what it started with was not shown by the motion.
const UNSEEN: f64 = 0.01;

/// The part of the window over which a moment's velocity is taken: wide enough to even out encoder steps, narrow enough to
/// see the servo stand still where it turns round.
const NARROW: f64 = 1.0 / 3.0;

/// From one window to the next, in halves of a window. Closer ones share most of their samples: they tell little that is
/// new, and would make the memory of the forgetting depend on the rate of the encoder.
const STEP: f64 = 0.5;

/// What an identification found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The model with the alphas found.
    pub model: ServoModel,
    /// How many windows of motion were used.
    pub samples: u64,
    /// Root mean square of what the first guess leaves unexplained of the deflection, rad.
    pub position_error_before: f64,
    /// The same with the alphas found, rad.
    pub position_error_after: f64,
    /// Torque that would cause the error before, N·m; none when the model knows no torque.
    pub torque_error_before: Option<f64>,
    /// The same after, N·m.
    pub torque_error_after: Option<f64>,
    /// Which alphas keep their first guess, since the motion showed nothing of them.
    pub unseen: [bool; 4],
    /// Which alphas are zero because they would come out negative, which no servo has; the others make up for it.
    pub clamped: [bool; 4],
}

/// One servo under identification. All of its memory is there from the start.
#[derive(Clone, Debug)]
pub struct Session {
    model: ServoModel,
    rls: Rls,
    fit: Fit,
    setpoint: Setpoint,
    effort: Signal,
    samples: VecDeque<Sample>,
    /// How many samples from the front have their setpoint and sign of velocity.
    settled: usize,
    /// How many samples from the front have been the middle of a window.
    used: usize,
    /// Middle of the last window that was learnt from, s.
    learnt_s: f64,
}

impl Session {
    /// Starts from a model whose kp and kgear hold and whose alphas are a guess.
    pub fn new(model: ServoModel) -> Session {
        Session {
            model,
            rls: Rls::new(model.alpha),
            fit: Fit::default(),
            setpoint: Setpoint::default(),
            effort: Signal::default(),
            samples: VecDeque::with_capacity(KEPT),
            settled: 0,
            used: 0,
            learnt_s: f64::NEG_INFINITY,
        }
    }

    /// How many windows of motion have been used.
    pub fn used(&self) -> u64 {
        self.fit.rows
    }

    /// The alphas so far.
    pub fn alpha(&self) -> [f64; 4] {
        self.rls.alpha()
    }

    /// A goal, as it was sent to the servo.
    pub fn goal(&mut self, at_s: f64, target: f64, playtime: f64, settings: &Settings) {
        let gear = if settings.apply_kgear { self.model.kgear } else { 1.0 };
        self.setpoint.push(at_s + settings.goal_delay, target / gear, playtime);
    }

    /// The torque that the joint is meant to have.
    pub fn effort(&mut self, at_s: f64, effort: f64, settings: &Settings) {
        self.effort.push(at_s + settings.goal_delay, effort);
    }

    /// A measured position.
    pub fn measured(&mut self, at_s: f64, position: f64, voltage: f64, settings: &Settings) {
        let gear = if settings.measured_kgear { self.model.kgear } else { 1.0 };
        let since = self.samples.back().map_or(0.0, |last| at_s - last.at_s);
        if since < 0.0 || since > settings.window || self.samples.len() == KEPT {
            self.restart();
        } else if since == 0.0 && !self.samples.is_empty() {
            return;
        }
        self.samples.push_back(Sample { at_s, position: position / gear, voltage, ..Sample::default() });
        let half_s = 0.5 * settings.window;
        while let Some(&sample) = self.samples.get(self.settled).filter(|s| s.at_s + half_s <= at_s) {
            let settled = self.settle(sample, half_s, settings);
            self.samples[self.settled] = settled;
            self.settled += 1;
        }
        while let Some(&sample) =
            self.samples.get(self.used).filter(|s| s.at_s + (2.0 + NARROW) * half_s <= at_s)
        {
            self.learn(sample, half_s, settings);
            self.used += 1;
        }
        // The next window begins half a width before its middle, and needs one neighbour more.
        while self.used > 1 && self.samples[1].at_s < at_s - 5.0 * half_s {
            self.samples.pop_front();
            self.settled -= 1;
            self.used -= 1;
        }
    }

    /// Forgets the samples, not what was learnt from them.
    fn restart(&mut self) {
        self.samples.clear();
        self.settled = 0;
        self.used = 0;
        self.learnt_s = f64::NEG_INFINITY;
    }

    /// Fills in what is known half a window after a measurement: by then its goal and torque have come too.
    fn settle(&mut self, sample: Sample, half_s: f64, settings: &Settings) -> Sample {
        let velocity = Window { middle_s: sample.at_s, half_s: NARROW * half_s }.slope(&self.samples);
        let setpoint = self.setpoint.at(sample.at_s, settings.goal_profile);
        // Torque that nobody ever spoke of is none.
        let effort = if self.effort.is_silent() { Some(0.0) } else { self.effort.at(sample.at_s) };
        Sample {
            velocity: velocity.unwrap_or(0.0),
            deflection: setpoint.map_or(0.0, |s| s - sample.position),
            effort: effort.unwrap_or(0.0),
            complete: velocity.is_some() && setpoint.is_some() && effort.is_some(),
            ..sample
        }
    }

    /// Learns from the window around a sample: deflection = (alpha0·q̈ + alpha1·q̇ + alpha2·sign + alpha3·torque)/(kp·V).
    fn learn(&mut self, sample: Sample, half_s: f64, settings: &Settings) {
        if sample.at_s < self.learnt_s + STEP * half_s {
            return;
        }
        let smoothed = Window { middle_s: sample.at_s, half_s }.smooth(&self.samples);
        let Some(s) = smoothed.filter(|s| s.complete) else { return };
        let around = Window { middle_s: sample.at_s, half_s: (1.0 + NARROW) * half_s };
        let Some(direction) = around.direction(&self.samples, settings.min_velocity) else { return };
        let gain = self.model.kp * sample.voltage;
        let row = [s.acceleration, s.velocity, direction, s.effort].map(|x| x / gain);
        self.rls.update(row, s.deflection, settings.forgetting);
        self.fit.add(row, s.deflection, sample.voltage);
        self.learnt_s = sample.at_s;
    }

    /// What was found; none when the motion was not enough.
    pub fn outcome(&self, settings: &Settings) -> Option<Outcome> {
        if self.fit.rows < settings.min_samples {
            return None;
        }
        let found = self.rls.alpha();
        let covariance = self.rls.covariance();
        let start = Rls::new(found);
        let unseen = std::array::from_fn(|i| covariance[i][i] > UNSEEN * start.covariance()[i][i]);
        let model = ServoModel { alpha: nonnegative(found, covariance), ..self.model };
        let clamped = std::array::from_fn(|i| model.alpha[i] == 0.0 && found[i] != 0.0);
        let (before, after) = (self.fit.error(&self.model.alpha), self.fit.error(&model.alpha));
        let torque = |error: f64| {
            let torque = model.alpha[3];
            (torque > 0.0).then(|| error * model.kp * self.fit.mean_voltage() / torque)
        };
        Some(Outcome {
            model,
            samples: self.fit.rows,
            position_error_before: before,
            position_error_after: after,
            torque_error_before: torque(before),
            torque_error_after: torque(after),
            unseen,
            clamped,
        })
    }
}

/// Sums over all rows (φ, y), from which the error of any alphas follows.
#[derive(Clone, Debug, Default)]
struct Fit {
    rows: u64,
    voltage: f64,
    yy: f64,
    ry: [f64; 4],
    rr: [[f64; 4]; 4],
}

impl Fit {
    fn add(&mut self, row: [f64; 4], y: f64, voltage: f64) {
        self.rows += 1;
        self.voltage += voltage;
        self.yy += y * y;
        for (i, r) in row.iter().enumerate() {
            self.ry[i] += r * y;
            for (sum, s) in self.rr[i].iter_mut().zip(row) {
                *sum += r * s;
            }
        }
    }

    fn mean_voltage(&self) -> f64 {
        self.voltage / self.rows.max(1) as f64
    }

    /// Root mean square of y − φ·alpha.
    fn error(&self, alpha: &[f64; 4]) -> f64 {
        let product: [f64; 4] = std::array::from_fn(|i| dot(&self.rr[i], alpha));
        let squares = self.yy - 2.0 * dot(&self.ry, alpha) + dot(&product, alpha);
        (squares.max(0.0) / self.rows.max(1) as f64).sqrt()
    }
}
