//! Singular values of a 3 × 3 matrix by one-sided Jacobi rotations.
//!
//! G. Golub, C. Van Loan, "Matrix Computations", 4th ed., 8.6.3. Small singular values come out as exact as large ones,
//! which matters here: hooves on a plane make one of them zero.

use nalgebra::{Matrix3, Vector3};

/// Sweeps converge quadratically; six are the most seen in tests.
const MAX_SWEEPS: usize = 20;

/// The nearest rotation to a matrix, and how well the matrix determines it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestRotation {
    /// R that maximises trace(R·H).
    pub rotation: Matrix3<f64>,
    /// How firmly the weakest rotation axis is held, 0…2: (s₂ ± s₃)/s₁, minus when H reflects.
    pub firmness: f64,
}

/// The rotation R that maximises trace(R·H): with H = U·S·Vᵀ it is V·diag(1, 1, det V·Uᵀ)·Uᵀ.
///
/// Its third term is (v₁ × v₂)(u₁ × u₂)ᵀ: built from the two larger singular pairs alone, the determinant is right by
/// itself and the third pair, which is noise for hooves on a plane, is never divided by.
pub(crate) fn nearest_rotation(h: &Matrix3<f64>) -> NearestRotation {
    let mut a: [Vector3<f64>; 3] = [h.column(0).into(), h.column(1).into(), h.column(2).into()];
    let mut v = [Vector3::x(), Vector3::y(), Vector3::z()];
    let floor = 1e-30 * h.norm_squared();
    for _ in 0..MAX_SWEEPS {
        let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| rotate(&mut a, &mut v, p, q, floor));
        if turned == [false; 3] {
            break;
        }
    }
    let norms = a.map(|column| column.norm());
    let [first, second, third] = descending(&norms);
    let (s1, s2) = (norms[first], norms[second]);
    if s2 <= 1e-12 * s1 || s1 == 0.0 {
        return NearestRotation { rotation: Matrix3::identity(), firmness: 0.0 };
    }
    let (u1, u2) = (a[first] / s1, a[second] / s2);
    let (v1, v2) = (v[first], v[second]);
    let (u3, v3) = (u1.cross(&u2), v1.cross(&v2));
    let signed_s3 = u3.dot(&a[third]) * v3.dot(&v[third]).signum();
    let rotation = v1 * u1.transpose() + v2 * u2.transpose() + v3 * u3.transpose();
    NearestRotation { rotation, firmness: (s2 + signed_s3) / s1 }
}

/// Makes columns `p` and `q` orthogonal; whether they were not.
#[inline]
fn rotate(a: &mut [Vector3<f64>; 3], v: &mut [Vector3<f64>; 3], p: usize, q: usize, floor: f64) -> bool {
    let (alpha, beta, gamma) = (a[p].norm_squared(), a[q].norm_squared(), a[p].dot(&a[q]));
    if gamma.abs() <= floor || gamma * gamma <= 1e-31 * alpha * beta {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for pair in [a, v] {
        let (x, y) = (pair[p], pair[q]);
        pair[p] = x * cosine - y * sine;
        pair[q] = x * sine + y * cosine;
    }
    true
}

fn descending(norms: &[f64; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if norms[order[i]] < norms[order[j]] {
            order.swap(i, j);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn points_on_a_plane_give_their_rotation_back(
            turn in vector(), a in vector(), b in vector(), weight in 0.1..10.0_f64,
        ) {
            prop_assume!(a.cross(&b).norm() > 1e-3);
            let turn = Rotation3::new(turn * 3.0);
            let h = a * (turn * a).transpose() + b * (turn * b).transpose() * weight;
            let found = nearest_rotation(&h);
            prop_assert!((found.rotation - turn.matrix()).amax() < 1e-9);
            prop_assert!((found.rotation.determinant() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn no_rotation_beats_it(columns in [vector(), vector(), vector()], other in vector()) {
            let h = Matrix3::from_columns(&columns);
            prop_assume!(nearest_rotation(&h).firmness > 1e-3);
            let found = nearest_rotation(&h).rotation;
            prop_assert!((found * found.transpose() - Matrix3::identity()).amax() < 1e-12);
            let near = Rotation3::new(other * 0.1).matrix() * found;
            for rival in [*Rotation3::new(other * 3.0).matrix(), near] {
                prop_assert!((rival * h).trace() <= (found * h).trace() + 1e-12);
            }
        }

        #[test]
        fn the_firmness_is_that_of_the_singular_values(columns in [vector(), vector(), vector()]) {
            let h = Matrix3::from_columns(&columns);
            let mut s: Vec<f64> = h.singular_values().iter().copied().collect();
            s.sort_by(|a, b| b.total_cmp(a));
            prop_assume!(s[1] > 1e-6);
            let expected = (s[1] + s[2] * h.determinant().signum()) / s[0];
            prop_assert!((nearest_rotation(&h).firmness - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn what_holds_one_axis_only_is_not_firm() {
        let line = Vector3::new(0.3, -0.2, 0.9);
        assert!(nearest_rotation(&(line * line.transpose())).firmness < 1e-12);
        assert_eq!(nearest_rotation(&Matrix3::zeros()).firmness, 0.0);
    }
}
