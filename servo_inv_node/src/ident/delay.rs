//! The pure delay from a goal to the servo, told apart from viscous friction.
//!
//! Both make a servo late. To first order they are the same, and inertia hides the second; what is left is the third, and
//! there the steps of an encoder make least squares give a delay that is too long: noise in the acceleration looks like less
//! inertia. So the equation is not squared but multiplied with signals that have no such noise, derivatives of the setpoint
//! (instrumental variables): Σ z·(y − φ·alpha) = 0 for the five z below gives four alphas and, by what is left over at several
//! assumed delays, the true one.

/// How many delays are tried at once, in steps of [`STEP`] about the parameter `goal_delay`.
pub const DELAYS: usize = 8;
/// Which of them is `goal_delay` itself.
pub const NOMINAL: usize = 3;
/// From one to the next, s.
pub const STEP: f64 = 0.01;

/// A delay that is less certain than this was not shown by the motion, s.
const UNCERTAIN: f64 = 0.005;

/// Windows follow each other by a quarter of their width, so that four of them tell as much as one that stands alone.
const SHARED: f64 = 4.0;

/// The delays that are tried, s.
pub fn candidates(goal_delay: f64) -> [f64; DELAYS] {
    std::array::from_fn(|j| goal_delay + STEP * (j as f64 - NOMINAL as f64))
}

/// A delay and how certain it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    /// Beyond `goal_delay`, s.
    pub offset: f64,
    /// Standard deviation, s.
    pub deviation: f64,
}

/// Sums of the instruments with everything else.
#[derive(Clone, Debug, Default)]
pub struct Instruments {
    zr: [[f64; 4]; 5],
    zy: [f64; 5],
    zz: [[f64; 5]; 5],
}

impl Instruments {
    /// A window: the row of the model equation, its right side, and the setpoint's first three derivatives.
    pub fn add(&mut self, row: [f64; 4], y: f64, setpoint: [f64; 3]) {
        let z = [setpoint[1], setpoint[0], row[2], row[3], setpoint[2]];
        for (i, z_i) in z.into_iter().enumerate() {
            self.zr[i].iter_mut().zip(row).for_each(|(sum, r)| *sum += z_i * r);
            self.zy[i] += z_i * y;
            self.zz[i].iter_mut().zip(z).for_each(|(sum, z_j)| *sum += z_i * z_j);
        }
    }

    /// What is left of the equation whatever the alphas, and how far noise would take that for a root mean square error of 1.
    ///
    /// n is the combination of instruments that no alpha can please, nᵀ·Σzφ = 0; with the true delay nᵀ·Σzy is zero too.
    fn left(&self) -> Option<(f64, f64)> {
        let null = self.null()?;
        let dot = |sums: &[f64; 5]| sums.iter().zip(null).map(|(s, n)| s * n).sum::<f64>();
        let spread = dot(&std::array::from_fn(|i| dot(&self.zz[i])));
        Some((dot(&self.zy), (SHARED * spread.max(0.0)).sqrt()))
    }

    /// n with n₅ = 1: Σzφ of the first four instruments, transposed, times n is the negative of the fifth's.
    fn null(&self) -> Option<[f64; 5]> {
        let mut rows: [[f64; 5]; 4] = std::array::from_fn(|r| {
            std::array::from_fn(|i| if i < 4 { self.zr[i][r] } else { -self.zr[4][r] })
        });
        // Torque that never was takes no part.
        if self.zz[3][3] == 0.0 {
            rows[3] = [0.0, 0.0, 0.0, 1.0, 0.0];
        }
        for pivot in 0..4 {
            let best = (pivot..4).max_by(|a, b| rows[*a][pivot].abs().total_cmp(&rows[*b][pivot].abs()))?;
            rows.swap(pivot, best);
            let row = rows[pivot];
            if row[pivot] == 0.0 || !row[pivot].is_finite() {
                return None;
            }
            for other in (0..4).filter(|other| *other != pivot) {
                let factor = rows[other][pivot] / row[pivot];
                rows[other].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let n = |i: usize| rows[i][4] / rows[i][i];
        Some([n(0), n(1), n(2), n(3), 1.0])
    }
}

/// The true delay, from what the instruments leave at the delays tried and the root mean square error of each fit; none when
/// the motion does not show it.
pub fn find(fits: [(&Instruments, f64); DELAYS]) -> Option<Delay> {
    let mut left = [(0.0, 0.0); DELAYS];
    for (left, (instruments, error)) in left.iter_mut().zip(fits) {
        let (value, spread) = instruments.left()?;
        *left = (value, spread * error);
    }
    // With two zeros nobody knows.
    let mut zeros = (0..DELAYS - 1).filter(|j| left[*j].0 * left[*j + 1].0 <= 0.0);
    let (Some(j), None) = (zeros.next(), zeros.next()) else { return None };
    let slope = left[j + 1].0 - left[j].0;
    let deviation = STEP * left[j].1.min(left[j + 1].1) / slope.abs();
    let offset = STEP * (j as f64 - left[j].0 / slope - NOMINAL as f64);
    (deviation < UNCERTAIN).then_some(Delay { offset, deviation })
}

/// Weights that make a value at an offset of `goal_delay` out of those at the delays tried: the parabola through the three
/// nearest.
pub fn weights(offset: f64) -> [f64; DELAYS] {
    let middle = nearest(offset).clamp(1, DELAYS - 2);
    let u = offset / STEP + NOMINAL as f64 - middle as f64;
    let mut weights = [0.0; DELAYS];
    let parabola = [0.5 * u * (u - 1.0), 1.0 - u * u, 0.5 * u * (u + 1.0)];
    weights[middle - 1..=middle + 1].copy_from_slice(&parabola);
    weights
}

/// The delay tried that is nearest to an offset of `goal_delay`.
pub fn nearest(offset: f64) -> usize {
    let place = (offset / STEP + NOMINAL as f64).round();
    (place.max(0.0) as usize).min(DELAYS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn weights_follow_a_parabola(a in -5.0..5.0f64, b in -5.0..5.0f64, c in -5.0..5.0f64, offset in -0.03..0.04f64) {
            let f = |x: f64| a + b * x + c * x * x;
            let values = candidates(0.0).map(|d| f(d * 20.0));
            let found: f64 = values.iter().zip(weights(offset)).map(|(v, w)| v * w).sum();
            prop_assert!((found - f(offset * 20.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn at_the_nominal_delay_nothing_is_blended() {
        assert_eq!(weights(0.0), std::array::from_fn(|j| f64::from(u8::from(j == NOMINAL))));
    }
}
