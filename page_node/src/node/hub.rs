//! What topics, browsers and tasks share.

use super::PageNode;
use super::calls::Calls;
use super::recorder::Recorder;
use crate::PageParams;
use crate::access::Access;
use crate::drive::Drive;
use crate::health::Health;
use crate::log_lines::LogLines;
use crate::meshes::Meshes;
use crate::protocol::{StopState, Told};
use crate::scene::Scene;
use crate::stop::StopLatch;
use crate::tuning::Tuning;
use axum::extract::ws::Utf8Bytes;
use node_lib::r2r::geometry_msgs::msg::{Pose, Twist, TwistStamped};
use node_lib::r2r::std_msgs::msg::String as Text;
use node_lib::{Background, Log, RosClock, Setup};
use param_lib::Overrides;
use robot_model_lib::{ModelConfig, RobotModel};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{Notify, broadcast, watch};

/// Events that may wait for a browser; one that is further behind is told everything anew.
const EVENTS: usize = 256;

/// What is published.
pub(super) struct Outputs {
    pub twist: Option<Background<Twist>>,
    pub stamped: Option<Background<TwistStamped>>,
    pub body_pose: Background<Pose>,
    pub driver: Background<Text>,
    pub clock: RosClock,
}

/// The robot, for browsers.
pub(super) struct Robot {
    pub urdf: String,
    /// Name, last link, contact points.
    pub chains: Json,
    /// The files that its shapes are in.
    pub meshes: Meshes,
}

/// The core's parts, behind one lock that is held for microseconds, and never by the thread of the cycle.
pub(super) struct State {
    pub scene: Scene,
    pub health: Health,
    pub drive: Drive,
    pub stop: StopLatch,
    pub tuning: Tuning,
    pub robot: Option<Robot>,
    pub lines: LogLines,
}

/// All of it.
pub(super) struct Hub {
    state: Mutex<State>,
    pub access: Access,
    pub settings: watch::Receiver<PageParams>,
    /// The newest snapshot: a browser that is late skips the others.
    pub frames: watch::Sender<Utf8Bytes>,
    pub events: broadcast::Sender<Utf8Bytes>,
    pub calls: Calls,
    pub outputs: Outputs,
    pub recorder: Recorder,
    /// Number of the robot's description among what is recorded.
    pub robot_topic: usize,
    /// Held while a recording is replayed.
    pub replaying: tokio::sync::Mutex<()>,
    pub files: Vec<Overrides>,
    pub namespace: String,
    pub log: Log,
    /// Somebody pressed the stop.
    pub stop_asked: Notify,
    /// Somebody took the stick, or may hold it for a shorter time than before.
    pub driving: Notify,
    pub clients: AtomicUsize,
    pub next_client: AtomicU64,
    pub refused: AtomicUsize,
    pub dropped: AtomicUsize,
    config: ModelConfig,
    start: Instant,
}

impl Hub {
    pub(super) fn new(
        setup: &Setup<PageNode>,
        access: Access,
        settings: watch::Receiver<PageParams>,
        outputs: Outputs,
        calls: Calls,
    ) -> anyhow::Result<Arc<Hub>> {
        let params = settings.borrow().clone();
        let full_name = setup.full_name();
        let namespace = full_name.rsplit_once('/').map_or("", |(namespace, _)| namespace).to_string();
        let recorder = Recorder::default();
        let robot_topic = recorder.topic(&setup.resolve("robot_description"), "std_msgs/String");
        let hub = Hub {
            state: Mutex::new(State {
                scene: Scene::default(),
                health: Health::new(&namespace, &params.nodes),
                drive: Drive::default(),
                stop: StopLatch::default(),
                tuning: Tuning::default(),
                robot: None,
                lines: LogLines::default(),
            }),
            access,
            settings,
            frames: watch::Sender::new(Utf8Bytes::default()),
            events: broadcast::Sender::new(EVENTS),
            calls,
            outputs,
            recorder,
            robot_topic,
            replaying: tokio::sync::Mutex::default(),
            files: parameter_files(&params.config, &setup.log()),
            namespace,
            log: setup.log(),
            stop_asked: Notify::new(),
            driving: Notify::new(),
            clients: AtomicUsize::new(0),
            next_client: AtomicU64::new(1),
            refused: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
            config: params.robot.0.config()?,
            start: Instant::now(),
        };
        if !params.robot.0.robot_description.is_empty() {
            hub.load_robot(&params.robot.0.robot_description)?;
        }
        Ok(Arc::new(hub))
    }

    /// The page's own time, s.
    pub(super) fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Never across an await.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all browsers.
    pub(super) fn tell(&self, told: &Told) {
        // Nobody listens: nobody is told.
        let _ = self.events.send(told.to_text().into());
    }

    /// Tells all browsers who drives and whether a stop holds, and the robot's other nodes who drives.
    pub(super) fn tell_drive(&self) {
        let (text, driver) = {
            let state = self.state();
            (self.drive_text(&state), state.drive.driver())
        };
        let _ = self.events.send(text);
        self.outputs
            .driver
            .send(Text { data: driver.map_or(String::new(), |client| format!("browser {client}")) });
    }

    pub(super) fn drive_text(&self, state: &State) -> Utf8Bytes {
        let clients = self.clients.load(std::sync::atomic::Ordering::Relaxed);
        let (driver, stop, text) = (state.drive.driver(), state.stop.state(), state.stop.text());
        Told::Drive { driver, clients, stop, text }.to_text().into()
    }

    pub(super) fn limits_text(&self) -> Utf8Bytes {
        let params = self.settings.borrow();
        Told::Limits { speeds: params.velocity([1.0; 3]), lease: params.lease }.to_text().into()
    }

    /// Tells all browsers how far the recording is.
    pub(super) fn tell_recording(&self) {
        self.recorder.with_view(|view| self.tell(&Told::Recording(view)));
    }

    /// After the stop changed: nobody drives while it holds.
    pub(super) fn follow_stop(&self) {
        {
            let mut state = self.state();
            let stopped = state.stop.state() != StopState::None;
            state.drive.stop(stopped);
        }
        self.tell_drive();
    }

    /// The robot's URDF came. One that cannot be read is refused, as every node does it.
    pub(super) fn load_robot(&self, urdf: &str) -> anyhow::Result<()> {
        RobotModel::from_urdf(urdf, &self.config)?;
        let points =
            |name: &str| self.config.contacts.iter().find(|c| c.name == name).map(|c| c.points.clone());
        let chain = |c: &robot_model_lib::ChainConfig| json!({"name": c.name, "link": c.last_link, "points": points(&c.default_contact)});
        let chains: Json = self.config.chains.iter().map(chain).collect();
        let told = Told::Robot { chains: &chains }.to_text();
        let meshes = Meshes::of(urdf);
        let mut state = self.state();
        if state.robot.as_ref().is_some_and(|robot| robot.urdf != urdf) {
            state.scene.forget();
        }
        // Before browsers are told: they ask for it at once.
        state.robot = Some(Robot { urdf: urdf.into(), chains, meshes });
        drop(state);
        let _ = self.events.send(told.into());
        Ok(())
    }

    /// Commands a velocity: forward, left, turn.
    pub(super) fn command(&self, velocity: [f64; 3]) {
        let mut twist = Twist::default();
        (twist.linear.x, twist.linear.y, twist.angular.z) = (velocity[0], velocity[1], velocity[2]);
        if let Some(port) = &self.outputs.stamped {
            let mut message = TwistStamped { twist: twist.clone(), ..TwistStamped::default() };
            message.header.stamp = self.outputs.clock.now();
            port.send(message);
        }
        if let Some(port) = &self.outputs.twist {
            port.send(twist);
        }
    }
}

/// What the robot may have been started with; a file that cannot be read only takes marks away.
fn parameter_files(folder: &str, log: &Log) -> Vec<Overrides> {
    if folder.is_empty() {
        return vec![];
    }
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string());
        text.and_then(|text| Overrides::from_text(&text).map_err(|e| e.to_string()))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    paths.sort();
    let mut files = vec![];
    for path in paths {
        match read(&path) {
            Ok(file) => files.push(file),
            Err(e) => log.warn(format!("{}: {e}; its parameters are not compared", path.display())),
        }
    }
    files
}
