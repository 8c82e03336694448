//! Inverse dynamics: which efforts a motion takes.

use nalgebra::Vector3;

use crate::dynamics_plan::{Group, Parents, compile};
use crate::lanes::{Lanes, Lanes3, WIDTH, add, combine, cross};
use crate::newton_euler::{REST, State, accelerate, apply_inertia, gathered};
use crate::{BaseMotion, Efforts, ModelError, RobotModel, Wrench};

/// Inverse dynamics of a robot with a floating base by the recursive Newton–Euler algorithm (Luh, Walker, Paul 1980).
///
/// Built once; [`Dynamics::inverse`] neither allocates nor searches.
#[derive(Debug, Clone)]
pub struct Dynamics {
    groups: Vec<Group>,
    states: Vec<State>,
    efforts: Vec<f64>,
    mass: f64,
    gravity: Vector3<f64>,
}

impl Dynamics {
    /// With gravity of 9.81 m/s². Fails when a link's `<inertial>` cannot be a body's; a link without one has no mass.
    pub fn new(model: &RobotModel) -> Result<Self, ModelError> {
        let (groups, mass) = compile(model)?;
        Ok(Self {
            states: vec![REST; groups.len()],
            groups,
            efforts: vec![0.0; model.joints().len()],
            mass,
            gravity: Vector3::new(0.0, 0.0, -9.81),
        })
    }

    /// Mass of the whole robot, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Gravity in the world's axes, m/s².
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// Changes gravity, m/s² in the world's axes, whose Oz points up.
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) {
        self.gravity = gravity;
    }

    /// The efforts for joint positions `q`, velocities `dq` and accelerations `ddq` (model joint order; rad or m and s) while
    /// the base moves as `base` says and nothing touches the robot but what holds its base.
    ///
    /// # Panics
    /// When `q`, `dq` or `ddq` has not one value per joint of the model.
    pub fn inverse(&mut self, q: &[f64], dq: &[f64], ddq: &[f64], base: &BaseMotion) -> Efforts<'_> {
        let joints = self.efforts.len();
        assert!(
            [q.len(), dq.len(), ddq.len()] == [joints; 3],
            "one position, velocity and acceleration per joint"
        );
        self.start(base);
        for number in 1..self.groups.len() {
            let group = &self.groups[number];
            let (before, rest) = self.states.split_at_mut(number);
            let parent = match group.parents {
                Parents::Aligned(parent) => &before[parent],
                Parents::Spread(places) => &gathered(before, &places),
            };
            let pick = |values: &[f64]| Lanes(group.joint.map(|joint| values[joint])) * group.gain;
            accelerate(group, parent, pick(q) + group.offset, pick(dq), pick(ddq), &mut rest[0]);
        }
        self.efforts.fill(0.0);
        for number in (1..self.groups.len()).rev() {
            self.hand_up(number);
        }
        let base = &self.states[0];
        let sum = |lanes: &Lanes3| Vector3::from(lanes.map(|row| row.0.iter().sum::<f64>()));
        Efforts { joints: &self.efforts, base: Wrench { force: sum(&base.force), moment: sum(&base.moment) } }
    }

    /// The base's motion. To a body that is held against gravity it is as if it were accelerated upwards.
    fn start(&mut self, base: &BaseMotion) {
        let acceleration =
            base.linear_acceleration - base.orientation.inverse_transform_vector(&self.gravity);
        let splat = |v: &Vector3<f64>| [0, 1, 2].map(|row| Lanes([v[row]; WIDTH]));
        let state = &mut self.states[0];
        state.angular_velocity = splat(&base.angular_velocity);
        state.angular_acceleration = splat(&base.angular_acceleration);
        state.acceleration = splat(&acceleration);
        apply_inertia(&self.groups[0], state);
    }

    /// Adds what a group's bodies take to their joints' efforts and to their parents.
    fn hand_up(&mut self, number: usize) {
        let group = &self.groups[number];
        let (before, rest) = self.states.split_at_mut(number);
        let state = &rest[0];
        let mut effort = state.moment[2];
        if group.slides {
            effort = effort * group.turns + state.force[2] * (Lanes::ONE - group.turns);
        }
        effort = effort * group.gain;
        for (effort, joint) in effort.0.iter().zip(group.joint).take(group.count) {
            self.efforts[joint] += effort;
        }
        let force = combine(&state.axes, &state.force);
        let moment = add(&combine(&state.axes, &state.moment), &cross(&state.place, &force));
        match group.parents {
            Parents::Aligned(parent) => {
                let parent = &mut before[parent];
                parent.force = add(&parent.force, &force);
                parent.moment = add(&parent.moment, &moment);
            }
            Parents::Spread(places) => {
                for (lane, &(parent, at)) in places.iter().enumerate().take(group.count) {
                    for row in 0..3 {
                        before[parent].force[row].0[at] += force[row].0[lane];
                        before[parent].moment[row].0[at] += moment[row].0[lane];
                    }
                }
            }
        }
    }
}
