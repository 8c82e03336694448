//! The best alphas that a servo can have: none of them negative.

/// The least squares estimate `alpha` with this covariance P, held to alphas of zero or more.
///
/// What an estimate leaves unexplained grows by (a − alpha)ᵀ·P⁻¹·(a − alpha) when `a` is taken instead. With the alphas of a
/// set Z held at zero the least of that is at a_F = alpha_F − P_FZ·P_ZZ⁻¹·alpha_Z for all others, and costs
/// alpha_Zᵀ·P_ZZ⁻¹·alpha_Z. The optimum lies on one of the sixteen faces, so all are tried: with four alphas that is the
/// shortest active-set method, and exact.
pub fn nonnegative(alpha: [f64; 4], covariance: &[[f64; 4]; 4]) -> [f64; 4] {
    let mut best = ([0.0; 4], f64::INFINITY);
    for zeros in 0_u8..16 {
        let held: [bool; 4] = std::array::from_fn(|i| zeros >> i & 1 == 1);
        let Some(weight) = solve(covariance, alpha, held) else { continue };
        let moved = |i: usize| alpha[i] - (0..4).map(|j| covariance[i][j] * weight[j]).sum::<f64>();
        let found: [f64; 4] = std::array::from_fn(|i| if held[i] { 0.0 } else { moved(i) });
        let cost: f64 = alpha.iter().zip(weight).map(|(a, w)| a * w).sum();
        if found.iter().all(|a| *a >= 0.0) && cost < best.1 {
            best = (found, cost);
        }
    }
    best.0
}

/// P_ZZ⁻¹·alpha_Z, zeros elsewhere; none when P_ZZ has no inverse. P is positive, so elimination needs no pivoting.
fn solve(covariance: &[[f64; 4]; 4], alpha: [f64; 4], held: [bool; 4]) -> Option<[f64; 4]> {
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let mut rows: [[f64; 4]; 4] = std::array::from_fn(|i| {
        std::array::from_fn(|j| if held[i] && held[j] { covariance[i][j] } else { unit(i, j) })
    });
    let mut right: [f64; 4] = std::array::from_fn(|i| if held[i] { alpha[i] } else { 0.0 });
    for pivot in 0..4 {
        let (row, value) = (rows[pivot], right[pivot]);
        if row[pivot].is_nan() || row[pivot] <= 0.0 {
            return None;
        }
        for below in pivot + 1..4 {
            let factor = rows[below][pivot] / row[pivot];
            rows[below].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            right[below] -= factor * value;
        }
    }
    let mut found = [0.0; 4];
    for i in (0..4).rev() {
        let known: f64 = (i + 1..4).map(|j| rows[i][j] * found[j]).sum();
        found[i] = (right[i] - known) / rows[i][i];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// rᵀr of rows of random numbers, and its inverse by Gauss–Jordan, so that both P and P⁻¹ are known.
    fn information(rows: &[[f64; 4]]) -> [[f64; 4]; 4] {
        std::array::from_fn(|i| std::array::from_fn(|j| rows.iter().map(|r| r[i] * r[j]).sum()))
    }

    fn inverse(matrix: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
        let all = [true; 4];
        let column =
            |j: usize| solve(matrix, std::array::from_fn(|i| f64::from(u8::from(i == j))), all).unwrap();
        let columns: [[f64; 4]; 4] = std::array::from_fn(column);
        std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
    }

    fn cost(found: [f64; 4], alpha: [f64; 4], information: &[[f64; 4]; 4]) -> f64 {
        let d: [f64; 4] = std::array::from_fn(|i| found[i] - alpha[i]);
        (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).map(|(i, j)| d[i] * information[i][j] * d[j]).sum()
    }

    proptest! {
        #[test]
        fn nothing_that_a_servo_can_be_fits_better(
            rows in prop::collection::vec(prop::array::uniform4(-1.0..1.0f64), 8..20),
            alpha in prop::array::uniform4(-3.0..3.0f64),
            others in prop::collection::vec(prop::array::uniform4(0.0..3.0f64), 50),
        ) {
            let information = information(&rows);
            let found = nonnegative(alpha, &inverse(&information));
            prop_assert!(found.iter().all(|a| *a >= 0.0));
            let least = cost(found, alpha, &information);
            for other in others {
                // On the way there, too: the problem is convex, so the slope at the optimum is nowhere down.
                for part in [1.0, 0.1, 1e-3] {
                    let near: [f64; 4] = std::array::from_fn(|i| found[i] + part * (other[i] - found[i]));
                    prop_assert!(least <= cost(near, alpha, &information) + 1e-9, "{found:?} {near:?}");
                }
            }
        }

        #[test]
        fn an_estimate_without_negatives_stays_as_it_is(
            rows in prop::collection::vec(prop::array::uniform4(-1.0..1.0f64), 8..20),
            alpha in prop::array::uniform4(0.0..3.0f64),
        ) {
            prop_assert_eq!(nonnegative(alpha, &inverse(&information(&rows))), alpha);
        }
    }
}
