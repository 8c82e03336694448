//! The kernel of inverse dynamics: motion from parents to bodies, and what each body takes for it (Newton, Euler).

use crate::dynamics_plan::Group;
use crate::lanes::{Lanes, Lanes3, WIDTH, add, combine, cross};
use crate::sincos::sincos;

/// A group's motion, each body in its own axes, and what it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    /// The body's axes and origin in its parent's frame.
    pub axes: [Lanes3; 3],
    pub place: Lanes3,
    pub angular_velocity: Lanes3,
    pub angular_acceleration: Lanes3,
    /// Of the origin, gravity included.
    pub acceleration: Lanes3,
    /// Acceleration of the body's points per distance from its origin: \[α\]× + \[ω\]×².
    pub gradient: [Lanes3; 3],
    pub force: Lanes3,
    pub moment: Lanes3,
}

const NOTHING: Lanes3 = [Lanes::ZERO; 3];
pub(crate) const REST: State = State {
    axes: [NOTHING; 3],
    place: NOTHING,
    angular_velocity: NOTHING,
    angular_acceleration: NOTHING,
    acceleration: NOTHING,
    gradient: [NOTHING; 3],
    force: NOTHING,
    moment: NOTHING,
};

/// The motion of parents that are not side by side.
#[inline]
pub(crate) fn gathered(states: &[State], places: &[(usize, usize); WIDTH]) -> State {
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
pub(crate) fn accelerate(
    group: &Group,
    parent: &State,
    value: Lanes,
    rate: Lanes,
    growth: Lanes,
    state: &mut State,
) {
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
pub(crate) fn apply_inertia(group: &Group, state: &mut State) {
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
