//! A robot small enough to do the sums by hand: two arms of two joints, and a tail that belongs to no chain.
#![allow(clippy::unwrap_used, dead_code)]

use agregator_node::{
    Agregator, AgregatorParams, CycleTime, Differentiation, JointArrays, LimbArrays, LimitPolicy, Note,
    Refusal, SupportArrays, SyncRelation, Taken, UpdateMethod,
};
use robot_model_lib::{ChainConfig, ContactConfig, ModelConfig, RobotModel};

/// Joints in sorted order.
pub const JOINTS: [&str; 5] = ["a1", "a2", "b1", "b2", "tail"];
pub const T: f64 = 0.01;
/// The same in ns.
pub const CYCLE: i64 = 10_000_000;
pub const ABSENT: f64 = f64::NAN;
/// Velocity limit of the joints, rad/s.
pub const SPEED: f64 = 5.0;
pub const METHODS: [UpdateMethod; 4] =
    [UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake];
pub const DIFFS: [Differentiation; 3] =
    [Differentiation::Difference, Differentiation::Inertial, Differentiation::Savgol];

pub fn model() -> RobotModel {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<link name="{child}"/><joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
               <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="{SPEED}"/></joint>"#
        )
    };
    let urdf = format!(
        r#"<robot name="small"><link name="base"/>{}{}{}{}{}</robot>"#,
        joint("tail", "base", "tail_link"),
        joint("a1", "base", "a1_link"),
        joint("a2", "a1_link", "a2_link"),
        joint("b1", "base", "b1_link"),
        joint("b2", "b1_link", "b2_link"),
    );
    let chain = |name: &str| ChainConfig {
        name: name.into(),
        first_link: "base".into(),
        last_link: format!("{name}2_link"),
        default_contact: "sole".into(),
    };
    let contact =
        |name: &str| ContactConfig { name: name.into(), points: vec![[0.0; 3]], ..ContactConfig::default() };
    let config =
        ModelConfig { chains: vec![chain("a"), chain("b")], contacts: vec![contact("sole"), contact("toe")] };
    RobotModel::from_urdf(&urdf, &config).unwrap()
}

/// An agregator with the notes of its last message.
pub struct Bench {
    pub core: Agregator,
    pub notes: Vec<String>,
    pub cycle: u32,
}

impl Bench {
    /// Shows what sources give without holding it back, unless `change` says otherwise.
    pub fn new(change: impl FnOnce(&mut AgregatorParams)) -> Self {
        let off = LimitPolicy::Off;
        let mut params = AgregatorParams { period: T, speed_limits: off, ..AgregatorParams::default() };
        change(&mut params);
        Bench { core: Agregator::new(model(), params).unwrap(), notes: vec![], cycle: 0 }
    }

    /// Every joint at `position`, at rest, and the first cycle begun.
    pub fn standing(position: f64, change: impl FnOnce(&mut AgregatorParams)) -> Self {
        let mut bench = Bench::new(change);
        bench.joints(&JOINTS, &[position; 5], &[0.0; 5]).unwrap();
        bench.sync();
        bench
    }

    fn note<T>(&mut self, call: impl FnOnce(&mut Agregator, &mut dyn FnMut(Note<'_>)) -> T) -> T {
        self.notes.clear();
        let notes = &mut self.notes;
        call(&mut self.core, &mut |note| notes.push(note.to_string()))
    }

    pub fn joints(&mut self, names: &[&str], position: &[f64], velocity: &[f64]) -> Result<Taken, Refusal> {
        self.joints_at(CycleTime::Absent, names, position, velocity, &[])
    }

    pub fn joints_at(
        &mut self,
        time: CycleTime,
        names: &[&str],
        position: &[f64],
        velocity: &[f64],
        effort: &[f64],
    ) -> Result<Taken, Refusal> {
        let name: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        self.note(|core, note| {
            core.joints(time, JointArrays { name: &name, position, velocity, effort }, note)
        })
    }

    pub fn limb(
        &mut self,
        cycle: u32,
        chain: &str,
        position: &[f64],
        velocity: &[f64],
    ) -> Result<Taken, Refusal> {
        self.limb_at(cycle, chain, position, velocity, &[])
    }

    /// A limb with everything that it may have.
    pub fn limb_at(
        &mut self,
        cycle: u32,
        chain: &str,
        position: &[f64],
        velocity: &[f64],
        effort: &[f64],
    ) -> Result<Taken, Refusal> {
        let limb = LimbArrays { chain, position, velocity, effort };
        self.note(|core, note| core.limbs(CycleTime::Number(cycle), std::iter::once(limb), note))
    }

    /// A message that names one limb twice.
    pub fn twice(&mut self, cycle: u32, chain: &str) -> Result<Taken, Refusal> {
        let limb = LimbArrays { chain, position: &[0.5; 2], velocity: &[], effort: &[] };
        self.note(|core, note| core.limbs(CycleTime::Number(cycle), [limb, limb].into_iter(), note))
    }

    pub fn support(
        &mut self,
        cycle: u32,
        chains: &[&str],
        contacts: &[&str],
        support: &[f64],
    ) -> Result<Taken, Refusal> {
        let owned = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let (chain, contact) = (owned(chains), owned(contacts));
        let arrays = SupportArrays { chain: &chain, contact: &contact, support };
        self.note(|core, note| core.support(CycleTime::Number(cycle), arrays, note))
    }

    /// The next cycle.
    pub fn sync(&mut self) {
        self.sync_to(self.cycle + 1, T);
    }

    /// A cycle of this number, where its place in the grid is; the notes are those of what was kept for it.
    pub fn sync_to(&mut self, cycle: u32, period: f64) -> SyncRelation {
        self.cycle = cycle;
        self.note(|core, note| core.sync(cycle, i64::from(cycle) * CYCLE, period, note))
    }

    /// What was kept for the cycle is applied.
    pub fn begin(&mut self) -> bool {
        self.note(|core, note| core.begin_cycle(note))
    }

    pub fn position(&self, joint: &str) -> f64 {
        self.core.pose().unwrap().position[index(joint)]
    }

    pub fn velocity(&self, joint: &str) -> f64 {
        self.core.pose().unwrap().velocity[index(joint)]
    }

    pub fn acceleration(&self, joint: &str) -> f64 {
        self.core.pose().unwrap().acceleration[index(joint)]
    }

    /// Everything that is published, as bits, so that "nothing changed" means nothing.
    pub fn everything(&self) -> Vec<u64> {
        let mut bits = vec![];
        if let Some(pose) = self.core.pose() {
            for array in [pose.position, pose.velocity, pose.acceleration, pose.effort] {
                bits.extend(array.iter().map(|x| x.to_bits()));
            }
        }
        let supports = self.core.supports().iter();
        bits.extend(supports.map(|s| s.map_or(0, |s| s.support.to_bits() ^ s.contact as u64)));
        bits
    }
}

pub fn index(joint: &str) -> usize {
    JOINTS.iter().position(|j| *j == joint).unwrap()
}

pub fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}
