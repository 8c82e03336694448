//! Walking: where each hoof is over the ground while the body moves as it is told.

use crate::ground::Velocity;
use crate::pattern::Pattern;
use crate::support_polygon::margin;
use crate::swing::{Swing, wrapped};
use filters_lib::{Filter, RateLimiter, RateLimiterParams};
use nalgebra::{Isometry2, Point2, Vector2};

/// A hoof this near to its home is at home, m and rad.
const AT_HOME: f64 = 1e-3;

/// The share of a command that is followed while a leg waits for the weight to be over the others.
const CREEP: f64 = 0.1;
/// No leg waits longer for that, s.
const LONGEST_WAIT: f64 = 1.5;

/// What walking is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The gait.
    pub pattern: Pattern,
    /// Where the hooves stand when the body stands, seen from the body.
    pub homes: Vec<Isometry2<f64>>,
    /// How high a hoof is lifted, m.
    pub lift: f64,
    /// The longest way of a hoof over the ground while it stands, m: faster commands are scaled down to it.
    pub longest: f64,
    /// Of the body, m/s².
    pub acceleration: f64,
    /// Of the body, rad/s².
    pub turn_acceleration: f64,
}

/// A hoof over the ground.
#[derive(Clone, Debug)]
pub struct Foot {
    /// Where it is, seen from the body.
    pub place: Isometry2<f64>,
    /// Its velocity relative to the ground, along the body's axes; zero while it stands.
    pub velocity: Velocity,
    /// Above the ground, m, and how fast it rises, m/s.
    pub height: (f64, f64),
    swing: Option<Swing>,
}

impl Foot {
    fn standing(place: Isometry2<f64>) -> Foot {
        Foot { place, velocity: Velocity::ZERO, height: (0.0, 0.0), swing: None }
    }

    /// Whether it carries the body.
    pub fn stands(&self) -> bool {
        self.swing.is_none()
    }

    /// Time until it lands, s, while it swings.
    pub fn lands_in(&self) -> Option<f64> {
        self.swing.as_ref().map(Swing::left)
    }

    fn is_at(&self, home: &Isometry2<f64>) -> bool {
        let away = self.place.translation.vector - home.translation.vector;
        let turned = wrapped(self.place.rotation.angle() - home.rotation.angle());
        away.norm() < AT_HOME && turned.abs() < AT_HOME
    }

    fn carry(&mut self, step: &Isometry2<f64>) {
        match &mut self.swing {
            None => self.place = step.inverse() * self.place,
            Some(swing) => {
                swing.carry(step);
                (self.place, self.velocity, self.height) = (swing.place(), swing.velocity(), swing.height());
            }
        }
    }
}

/// The feet and the body above them.
///
/// Everything is seen from the body: hooves that stand move backwards below it, by exactly the way that the body goes. The
/// velocity is continuous, its rate limited; between two cycles the body moves with the mean of both velocities.
#[derive(Clone, Debug)]
pub struct Stepper {
    feet: Vec<Foot>,
    velocity: Velocity,
    linear: RateLimiter<Vector2<f64>>,
    turn: RateLimiter<f64>,
    pattern: Pattern,
    /// Periods of the gait since it began; not wrapped, so that no lift falls between two roundings.
    phase: f64,
    stepping: bool,
    /// Legs whose time to lift has come; the gait's phase waits for them.
    due: Vec<bool>,
    /// How long a leg has waited for the weight to be over the others, s.
    unbalanced: f64,
}

impl Stepper {
    /// Stands at the homes.
    pub fn new(stride: &Stride, period: f64) -> Result<Stepper, filters_lib::Error> {
        Ok(Stepper {
            feet: stride.homes.iter().map(|home| Foot::standing(*home)).collect(),
            velocity: Velocity::ZERO,
            linear: RateLimiter::new(limits(stride.acceleration, period), &Vector2::zeros())?,
            turn: RateLimiter::new(limits(stride.turn_acceleration, period), &0.0)?,
            pattern: stride.pattern.clone(),
            phase: 0.0,
            stepping: false,
            due: vec![false; stride.homes.len()],
            unbalanced: 0.0,
        })
    }

    /// Stands at the homes, from now on.
    pub fn stand(&mut self, stride: &Stride) {
        // They take every finite number.
        let _ = self.linear.start(&Vector2::zeros());
        let _ = self.turn.start(&0.0);
        self.velocity = Velocity::ZERO;
        self.stepping = false;
        self.due.fill(false);
        self.unbalanced = 0.0;
        for (foot, home) in self.feet.iter_mut().zip(&stride.homes) {
            *foot = Foot::standing(*home);
        }
    }

    /// The feet.
    pub fn feet(&self) -> &[Foot] {
        &self.feet
    }

    /// The body's velocity.
    pub fn velocity(&self) -> Velocity {
        self.velocity
    }

    /// Where in the gait's period it is.
    pub fn phase(&self) -> f64 {
        self.phase.rem_euclid(1.0)
    }

    /// How fast that goes on, periods per second.
    pub fn phase_rate(&self) -> f64 {
        if self.stepping && !self.is_waiting() { 1.0 / self.pattern.period } else { 0.0 }
    }

    /// The gait that it steps in.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Where the feet stand that carry the body, and go on to do so when those that wait to lift are gone.
    pub fn carrying(&self) -> impl Iterator<Item = Point2<f64>> + Clone + '_ {
        let feet = self.feet.iter().zip(&self.due).filter(|(foot, due)| foot.stands() && !**due);
        feet.map(|(foot, _)| Point2::from(foot.place.translation.vector))
    }

    /// Whether legs lift, each in its turn.
    pub fn is_stepping(&self) -> bool {
        self.stepping
    }

    /// Whether the body rests on all hooves, at home.
    pub fn is_standing(&self) -> bool {
        !self.stepping && self.velocity == Velocity::ZERO
    }

    /// One cycle with a command. With `weight` (where the weight is over the ground, seen from the body, and how far inside it
    /// shall be, m) no leg lifts before the others carry it.
    pub fn step(
        &mut self,
        command: Velocity,
        stride: &Stride,
        weight: Option<(Point2<f64>, f64)>,
        period: f64,
    ) -> Result<(), filters_lib::Error> {
        let before = self.velocity;
        let command = if self.unbalanced > 0.0 { command.scaled(CREEP) } else { command };
        self.follow(command, stride, period)?;
        let way = before.mean(&self.velocity).after(period);
        for (foot, home) in self.feet.iter_mut().zip(&stride.homes) {
            let Some(swing) = &mut foot.swing else { continue };
            // The hoof shall be at its home when half of its stance is over.
            let ahead = swing.left() + 0.5 * self.pattern.stance_time();
            let flying = swing.advance(&(before.after(ahead) * home), period);
            if !flying {
                let place = swing.place();
                *foot = Foot::standing(place);
            }
        }
        self.feet.iter_mut().for_each(|foot| foot.carry(&way));
        self.lift(stride, weight, period);
        Ok(())
    }

    /// The velocity goes to the command as fast as it may.
    fn follow(&mut self, command: Velocity, stride: &Stride, period: f64) -> Result<(), filters_lib::Error> {
        self.linear.set_params(limits(stride.acceleration, period))?;
        self.turn.set_params(limits(stride.turn_acceleration, period))?;
        let fastest = |home: &Isometry2<f64>| {
            let point = Point2::from(home.translation.vector);
            command.at(&point).norm() * stride.pattern.stance_time()
        };
        let way = stride.homes.iter().map(fastest).fold(0.0, f64::max);
        let command = if way > stride.longest { command.scaled(stride.longest / way) } else { command };
        let linear = self.linear.update(&Vector2::new(command.forward, command.left))?;
        self.velocity =
            Velocity { forward: linear.x, left: linear.y, turn: self.turn.update(&command.turn)? };
        Ok(())
    }

    /// Hooves whose time has come begin to swing. One that may not, because too few others stand, goes first when it may: until
    /// then the gait's phase waits. So every leg lifts once in each period, in the gait's order, and no swing is hurried.
    fn lift(&mut self, stride: &Stride, weight: Option<(Point2<f64>, f64)>, period: f64) {
        let moving = self.velocity != Velocity::ZERO;
        let all_stand = self.feet.iter().all(Foot::stands);
        let at_home = self.feet.iter().zip(&stride.homes).all(|(foot, home)| foot.is_at(home));
        // Another gait begins when all hooves of this one stand; until then none lifts.
        let changing = self.pattern != stride.pattern;
        if all_stand && (changing || !self.stepping) {
            self.pattern.become_like(&stride.pattern);
            self.stepping = moving || !at_home;
            self.phase = self.pattern.start(period / self.pattern.period);
            self.due.fill(false);
        }
        if all_stand && !moving && at_home {
            self.stepping = false;
        }
        if !self.stepping {
            return;
        }
        let share = period / self.pattern.period;
        if !self.is_waiting() {
            for (leg, due) in self.due.iter_mut().enumerate() {
                *due = self.pattern.lifts(leg, self.phase, share);
            }
        }
        let mut unbalanced = false;
        for leg in 0..self.feet.len() {
            let standing = self.feet.iter().filter(|foot| foot.stands()).count();
            let enough = standing > 2.min(self.feet.len() - 1);
            let wanted = moving || !self.feet[leg].is_at(&stride.homes[leg]);
            let mut may = self.feet[leg].stands() && enough && (all_stand || !changing);
            if self.due[leg] && may && wanted && self.unbalanced < LONGEST_WAIT {
                may = weight.is_none_or(|(weight, least)| self.margin_without(leg, &weight) > least);
                unbalanced |= !may;
            }
            if self.due[leg] && may && wanted {
                let swing = Swing::new(&self.feet[leg].place, self.pattern.swing_time(period), stride.lift);
                self.feet[leg].swing = Some(swing);
            }
            self.due[leg] &= wanted && !may;
        }
        self.unbalanced = if unbalanced { self.unbalanced + period } else { 0.0 };
        if !self.is_waiting() {
            self.phase += share;
        }
    }

    /// How far the weight is inside the polygon of the feet that stand beside a leg's.
    fn margin_without(&self, leg: usize, weight: &Point2<f64>) -> f64 {
        let others = self.feet.iter().enumerate().filter(move |(at, foot)| *at != leg && foot.stands());
        margin(weight, others.map(|(_, foot)| Point2::from(foot.place.translation.vector)))
    }

    /// Whether a leg waits for others to land.
    fn is_waiting(&self) -> bool {
        self.due.contains(&true)
    }
}

fn limits(acceleration: f64, period: f64) -> RateLimiterParams {
    RateLimiterParams {
        period,
        min_first_derivative: -acceleration,
        max_first_derivative: acceleration,
        ..RateLimiterParams::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{trot_phases, walk_phases};
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
        Stride { pattern, homes, lift: 0.03, longest: 0.15, acceleration: 0.4, turn_acceleration: 1.5 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever is commanded: hooves that stand stay on their spot of the ground, hooves that fly do not jump, two or
        /// more stand always, and after a stop all are at home.
        #[test]
        fn hooves_stand_still_or_fly_smoothly(
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
                    let (u, w) = (before.velocity, stepper.velocity);
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
    fn at_a_steady_pace_each_hoof_is_at_home_in_the_middle_of_its_stance() {
        let stride = stride(true);
        let command = Velocity { forward: 0.2, left: 0.05, turn: 0.3 };
        let mut stepper = Stepper::new(&stride, PERIOD).unwrap();
        for _ in 0..1000 {
            stepper.step(command, &stride, None, PERIOD).unwrap();
        }
        // Over whole periods the mean place of a hoof that stands is its home, to the way of one cycle.
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
}
