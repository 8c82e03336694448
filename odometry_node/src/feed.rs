//! Messages in, estimates out: the order of time between topics, for the node and the replay alike.

use cycle_lib::{Cycles, SyncRelation};
use robot_model_lib::RobotModel;

use crate::estimate::Estimate;
use crate::joints::JointIntake;
use crate::odometry::{Footings, Odometry, Posture};
use crate::supports::SupportIntake;
use crate::waiting::Queue;
use crate::{Body, OdometryParams, Refused};

/// Joints that are older than the last by more than this, s, mean that time was set back: a looped bag.
pub const TIME_JUMP: f64 = 0.1;
/// The same in ns.
const JUMP_NS: i64 = (TIME_JUMP * 1e9) as i64;
/// Duration of a cycle when `sync` gives none, s.
const PERIOD: f64 = 0.01;
/// The odometry of one robot, fed with messages as they come.
#[derive(Debug, Clone)]
pub struct Feed {
    odometry: Odometry,
    joints: JointIntake,
    supports: SupportIntake,
    waiting_supports: Queue<Footings>,
    waiting_bodies: Queue<Body>,
    /// The support message that holds, and its time.
    support: Option<(i64, Footings)>,
    /// Time of the last joints, ns.
    last: Option<i64>,
    /// From those before them to them, ns.
    interval: i64,
    cycles: Cycles,
    /// Number of the last `sync`.
    number: u32,
    support_timeout: f64,
    resets: u64,
}

impl Feed {
    /// For a robot.
    pub fn new(model: &RobotModel, params: &OdometryParams) -> Result<Self, Refused> {
        let root = model.link_names().next().unwrap_or_default();
        if root != params.base_frame && model.find_link(&params.base_frame).is_some() {
            return Err(Refused::NotRoot { name: params.base_frame.clone(), root: root.into() });
        }
        Ok(Self {
            odometry: Odometry::new(model, params)?,
            joints: JointIntake::new(model),
            supports: SupportIntake::new(model),
            waiting_supports: Queue::new(),
            waiting_bodies: Queue::new(),
            support: None,
            last: None,
            interval: 0,
            cycles: Cycles::new(PERIOD),
            number: 0,
            support_timeout: params.support_timeout,
            resets: 0,
        })
    }

    /// Takes changed parameters, from the next joints on.
    pub fn set_params(&mut self, params: &OdometryParams) {
        self.support_timeout = params.support_timeout;
        self.odometry.set_params(params);
    }

    /// Joints at a time (ns): one cycle of the odometry.
    pub fn joints<S: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        position: &[f64],
        velocity: &[f64],
    ) -> Result<&Estimate, Refused> {
        let since = self.last.map_or(0.0, |last| stamp.saturating_sub(last) as f64 * 1e-9);
        let set_back = since < -TIME_JUMP;
        if since < 0.0 && !set_back {
            return Err(Refused::Old { late: -since });
        }
        self.joints.take(names, position, velocity, (!set_back).then_some(since))?;
        if set_back {
            self.turn_back();
        }
        let interval = self.last.replace(stamp).map_or(0, |last| stamp.saturating_sub(last));
        self.interval = interval.clamp(0, JUMP_NS);
        // What was made for the cycle of these joints belongs to them, also if its stamp lies behind theirs.
        let (cycles, is_synced) = (self.cycles, self.cycles.is_synced());
        let due = |at: i64| at <= stamp || (is_synced && cycles.index(at) <= cycles.index(stamp));
        if let Some((at, footings)) = self.waiting_supports.take(due) {
            let at = if at == i64::MIN { stamp } else { at };
            // One that was overtaken by a newer one is old.
            if self.support.as_ref().is_none_or(|(held, _)| at >= *held) {
                self.support = Some((at, footings));
            }
        }
        // One whose own joints never came is no longer the present.
        let is_present = |at: i64| at == i64::MIN || stamp.saturating_sub(at) <= JUMP_NS;
        let body = self.waiting_bodies.take(due).filter(|(at, _)| is_present(*at)).map(|(_, body)| body);
        let fresh = |at: i64| {
            self.support_timeout <= 0.0 || stamp.saturating_sub(at) as f64 * 1e-9 <= self.support_timeout
        };
        let support = self.support.as_ref().filter(|(at, _)| fresh(*at)).map(|(_, footings)| footings);
        let posture = Posture {
            stamp,
            q: self.joints.position(),
            qd: self.joints.velocity(),
            mean_rates: self.joints.mean_rates(),
        };
        Ok(self.odometry.update(&posture, support, body.as_ref()))
    }

    /// Supports at a time (ns; 0 = at once). They hold from the joints of that time on.
    pub fn support<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<(), Refused> {
        let footings = self.supports.read(names, contacts, supports)?;
        self.waiting_supports.push(if stamp == 0 { i64::MIN } else { stamp }, footings);
        Ok(())
    }

    /// A sample of an inertial sensor at a time (ns), see [`Odometry::imu`].
    pub fn imu(&mut self, stamp: i64, frame: &str, gyro: [f64; 3], accel: [f64; 3]) -> Result<(), Refused> {
        self.odometry.imu(stamp, frame, gyro, accel)
    }

    /// The body as somebody else knows it, at a time (ns; 0 = at once): replaces the next cycle's pose and velocity.
    /// False when the joints of its cycle have been dealt with already; without `sync` a cycle is from joints to joints, and
    /// a body may come after the last ones if it is of their time.
    pub fn body(&mut self, stamp: i64, body: Body) -> bool {
        let index = |stamp: i64| self.cycles.index(stamp);
        let is_over = |last: i64| {
            if self.cycles.is_synced() {
                stamp <= last && index(stamp) <= index(last)
            } else {
                last.saturating_sub(stamp) > self.interval
            }
        };
        if stamp != 0 && self.last.is_some_and(is_over) {
            return false;
        }
        self.waiting_bodies.push(if stamp == 0 { i64::MIN } else { stamp }, body);
        true
    }

    /// A control cycle begins: its number, its start (ns) and its duration (s).
    pub fn sync(&mut self, number: u32, start: i64, period: f64) {
        if self.cycles.sync(number, start, period) != SyncRelation::Old {
            self.number = number;
        }
    }

    /// Number of the control cycle that the last joints belong to; 0 when it is not known.
    pub fn cycle(&self) -> u32 {
        let Some(last) = self.last.filter(|_| self.cycles.is_synced()) else { return 0 };
        let ahead = self.cycles.index(last).saturating_sub(self.cycles.current());
        u32::try_from(ahead.saturating_add(i64::from(self.number))).unwrap_or(0)
    }

    /// Begins anew with the next joints.
    pub fn reset(&mut self) {
        self.odometry.reset();
        self.resets += 1;
    }

    /// Puts the base somewhere; refused where the ground would not leave it.
    pub fn set_pose(&mut self, pose: nalgebra::Isometry3<f64>) -> Result<(), Refused> {
        self.odometry.set_pose(pose)
    }

    /// The last estimate.
    pub fn estimate(&self) -> &Estimate {
        self.odometry.estimate()
    }

    /// The last joints, sorted order: positions and velocities.
    pub fn posture(&self) -> (&[f64], &[f64]) {
        (self.joints.position(), self.joints.velocity())
    }

    /// How often it began anew, by request or because time was set back.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// Time was set back: as at the first start, but for what already belongs to the new time.
    fn turn_back(&mut self) {
        let old = self.last.unwrap_or(i64::MAX);
        self.waiting_supports.drop_after(old);
        self.waiting_bodies.drop_after(old);
        self.support = None;
        self.reset();
    }
}
