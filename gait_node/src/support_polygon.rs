//! The polygon that feet span on the ground, and how far inside it a point is.

use nalgebra::{Point2, Vector2};

/// Feet nearer to each other than this span no edge, m.
const SAME: f64 = 1e-9;

/// The edges of the convex hull of `feet`: a point of each, and its normal that points inwards. Feet on one line give that line
/// from both sides.
fn edges<'a>(
    feet: impl Iterator<Item = Point2<f64>> + Clone + 'a,
) -> impl Iterator<Item = (Point2<f64>, Vector2<f64>)> + 'a {
    let pairs = feet.clone().flat_map({
        let feet = feet.clone();
        move |from| feet.clone().map(move |to| (from, to))
    });
    pairs.filter_map(move |(from, to)| {
        let way: Vector2<f64> = to - from;
        let length = way.norm();
        if length < SAME {
            return None;
        }
        let normal = Vector2::new(-way.y, way.x) / length;
        feet.clone().all(|foot| normal.dot(&(foot - from)) > -SAME).then_some((from, normal))
    })
}

/// Distance of a point from the nearest edge of the polygon of `feet`, m: above zero inside, below zero outside. Fewer than two
/// feet have no edge: minus infinity.
pub fn margin(point: &Point2<f64>, feet: impl Iterator<Item = Point2<f64>> + Clone) -> f64 {
    let nearest = edges(feet).map(|(on, normal)| normal.dot(&(point - on))).fold(f64::INFINITY, f64::min);
    if nearest == f64::INFINITY { f64::NEG_INFINITY } else { nearest }
}

/// Moves a point inwards, edge by edge, until it is `margin` (m) inside those that it is too near to.
pub fn moved_inside(
    mut point: Point2<f64>,
    feet: impl Iterator<Item = Point2<f64>> + Clone,
    margin: f64,
) -> Point2<f64> {
    for (on, normal) in edges(feet) {
        let inside = normal.dot(&(point - on));
        point += normal * (margin - inside).max(0.0);
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_centre_of_a_square_is_half_a_side_inside() {
        let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, y)| Point2::new(x, y));
        for (x, y, expected) in [(1.0, 1.0, 1.0), (0.5, 1.0, 0.5), (1.0, 0.0, 0.0), (1.0, 2.5, -0.5)] {
            let found = margin(&Point2::new(x, y), square.iter().copied());
            assert!((found - expected).abs() < 1e-12, "{x} {y}: {found}");
        }
        let line = &square[..2];
        assert!((margin(&Point2::new(1.0, 0.3), line.iter().copied()) + 0.3).abs() < 1e-12);
        assert_eq!(margin(&Point2::new(0.0, 0.0), square[..1].iter().copied()), f64::NEG_INFINITY);
    }

    proptest! {
        /// A mixture of feet with positive weights is inside, whatever the feet. A point that is moved inside comes nearer to
        /// all that are further inside, and those stay where they are: that is what projections onto convex sets do.
        #[test]
        fn mixtures_are_inside(
            feet in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64, 0.1..1.0_f64), 3..7)
        ) {
            let points: Vec<Point2<f64>> = feet.iter().map(|(x, y, _)| Point2::new(*x, *y)).collect();
            let total: f64 = feet.iter().map(|(.., weight)| weight).sum();
            let sum: Vector2<f64> = feet.iter().map(|(x, y, weight)| Vector2::new(*x, *y) * *weight).sum();
            let mixture = Point2::from(sum / total);
            let inside = margin(&mixture, points.iter().copied());
            prop_assert!(inside > -1e-9);
            let wanted = 0.5 * inside.max(0.0);
            prop_assert_eq!(moved_inside(mixture, points.iter().copied(), wanted), mixture);
            let mut far = Point2::new(3.0, -2.0);
            for _ in 0..20 {
                let before = (far - mixture).norm();
                far = moved_inside(far, points.iter().copied(), wanted);
                prop_assert!((far - mixture).norm() <= before + 1e-12);
            }
        }
    }
}
