//! Poses as messages have them, in the order of the robot's joints.

use robot_model_lib::{Field, JointReader, JointSlot, RobotModel};

use crate::Refused;

/// A pose as a message has it: arrays ordered like `name`. Empty velocities, accelerations and efforts are absent, and so is
/// a NaN effort.
#[derive(Debug, Clone, Copy)]
pub struct PoseArrays<'m, S> {
    /// Joints, in any order, others among them.
    pub name: &'m [S],
    /// rad or m.
    pub position: &'m [f64],
    /// rad/s or m/s.
    pub velocity: &'m [f64],
    /// rad/s² or m/s².
    pub acceleration: &'m [f64],
    /// N·m or N.
    pub effort: &'m [f64],
}

/// Reads poses for one robot.
#[derive(Debug, Clone)]
pub(crate) struct PoseIntake {
    reader: JointReader<Option<usize>>,
    names: Vec<String>,
    next: [Vec<f64>; 3],
    pub q: Vec<f64>,
    pub dq: Vec<f64>,
    pub ddq: Vec<f64>,
}

impl PoseIntake {
    pub fn new(model: &RobotModel) -> Self {
        let zeros = vec![0.0; model.joints().len()];
        Self {
            reader: JointReader::new(),
            names: model.joints().iter().map(|joint| joint.name.clone()).collect(),
            next: [zeros.clone(), zeros.clone(), zeros.clone()],
            q: zeros.clone(),
            dq: zeros.clone(),
            ddq: zeros,
        }
    }

    /// Takes a message and gives the number of its source for [`PoseIntake::places`].
    pub fn take<S: AsRef<str>>(
        &mut self,
        model: &RobotModel,
        pose: &PoseArrays<'_, S>,
    ) -> Result<usize, Refused> {
        let fields = [
            Field::new("position", pose.position),
            Field::new("velocity", pose.velocity).or_empty(),
            Field::new("acceleration", pose.acceleration).or_empty(),
            Field::new("effort", pose.effort).or_empty().or_nan(),
        ];
        let source = self.reader.read(pose.name, &fields, |name| match model.find_joint(name) {
            JointSlot::Joint { index, .. } => Some(index),
            // A mimic joint goes with its master.
            JointSlot::Mimic { .. } | JointSlot::Unknown => None,
        })?;
        let places = self.reader.found(source);
        let [q, dq, ddq] = &mut self.next;
        q.fill(f64::NAN);
        let or_zero = |values: &[f64], at: usize| values.get(at).copied().unwrap_or(0.0);
        for (at, joint) in places.iter().enumerate().filter_map(|(at, joint)| Some((at, (*joint)?))) {
            q[joint] = pose.position[at];
            dq[joint] = or_zero(pose.velocity, at);
            ddq[joint] = or_zero(pose.acceleration, at);
        }
        if let Some(missing) = q.iter().position(|position| position.is_nan()) {
            return Err(Refused::Missing { name: self.names[missing].clone() });
        }
        std::mem::swap(&mut self.q, q);
        std::mem::swap(&mut self.dq, dq);
        std::mem::swap(&mut self.ddq, ddq);
        Ok(source)
    }

    /// For each name of a source that was just read the joint of the robot.
    pub fn places(&self, source: usize) -> &[Option<usize>] {
        self.reader.found(source)
    }
}
