//! One step of inverse kinematics: small linear systems on the stack.

use nalgebra::{Matrix3, Vector3};

/// Rows of a whole task: three of position, three of orientation.
pub(crate) const ROWS: usize = 6;

/// Solves `a·x = b` for the leading `n`×`n` part of a symmetric positive definite `a` (Cholesky).
/// `false` when it is not positive definite.
fn solve(a: &mut [[f64; ROWS]; ROWS], b: &mut [f64; ROWS], n: usize) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let sum = a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>();
            if i == j {
                // A NaN is not positive either.
                if sum.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
                    return false;
                }
                a[i][i] = sum.sqrt();
            } else {
                a[i][j] = sum / a[j][j];
            }
        }
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    true
}

/// The damped least squares step `dq` = (JᵀJ + λI)⁻¹Jᵀe over the free joints, the others resting.
///
/// Solved in the space of the joints when they are few, else in that of the rows
/// (Jᵀ(JJᵀ + λI)⁻¹e, the same step), so that no system is larger than six.
pub(crate) fn damped(
    columns: &[[f64; ROWS]],
    free: &[bool],
    error: &[f64; ROWS],
    damping: f64,
    step: &mut [f64],
) -> bool {
    step.fill(0.0);
    let count = free.iter().filter(|free| **free).count();
    let dot = |a: &[f64; ROWS], b: &[f64; ROWS]| (0..ROWS).map(|row| a[row] * b[row]).sum::<f64>();
    let mut a = [[0.0; ROWS]; ROWS];
    let mut b = [0.0; ROWS];
    let columns = || columns.iter().zip(free).enumerate().filter(|(_, (_, free))| **free);
    if count <= ROWS {
        for (i, (_, (left, _))) in columns().enumerate() {
            for (j, (_, (right, _))) in columns().enumerate().take(i + 1) {
                a[i][j] = dot(left, right);
            }
            a[i][i] += damping;
            b[i] = dot(left, error);
        }
        let solved = solve(&mut a, &mut b, count);
        for (i, (joint, _)) in columns().enumerate() {
            step[joint] = b[i];
        }
        return solved;
    }
    for (_, (column, _)) in columns() {
        for i in 0..ROWS {
            for j in 0..=i {
                a[i][j] += column[i] * column[j];
            }
        }
    }
    for (i, row) in a.iter_mut().enumerate() {
        row[i] += damping;
    }
    b = *error;
    let solved = solve(&mut a, &mut b, ROWS);
    for (joint, (column, _)) in columns() {
        step[joint] = dot(column, &b);
    }
    solved
}

/// The step that mends the position first and turns only as far as the position stays
/// (task priority: Nakamura, Hanafusa, Yoshikawa 1987).
pub(crate) fn prioritised(
    columns: &[[f64; ROWS]],
    free: &[bool],
    error: &[f64; ROWS],
    damping: f64,
    step: &mut [f64],
) -> bool {
    let linear = |column: &[f64; ROWS]| Vector3::new(column[0], column[1], column[2]);
    let angular = |column: &[f64; ROWS]| Vector3::new(column[3], column[4], column[5]);
    let columns = || columns.iter().zip(free.iter()).enumerate().filter(|(_, (_, free))| **free);
    let tiny = Matrix3::identity() * 1e-12;
    let (mut pp, mut op) = (tiny, Matrix3::zeros());
    for (_, (column, _)) in columns() {
        pp += linear(column) * linear(column).transpose();
        op += angular(column) * linear(column).transpose();
    }
    let Some(inverse) = pp.try_inverse() else { return false };
    let mended = inverse * linear(error);
    let coupling = op * inverse;
    // What is left of each joint's turning once the position is held.
    let rest = |column: &[f64; ROWS]| angular(column) - coupling * linear(column);
    let wanted = angular(error) - op * mended;
    let mut bb = Matrix3::identity() * damping;
    for (_, (column, _)) in columns() {
        bb += rest(column) * rest(column).transpose();
    }
    let Some(inverse) = bb.try_inverse() else { return false };
    let turned = inverse * wanted;
    step.fill(0.0);
    for (joint, (column, _)) in columns() {
        step[joint] = linear(column).dot(&mended) + rest(column).dot(&turned);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_damped_step_has_no_gradient_left(
            columns in prop::collection::vec(prop::array::uniform6(-1.0..1.0_f64), 1..12),
            error in prop::array::uniform6(-1.0..1.0_f64),
        ) {
            let mut step = vec![0.0; columns.len()];
            prop_assert!(damped(&columns, &vec![true; columns.len()], &error, 1e-3, &mut step));
            // Jᵀ(e − J·dq) = λ·dq
            for (column, dq) in columns.iter().zip(&step) {
                let mut gradient = 0.0;
                for row in 0..ROWS {
                    let moved: f64 = columns.iter().zip(&step).map(|(column, dq)| column[row] * dq).sum();
                    gradient += column[row] * (error[row] - moved);
                }
                prop_assert!((gradient - 1e-3 * dq).abs() < 1e-9);
            }
        }

        #[test]
        fn the_prioritised_step_mends_the_position_whatever_the_orientation_asks(
            columns in prop::collection::vec(prop::array::uniform6(-1.0..1.0_f64), 5..9),
            error in prop::array::uniform6(-1.0..1.0_f64),
        ) {
            let linear = columns.iter().map(|column| Vector3::new(column[0], column[1], column[2]));
            let square: Matrix3<f64> = linear.map(|column| column * column.transpose()).sum();
            // Well away from singular postures, where the tiny damping of the position would show.
            prop_assume!(square.determinant() > 0.1);
            let mut step = vec![0.0; columns.len()];
            prop_assert!(prioritised(&columns, &vec![true; columns.len()], &error, 1e-3, &mut step));
            for row in 0..3 {
                let moved: f64 = columns.iter().zip(&step).map(|(column, dq)| column[row] * dq).sum();
                prop_assert!((moved - error[row]).abs() < 1e-5);
            }
        }
    }
}
