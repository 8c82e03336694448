//! Inverse dynamics: which efforts a motion takes.

use nalgebra::{UnitQuaternion, Vector3};

use crate::dynamics_plan::{Group, Parents, compile};
use crate::lanes::{Lanes, Lanes3, WIDTH, add, combine, cross};
use crate::sincos::sincos;
use crate::{ModelError, RobotModel};

/// How the root link moves. Vectors are in the root link's own axes. Its velocity does not matter: physics is the same for
/// whoever moves along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseMotion {
    /// Turns the root link's axes into the world's, whose Oz points up.
    pub orientation: UnitQuaternion<f64>,
    /// rad/s.
    pub angular_velocity: Vector3<f64>,
    /// rad/s².
    pub angular_acceleration: Vector3<f64>,
    /// Rate of the origin's velocity over the ground, m/s²: zero for a robot at rest, and what an accelerometer there shows
    /// plus gravity. Pinocchio's spatial acceleration is this minus ω × v.
    pub linear_acceleration: Vector3<f64>,
}

impl Default for BaseMotion {
    /// Level and at rest.
    fn default() -> Self {
        Self {
            orientation: UnitQuaternion::identity(),
            angular_velocity: Vector3::zeros(),
            angular_acceleration: Vector3::zeros(),
            linear_acceleration: Vector3::zeros(),
        }
    }
}

/// A force and a moment about the origin of the frame in which they are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench {
    /// N.
    pub force: Vector3<f64>,
    /// N·m.
    pub moment: Vector3<f64>,
}

impl Wrench {
    /// Nothing.
    pub const ZERO: Self = Self { force: Vector3::new(0.0, 0.0, 0.0), moment: Vector3::new(0.0, 0.0, 0.0) };
}

/// What a motion takes.
#[derive(Debug, Clone, Copy)]
pub struct Efforts<'a> {
    /// Of each joint in model joint order, N·m or N. A mimic joint's is carried by its master, times the mimic's multiplier.
    pub joints: &'a [f64],
    /// What has to act on the robot from outside, in the root link's frame: on a standing robot the ground does it.
    pub base: Wrench,
}

/// A group's motion, each body in its own axes, and what it takes.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The body's axes and origin in its parent's frame.
    axes: [Lanes3; 3],
    place: Lanes3,
    angular_velocity: Lanes3,
    angular_acceleration: Lanes3,
    /// Of the origin, gravity included.
    acceleration: Lanes3,
    /// Acceleration of the body's points per distance from its origin: \[α\]× + \[ω\]×².
    gradient: [Lanes3; 3],
    force: Lanes3,
    moment: Lanes3,
}

const NOTHING: Lanes3 = [Lanes::ZERO; 3];
const REST: State = State {
    axes: [NOTHING; 3],
    place: NOTHING,
    angular_velocity: NOTHING,
    angular_acceleration: NOTHING,
    acceleration: NOTHING,
    gradient: [NOTHING; 3],
    force: NOTHING,
    moment: NOTHING,
};

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

/// The motion of parents that are not side by side.
#[inline]
fn gathered(states: &[State], places: &[(usize, usize); WIDTH]) -> State {
    let mut parent = REST;
    for (lane, &(group, at)) in places.iter().enumerate() {
        let state = &states[group];
        for row in 0..3 {
            parent.angular_velocity[row].0[lane] = state.angular_velocity[row].0[at];
            parent.angular_acceleration[row].0[lane] = state.angular_acceleration[row].0[at];
            parent.acceleration[row].0[lane] = state.acceleration[row].0[at];
            for column in 0..3 {
                parent.gradient[column][row].0[lane] = state.gradient[column][row].0[at];
            }
        }
    }
    parent
}

/// From the parents' motion to the bodies' own: `value`, `rate` and `growth` are the joints' position, velocity, acceleration.
#[inline(always)]
fn accelerate(group: &Group, parent: &State, value: Lanes, rate: Lanes, growth: Lanes, state: &mut State) {
    let (mut turn, mut turn_rate, mut turn_growth) = (value, rate, growth);
    if group.slides {
        (turn, turn_rate, turn_growth) = (turn * group.turns, rate * group.turns, growth * group.turns);
    }
    let (sine, cosine) = sincos(turn);
    let [x, y, z] = &group.axes;
    state.axes =
        [[0, 1, 2].map(|i| cosine * x[i] + sine * y[i]), [0, 1, 2].map(|i| cosine * y[i] - sine * x[i]), *z];
    state.place = group.place;
    if group.slides {
        let shift = value * (Lanes::ONE - group.turns);
        state.place = add(&state.place, &z.map(|row| row * shift));
    }
    let into =
        |v: &Lanes3| state.axes.each_ref().map(|axis| axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
    let mut omega = into(&parent.angular_velocity);
    omega[2] = omega[2] + turn_rate;
    let mut alpha = into(&parent.angular_acceleration);
    alpha = [alpha[0] + omega[1] * turn_rate, alpha[1] - omega[0] * turn_rate, alpha[2] + turn_growth];
    let mut a = into(&add(&parent.acceleration, &combine(&parent.gradient, &state.place)));
    if group.slides {
        let slides = Lanes::ONE - group.turns;
        // Coriolis: what slides in a frame that turns is thrown sideways, twice ω × v.
        let twice = (rate + rate) * slides;
        a = [a[0] + omega[1] * twice, a[1] - omega[0] * twice, a[2] + growth * slides];
    }
    state.angular_velocity = omega;
    state.angular_acceleration = alpha;
    state.acceleration = a;
    apply_inertia(group, state);
}

/// Newton and Euler: F = ∫ a(r) dm and N = ∫ r × a(r) dm for the field a(r) = a + gradient · r.
#[inline(always)]
fn apply_inertia(group: &Group, state: &mut State) {
    let ([wx, wy, wz], [ax, ay, az]) = (state.angular_velocity, state.angular_acceleration);
    let (xx, yy, zz) = (wx * wx, wy * wy, wz * wz);
    let (xy, xz, yz) = (wx * wy, wx * wz, wy * wz);
    let gradient =
        [[-(yy + zz), xy + az, xz - ay], [xy - az, -(xx + zz), yz + ax], [xz + ay, yz - ax, -(xx + yy)]];
    let shift = combine(&gradient, &group.first);
    state.force = [0, 1, 2].map(|row| group.mass * state.acceleration[row] + shift[row]);
    let [exx, eyy, ezz, exy, exz, eyz] = group.second;
    let [gx, gy, gz] = &gradient;
    // Elements of gradient · second by row; only those off the diagonal turn the body.
    let by_x = |row: usize| gx[row] * exx + gy[row] * exy + gz[row] * exz;
    let by_y = |row: usize| gx[row] * exy + gy[row] * eyy + gz[row] * eyz;
    let by_z = |row: usize| gx[row] * exz + gy[row] * eyz + gz[row] * ezz;
    let turned = [by_y(2) - by_z(1), by_z(0) - by_x(2), by_x(1) - by_y(0)];
    state.moment = add(&turned, &cross(&group.first, &state.acceleration));
    state.gradient = gradient;
}
