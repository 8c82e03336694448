//! Robots and exact gaits: a body path that is known in closed form, hooves that stand still, joints by inverse kinematics.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::f64::consts::TAU;
use std::fmt::Write;

use nalgebra::{Isometry3, Matrix6, Translation3, UnitQuaternion, Vector3, Vector6};
use odometry_node::{Estimator, Footing, Footings, OdometryParams};
use robot_model_lib::{
    ChainConfig, ChainIk, ContactConfig, IkGoal, IkOptions, IkStatus, Kinematics, ModelConfig, RobotModel,
};

pub const DT_NS: i64 = 10_000_000;
pub const DT: f64 = 0.01;
/// Height of the base above the ground with all joints at zero, as in config/pony.urdf.
pub const HEIGHT: f64 = 0.418;

/// A small generator of repeatable numbers (Steele, Lea, Flood: SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed (Box and Muller).
    pub fn normal(&mut self, sigma: f64) -> f64 {
        let (u, v) = (1.0 - self.within(0.0, 1.0), self.within(0.0, 1.0));
        sigma * (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
    }

    pub fn vector(&mut self, reach: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.within(-reach, reach))
    }
}

/// A robot with pairs of the pony's legs along its body.
pub fn robot(legs: usize) -> RobotModel {
    RobotModel::from_urdf(&urdf(legs), &config(legs)).unwrap()
}

/// The same robot's description.
pub fn urdf(legs: usize) -> String {
    let mut text = String::from("<robot name=\"walker\"><link name=\"base_link\"/>");
    for leg in 0..legs {
        let rows = legs.div_ceil(2);
        let x = 0.2 * ((rows - 1) as f64 / 2.0 - (leg / 2) as f64);
        let y = if leg % 2 == 0 { 0.1 } else { -0.1 };
        let name = format!("leg{}", leg + 1);
        let joints = [
            ("yaw", format!("{x} {y} -0.05"), "0 0 0", "0 0 1"),
            ("roll", "0 0 -0.03".into(), "0 0 0", "1 0 0"),
            ("pitch", "0 0 0".into(), "0 -0.45 0", "0 1 0"),
            ("knee", "0 0 -0.16".into(), "0 0.9 0", "0 1 0"),
            ("ankle", "0 0 -0.16".into(), "0 -0.45 0", "0 1 0"),
            ("hoof", "0 0 0".into(), "3.141592653589793 0 0", "1 0 0"),
        ];
        let mut parent = "base_link".to_owned();
        for (joint, xyz, rpy, axis) in joints {
            let child = format!("{name}_{joint}");
            write!(
                text,
                "<link name=\"{child}\"/><joint name=\"{child}_joint\" type=\"revolute\"><parent link=\"{parent}\"/>\
                 <child link=\"{child}\"/><origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><axis xyz=\"{axis}\"/>\
                 <limit lower=\"-1.2\" upper=\"1.2\" effort=\"9\" velocity=\"9\"/></joint>"
            )
            .unwrap();
            parent = child;
        }
    }
    text.push_str("</robot>");
    text
}

pub fn config(legs: usize) -> ModelConfig {
    let chain = |number: usize| ChainConfig {
        name: format!("leg{number}"),
        first_link: "base_link".into(),
        last_link: format!("leg{number}_hoof"),
        default_contact: "sole".into(),
    };
    let sole = |name: &str, x: f64| ContactConfig {
        name: name.into(),
        points: vec![[0.035, 0.03, 0.05], [0.035, -0.03, 0.05], [x, 0.03, 0.05], [x, -0.03, 0.05]],
        ..ContactConfig::default()
    };
    ModelConfig {
        chains: (1..=legs).map(chain).collect(),
        contacts: vec![sole("sole", -0.035), sole("toe", 0.035)],
    }
}

pub fn pony() -> RobotModel {
    RobotModel::from_urdf(include_str!("../../../config/pony.urdf"), &config(4)).unwrap()
}

/// Tolerances for exact hooves.
pub fn exact() -> OdometryParams {
    OdometryParams { position_tolerance: 1e-4, angle_tolerance: 1e-3, ..fit() }
}

/// Parameters as they come, with the closed-form fit.
pub fn fit() -> OdometryParams {
    OdometryParams { method: Estimator::Fit, ..OdometryParams::default() }
}

/// Where the body goes: a constant velocity in the plane, and the body swaying on its legs meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// m/s ahead, m/s to the left, rad/s.
    pub velocity: [f64; 3],
    /// Amplitude of the sway, m.
    pub sway: Vector3<f64>,
    /// Amplitude of the roll and pitch, rad.
    pub tilt: Vector3<f64>,
    /// Angular frequency of both, rad/s.
    pub omega: f64,
}

impl Path {
    pub fn new(velocity: [f64; 3]) -> Self {
        Self {
            velocity,
            sway: Vector3::new(0.004, 0.006, 0.005),
            tilt: Vector3::new(0.03, 0.04, 0.0),
            omega: 7.3,
        }
    }

    /// The way of the velocity in the plane alone.
    pub fn planar(&self, t: f64) -> Isometry3<f64> {
        let [vx, vy, w] = self.velocity;
        let (turn, ahead) = (w * t, Vector3::new(vx, vy, 0.0));
        // The arc of a constant twist: ∫ R(w·τ)·v dτ.
        let shift = if w.abs() < 1e-9 {
            ahead * t
        } else {
            let (sine, cosine) = (turn.sin() / w, (1.0 - turn.cos()) / w);
            Vector3::new(vx * sine - vy * cosine, vx * cosine + vy * sine, 0.0)
        };
        Isometry3::new(shift, Vector3::z() * turn)
    }

    fn own(&self, t: f64) -> Isometry3<f64> {
        let shift = self.sway * (self.omega * t).sin() + Vector3::z() * HEIGHT;
        Isometry3::new(shift, self.tilt * (self.omega * t).sin())
    }

    pub fn pose(&self, t: f64) -> Isometry3<f64> {
        self.planar(t) * self.own(t)
    }

    /// Velocity in base axes.
    pub fn twist(&self, t: f64) -> Vector6<f64> {
        let own = self.own(t);
        let back = own.rotation.inverse();
        let rate = self.omega * (self.omega * t).cos();
        let [vx, vy, w] = self.velocity;
        let turn = Vector3::z() * w;
        let carried = Vector3::new(vx, vy, 0.0) + turn.cross(&own.translation.vector);
        let linear = back * (carried + self.sway * rate);
        // The tilt's axis does not move, so its rate needs no more than itself.
        let angular = back * turn + self.tilt * rate;
        Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    }
}

/// When which leg is down, in cycles.
#[derive(Debug, Clone)]
pub struct Gait {
    pub period: i64,
    /// Cycles from touch-down to lift-off; the hoof is still down in the last of them.
    pub down: i64,
    pub phase: Vec<i64>,
    pub lift: f64,
}

impl Gait {
    /// One leg after the other in the air.
    pub fn walk(legs: usize) -> Self {
        let period = 10 * legs as i64;
        let phase = (0..legs as i64).map(|leg| leg * 10).collect();
        Self { period, down: period - 10, phase, lift: 0.03 }
    }

    /// Half of the legs in the air, the other half down.
    pub fn trot(legs: usize) -> Self {
        let diagonal = |leg: usize| i64::from((leg / 2 + leg).is_multiple_of(2)) * 20;
        Self { period: 40, down: 20, phase: (0..legs).map(diagonal).collect(), lift: 0.03 }
    }

    /// The step that a leg is in, and the cycles since it touched down.
    pub fn step(&self, leg: usize, cycle: i64) -> (i64, i64) {
        let at = cycle + self.phase[leg];
        (at.div_euclid(self.period), at.rem_euclid(self.period))
    }

    pub fn is_down(&self, leg: usize, cycle: i64) -> bool {
        self.step(leg, cycle).1 <= self.down
    }
}

pub mod inertial;
pub mod monte_carlo;

/// A robot that walks a path exactly.
pub struct Walker {
    /// Time of a cycle, ns.
    pub period: i64,
    pub model: RobotModel,
    pub gait: Gait,
    pub path: Path,
    ik: Vec<ChainIk>,
    kinematics: Kinematics,
    nominal: Vec<Isometry3<f64>>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub cycle: i64,
    /// A slip: of which leg, from which cycle on until it lifts, how many cycles it takes, and where to, m.
    pub slip: Option<(usize, i64, i64, Vector3<f64>)>,
    /// How far a standing foot leans to and fro about its contact, rad: a leg on a ball leans with its shank.
    pub rock: f64,
    /// Noise of hoof poses, m and rad, and where it comes from.
    pub noise: Option<(Dice, f64, f64)>,
}

impl Walker {
    pub fn new(model: RobotModel, gait: Gait, path: Path) -> Self {
        Self::at_rate(model, gait, path, 100)
    }

    /// The same walk at another rate (Hz) than the 100 Hz of its gait's cycles.
    pub fn at_rate(model: RobotModel, gait: Gait, path: Path, rate: i64) -> Self {
        let cycles = |at: i64| at * rate / 100;
        let gait = Gait {
            period: cycles(gait.period),
            down: cycles(gait.down),
            phase: gait.phase.iter().map(|&at| cycles(at)).collect(),
            ..gait
        };
        let kinematics = Kinematics::of_contacts(&model);
        let legs = gait.phase.len();
        let options = IkOptions {
            position_tolerance: 1e-14,
            angle_tolerance: 1e-13,
            restarts: 0,
            ..IkOptions::default()
        };
        let nominal = |leg: usize| {
            let frame = kinematics.contact_frame(leg);
            let mut pose = Isometry3::from_parts(
                frame.translation,
                UnitQuaternion::from_rotation_matrix(&frame.rotation),
            );
            pose.translation.z = 0.0;
            pose
        };
        let joints = model.joints().len();
        let mut walker = Self {
            period: 1_000_000_000 / rate,
            ik: (0..legs).map(|leg| ChainIk::new(&model, leg, options)).collect(),
            nominal: (0..legs).map(nominal).collect(),
            kinematics,
            model,
            gait,
            path,
            q: vec![0.0; joints],
            qd: vec![0.0; joints],
            cycle: -1,
            slip: None,
            rock: 0.0,
            noise: None,
        };
        walker.advance();
        walker
    }

    pub fn time(&self) -> f64 {
        self.cycle as f64 * self.dt()
    }

    pub fn dt(&self) -> f64 {
        self.period as f64 * 1e-9
    }

    pub fn stamp(&self) -> i64 {
        1_000_000_000 + self.cycle * self.period
    }

    pub fn pose(&self) -> Isometry3<f64> {
        self.path.pose(self.time())
    }

    /// Where a leg stands in a step, in the world: below its hip in the middle of the step.
    pub fn foothold(&self, leg: usize, step: i64) -> Isometry3<f64> {
        let middle = step * self.gait.period - self.gait.phase[leg];
        self.path.planar((middle as f64 + 0.5 * self.gait.down as f64) * self.dt()) * self.nominal[leg]
    }

    fn hoof(&self, leg: usize) -> Isometry3<f64> {
        let (step, since) = self.gait.step(leg, self.cycle);
        let stand = self.foothold(leg, step);
        if since <= self.gait.down {
            return match self.slip {
                // It lifts from where it slipped to, and lands where it should.
                Some((slips, from, takes, way)) if slips == leg && step == self.gait.step(leg, from).0 => {
                    let share = ((self.cycle - from) as f64 / takes as f64).clamp(0.0, 1.0);
                    Translation3::from(way * share) * stand
                }
                _ => stand,
            };
        }
        let share = (since - self.gait.down) as f64 / (self.gait.period - self.gait.down) as f64;
        let mut hoof = stand.lerp_slerp(&self.foothold(leg, step + 1), share);
        hoof.translation.z = self.gait.lift * (share * std::f64::consts::PI).sin();
        hoof
    }

    /// The joints and their velocities one cycle later.
    pub fn advance(&mut self) {
        self.cycle += 1;
        let body = self.pose();
        for leg in 0..self.gait.phase.len() {
            let (_, since) = self.gait.step(leg, self.cycle);
            let lean = self.rock * (TAU * since as f64 / self.gait.period as f64).sin();
            let mut goal =
                body.inverse() * self.hoof(leg) * UnitQuaternion::new(Vector3::new(0.4, 1.0, 0.0) * lean);
            if let Some((dice, position, angle)) = &mut self.noise {
                goal *= jolt(dice, *position, *angle);
            }
            let result = self.ik[leg].solve(&IkGoal::Pose(goal), &mut self.q);
            assert!(result.position_error < 1e-11 && result.angle_error < 1e-11, "leg {leg}: {result:?}");
            assert_ne!(result.status, IkStatus::Nearest);
        }
        self.kinematics.update(&self.q);
        let twist = self.path.twist(self.time());
        let (linear, angular) =
            (twist.fixed_rows::<3>(0).into_owned(), twist.fixed_rows::<3>(3).into_owned());
        for leg in 0..self.gait.phase.len() {
            let joints = self.model.chains()[leg].joints.clone();
            // A standing hoof moves against the body; what a swinging one does is nobody's business.
            let contact = self.kinematics.contact(leg).centre.coords;
            let slide = -(linear + angular.cross(&contact));
            let wanted = Vector6::new(slide.x, slide.y, slide.z, -angular.x, -angular.y, -angular.z);
            let columns: Vec<f64> = self.kinematics.jacobian_columns(leg).as_flattened().to_vec();
            let jacobian = Matrix6::from_column_slice(&columns);
            let rates = jacobian.lu().solve(&wanted).expect("a leg that is not stretched");
            let down = if self.gait.is_down(leg, self.cycle) { 1.0 } else { 0.3 };
            self.qd[joints].copy_from_slice((rates * down).as_slice());
        }
    }

    /// The same of a trot without overlap: where all legs are down, those that came last.
    pub fn footings_without_overlap(&self) -> Footings {
        let mut footings = self.footings();
        if footings[..4].iter().all(Option::is_some) {
            for (leg, footing) in footings.iter_mut().take(4).enumerate() {
                *footing = footing.filter(|_| self.gait.step(leg, self.cycle).1 == 0);
            }
        }
        footings
    }

    /// The supports as a message would tell them.
    pub fn footings(&self) -> Footings {
        std::array::from_fn(|leg| {
            let down = leg < self.gait.phase.len() && self.gait.is_down(leg, self.cycle);
            down.then_some(Footing { contact: 0, weight: 1.0 })
        })
    }
}

/// Distance, m, and angle, rad.
pub fn gap(a: &Isometry3<f64>, b: &Isometry3<f64>) -> (f64, f64) {
    (
        (a.translation.vector - b.translation.vector).norm(),
        filters_lib::so3::log(&(a.rotation.inverse() * b.rotation)).norm(),
    )
}

/// A shift and a turn, both random.
pub fn jolt(dice: &mut Dice, position: f64, angle: f64) -> Isometry3<f64> {
    let shift = Vector3::from_fn(|_, _| dice.normal(position));
    let turn = Vector3::from_fn(|_, _| dice.normal(angle));
    Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::new(turn))
}
