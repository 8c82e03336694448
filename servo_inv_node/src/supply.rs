//! The voltage that goals are made for: what the battery says, without its steps.

use crate::settings::{BadVoltage, Settings};
use filters_lib::{Filter as _, Lag, LagParams, Timed};
use std::ops::RangeInclusive;

/// The rest of a change that is not worth another cycle, as part of the voltage.
const NEGLIGIBLE: f64 = 1e-6;

/// Supply of the servos. It follows the battery with a first-order lag in the time of the poses: a message that comes once a
/// second would be a step in every goal, however smooth its own numbers are.
#[derive(Clone, Debug)]
pub(crate) struct Supply {
    measured: f64,
    used: f64,
    has_battery: bool,
    /// A goal was made with the voltage in use: another one would move it.
    in_use: bool,
    /// None: the battery is followed at once.
    lag: Option<Timed<Lag<f64>>>,
}

impl Supply {
    pub fn new(settings: &Settings) -> Supply {
        let voltage = settings.battery_voltage;
        let lag = lag(settings, voltage);
        Supply { measured: voltage, used: voltage, has_battery: false, in_use: false, lag }
    }

    /// The voltage in use, V.
    pub fn voltage(&self) -> f64 {
        self.used
    }

    /// Takes new settings; their voltage counts as long as no battery has spoken.
    pub fn set(&mut self, settings: &Settings, before: &Settings) {
        if !self.has_battery {
            self.measured = settings.battery_voltage;
        }
        let timing = |s: &Settings| (s.voltage_time_constant, s.timeout);
        if timing(settings) != timing(before) {
            self.lag = lag(settings, self.used);
        }
    }

    /// What the battery says, V. What cannot be leaves the last good value.
    pub fn measure(&mut self, voltage: f64, credible: RangeInclusive<f64>) -> Result<(), BadVoltage> {
        if !(voltage > 0.0 && credible.contains(&voltage)) {
            return Err(BadVoltage { voltage, kept: self.measured });
        }
        self.has_battery = true;
        self.measured = voltage;
        if !self.in_use {
            self.used = voltage;
        }
        Ok(())
    }

    /// Nothing has been made with the voltage in use that anybody still follows: the next goal takes the battery's.
    pub fn restart(&mut self) {
        self.in_use = false;
    }

    /// Goes on to the time of a pose, s; whether the voltage in use became another.
    pub fn advance(&mut self, at_s: f64) -> bool {
        let before = self.used;
        self.used = self.next(at_s).unwrap_or(self.measured);
        self.in_use = true;
        self.used != before
    }

    fn next(&mut self, at_s: f64) -> Option<f64> {
        let (lag, measured) = (self.lag.as_mut()?, self.measured);
        if !self.in_use {
            lag.reset();
        }
        match lag.update(at_s, &measured) {
            Ok(used) if (used - measured).abs() > NEGLIGIBLE * measured => Some(used),
            Ok(_) => None,
            // Another pose of the same moment, or a late one.
            Err(_) => Some(self.used),
        }
    }
}

/// The lag, at rest at a voltage; none for a time constant of 0. It forgets after as long a silence as the goals do.
fn lag(settings: &Settings, voltage: f64) -> Option<Timed<Lag<f64>>> {
    let params = LagParams { period: settings.period, tau: settings.voltage_time_constant };
    let mut lag = Lag::new(params, &voltage).ok()?;
    lag.start(&voltage).ok()?;
    Timed::new(lag, settings.timeout, &voltage).ok()
}
