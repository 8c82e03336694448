//! The flight of one foot from where it stood to where it shall stand.

use crate::ground::Velocity;
use crate::segment::{Segment, State};
use nalgebra::{Isometry2, UnitComplex, Vector2};

/// From this share of the swing on its end no longer moves, so that the foot can come to rest there.
const SETTLED: f64 = 0.7;
/// An end that moves by less, m, is the same.
const SAME: f64 = 1e-9;
/// Moments of the rest of the flight at which joints are asked whether they can.
const LOOKS: usize = 8;

/// What a flight asks for at a moment: velocity (m/s) and acceleration (m/s²) over the ground.
pub type Demand = [Vector2<f64>; 2];

/// A swing under way. Places and velocities are relative to the ground, in the body's present axes.
#[derive(Clone, Debug)]
pub struct Swing {
    x: State,
    y: State,
    yaw: State,
    elapsed: f64,
    duration: f64,
    lift: f64,
    end: Isometry2<f64>,
}

impl Swing {
    /// Begins at rest at `start`. `lift` is how high the foot goes.
    pub fn new(start: &Isometry2<f64>, duration: f64, lift: f64) -> Swing {
        Swing {
            x: State::rest(start.translation.x),
            y: State::rest(start.translation.y),
            yaw: State::rest(start.rotation.angle()),
            elapsed: 0.0,
            duration,
            lift,
            end: *start,
        }
    }

    /// Time until it lands.
    pub fn left(&self) -> f64 {
        self.duration - self.elapsed
    }

    /// Time since it lifted.
    pub fn elapsed(&self) -> f64 {
        self.elapsed
    }

    /// Goes on for one period towards `end`, which may differ from that of the last call as long as the swing has not
    /// settled and the joints `can` still get there; else the one before holds. Gives whether the foot is in the air still.
    pub fn advance(&mut self, end: &Isometry2<f64>, period: f64, can: impl Fn(Demand) -> bool) -> bool {
        let moved = (end.translation.vector - self.end.translation.vector).norm();
        let settled = self.elapsed > SETTLED * self.duration;
        if !settled && (self.elapsed == 0.0 || moved < SAME || self.is_within(end, can)) {
            self.end = *end;
        }
        let left = self.left();
        let [x, y, yaw] = self.ways(&self.end);
        (self.x, self.y, self.yaw) = (x.at(period), y.at(period), yaw.at(period));
        self.elapsed += period;
        // A hair before the end is the end: the time is a sum of many periods.
        left - period > 1e-6 * self.duration
    }

    /// The rest of the flight to an end, along x and y and in yaw.
    fn ways(&self, end: &Isometry2<f64>) -> [Segment; 3] {
        let turn = wrapped(end.rotation.angle() - self.yaw.p);
        let ends = [end.translation.x, end.translation.y, self.yaw.p + turn];
        let way = |(from, end): (State, f64)| Segment::quintic(from, State::rest(end), self.left());
        let [x, y, yaw] = [self.x, self.y, self.yaw];
        [(x, ends[0]), (y, ends[1]), (yaw, ends[2])].map(way)
    }

    fn is_within(&self, end: &Isometry2<f64>, can: impl Fn(Demand) -> bool) -> bool {
        let [x, y, _] = self.ways(end);
        (0..LOOKS).all(|look| {
            let time = self.left() * (look as f64 + 0.5) / LOOKS as f64;
            let (x, y) = (x.at(time), y.at(time));
            can([Vector2::new(x.v, y.v), Vector2::new(x.a, y.a)])
        })
    }

    /// The body has moved on by `step`: the same place on the ground is elsewhere in its axes.
    pub fn carry(&mut self, step: &Isometry2<f64>) {
        let back = step.inverse();
        let place = back * nalgebra::Point2::new(self.x.p, self.y.p);
        let v = back.rotation * Vector2::new(self.x.v, self.y.v);
        let a = back.rotation * Vector2::new(self.x.a, self.y.a);
        self.x = State { p: place.x, v: v.x, a: a.x };
        self.y = State { p: place.y, v: v.y, a: a.y };
        self.yaw.p -= step.rotation.angle();
        self.end = back * self.end;
    }

    /// Where the foot is over the ground.
    pub fn place(&self) -> Isometry2<f64> {
        Isometry2::from_parts(Vector2::new(self.x.p, self.y.p).into(), UnitComplex::new(self.yaw.p))
    }

    /// Its velocity relative to the ground, along the body's axes.
    pub fn velocity(&self) -> Velocity {
        Velocity { forward: self.x.v, left: self.y.v, turn: self.yaw.v }
    }

    /// How high it is, and how fast it rises: lift·64·s³(1 − s)³, which leaves and meets the ground without speed and
    /// without force.
    pub fn height(&self) -> (f64, f64) {
        let s = (self.elapsed / self.duration).min(1.0);
        let rest = s * (1.0 - s);
        let slope = 3.0 * rest * rest * (1.0 - 2.0 * s) / self.duration;
        (64.0 * self.lift * rest * rest * rest, 64.0 * self.lift * slope)
    }
}

/// The same angle within ±π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    UnitComplex::new(angle).angle()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lands_at_rest_where_it_was_told_last_although_the_end_moved() {
        let mut swing = Swing::new(&Isometry2::new(Vector2::new(-0.1, 0.0), 0.3), 0.3, 0.04);
        let (mut last, mut highest, period) = (swing.place(), 0.0_f64, 0.003);
        let mut k = 0;
        loop {
            let end = Isometry2::new(Vector2::new(0.1 + 0.0002 * f64::from(k), 0.02), -0.3);
            let flying = swing.advance(&end, period, |_| true);
            let moved = (swing.place().translation.vector - last.translation.vector).norm();
            assert!(moved < 2.5 * 0.25 / 0.3 * period, "no jump: {moved}");
            (last, highest, k) = (swing.place(), highest.max(swing.height().0), k + 1);
            if !flying {
                break;
            }
        }
        assert_eq!(k, 100);
        assert!((highest - 0.04).abs() < 1e-12);
        assert_eq!((swing.velocity(), swing.height().0), (Velocity::ZERO, 0.0));
        let end = swing.place();
        // 70 or 71 calls could still move the end: the time is a sum.
        assert!(
            (end.translation.x - (0.1 + 0.0002 * 69.5)).abs() < 0.000101
                && (end.translation.y - 0.02).abs() < 1e-12
        );
        assert!((end.rotation.angle() + 0.3).abs() < 1e-12);
    }

    #[test]
    fn it_lands_where_it_was_told_before_when_joints_cannot_follow() {
        let told = |k: i32| Isometry2::translation(if k < 20 { 0.1 } else { -0.1 }, 0.0);
        // 0.1 m in 0.5 s: 15/8 of the mean speed at the most.
        let most = 15.0 / 8.0 * 0.1 / 0.5 + 1e-9;
        for (can, lands) in [(true, -0.1), (false, 0.1)] {
            let mut swing = Swing::new(&Isometry2::identity(), 0.5, 0.04);
            let flies =
                |swing: &mut Swing, k| swing.advance(&told(k), 0.01, |[v, _]| can || v.norm() <= most);
            let mut k = 0;
            while flies(&mut swing, k) {
                k += 1;
                assert!(can || swing.x.v.abs() <= most, "{}", swing.x.v);
            }
            assert!((swing.place().translation.x - lands).abs() < 1e-12);
        }
    }

    #[test]
    fn the_height_s_speed_is_its_derivative() {
        let at = |elapsed| Swing { elapsed, ..Swing::new(&Isometry2::identity(), 0.4, 0.05) };
        for k in 1..40 {
            let t = 0.01 * f64::from(k) - 0.005;
            let slope = (at(t + 1e-6).height().0 - at(t - 1e-6).height().0) / 2e-6;
            assert!((slope - at(t).height().1).abs() < 1e-8);
        }
    }
}
