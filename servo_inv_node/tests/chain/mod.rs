//! The composed control path as it is shipped (gait, agregator, dynamics, servo_inv), driven by any list of `sync`s, in the order of
//! calls of `pipeline_node`. No servos: what counts are the goals.
#![allow(dead_code, clippy::unwrap_used)]

use agregator_node::{Agregator, AgregatorParams, CycleTime, JointArrays, SupportArrays, SyncRelation};
use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays};
use gait_node::{Activity, GaitParams, Tempo, Velocity, Walker};
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::{InverseParams, LeadParams, models};
use test_lib::{pony, shipped};

pub const T: i64 = 10_000_000;
pub const PERIOD: f64 = 0.01;

pub fn by_param() -> ServoInverse {
    let params: InverseParams = shipped("servo_inv.yaml", "/servo_inv_param");
    ServoInverse::new(
        Settings::from(&params),
        models(&params.default_servo_model, &params.servo_models).unwrap(),
    )
}

pub fn by_lead() -> ServoInverse {
    let params: LeadParams = shipped("servo_lead.yaml", "/servo_inv_lead");
    ServoInverse::ideal(Settings::from(&params)).unwrap()
}

pub struct Chain {
    pub walker: Walker,
    tempo: Tempo,
    pub agregator: Agregator,
    pub dynamics: Option<InverseDynamics>,
    pub inverse: ServoInverse,
    pub names: Vec<String>,
}

impl Chain {
    pub fn new(gait: &str, inverse: ServoInverse, effort: bool) -> Chain {
        let params =
            GaitParams { gait: gait.into(), wait_for_pose: false, ..shipped("gait.yaml", "/gait_node") };
        let agregator: AgregatorParams = shipped("agregator.yaml", "/agregator_node");
        let model = pony();
        let mut chain = Chain {
            walker: Walker::new(pony(), params, PERIOD).unwrap(),
            tempo: Tempo::new(PERIOD),
            names: model.joints().iter().map(|j| j.name.clone()).collect(),
            agregator: Agregator::new(model, agregator).unwrap(),
            dynamics: effort.then(|| {
                let params: DynamicsParams = shipped("dynamics.yaml", "/dynamics_node");
                InverseDynamics::new(pony(), &params).unwrap()
            }),
            inverse,
        };
        let limits = chain.agregator.model().joints().iter().map(|j| (j.name.clone(), j.limits)).collect();
        chain.inverse.set_limits(limits);
        chain
    }

    /// A `sync` as sync_node gives it; the goals, if any went out.
    pub fn cycle(&mut self, number: u32, stamp: i64, command: f64) -> Option<Vec<f64>> {
        let step = self.tempo.sync(number, stamp, PERIOD);
        let mut made = false;
        if let Some(step) = step {
            self.walker.command(Velocity { forward: command, left: 0.0, turn: 0.0 });
            made = self.walker.step(step.period, step.periods, &mut |_| {});
        }
        let relation = self.agregator.sync(number, stamp, PERIOD, &mut |_| {});
        self.dynamics.iter_mut().for_each(|dynamics| dynamics.sync(number, stamp, PERIOD));
        let mut goals = None;
        if relation != SyncRelation::Old {
            self.inverse.sync(number, stamp, PERIOD);
            goals = self.send(stamp);
            self.agregator.begin_cycle(&mut |_| {});
        } else {
            self.inverse.sync(number, stamp, PERIOD);
        }
        if made {
            let (position, velocity) = (self.walker.positions(), self.walker.velocities());
            let arrays = JointArrays { name: &self.names, position, velocity, effort: &[] };
            self.agregator.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
            let chains = self.walker.model().chains().iter().zip(self.walker.supports());
            let known = chains.filter_map(|(chain, support)| support.map(|s| (chain.name.clone(), s)));
            let (chain, support): (Vec<String>, Vec<f64>) = known.unzip();
            let arrays = SupportArrays { chain: &chain, contact: &[], support: &support };
            self.agregator.support(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
        }
        goals
    }

    fn send(&mut self, stamp: i64) -> Option<Vec<f64>> {
        let pose = self.agregator.pose()?;
        let mut effort = pose.effort.to_vec();
        if let Some(dynamics) = &mut self.dynamics {
            let known: Vec<(&str, f64)> = self
                .agregator
                .supports()
                .iter()
                .zip(self.agregator.model().chains())
                .filter_map(|(support, chain)| support.map(|s| (chain.name.as_str(), s.support)))
                .collect();
            let (names, shares): (Vec<&str>, Vec<f64>) = known.into_iter().unzip();
            if !names.is_empty() {
                dynamics.support::<_, &str>(stamp, &names, &[], &shares).unwrap();
            }
            let arrays = PoseArrays {
                name: &self.names,
                position: pose.position,
                velocity: pose.velocity,
                acceleration: pose.acceleration,
                effort: pose.effort,
            };
            effort = dynamics.efforts(stamp, &arrays).unwrap().to_vec();
        }
        let desired = Desired {
            name: &self.names,
            position: pose.position,
            velocity: pose.velocity,
            acceleration: pose.acceleration,
            effort: &effort,
        };
        self.inverse.step(desired, stamp).unwrap().map(|goals| goals.target.to_vec())
    }
}

pub const START: i64 = 1_700_000_000_000_000_000;

/// Stands, then walks for so many cycles; goals of each of these, held where none was sent, and how many were not sent. `stamp` gives how
/// much more than its place on the plain grid the stamp of a walking cycle is, ns.
pub fn walk(
    mut chain: Chain,
    command: f64,
    cycles: u32,
    stamp: impl Fn(u32) -> i64,
) -> (Vec<Vec<f64>>, usize) {
    let mut number = 0;
    while chain.walker.activity() != Activity::Standing {
        number += 1;
        chain.cycle(number, START + i64::from(number) * T, 0.0);
        assert!(number < 2000);
    }
    let (mut all, mut silent): (Vec<Vec<f64>>, usize) = (vec![], 0);
    for k in 0..cycles {
        number += 1;
        let goals = chain.cycle(number, START + i64::from(number) * T + stamp(k), command);
        silent += usize::from(goals.is_none());
        let goals = goals.or_else(|| all.last().cloned()).unwrap_or_default();
        all.push(goals);
    }
    (all, silent)
}

/// The largest difference of two runs.
pub fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> (f64, usize, usize) {
    let mut worst = (0.0, 0, 0);
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        for (joint, (a, b)) in a.iter().zip(b).enumerate() {
            if (a - b).abs() > worst.0 {
                worst = ((a - b).abs(), joint, k);
            }
        }
    }
    worst
}
