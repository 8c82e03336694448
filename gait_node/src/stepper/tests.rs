use super::*;
use crate::gait_speed::GaitSpeed;
use crate::pattern::{Pattern, trot_phases, walk_phases};
use nalgebra::{Isometry2, Vector2};
use proptest::prelude::*;

const PERIOD: f64 = 0.01;

fn stride(trot: bool) -> Stride {
    let places = [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)];
    let points = places.map(|(x, y)| Point2::new(x, y));
    let pattern = if trot {
        Pattern { period: 0.8, duty: 0.55, phases: trot_phases(&points) }
    } else {
        Pattern { period: 1.6, duty: 0.8, phases: walk_phases(&points) }
    };
    let homes = places.iter().map(|&(x, y)| Isometry2::new(Vector2::new(x, y), 0.0)).collect();
    Stride {
        pattern,
        homes,
        lift: 0.03,
        longest: 0.15,
        acceleration: 0.4,
        turn_acceleration: 1.5,
        speed: GaitSpeed::default(),
        reach: vec![],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever is commanded: feet that stand stay on their spot of the ground, feet that fly do not jump, two or
    /// more stand always, and after a stop all are at home.
    #[test]
    fn feet_stand_still_or_fly_smoothly(
        commands in prop::collection::vec(([-0.5..0.5, -0.3..0.3, -1.5..1.5_f64], 1..150_usize, any::<bool>()), 1..12)
    ) {
        let mut stepper = Stepper::new(&stride(false), PERIOD).unwrap();
        let mut body = Isometry2::identity();
        let rest = ([0.0; 3], 600, false);
        for ([forward, left, turn], cycles, trot) in commands.into_iter().chain([rest]) {
            let command = Velocity { forward, left, turn };
            for _ in 0..cycles {
                let before = stepper.clone();
                stepper.step(command, &stride(trot), None, PERIOD).unwrap();
                // The same law, written from the ground's point of view.
                let (u, w) = (before.velocity(), stepper.velocity());
                let now = body * u.mean(&w).after(PERIOD);
                for (old, new) in before.feet.iter().zip(&stepper.feet) {
                    let (was, is) = (body * old.place, now * new.place);
                    let moved = (is.translation.vector - was.translation.vector).norm();
                    if old.stands() && (new.stands() || new.height.0 == 0.0) {
                        prop_assert!(moved < 1e-12);
                    } else {
                        prop_assert!(moved < 4.0 * PERIOD, "{}", moved);
                        let expected = body.rotation * Vector2::new(old.velocity.forward, old.velocity.left)
                            + now.rotation * Vector2::new(new.velocity.forward, new.velocity.left);
                        let way = is.translation.vector - was.translation.vector;
                        prop_assert!((way - expected * (0.5 * PERIOD)).norm() < 2e-3, "{}", (way - expected * (0.5 * PERIOD)).norm());
                    }
                }
                prop_assert!(stepper.feet.iter().filter(|foot| foot.stands()).count() >= 2);
                prop_assert!((w.forward - u.forward).abs() <= 0.4 * PERIOD + 1e-12);
                body = now;
            }
        }
        prop_assert!(stepper.is_standing());
        for (foot, home) in stepper.feet.iter().zip(stride(false).homes) {
            prop_assert!(foot.is_at(&home));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    /// Whatever the gait, its period, its duty and the cycle: no leg steps more often than another, and none is left out.
    #[test]
    fn all_legs_step_alike(
        kind in 0..3_usize, phases in prop::array::uniform4(0.0..1.0_f64), duty in prop_oneof![Just(0.5), 0.5..0.95_f64],
        period in prop_oneof![Just(0.95), 0.3..3.0_f64], cycle in prop_oneof![Just(PERIOD), 0.001..0.03_f64]
    ) {
        let mut stride = stride(kind == 0);
        (stride.pattern.period, stride.pattern.duty) = (period, duty);
        if kind == 2 {
            stride.pattern.phases = phases.to_vec();
        }
        let mut stepper = Stepper::new(&stride, cycle).unwrap();
        let mut lifts = [0_i32; 4];
        for _ in 0..(20.0 / cycle) as usize {
            let stood: Vec<bool> = stepper.feet.iter().map(Foot::stands).collect();
            stepper.step(Velocity { forward: 0.05, left: 0.0, turn: 0.1 }, &stride, None, cycle).unwrap();
            for (leg, stood) in stood.into_iter().enumerate() {
                lifts[leg] += i32::from(stood && !stepper.feet[leg].stands());
            }
            prop_assert!(stepper.feet.iter().filter(|foot| foot.stands()).count() >= 2);
        }
        let (least, most) = (lifts.iter().min().unwrap(), lifts.iter().max().unwrap());
        prop_assert!(most - least <= 1, "{:?}", lifts);
        // Waiting for others costs a gait whose legs do not come in pairs time, at most all of its swings in a row.
        let slowest = 4.0 * (period * (1.0 - duty) + 2.0 * cycle) + period;
        prop_assert!(f64::from(*least) >= (20.0 / slowest).floor() - 1.0, "{:?}", lifts);
    }
}

#[test]
fn at_a_steady_pace_each_foot_is_at_home_in_the_middle_of_its_stance() {
    let stride = stride(true);
    let command = Velocity { forward: 0.2, left: 0.05, turn: 0.3 };
    let mut stepper = Stepper::new(&stride, PERIOD).unwrap();
    for _ in 0..1000 {
        stepper.step(command, &stride, None, PERIOD).unwrap();
    }
    // Over whole periods the mean place of a foot that stands is its home, to the way of one cycle.
    let mut sums = vec![(Vector2::zeros(), 0.0); 4];
    for _ in 0..800 {
        stepper.step(command, &stride, None, PERIOD).unwrap();
        for (sum, foot) in sums.iter_mut().zip(stepper.feet()).filter(|(_, foot)| foot.stands()) {
            *sum = (sum.0 + foot.place.translation.vector, sum.1 + 1.0);
        }
    }
    for ((sum, count), home) in sums.into_iter().zip(&stride.homes) {
        assert!((sum / count - home.translation.vector).norm() < 0.005, "{}", sum / count);
    }
    assert_eq!(stepper.velocity(), command);
}

#[test]
fn a_command_beyond_the_longest_stride_keeps_its_direction() {
    let stride = stride(false);
    let mut stepper = Stepper::new(&stride, PERIOD).unwrap();
    for _ in 0..500 {
        stepper.step(Velocity { forward: 3.0, left: 1.0, turn: 0.0 }, &stride, None, PERIOD).unwrap();
    }
    let v = stepper.velocity();
    assert!((v.forward.hypot(v.left) * stride.pattern.stance_time() - 0.15).abs() < 1e-12);
    assert!((v.forward / v.left - 3.0).abs() < 1e-12);
}
