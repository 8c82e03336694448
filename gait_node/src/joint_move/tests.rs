//! Moves of all joints, from any state to any other.

use super::*;
use proptest::prelude::*;

const LIMITS: Limits = Limits { lower: -1.0, upper: 1.2, velocity: 6.0, effort: 1.0 };
const ACCELERATION: f64 = 40.0;

/// A state from which a joint can brake within its limits.
fn state() -> impl Strategy<Value = State> {
    (0.0..1.0_f64, -6.0..6.0_f64).prop_map(|(share, v)| {
        let way = v * v / (2.0 * ACCELERATION);
        let (lower, upper) =
            (LIMITS.lower + if v < 0.0 { way } else { 0.0 }, LIMITS.upper - if v > 0.0 { way } else { 0.0 });
        State { v, ..State::rest(lower + share * (upper - lower)) }
    })
}

/// A state to which a joint can run up, and from which it can brake, within its limits: one of a motion.
fn goal() -> impl Strategy<Value = State> {
    (0.0..1.0_f64, -6.0..6.0_f64).prop_map(|(share, v)| {
        let way = v * v / (2.0 * ACCELERATION);
        State { v, ..State::rest(LIMITS.lower + way + share * (LIMITS.upper - LIMITS.lower - 2.0 * way)) }
    })
}

proptest! {
    /// From any state to any other, and to a third from anywhere on that way: within position, speed and acceleration.
    #[test]
    fn no_move_leaves_any_limit_although_another_interrupts_it(
        from in state(), to in goal(), then in goal(), share in 0.0..1.0_f64, stop: bool,
        duration in 0.01..1.0_f64, speed in 0.3..6.0_f64, period in 0.001..0.02_f64
    ) {
        let how = MoveLimits { duration, speed, acceleration: ACCELERATION };
        let mut way = JointMove::new(1);
        way.begin(|_| from, |_| Some(to), how, &[LIMITS]);
        let whole = way.duration();
        let (mut q, mut qd) = ([from.p], [from.v]);
        let mut interrupted = false;
        loop {
            let (p, v) = (q[0], qd[0]);
            let under_way = way.advance(period);
            if !under_way {
                break;
            }
            way.write(&mut q, &mut qd);
            prop_assert!(q[0] >= LIMITS.lower - 1e-9 && q[0] <= LIMITS.upper + 1e-9, "{}", q[0]);
            prop_assert!(qd[0].abs() <= LIMITS.velocity + 1e-9);
            prop_assert!((qd[0] - v).abs() <= ACCELERATION * period * (1.0 + 1e-6), "{} {}", v, qd[0]);
            prop_assert!((q[0] - p - v * period).abs() <= 0.5 * ACCELERATION * period * period * (1.0 + 1e-6));
            if !interrupted && way.time > share * whole {
                interrupted = true;
                let here = State { v: qd[0], ..State::rest(q[0]) };
                way.begin(|_| here, |_| (!stop).then_some(then), how, &[LIMITS]);
            }
        }
        way.time = way.duration();
        way.write(&mut q, &mut qd);
        let end = if interrupted { then } else { to };
        if interrupted && stop {
            prop_assert!(qd[0] == 0.0);
        } else {
            prop_assert!((q[0] - end.p).abs() < 1e-12 && (qd[0] - end.v).abs() < 1e-12);
        }
    }
}

#[test]
fn a_long_way_is_not_hurried() {
    let limits =
        [Limits { lower: -3.0, upper: 3.0, ..LIMITS }, Limits { velocity: 0.02, ..LIMITS }, Limits::NONE];
    for (goals, speed) in [([2.9, 0.0, 0.0], 0.05), ([0.0, 1.2, 0.0], 1.0), ([0.0, 0.0, 500.0], 1.0)] {
        let mut way = JointMove::new(3);
        let how = MoveLimits { duration: 0.5, speed, acceleration: 50.0 };
        way.begin(|_| State::rest(0.0), |joint| Some(State::rest(goals[joint])), how, &limits);
        let (mut q, mut qd) = ([0.0; 3], [0.0; 3]);
        while way.advance(0.1) {
            way.write(&mut q, &mut qd);
            for (qd, limits) in qd.iter().zip(&limits) {
                assert!(qd.abs() <= speed.min(Guard::speed(limits)) + 1e-9, "{goals:?}: {qd}");
            }
        }
    }
}

#[test]
fn it_takes_as_long_as_the_slowest_joint_needs() {
    let limits = [Limits::NONE, Limits { velocity: 0.5, ..Limits::NONE }];
    let mut way = JointMove::new(2);
    let how = MoveLimits { duration: 0.5, speed: 2.0, acceleration: 20.0 };
    let from = |joint: usize| State { v: 0.2 * joint as f64, ..State::rest(1.0) };
    way.begin(from, |joint| Some(State::rest(1.0 + joint as f64)), how, &limits);
    // 0.01 s of braking takes 0.001 rad of the way.
    let expected = 0.01 + TOP_SPEED * 0.999 / (SHARE * 0.5);
    assert!((way.duration() - expected).abs() < 1e-12, "{}", way.duration());
}
