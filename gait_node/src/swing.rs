//! The flight of one hoof from where it stood to where it shall stand.

use crate::ground::Velocity;
use crate::segment::{Segment, State};
use nalgebra::{Isometry2, UnitComplex, Vector2};

/// From this share of the swing on its end no longer moves, so that the hoof can come to rest there.
const SETTLED: f64 = 0.7;

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
    /// Begins at rest at `start`. `lift` is how high the hoof goes.
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
    /// settled. Gives whether the hoof is in the air still.
    pub fn advance(&mut self, end: &Isometry2<f64>, period: f64) -> bool {
        if self.elapsed <= SETTLED * self.duration {
            self.end = *end;
        }
        let left = self.left();
        let turn = wrapped(self.end.rotation.angle() - self.yaw.p);
        let ends = [self.end.translation.x, self.end.translation.y, self.yaw.p + turn];
        for (axis, end) in [&mut self.x, &mut self.y, &mut self.yaw].into_iter().zip(ends) {
            *axis = Segment::quintic(*axis, State::rest(end), left).at(period);
        }
        self.elapsed += period;
        // A hair before the end is the end: the time is a sum of many periods.
        self.left() > 1e-6 * self.duration
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

    /// Where the hoof is over the ground.
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
            let flying = swing.advance(&end, period);
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
    fn the_height_s_speed_is_its_derivative() {
        let at = |elapsed| Swing { elapsed, ..Swing::new(&Isometry2::identity(), 0.4, 0.05) };
        for k in 1..40 {
            let t = 0.01 * f64::from(k) - 0.005;
            let slope = (at(t + 1e-6).height().0 - at(t - 1e-6).height().0) / 2e-6;
            assert!((slope - at(t).height().1).abs() < 1e-8);
        }
    }
}
