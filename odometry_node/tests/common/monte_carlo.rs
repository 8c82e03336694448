//! Walks with noise on the joints: the error beside the covariance that the odometry claims for it.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Matrix3, Vector3};
use odometry_node::{Estimator, Odometry, OdometryParams, Posture};

use super::inertial::Inertial;
use super::{Dice, Gait, Path, Walker};

/// Resolution of the HerkuleX servos: 0.163°.
pub const RESOLUTION: f64 = 0.163 * std::f64::consts::PI / 180.0;

/// How joints are measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sensor {
    Exact,
    /// Normally distributed, σ in rad.
    White(f64),
    /// In steps, rad.
    Steps(f64),
}

impl Sensor {
    pub fn read(self, q: f64, dice: &mut Dice) -> f64 {
        match self {
            Self::Exact => q,
            Self::White(sigma) => q + dice.normal(sigma),
            Self::Steps(step) => (q / step).round() * step,
        }
    }
}

/// An odometry that goes along on a walk.
#[derive(Debug, Clone)]
pub struct Case {
    pub sensor: Sensor,
    /// Whether supports are given, or searched for.
    pub given: bool,
    /// Whether it has an inertial sensor.
    pub imu: bool,
    /// Whether the machine stalls, see [`Stalls`].
    pub stalls: bool,
    pub params: OdometryParams,
}

impl Case {
    /// As it comes, but for what somebody has to tell: white noise, and that these feet do not slip (a servo's steps alone are
    /// 0.0002 m/√s at the foot).
    pub fn new(sensor: Sensor, given: bool, method: Estimator) -> Self {
        let params = OdometryParams { method, foot_slip: 0.0002, ..OdometryParams::default() };
        let joint_noise = if let Sensor::White(sigma) = sensor { sigma } else { params.joint_noise };
        let params = OdometryParams { joint_noise, ..params };
        Self { sensor, given, imu: false, stalls: false, params }
    }

    /// The same with an inertial sensor.
    pub fn with_imu(self) -> Self {
        Self { imu: true, ..self }
    }

    /// The same on a machine that stalls.
    pub fn with_stalls(self) -> Self {
        Self { stalls: true, ..self }
    }
}

/// A machine that is away for 30 to 250 ms about once a second: joints of that time are lost, and after it samples of the inertial
/// sensor come later than the joints by up to 60 ms.
struct Stalls {
    dice: Dice,
    /// The present one, or the next one: begin and end, ns.
    stall: [i64; 2],
    /// By how much the sensor is late, ns.
    late: i64,
}

impl Stalls {
    fn new(seed: u64, from: i64) -> Self {
        let mut stalls = Self { dice: Dice(seed ^ 0x57A11), stall: [from; 2], late: 0 };
        stalls.next();
        stalls
    }

    fn next(&mut self) {
        let mut ms = |from: f64, to: f64| (self.dice.within(from, to) * 1e6) as i64;
        let begin = self.stall[1] + ms(300.0, 1500.0);
        self.stall = [begin, begin + ms(30.0, 250.0)];
        self.late = ms(0.0, 60.0);
    }

    /// Whether joints of a time (ns) get through, and up to when the sensor is known then.
    fn pass(&mut self, stamp: i64) -> (bool, i64) {
        let [begin, end] = self.stall;
        if stamp < begin {
            return (true, stamp);
        }
        let late = self.late;
        if stamp >= end {
            self.next();
        }
        (stamp >= end, stamp - late)
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct End {
    /// Error of x and y, m, and of the heading, rad.
    pub error: Vector3<f64>,
    /// Its covariance, as claimed.
    pub covariance: Matrix3<f64>,
    /// Length of the way, m.
    pub distance: f64,
    /// Error of the height, m, and its claimed σ.
    pub height: (f64, f64),
}

impl End {
    /// Normalised estimation error squared of (x, y, heading): 3 on the mean when the covariance is that of the error.
    pub fn nees(&self) -> f64 {
        let inverse = self.covariance.try_inverse().unwrap();
        (self.error.transpose() * inverse * self.error)[0]
    }
}

/// A path of its own for each seed: speed, curve, sway and its frequency.
pub fn path(dice: &mut Dice) -> Path {
    let velocity = [dice.within(0.1, 0.25), dice.within(-0.03, 0.03), dice.within(-0.2, 0.2)];
    let sway = Vector3::new(0.004, 0.006, 0.005) * dice.within(0.5, 1.5);
    let tilt = Vector3::new(0.03, 0.04, 0.0) * dice.within(0.5, 1.5);
    Path { velocity, sway, tilt, omega: dice.within(5.0, 9.0) }
}

/// One walk, at a rate (Hz), and how it ended for each case.
pub fn walk(seed: u64, rate: i64, seconds: f64, cases: &[Case]) -> Vec<End> {
    let mut dice = Dice(seed * 7919 + 1);
    let path = path(&mut dice);
    walk_on(Walker::at_rate(super::pony(), Gait::trot(4), path, rate), seconds, cases, &mut dice)
}

/// The same on a path that is known.
pub fn walk_on(mut walker: Walker, seconds: f64, cases: &[Case], dice: &mut Dice) -> Vec<End> {
    let begin = |case: &Case| Odometry::new(&walker.model, &case.params).unwrap();
    let mut odometries: Vec<_> = cases.iter().map(begin).collect();
    let seed = dice.0;
    let sensor = |number: usize| Inertial::new(seed ^ number as u64, walker.stamp(), 1.0);
    let mut sensors: Vec<_> = (0..cases.len()).map(sensor).collect();
    let mut stalls: Vec<_> = cases.iter().map(|_| Stalls::new(seed, walker.stamp())).collect();
    let (mut q, mut qd) = (vec![walker.q.clone(); cases.len()], vec![0.0; walker.q.len()]);
    let mut distance = 0.0;
    let mut last = walker.pose();
    let cycles = (seconds / walker.dt()).round() as i64;
    loop {
        let (footings, truth) = (walker.footings(), walker.pose());
        distance += (truth.translation.vector - last.translation.vector).xy().norm();
        last = truth;
        let with = cases.iter().zip(&mut q).zip(&mut sensors).zip(&mut stalls);
        for (odometry, (((case, q), sensor), stalls)) in odometries.iter_mut().zip(with) {
            let (passes, sensed) =
                if case.stalls { stalls.pass(walker.stamp()) } else { (true, walker.stamp()) };
            if case.imu {
                sensor.tell(&walker.path, sensed, odometry);
            }
            if !passes {
                continue;
            }
            for ((own, exact), qd) in q.iter_mut().zip(&walker.q).zip(&mut qd) {
                let next = case.sensor.read(*exact, dice);
                *qd = (next - *own) / walker.dt();
                *own = next;
            }
            let posture = Posture { stamp: walker.stamp(), q, qd: &qd, mean_rates: true };
            odometry.update(&posture, case.given.then_some(&footings), None);
        }
        if walker.cycle >= cycles {
            return odometries.iter().map(|odometry| end(odometry, &truth, distance)).collect();
        }
        walker.advance();
    }
}

fn end(odometry: &Odometry, truth: &Isometry3<f64>, distance: f64) -> End {
    let estimate = odometry.estimate();
    let miss = truth.translation.vector - estimate.pose.translation.vector;
    let ahead = truth.rotation * Vector3::x();
    let turned = ahead.y.atan2(ahead.x) - estimate.heading();
    let turned = turned - (turned / TAU).round() * TAU;
    let claimed = &estimate.pose_covariance;
    End {
        error: Vector3::new(miss.x, miss.y, turned),
        covariance: Matrix3::from_fn(|i, j| claimed[([0, 1, 5][i], [0, 1, 5][j])]),
        distance,
        height: (miss.z, claimed[(2, 2)].sqrt()),
    }
}

/// Means over many walks: NEES, error in the plane as a share of the way, of the heading (rad), and the σ claimed for it.
pub fn means(ends: impl Iterator<Item = End>) -> [f64; 4] {
    let mut sums = [0.0; 4];
    let mut count = 0.0;
    for end in ends {
        let share = end.error.xy().norm() / end.distance;
        let terms = [end.nees(), share, end.error.z * end.error.z, end.covariance[(2, 2)]];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        count += 1.0;
    }
    let [nees, share, heading, claimed] = sums.map(|sum| sum / count);
    [nees, share, heading.sqrt(), claimed.sqrt()]
}
