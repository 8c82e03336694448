//! Recursive least squares with forgetting, for the four alphas of a servo.

/// Variance of a first guess, in units of the variance of a measurement: far above what any motion leaves, so that the
/// guess counts for nothing as soon as there is motion. Also the bound that forgetting never lifts the variance above.
const START: f64 = 1e10;

/// y = φ·alpha + noise, with the alphas estimated as the rows (φ, y) come.
#[derive(Clone, Debug)]
pub struct Rls {
    alpha: [f64; 4],
    covariance: [[f64; 4]; 4],
}

impl Rls {
    /// Starts from a guess.
    pub fn new(alpha: [f64; 4]) -> Rls {
        let mut covariance = [[0.0; 4]; 4];
        for (i, row) in covariance.iter_mut().enumerate() {
            row[i] = START;
        }
        Rls { alpha, covariance }
    }

    /// The coefficients as they are estimated now.
    pub fn alpha(&self) -> [f64; 4] {
        self.alpha
    }

    /// Its covariance, in units of the variance of a measurement.
    pub fn covariance(&self) -> &[[f64; 4]; 4] {
        &self.covariance
    }

    /// Takes one row: K = Pφ/(λ + φᵀPφ), alpha += K·(y − φ·alpha), P = (P − K(Pφ)ᵀ)/λ.
    ///
    /// The division by λ is left out for an alpha whose variance would rise above its start: motion that says nothing about
    /// it (no torque, say) would otherwise let its variance grow for ever, until noise decides. Scaling rows and columns
    /// alike keeps P symmetric and positive.
    pub fn update(&mut self, row: [f64; 4], y: f64, forgetting: f64) {
        let p = &mut self.covariance;
        let gain: [f64; 4] = std::array::from_fn(|i| dot(&p[i], &row));
        let innovation = forgetting + dot(&row, &gain);
        let error = y - dot(&row, &self.alpha);
        for i in 0..4 {
            self.alpha[i] += gain[i] * error / innovation;
            for j in 0..4 {
                p[i][j] -= gain[i] * gain[j] / innovation;
            }
        }
        let scale: [f64; 4] = std::array::from_fn(|i| {
            let forgotten = p[i][i] / forgetting;
            if forgotten <= START { forgetting.sqrt().recip() } else { 1.0 }
        });
        for i in 0..4 {
            for j in 0..=i {
                let value = 0.5 * (p[i][j] + p[j][i]) * scale[i] * scale[j];
                p[i][j] = value;
                p[j][i] = value;
            }
        }
    }
}

/// Scalar product of two rows.
pub(crate) fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Motion of every kind, the same in each run.
    fn row(k: usize) -> [f64; 4] {
        let t = k as f64;
        [(0.9 * t).sin(), (0.37 * t).cos(), 1f64.copysign((0.37 * t).cos()), (0.11 * t).sin()]
    }

    proptest! {
        #[test]
        fn exact_rows_give_the_alphas_exactly(alpha in prop::array::uniform4(-300.0..300.0f64)) {
            let mut rls = Rls::new([0.0; 4]);
            (0..500).for_each(|k| rls.update(row(k), dot(&row(k), &alpha), 0.995));
            for (found, alpha) in rls.alpha().iter().zip(alpha) {
                prop_assert!((found - alpha).abs() < 1e-6);
            }
        }

        #[test]
        fn the_covariance_stays_bounded_and_symmetric_whatever_the_rows(
            rows in prop::collection::vec((prop::array::uniform4(-10.0..10.0f64), -10.0..10.0f64), 1..50),
            forgetting in 0.9..1.0f64,
        ) {
            let mut rls = Rls::new([0.0; 4]);
            for k in 0..5000 {
                let (row, y) = rows[k % rows.len()];
                rls.update(row, y, forgetting);
            }
            let p = rls.covariance();
            for i in 0..4 {
                prop_assert!(p[i][i] >= -1e-3 && p[i][i] <= START * (1.0 + 1e-9), "{p:?}");
                prop_assert!((0..4).all(|j| p[i][j] == p[j][i]));
            }
            prop_assert!(rls.alpha().iter().all(|a| a.is_finite()));
        }
    }

    #[test]
    fn an_alpha_that_no_motion_shows_keeps_its_guess() {
        let mut rls = Rls::new([0.0, 0.0, 0.0, 212.0]);
        for k in 0..100_000 {
            let [a, v, s, _] = row(k);
            rls.update([a, v, s, 0.0], 2.0 * a + 50.0 * v + 7.0 * s, 0.995);
        }
        let found = rls.alpha();
        assert!((found[1] - 50.0).abs() < 1e-6 && found[3] == 212.0, "{found:?}");
    }

    #[test]
    fn a_change_of_the_servo_is_followed() {
        let mut rls = Rls::new([0.0; 4]);
        for (alpha, rows) in [([1.0, 50.0, 7.0, 200.0], 0..3000), ([2.0, 60.0, 9.0, 220.0], 3000..8000)] {
            rows.for_each(|k| rls.update(row(k), dot(&row(k), &alpha), 0.995));
            assert!(rls.alpha().iter().zip(alpha).all(|(found, a)| (found - a).abs() < 1e-3 * a));
        }
    }
}
