//! What the bridge can be told.

use crate::bridge::BridgeConfig;
use crate::bus::{BusConfig, Joint, Release, ServoConfig, Torque, Tuning};
use crate::codec::{Model, Scale};
use crate::order_file::{OrderFile, default_directory};
use param_lib::{Group, ParamError, choices, params};
use std::path::PathBuf;

choices! {
    /// A model of servo.
    pub enum ModelName {
        Drs0101 = "drs0101", Drs0201 = "drs0201", Drs0401 = "drs0401",
        Drs0402 = "drs0402", Drs0601 = "drs0601", Drs0602 = "drs0602",
    }
}
choices! {
    /// How torque is released.
    pub enum ReleaseName { Free = "free", Brake = "brake" }
}
choices! {
    /// What servos do when the bridge ends.
    pub enum ExitName { Hold = "hold", Brake = "brake", Free = "free" }
}

params! {
    /// One servo.
    pub struct ServoParams {
        /// Its id on the bus.
        id: i64 = 253, range 0..=253;
        /// Its model.
        model: ModelName = ModelName::Drs0101;
        /// The model number that it tells, if not its model's, as `herkulex_tool info` shows it in hexadecimal ("0201"); empty
        /// for the model's.
        number: String = String::new();
        /// Its firmware as `herkulex_tool info` shows it, in hexadecimal ("9000"); empty for any.
        firmware: String = String::new();
        /// The servo's angle from its middle when the joint is at 0.
        offset: f64 = 0.0, unit "rad", range -20.0..=20.0;
        /// 1, or -1 when the servo turns against the joint.
        direction: i64 = 1, range -1..=1;
        /// Turns of the servo per turn of the joint.
        gear: f64 = 1.0, range 0.001..=1000.0;
        /// The joint's lower limit; a goal beyond it goes to it.
        min: f64 = -2.7, unit "rad", range -20.0..=20.0;
        /// The joint's upper limit; a goal beyond it goes to it.
        max: f64 = 2.7, unit "rad", range -20.0..=20.0;
        /// Degrees per count; 0 for the model's.
        resolution: f64 = 0.0, unit "deg", range 0.0..=1.0;
        /// The count of the middle; 0 for the model's.
        centre: i64 = 0, range 0..=32767;
    }
}

params! {
    /// What `herkulex_node` can be told.
    pub struct BridgeParams {
        /// The serial port.
        port: String = "/dev/ttyUSB0".into(), read_only true;
        /// Its speed; the servos must be set to the same.
        baud: i64 = 115200, unit "bit/s", range 9600..=3000000, read_only true;
        /// Requests are sent while an answer comes in; false for an adapter that ties both lines together.
        full_duplex: bool = true, read_only true;
        /// The longest that a healthy servo takes to begin its answer.
        turnaround: f64 = 0.0005, unit "s", range 0.0..=0.1, read_only true;
        /// The control cycle; reads are made in the time that the jog leaves of it.
        period: f64 = 0.01, unit "s", range 0.001..=1.0;
        /// Playtime of goals that bring none.
        playtime: f64 = 0.0224, unit "s", range 0.0112..=2.8;
        /// A joint holds when its newest commanded goal, by its stamp, is older than this; 0 for never.
        goal_timeout: f64 = 0.5, unit "s", range 0.0..=3600.0;
        /// Holding, or waiting for a first goal, for longer than this releases the joint's torque; 0 for never.
        release_after: f64 = 0.0, unit "s", range 0.0..=3600.0, slider 0.0..=100.0;
        /// How torque is released then.
        release: ReleaseName = ReleaseName::Brake;
        /// Goals after a release switch torque on again; false leaves that to the service.
        resume: bool = false;
        /// The speed with which a servo that just got torque, or whose goal has jumped, goes to its goal.
        approach_speed: f64 = 1.0, unit "rad/s", range 0.01..=20.0;
        /// A goal that moves faster than this from one cycle to the next has jumped: its source has come back from elsewhere.
        jump_speed: f64 = 15.0, unit "rad/s", range 0.1..=1000.0;
        /// How long after its expected end an answer is given up.
        reply_timeout: f64 = 0.01, unit "s", range 0.0005..=1.0;
        /// How often an unanswered request is made again at once.
        retries: i64 = 1, range 0..=10;
        /// Answers missing in a row that make a servo lost.
        lost_after: i64 = 8, range 1..=1000;
        /// Whether the servos of a bus that was never ours since its power came on get torque at the start; others are left
        /// as found.
        torque_at_start: bool = true, read_only true;
        /// What servos do when the bridge ends.
        at_exit: ExitName = ExitName::Brake, read_only true;
        /// The folder in which orders are kept until they have reached their servos; empty for `herkulex_node` in `$ROS_HOME`,
        /// `$XDG_STATE_HOME` or `~/.ros`.
        state_directory: String = String::new(), read_only true;
        /// Whether every joint has services of its own beside those for all.
        joint_services: bool = true, read_only true;
        /// Real-time priority (SCHED_FIFO) of the thread that serves the bus; 0 leaves it an ordinary one.
        realtime_priority: i64 = 0, range 0..=99, read_only true;
        /// The servos by joint.
        servos: Group<ServoParams> = Group::default(), read_only true;
    }
    validate self => self.check()
}

impl ModelName {
    /// The model that the name is of.
    pub fn model(self) -> Model {
        match self {
            ModelName::Drs0101 => Model::Drs0101,
            ModelName::Drs0201 => Model::Drs0201,
            ModelName::Drs0401 => Model::Drs0401,
            ModelName::Drs0402 => Model::Drs0402,
            ModelName::Drs0601 => Model::Drs0601,
            ModelName::Drs0602 => Model::Drs0602,
        }
    }
}

/// Two bytes from four hexadecimal digits; `None` from nothing.
fn hexadecimal(text: &str) -> Result<Option<[u8; 2]>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let value = u16::from_str_radix(text, 16).ok().filter(|_| text.len() == 4);
    value.map(|v| Some(v.to_be_bytes())).ok_or_else(|| format!("{text:?} is not four hexadecimal digits"))
}

impl ServoParams {
    fn firmware(&self) -> Result<Option<[u8; 2]>, String> {
        hexadecimal(&self.firmware)
    }

    fn number(&self) -> Result<[u8; 2], String> {
        Ok(hexadecimal(&self.number)?.unwrap_or(self.model.model().number()))
    }

    fn joint(&self) -> Joint {
        let model = self.model.model();
        let own = model.scale();
        let scale = Scale {
            resolution: if self.resolution > 0.0 { self.resolution } else { own.resolution },
            centre: if self.centre > 0 { self.centre as i32 } else { own.centre },
            ..own
        };
        Joint {
            scale,
            offset: self.offset,
            gear: self.gear * self.direction as f64,
            limits: (self.min, self.max),
            counts: model.position_limits(),
        }
    }
}

impl BridgeParams {
    fn check(&self) -> Result<(), ParamError> {
        let mut ids: Vec<(i64, &str)> = vec![];
        for (name, servo) in &self.servos.0 {
            let unfit = |field: &str, why: String| ParamError::unfit(format!("servos.{name}.{field}"), why);
            if servo.direction == 0 {
                return Err(unfit("direction", "must be 1 or -1".into()));
            }
            servo.firmware().map_err(|why| unfit("firmware", why))?;
            servo.number().map_err(|why| unfit("number", why))?;
            if servo.min >= servo.max {
                return Err(unfit("min", format!("{} is not below max {}", servo.min, servo.max)));
            }
            if let Some((_, other)) = ids.iter().find(|(id, _)| *id == servo.id) {
                return Err(unfit("id", format!("{} is that of \"{other}\" already", servo.id)));
            }
            ids.push((servo.id, name));
        }
        Ok(())
    }

    /// What may change while the bus runs.
    pub fn tuning(&self) -> Tuning {
        Tuning {
            period: self.period,
            playtime: self.playtime,
            goal_timeout: self.goal_timeout,
            release_after: self.release_after,
            release: match self.release {
                ReleaseName::Free => Release::Free,
                ReleaseName::Brake => Release::Brake,
            },
            resume: self.resume,
            approach_speed: self.approach_speed,
            jump_speed: self.jump_speed,
            reply_timeout: self.reply_timeout,
            retries: self.retries as u32,
            lost_after: self.lost_after as u32,
        }
    }

    /// Where orders are kept; `None` where there is no place for them.
    fn order_file(&self) -> Option<OrderFile> {
        let told = Some(self.state_directory.as_str()).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = told.or_else(|| default_directory(|name| std::env::var(name).ok()))?;
        Some(OrderFile::new(&folder, &self.port))
    }

    /// Everything, as the bridge wants it.
    pub fn config(&self) -> BridgeConfig {
        let servos = self.servos.0.iter();
        let servo = |(name, s): &(String, ServoParams)| ServoConfig {
            name: name.clone(),
            id: s.id as u8,
            model: s.model.model(),
            // Checked when they were set.
            number: s.number().unwrap_or(s.model.model().number()),
            firmware: s.firmware().unwrap_or(None),
            joint: s.joint(),
        };
        BridgeConfig {
            port: self.port.clone(),
            orders: self.order_file(),
            at_exit: match self.at_exit {
                ExitName::Hold => None,
                ExitName::Brake => Some(Torque::Brake),
                ExitName::Free => Some(Torque::Free),
            },
            bus: BusConfig {
                baud: self.baud as u32,
                full_duplex: self.full_duplex,
                turnaround: self.turnaround,
                torque_at_start: self.torque_at_start,
                tuning: self.tuning(),
                servos: servos.map(servo).collect(),
            },
        }
    }
}
