//! What the bridge reports once in a while, as plain data.

use crate::bus::{Bus, BusWindow, Measured, Ns, Phase, ServoStatistics, Standing, Watch};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// All is well.
    Ok,
    /// Something is off.
    Warn,
    /// It does not work.
    Error,
}

/// How one servo is.
#[derive(Clone, Debug)]
pub struct ServoHealth {
    /// By joint and id, and what is wrong: `leg1_1 (id 3): temperature`.
    pub text: String,
    /// What diagnostics make of it.
    pub severity: Severity,
    /// What the servo reads of its supply, V.
    pub voltage: Option<f64>,
    /// What the servo reads of its own temperature, °C.
    pub temperature: Option<f64>,
    /// Where it was last.
    pub measured: Option<Measured>,
    /// How old that is, s.
    pub age: Option<f64>,
    /// What its watchdog sees.
    pub watch: Watch,
    /// The order that stands for it.
    pub order: Option<Standing>,
    /// What it has been through.
    pub statistics: ServoStatistics,
}

/// The whole bus.
#[derive(Clone, Debug)]
pub struct Health {
    /// Each servo, in the order of the configuration.
    pub servos: Vec<ServoHealth>,
    /// The bus since the last report.
    pub window: BusWindow,
    /// Whether the stop is latched.
    pub stopped: bool,
    /// Whether jog and read fit into the cycle, in words.
    pub budget: String,
}

impl Health {
    /// Of a bus, now.
    pub fn of(bus: &mut Bus, now: Ns) -> Health {
        let window = bus.window(now);
        let servos = (0..bus.servos().len()).map(|i| servo_health(bus, i, now)).collect();
        Health { servos, window, stopped: bus.is_stopped(), budget: bus.config().budget().to_string() }
    }

    /// What the watchdogs see, in words: one for all, or how many see what.
    pub fn watch_text(&self) -> String {
        use Watch::*;
        let of = |watch: Watch| self.servos.iter().filter(|s| s.watch == watch).count();
        let seen =
            [(Following, "following"), (Waiting, "waiting"), (Holding, "holding"), (Released, "released")];
        let seen: Vec<(usize, &str)> =
            seen.iter().map(|(w, text)| (of(*w), *text)).filter(|(n, _)| *n > 0).collect();
        match seen.as_slice() {
            [(_, text)] => (*text).to_string(),
            several => several.iter().map(|(n, text)| format!("{n} {text}")).collect::<Vec<_>>().join(", "),
        }
    }

    /// The servos that have a problem.
    pub fn problems(&self) -> impl Iterator<Item = &ServoHealth> {
        self.servos.iter().filter(|s| s.severity > Severity::Ok)
    }
}

fn servo_health(bus: &Bus, i: usize, now: Ns) -> ServoHealth {
    let servo = &bus.servos()[i];
    let severity = match servo.phase() {
        _ if bus.is_lost(i) => Severity::Error,
        Phase::Faulted { .. } | Phase::Locked | Phase::Refused(_) => Severity::Error,
        Phase::Ready | Phase::Resting if servo.status().error == 0 => Severity::Ok,
        _ => Severity::Warn,
    };
    ServoHealth {
        text: bus.problem_text(i),
        severity,
        voltage: servo.voltage(),
        temperature: servo.temperature(),
        measured: servo.measured(),
        age: servo.measured().map(|m| now.saturating_sub(m.at) as f64 * 1e-9),
        watch: servo.watch(),
        order: servo.order(),
        statistics: *servo.statistics(),
    }
}

/// The battery as the servos see it: the middle one of their voltages, which no single bad reading moves. `None` before the
/// first reading.
pub fn battery(bus: &Bus) -> Option<f64> {
    let lost = |i: &usize| bus.is_lost(*i);
    let mut volts: Vec<f64> =
        (0..bus.servos().len()).filter(|i| !lost(i)).filter_map(|i| bus.servos()[i].voltage()).collect();
    volts.sort_by(f64::total_cmp);
    volts.get(volts.len() / 2).copied()
}
