//! The bus and its servos as diagnostics.

use crate::health::{Health, ServoHealth, Severity};
use node_lib::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use node_lib::{Background, RosClock};
use std::fmt::Display;

/// Publishes how the bus is.
pub struct Figures {
    pub joints: Vec<String>,
    pub name: String,
    pub clock: RosClock,
    pub diagnostics: Background<DiagnosticArray>,
    pub statistics: Background<DiagnosticArray>,
}

impl Figures {
    pub fn send(&self, health: &Health) {
        self.diagnostics.send(self.array(self.servos(health)));
        self.statistics.send(self.array(self.figures(health)));
    }

    fn array(&self, status: Vec<DiagnosticStatus>) -> DiagnosticArray {
        let mut array = DiagnosticArray { status, ..DiagnosticArray::default() };
        array.header.stamp = self.clock.now();
        array
    }

    /// One status per servo.
    fn servos(&self, health: &Health) -> Vec<DiagnosticStatus> {
        let one = |(joint, servo): (&String, &ServoHealth)| {
            let mut values = vec![];
            if let Some(volts) = servo.voltage {
                values.push(value("voltage, V", format!("{volts:.2}")));
            }
            if let Some(celsius) = servo.temperature {
                values.push(value("temperature, °C", format!("{celsius:.0}")));
            }
            if let Some(m) = servo.measured {
                values.push(value("position, rad", format!("{:.4}", m.position)));
            }
            if let Some(age) = servo.age {
                values.push(value("age of the position, ms", format!("{:.1}", age * 1e3)));
            }
            values.push(value("watchdog", format!("{:?}", servo.watch).to_lowercase()));
            let order = servo.order.map_or("none yet".into(), |order| format!("{order:?}").to_lowercase());
            values.push(value("order", order));
            values.extend(servo_figures(servo));
            self.status(joint, servo.severity, &servo.text, values)
        };
        self.joints.iter().zip(&health.servos).map(one).collect()
    }

    /// The bus, and the figures of each servo.
    fn figures(&self, health: &Health) -> Vec<DiagnosticStatus> {
        let w = &health.window;
        let per_cycle = |s: f64| format!("{:.3}", s * 1e3 / w.cycles.max(1) as f64);
        let values = vec![
            value("cycles", w.cycles),
            value("jogs", w.jogs),
            value("jog, ms per cycle", per_cycle(w.jog_time)),
            value("reads", w.reads),
            value("reads, ms per cycle", per_cycle(w.read_time())),
            value("slack, ms per cycle", per_cycle(w.slack())),
            value("utilisation, %", format!("{:.1}", w.utilisation() * 100.0)),
            value("goals", w.goals),
            value("goals overtaken", w.overtaken),
            value("goals too old", w.stale),
            value("unmatched", w.unmatched),
            value("echoes", w.echoes),
            value("stray bytes", w.skipped),
            value("window, s", format!("{:.3}", w.time)),
        ];
        let mut all = vec![self.status("bus", Severity::Ok, &health.budget, values)];
        for (joint, servo) in self.joints.iter().zip(&health.servos) {
            all.push(self.status(joint, Severity::Ok, &servo.text, servo_figures(servo)));
        }
        all
    }

    fn status(&self, what: &str, severity: Severity, text: &str, values: Vec<KeyValue>) -> DiagnosticStatus {
        DiagnosticStatus {
            // The order of severities is that of the message's levels.
            level: severity as u8,
            name: format!("{}: {what}", self.name),
            message: text.into(),
            hardware_id: String::new(),
            values,
        }
    }
}

fn value(key: &str, value: impl Display) -> KeyValue {
    KeyValue { key: key.into(), value: value.to_string() }
}

fn servo_figures(servo: &ServoHealth) -> Vec<KeyValue> {
    let s = &servo.statistics;
    let ms = |seconds: f64| format!("{:.3}", seconds * 1e3);
    vec![
        value("answers", s.ok),
        value("timeouts", s.timeouts),
        value("checksum errors", s.checksums),
        value("latency mean, ms", ms(s.mean_latency())),
        value("latency max, ms", ms(s.latency_max as f64 * 1e-9)),
        value("poll period, ms", ms(s.poll as f64 * 1e-9)),
    ]
}
