//! Six by six: the size of every part of the filter's state. Columns first, as nalgebra has them.
//!
//! Plain loops over arrays: nalgebra gives products of this size to a general kernel that packs them, which costs more than
//! the product itself and takes memory.

use nalgebra::{Matrix3, Vector3, Vector6};

/// A block of the covariance: six columns of six.
pub(crate) type Block = [[f64; 6]; 6];

pub(crate) const ZERO: Block = [[0.0; 6]; 6];

/// Diagonal: the first three alike, the last three alike.
pub(crate) fn diagonal(first: f64, last: f64) -> Block {
    let mut block = ZERO;
    for (at, column) in block.iter_mut().enumerate() {
        column[at] = if at < 3 { first } else { last };
    }
    block
}

#[inline]
pub(crate) fn transposed(a: &Block) -> Block {
    std::array::from_fn(|column| std::array::from_fn(|row| a[row][column]))
}

#[inline]
pub(crate) fn minus(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|column| std::array::from_fn(|row| a[column][row] - b[column][row]))
}

#[inline]
pub(crate) fn add(a: &mut Block, b: &Block) {
    for (a, b) in a.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *a += b;
    }
}

/// a += share · v·vᵀ.
#[inline]
pub(crate) fn add_outer(a: &mut Block, v: &[f64; 6], share: f64) {
    for (column, &with) in a.iter_mut().zip(v) {
        for (entry, &own) in column.iter_mut().zip(v) {
            *entry += share * own * with;
        }
    }
}

/// c −= a·bᵀ.
#[inline]
pub(crate) fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for (column, c) in c.iter_mut().enumerate() {
        for (a, b) in a.iter().zip(b) {
            let with = b[column];
            for (c, a) in c.iter_mut().zip(a) {
                *c -= a * with;
            }
        }
    }
}

/// a·b for a column b.
#[inline]
pub(crate) fn apply(a: &Block, b: &[f64; 6]) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for (column, &with) in a.iter().zip(b) {
        for (sum, &entry) in sum.iter_mut().zip(column) {
            *sum += entry * with;
        }
    }
    sum
}

/// Inverse of the lower Cholesky factor of a symmetric block; None when it is not positive definite.
pub(crate) fn inverse_factor(s: &Block) -> Option<Block> {
    let mut l = ZERO;
    for j in 0..6 {
        let square = s[j][j] - (0..j).map(|k| l[k][j] * l[k][j]).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        let root = square.sqrt();
        for i in j..6 {
            l[j][i] = (s[j][i] - (0..j).map(|k| l[k][i] * l[k][j]).sum::<f64>()) / root;
        }
    }
    let mut inverse = ZERO;
    for j in 0..6 {
        inverse[j][j] = 1.0 / l[j][j];
        for i in j + 1..6 {
            inverse[j][i] = -(j..i).map(|k| l[k][i] * inverse[j][k]).sum::<f64>() / l[i][i];
        }
    }
    Some(inverse)
}

/// w = g·Lᵀ⁻¹, so that w·wᵀ = g·S⁻¹·gᵀ, from L⁻¹.
#[inline]
pub(crate) fn whitened(g: &Block, inverse: &Block) -> Block {
    let mut w = ZERO;
    for (column, w) in w.iter_mut().enumerate() {
        for (k, g) in g.iter().enumerate().take(column + 1) {
            let with = inverse[k][column];
            for (w, g) in w.iter_mut().zip(g) {
                *w += g * with;
            }
        }
    }
    w
}

/// The first and the last three of six.
pub(crate) fn halves(v: &[f64; 6]) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
}

pub(crate) fn joined(first: &Vector3<f64>, last: &Vector3<f64>) -> [f64; 6] {
    [first.x, first.y, first.z, last.x, last.y, last.z]
}

/// A quarter of a block: 0 or 3 is where its rows and columns begin.
pub(crate) fn quarter(a: &Block, row: usize, column: usize) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| a[column + j][row + i])
}

/// aᵀ·b of six numbers.
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    Vector6::from(*a).dot(&Vector6::from(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix6;
    use proptest::prelude::*;

    fn matrix(a: &Block) -> Matrix6<f64> {
        Matrix6::from_column_slice(a.as_flattened())
    }

    fn block() -> impl Strategy<Value = Block> {
        proptest::array::uniform6(proptest::array::uniform6(-1.0..1.0_f64))
    }

    proptest! {
        #[test]
        fn products_are_those_of_nalgebra(a in block(), b in block(), c in block(), v in proptest::array::uniform6(-1.0..1.0_f64)) {
            let mut found = c;
            subtract_product(&mut found, &a, &b);
            prop_assert!((matrix(&found) - (matrix(&c) - matrix(&a) * matrix(&b).transpose())).amax() < 1e-14);
            prop_assert!((Vector6::from(apply(&a, &v)) - matrix(&a) * Vector6::from(v)).amax() < 1e-14);
            let mut found = c;
            add_outer(&mut found, &v, 0.3);
            prop_assert!((matrix(&found) - matrix(&c) - Vector6::from(v) * Vector6::from(v).transpose() * 0.3).amax() < 1e-14);
            prop_assert_eq!(matrix(&transposed(&a)), matrix(&a).transpose());
        }

        #[test]
        fn the_whitened_product_is_that_with_the_inverse(a in block(), g in block()) {
            let mut s = diagonal(0.1, 0.2);
            subtract_product(&mut s, &a, &a.map(|column| column.map(|entry| -entry)));
            let inverse = inverse_factor(&s).unwrap();
            let w = matrix(&whitened(&g, &inverse));
            let expected = matrix(&g) * matrix(&s).try_inverse().unwrap() * matrix(&g).transpose();
            prop_assert!((w * w.transpose() - expected).amax() < 1e-10 * (1.0 + expected.amax()));
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        assert!(inverse_factor(&ZERO).is_none());
        assert!(inverse_factor(&diagonal(1.0, -1.0)).is_none());
        assert!(inverse_factor(&diagonal(f64::NAN, 1.0)).is_none());
    }
}
