//! A thread of its own for what goes out, so that the bus never waits for DDS.

use super::Outcomes;
use crate::bus::{Bus, Ns};
use crate::health::{Health, ServoHealth, Severity, battery};
use node_lib::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::{self, WrappedTypesupport};
use node_lib::{Log, RosClock, Setup, Throttle, qos};
use std::fmt::Display;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

static UNSENT: Throttle = Throttle::seconds(5);

/// Between two reports on the bus, and two on the battery, ns.
const REPORT: Ns = 1_000_000_000;
const BATTERY: Ns = 100_000_000;
/// A joint that was not read for so long is left out of `joint_states`, ns.
const FORGOTTEN: Ns = 1_000_000_000;

/// What the node's callbacks and the bridge's thread share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) closed: Option<String>,
    pub(crate) health: Option<Health>,
    pub(crate) outcomes: Outcomes,
}

enum News {
    /// Servo, position, velocity.
    Joints(Vec<(usize, f64, f64)>),
    Battery(f64),
    Health(Box<Health>),
}

/// The thread; it ends when the bridge has.
pub(crate) struct Publisher {
    sender: SyncSender<News>,
    _thread: JoinHandle<()>,
}

impl Publisher {
    pub(crate) fn start<S: 'static, P>(
        setup: &mut Setup<S, P>,
        joints: &[String],
    ) -> anyhow::Result<Publisher> {
        let (sender, news) = sync_channel(16);
        let writer = Writer {
            joints: joints.to_vec(),
            name: setup.full_name().trim_start_matches('/').to_string(),
            joint_states: setup.publisher("joint_states", qos::NEWEST)?,
            battery_state: setup.publisher("battery_state", qos::NEWEST)?,
            diagnostics: setup.publisher("/diagnostics", qos::QosProfile::default())?,
            statistics: setup.publisher("~/statistics", qos::QosProfile::default())?,
            clock: setup.clock(),
            log: setup.log(),
        };
        let thread = std::thread::Builder::new().name("publish".into()).spawn(move || writer.run(&news))?;
        Ok(Publisher { sender, _thread: thread })
    }

    /// What the bridge's thread holds.
    pub(crate) fn feed(&self, shared: Arc<Mutex<Shared>>) -> Feed {
        Feed { sender: self.sender.clone(), shared, reported: 0, battery: 0 }
    }
}

/// Takes what is new from the bus, every cycle.
pub(crate) struct Feed {
    sender: SyncSender<News>,
    shared: Arc<Mutex<Shared>>,
    reported: Ns,
    battery: Ns,
}

impl Feed {
    pub(crate) fn cycle(&mut self, bus: &mut Bus, now: Ns) {
        let servos = bus.servos().iter().enumerate();
        let measured = servos.filter_map(|(i, s)| Some((i, s.measured()?)));
        let known = measured.filter(|(_, m)| now < m.at + FORGOTTEN);
        let joints: Vec<_> = known.map(|(i, m)| (i, m.position, m.velocity)).collect();
        // A reader that is behind gets the next ones.
        if !joints.is_empty() {
            let _ = self.sender.try_send(News::Joints(joints));
        }
        if now >= self.battery + BATTERY
            && let Some(volts) = battery(bus)
        {
            self.battery = now;
            let _ = self.sender.try_send(News::Battery(volts));
        }
        if now >= self.reported + REPORT {
            self.reported = now;
            let health = Health::of(bus, now);
            let _ = self.sender.try_send(News::Health(Box::new(health.clone())));
            self.shared.lock().unwrap_or_else(PoisonError::into_inner).health = Some(health);
        }
    }
}

struct Writer {
    joints: Vec<String>,
    name: String,
    joint_states: r2r::Publisher<JointState>,
    battery_state: r2r::Publisher<BatteryState>,
    diagnostics: r2r::Publisher<DiagnosticArray>,
    statistics: r2r::Publisher<DiagnosticArray>,
    clock: RosClock,
    log: Log,
}

impl Writer {
    fn run(&self, news: &Receiver<News>) {
        let mut state = JointState::default();
        for news in news {
            match news {
                News::Joints(joints) => {
                    state.header.stamp = self.clock.now();
                    state.name.clear();
                    state.name.extend(joints.iter().map(|(i, ..)| self.joints[*i].clone()));
                    state.position.clear();
                    state.position.extend(joints.iter().map(|(_, position, _)| position));
                    state.velocity.clear();
                    state.velocity.extend(joints.iter().map(|(.., velocity)| velocity));
                    self.send(&self.joint_states, &state);
                }
                News::Battery(volts) => self.send(&self.battery_state, &self.battery(volts)),
                News::Health(health) => {
                    self.send(&self.diagnostics, &self.array(self.servos(&health)));
                    self.send(&self.statistics, &self.array(self.figures(&health)));
                }
            }
        }
    }

    fn send<M: WrappedTypesupport + 'static>(&self, publisher: &r2r::Publisher<M>, message: &M) {
        if let Err(e) = publisher.publish(message) {
            self.log.error_throttled(&UNSENT, || format!("could not publish: {e}"));
        }
    }

    fn battery(&self, volts: f64) -> BatteryState {
        let unknown = f32::NAN;
        let mut message = BatteryState {
            voltage: volts as f32,
            temperature: unknown,
            current: unknown,
            charge: unknown,
            capacity: unknown,
            design_capacity: unknown,
            percentage: unknown,
            present: true,
            power_supply_status: BatteryState::POWER_SUPPLY_STATUS_DISCHARGING as u8,
            ..BatteryState::default()
        };
        message.header.stamp = self.clock.now();
        message
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
            if let Some(raw) = servo.temperature {
                values.push(value(if servo.celsius { "temperature, °C" } else { "temperature, raw" }, raw));
            }
            if let Some(m) = servo.measured {
                values.push(value("position, rad", format!("{:.4}", m.position)));
            }
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
