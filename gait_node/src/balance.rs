//! The weight over the feet: where it is, and the sway that keeps it there.

use crate::foot::Foot;
use crate::foot_reach::sway_in_reach;
use crate::mass_centre::MassCentre;
use crate::posture::Base;
use crate::stability::{Stability, Unswayed};
use crate::stepper::Stepper;
use crate::steps::Steps;
use crate::stride::Stride;
use crate::support_polygon::{margin, moved_inside};
use crate::sway::{Sway, SwayPoint};
use filters_lib::{
    Filter, Limit, Motion, SecondOrderGains, SecondOrderInput, TransientSecondLimited,
    TransientSecondLimitedParams,
};
use nalgebra::{Point2, UnitQuaternion, Vector2, Vector3};
use robot_model_lib::RobotModel;

/// Time constant with which the sway comes to its plan, s.
const TIME: f64 = 0.06;
/// Its highest speed, m/s, and acceleration, m/s²: harder, joints would be asked for more than steps leave them.
const SPEED: f64 = 0.2;
const ACCELERATION: f64 = 2.0;
/// So long before the weight would leave the polygon the sway gives way, s.
const AHEAD: f64 = 0.15;
/// Turns with which a point comes inside of all edges, also in a corner.
const CORNERS: usize = 4;
/// The share of the plan's least margin that is kept also where feet are not where the plan thought.
const KEPT: f64 = 0.5;
/// m/s².
const GRAVITY: f64 = 9.81;

/// The weight and the sway.
#[derive(Clone, Debug)]
pub struct Balance {
    mass: MassCentre,
    plan: Sway,
    wanted: f64,
    /// How far inside the weight is kept as long as it follows a plan, m.
    kept: Option<f64>,
    motion: Motion<Vector3<f64>>,
    law: TransientSecondLimited<Vector3<f64>>,
    /// Where the weight is over the ground, seen from the point that walks below the body.
    weight: Point2<f64>,
    unswayed: Unswayed,
    stability: Stability,
}

impl Balance {
    /// Does not sway; with `margin` (m) of zero it never will.
    pub fn new(model: &RobotModel, margin: f64, period: f64) -> Result<Balance, filters_lib::Error> {
        Ok(Balance {
            mass: MassCentre::new(model),
            plan: Sway::default(),
            wanted: margin,
            kept: None,
            motion: Motion { x: Vector3::zeros(), v: Vector3::zeros() },
            law: TransientSecondLimited::new(law(period))?,
            weight: Point2::origin(),
            unswayed: Unswayed { place: Vector2::zeros(), response: Vector2::new(1.0, 1.0) },
            stability: Stability { margin: f64::NAN, capture_point: Vector2::zeros() },
        })
    }

    /// From now on the weight shall be so far inside, m, as planned.
    pub fn follow(&mut self, plan: Sway, margin: f64) {
        (self.plan, self.wanted) = (plan, margin);
        self.kept = kept_by(&self.plan).or(self.kept);
    }

    /// How far inside the weight stays by the plan, m, if there shall be one.
    pub fn least_margin(&self) -> Option<f64> {
        (self.wanted > 0.0).then(|| self.plan.least_margin())
    }

    /// The plan, and the weight that it is for.
    pub fn plan(&self) -> (&Sway, Unswayed) {
        (&self.plan, self.unswayed)
    }

    /// Rests in the middle.
    pub fn stand(&mut self) {
        self.motion = Motion { x: Vector3::zeros(), v: Vector3::zeros() };
    }

    /// Rests where it is.
    pub fn stop(&mut self) {
        self.motion.v = Vector3::zeros();
    }

    /// Learns how the weight follows the body, from joints with which it stands and joints with which it is shifted by `shift` (m)
    /// forward, and to the left.
    pub fn learn_response(&mut self, stance: &[f64], shifted: [&[f64]; 2], shift: f64) {
        let level = UnitQuaternion::identity();
        let [forward, left] = shifted.map(|q| self.mass.offset(q, &level));
        let rest = self.mass.offset(stance, &level);
        let share = |moved: f64| (1.0 + moved / shift).clamp(0.1, 1.0);
        let response = Vector2::new(share(forward.x - rest.x), share(left.y - rest.y));
        self.unswayed = Unswayed { place: rest, response };
    }

    /// The sway.
    pub fn sway(&self) -> &Motion<Vector3<f64>> {
        &self.motion
    }

    /// Where the weight is, for a gait that can carry it on the legs that stand, and how far inside it shall be when one lifts.
    pub fn weight_to_carry(&self) -> Option<(Point2<f64>, f64)> {
        self.kept().map(|kept| (self.weight, kept))
    }

    /// How far inside the weight is kept, m, while there is a sway with which the gait is stable at each of its phases.
    fn kept(&self) -> Option<f64> {
        self.kept.filter(|_| self.wanted > 0.0)
    }

    /// One cycle.
    pub fn step(
        &mut self,
        stepper: &Stepper,
        stride: &Stride,
        period: f64,
    ) -> Result<(), filters_lib::Error> {
        if *self.law.params() != law(period) {
            self.law.set_params(law(period))?;
        }
        if self.wanted > 0.0 {
            let pattern =
                if stepper.turns().is_stepping() { stepper.turns().pattern() } else { &stride.pattern };
            // Legs that swing have weight, too: over a step they are in the middle.
            let mean = period / (period + pattern.period);
            self.unswayed.place += (self.unswayed_now() - self.unswayed.place) * mean;
            let steps = Steps::of(stride, pattern, stepper.velocity(), self.unswayed.response);
            self.plan.improve(steps, self.unswayed.place, self.wanted);
        }
        // While the velocity changes the plan may be behind for some cycles: a leg in the air is no time to give it up.
        let all_stand = stepper.feet().iter().all(Foot::stands);
        self.kept = kept_by(&self.plan).or(self.kept.filter(|_| !all_stand));
        let mut goal = if self.kept().is_some() && stepper.turns().is_stepping() {
            self.plan.at(stepper.turns().phase())
        } else {
            SwayPoint::default()
        };
        let rate = stepper.turns().phase_rate();
        if let Some(kept) = self.kept() {
            // Feet that landed late, a step cut short: what is planned gives way to where the feet are, early enough to brake. Until
            // the next foot lands the body goes on over the others.
            let unswayed = self.unswayed_now();
            let ahead = stepper.feet().iter().filter_map(Foot::lands_in).fold(AHEAD, f64::min);
            let moves = goal.slope * rate + stepper.velocity().at(&self.weight);
            let planned = Point2::from(unswayed + goal.place + moves * ahead);
            // A little further than a leg that lifts asks for, so that it need not wait for ever.
            let kept = 1.2 * kept;
            let inside = (0..CORNERS).fold(planned, |point, _| moved_inside(point, stepper.carrying(), kept));
            if inside != planned {
                let place = inside.coords - unswayed - stepper.velocity().at(&self.weight) * ahead;
                goal = SwayPoint { place, ..SwayPoint::default() };
            }
        }
        let of_body = |weight: Vector2<f64>| weight.component_div(&self.unswayed.response);
        let planned = Motion { x: of_body(goal.place), v: of_body(goal.slope * rate) };
        let body = sway_in_reach(planned, stepper, stride);
        let push = if body.x == planned.x { goal.curvature * (rate * rate) } else { Vector2::zeros() };
        let [xr, vr, ar] = [body.x, body.v, of_body(push)].map(|part| part.push(0.0));
        let Motion { x, v } = self.motion;
        self.motion = self.law.output(&SecondOrderInput { x, v, xr, vr, ar })?;
        Ok(())
    }

    /// Where the weight would be now if the body did not sway.
    fn unswayed_now(&self) -> Vector2<f64> {
        self.weight.coords - self.motion.x.xy().component_mul(&self.unswayed.response)
    }

    /// Looks where the weight is, with the joints of this cycle.
    pub fn look(&mut self, base: &Base, feet: &[Foot], q: &[f64]) {
        let from_base = self.mass.offset(q, &base.pose.rotation);
        let origin = base.pose.translation.vector;
        self.weight = Point2::from(origin.xy() + from_base);
        let falls_for = (origin.z.max(0.0) / GRAVITY).sqrt();
        self.stability = Stability {
            margin: margin(&self.weight, places(feet)),
            capture_point: from_base + base.linear.xy() * falls_for,
        };
    }

    /// How safely it stands.
    pub fn stability(&self) -> Stability {
        self.stability
    }
}

/// How far inside the weight is kept with a plan, m; none where the plan cannot keep it inside.
fn kept_by(plan: &Sway) -> Option<f64> {
    Some(KEPT * plan.least_margin()).filter(|kept| *kept > 0.0)
}

/// The feet that stand, over the ground.
fn places(feet: &[Foot]) -> impl Iterator<Item = Point2<f64>> + Clone + '_ {
    feet.iter().filter(|foot| foot.stands()).map(|foot| Point2::from(foot.place.translation.vector))
}

fn law(period: f64) -> TransientSecondLimitedParams {
    TransientSecondLimitedParams {
        period,
        gains: SecondOrderGains::critical(TIME),
        acceleration: Limit::from(ACCELERATION),
        velocity: Limit::from(SPEED),
    }
}
