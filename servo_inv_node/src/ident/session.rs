//! The identification of one servo, from start to stop.

use super::Settings;
use super::ahead::{Behind, Pace};
use super::constrained::nonnegative;
use super::delay::{DELAYS, NOMINAL, candidates, find, nearest, weights};
use super::fit::Fit;
use super::rls::Rls;
use super::setpoint::{Profile, Setpoint, Signal};
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
    /// Root mean square of the deflection, which is to be explained, rad.
    pub deflection: f64,
    /// Root mean square of what the first guess leaves unexplained of it, rad.
    pub position_error_before: f64,
    /// The same with the alphas found, rad.
    pub position_error_after: f64,
    /// Torque that would cause the error before, N·m; none when the model knows no torque.
    pub torque_error_before: Option<f64>,
    /// The same after, N·m.
    pub torque_error_after: Option<f64>,
    /// Which alphas keep their first guess, since the motion showed nothing of them.
    pub unseen: [bool; 4],
    /// The pure delay that the motion shows, and its standard deviation, s; none when it does not.
    pub delay: Option<(f64, f64)>,
    /// The delay that the model is for, s: with another one its viscous friction would be another, too.
    pub goal_delay: f64,
    /// The goals' mean playtime, for which the two that follow hold, s.
    pub playtime: f64,
    /// How far ahead goals should lie that come from the inverted model, s: the delay, and the lag of the ramp to each goal.
    pub ahead_of_model: f64,
    /// How far ahead goals should lie that come without a model, s: also by alpha1/(kp·V), the more the faster the motion
    /// changes, and something for Coulomb friction.
    pub ahead_alone: f64,
    /// Which alphas are zero because they would come out negative, which no servo has; the others make up for it.
    pub clamped: [bool; 4],
}

/// One servo under identification. All of its memory is there from the start.
#[derive(Clone, Debug)]
pub struct Session {
    model: ServoModel,
    /// The delay of the goals that the model is for, s.
    delay: f64,
    pace: Pace,
    behind: Behind,
    /// For each delay of the goals that is tried.
    fits: [Fit; DELAYS],
    setpoints: [Setpoint; DELAYS],
    efforts: [Signal; DELAYS],
    goals: Signal,
    samples: VecDeque<Sample>,
    /// How many samples from the front have their setpoint and sign of velocity.
    settled: usize,
    /// How many samples from the front have been the middle of a window.
    used: usize,
    /// Middle of the last window that was learnt from, s.
    learnt_s: f64,
    /// And of the last one that was looked at for how far positions are behind, s.
    behind_s: f64,
}

impl Session {
    /// Starts from a model whose kp and kgear hold and whose alphas are a guess, for this delay of the goals (s).
    pub fn new(model: ServoModel, delay: f64) -> Session {
        Session {
            model,
            delay,
            pace: Pace::default(),
            behind: Behind::default(),
            fits: std::array::from_fn(|_| Fit::new(model.alpha)),
            setpoints: Default::default(),
            efforts: Default::default(),
            goals: Signal::default(),
            samples: VecDeque::with_capacity(KEPT),
            settled: 0,
            used: 0,
            learnt_s: f64::NEG_INFINITY,
            behind_s: f64::NEG_INFINITY,
        }
    }

    /// How many windows of motion have been used.
    pub fn used(&self) -> u64 {
        self.fits[NOMINAL].rows()
    }

    /// The alphas so far.
    pub fn alpha(&self) -> [f64; 4] {
        self.fits[NOMINAL].rls.alpha()
    }

    /// A goal, as it was sent to the servo.
    pub fn goal(&mut self, at_s: f64, target: f64, playtime: f64, settings: &Settings) {
        let gear = if settings.apply_kgear { self.model.kgear } else { 1.0 };
        let ramp = if settings.goal_profile == Profile::Ramp { playtime } else { 0.0 };
        self.pace.add(at_s, ramp, settings.window);
        self.goals.push(at_s, target / gear);
        for (setpoint, delay) in self.setpoints.iter_mut().zip(candidates(self.delay)) {
            setpoint.push(at_s + delay, target / gear, playtime);
        }
    }

    /// The torque that the joint is meant to have.
    pub fn effort(&mut self, at_s: f64, effort: f64) {
        for (signal, delay) in self.efforts.iter_mut().zip(candidates(self.delay)) {
            signal.push(at_s + delay, effort);
        }
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
        self.behind_s = f64::NEG_INFINITY;
    }

    /// Fills in what is known half a window after a measurement: by then its goal and torque have come too.
    fn settle(&mut self, sample: Sample, half_s: f64, settings: &Settings) -> Sample {
        let velocity = Window { middle_s: sample.at_s, half_s: NARROW * half_s }.slope(&self.samples);
        let mut complete = velocity.is_some();
        let mut known = |value: Option<f64>| {
            complete &= value.is_some();
            value.unwrap_or(0.0)
        };
        let (mut deflection, mut effort) = ([0.0; DELAYS], [0.0; DELAYS]);
        for (value, setpoint) in deflection.iter_mut().zip(&mut self.setpoints) {
            *value = known(setpoint.at(sample.at_s, settings.goal_profile)) - sample.position;
        }
        for (value, signal) in effort.iter_mut().zip(&mut self.efforts) {
            // Torque that nobody ever spoke of is none.
            *value = if signal.is_silent() { 0.0 } else { known(signal.at(sample.at_s)) };
        }
        let goal = known(self.goals.at(sample.at_s));
        Sample { goal, velocity: velocity.unwrap_or(0.0), deflection, effort, complete, ..sample }
    }

    /// Learns from the window around a sample: deflection = (alpha0·q̈ + alpha1·q̇ + alpha2·sign + alpha3·torque)/(kp·V).
    fn learn(&mut self, sample: Sample, half_s: f64, settings: &Settings) {
        if sample.at_s < self.learnt_s + STEP * half_s {
            return;
        }
        let smoothed = Window { middle_s: sample.at_s, half_s }.smooth(&self.samples);
        let Some(s) = smoothed.filter(|s| s.complete) else { return };
        if sample.at_s >= self.behind_s + STEP * half_s {
            self.behind_s = sample.at_s;
            self.behind.add(s.behind, s.velocity, s.goal_velocity);
        }
        let around = Window { middle_s: sample.at_s, half_s: (1.0 + NARROW) * half_s };
        let Some(direction) = around.direction(&self.samples, settings.min_velocity) else { return };
        let gain = self.model.kp * sample.voltage;
        for ((fit, y), effort) in self.fits.iter_mut().zip(s.deflection).zip(s.effort) {
            let row = [s.acceleration, s.velocity, direction, effort].map(|x| x / gain);
            fit.add(row, y, s.setpoint, sample.voltage, settings.forgetting);
        }
        self.learnt_s = sample.at_s;
    }

    /// Correlation of goals and positions, by their velocities; none when goals stand while the joint moves.
    pub fn correlation(&self) -> Option<f64> {
        self.behind.correlation()
    }

    /// What was found; none when the motion was not enough.
    pub fn outcome(&self, settings: &Settings) -> Option<Outcome> {
        let nominal = &self.fits[NOMINAL];
        if nominal.rows() < settings.min_samples {
            return None;
        }
        let error = |fit: &Fit| fit.mean_square(&fit.rls.alpha()).sqrt();
        let delay = find(std::array::from_fn(|j| (&self.fits[j].instruments, error(&self.fits[j]))));
        let delay = delay.filter(|delay| self.delay + delay.offset > -delay.deviation);
        let offset = delay.filter(|_| settings.find_delay).map_or(0.0, |delay| delay.offset.max(-self.delay));
        let goal_delay = self.delay + offset;
        // What each delay makes of the motion, with alphas that a servo can have; in between, the parabola through them.
        let (mut alpha, mut squares) = ([0.0; 4], 0.0);
        for (fit, weight) in self.fits.iter().zip(weights(offset)) {
            let own = nonnegative(fit.rls.alpha(), fit.rls.covariance());
            alpha.iter_mut().zip(own).for_each(|(sum, own)| *sum += weight * own);
            squares += weight * fit.mean_square(&own);
        }
        let model = ServoModel { alpha: alpha.map(|a| a.max(0.0)), ..self.model };
        let (found, covariance) = {
            let rls = &self.fits[nearest(offset)].rls;
            (rls.alpha(), rls.covariance())
        };
        let start = Rls::new(found);
        let unseen = std::array::from_fn(|i| covariance[i][i] > UNSEEN * start.covariance()[i][i]);
        let clamped = std::array::from_fn(|i| model.alpha[i] == 0.0 && found[i] != 0.0);
        let (before, after) = (nominal.mean_square(&self.model.alpha).sqrt(), squares.max(0.0).sqrt());
        let torque = |error: f64| {
            let torque = model.alpha[3];
            (torque > 0.0).then(|| error * model.kp * nominal.mean_voltage() / torque)
        };
        Some(Outcome {
            model,
            samples: nominal.rows(),
            deflection: nominal.mean_square(&[0.0; 4]).sqrt(),
            position_error_before: before,
            position_error_after: after,
            torque_error_before: torque(before),
            torque_error_after: torque(after),
            unseen,
            clamped,
            delay: delay.map(|delay| ((self.delay + delay.offset).max(0.0), delay.deviation)),
            goal_delay,
            playtime: self.pace.playtime(),
            ahead_of_model: goal_delay + self.pace.ramp_lag(),
            ahead_alone: self.behind.seconds(),
        })
    }
}
