//! Sine and cosine of several angles at once, to the last bit or two.
//!
//! The library function takes one angle and jumps about; this one has no branches, so the compiler
//! turns it into vector instructions. Method and coefficients are fdlibm's (`e_rem_pio2.c`,
//! `k_sin.c`, `k_cos.c`): reduce by multiples of π/2 with π/2 in three parts, then two polynomials.

// The published constants are kept digit for digit.
#![allow(clippy::excessive_precision)]

use crate::lanes::{Lanes, WIDTH};

/// Larger angles lose digits in the reduction and are left to the library.
const LARGEST: f64 = 1e5;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// π/2 in parts of 33 bits, so that products with small whole numbers are exact.
const PIO2_1: f64 = 1.57079632673412561417e+00;
const PIO2_2: f64 = 6.07710050630396597660e-11;
const PIO2_2T: f64 = 2.02226624879595063154e-21;
/// Adding this rounds to a whole number and leaves it in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

const S: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
const C: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

/// `(sin, cos)` of every lane.
#[inline(always)]
pub(crate) fn sincos(angles: Lanes) -> (Lanes, Lanes) {
    // NaN fails the comparison too, and the library returns NaN for it.
    if angles.0.iter().all(|angle| angle.abs() <= LARGEST) { small(angles) } else { large(angles) }
}

/// Sines and cosines of a whole array; its length is a multiple of the lanes' width.
#[inline]
pub(crate) fn sincos_all(angles: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    let groups = angles.as_chunks().0.iter().zip(sines.as_chunks_mut().0).zip(cosines.as_chunks_mut().0);
    for ((angles, sines), cosines) in groups {
        (Lanes(*sines), Lanes(*cosines)) = sincos(Lanes(*angles));
    }
}

#[cold]
fn large(angles: Lanes) -> (Lanes, Lanes) {
    (Lanes(angles.0.map(f64::sin)), Lanes(angles.0.map(f64::cos)))
}

#[inline(always)]
fn small(x: Lanes) -> (Lanes, Lanes) {
    let number = |value: f64| Lanes([value; WIDTH]);
    let shifted = x * number(TWO_OVER_PI) + number(ROUNDER);
    let quarter = shifted.0.map(f64::to_bits);
    let n = shifted - number(ROUNDER);

    let first = x - n * number(PIO2_1);
    let second = n * number(PIO2_2);
    let r = first - second;
    let rest = n * number(PIO2_2T) - ((first - r) - second);
    let y = r - rest;
    let tail = (r - y) - rest;

    let z = y * y;
    let v = z * y;
    let half = number(0.5);
    let poly =
        |c: &[f64; 6], from: usize| (from..5).rev().fold(number(c[5]), |sum, i| sum * z + number(c[i]));
    let sine = y - ((z * (half * tail - v * poly(&S, 1)) - tail) - v * number(S[0]));
    let hz = half * z;
    let w = Lanes::ONE - hz;
    let cosine = w + (((Lanes::ONE - w) - hz) + (z * z * poly(&C, 0) - y * tail));

    let mut sines = [0.0; WIDTH];
    let mut cosines = [0.0; WIDTH];
    for lane in 0..WIDTH {
        let quarter = quarter[lane];
        let swap = 0_u64.wrapping_sub(quarter & 1);
        let (s, c) = (sine.0[lane].to_bits(), cosine.0[lane].to_bits());
        let flip_sine = (quarter & 2) << 62;
        let flip_cosine = (quarter.wrapping_add(1) & 2) << 62;
        sines[lane] = f64::from_bits(((s & !swap) | (c & swap)) ^ flip_sine);
        cosines[lane] = f64::from_bits(((c & !swap) | (s & swap)) ^ flip_cosine);
    }
    (Lanes(sines), Lanes(cosines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(angle: f64) {
        let (sine, cosine) = sincos(Lanes([angle, -angle, angle + 1.0, 0.0]));
        for (lane, angle) in [angle, -angle, angle + 1.0, 0.0].into_iter().enumerate() {
            for (ours, theirs) in [(sine.0[lane], angle.sin()), (cosine.0[lane], angle.cos())] {
                let last_bit = theirs.abs().max(f64::MIN_POSITIVE) * f64::EPSILON;
                assert!((ours - theirs).abs() <= last_bit, "{angle}: {ours} is not {theirs}");
            }
        }
    }

    #[test]
    fn agrees_with_the_library_to_the_last_bit_over_the_whole_range() {
        let mut angle = 1e-300;
        while angle < 2.0 * LARGEST {
            check(angle);
            angle *= 1.000_37;
        }
        for step in 0..100_000 {
            check(f64::from(step) * 1e-4);
            // Near multiples of π/2 the reduction cancels most digits.
            check(f64::from(step) * std::f64::consts::FRAC_PI_2);
        }
    }

    #[test]
    fn keeps_what_is_not_a_number_in_its_lane() {
        let (sine, cosine) = sincos(Lanes([f64::NAN, 0.0, f64::INFINITY, 1e300]));
        assert!(sine.0[0].is_nan() && cosine.0[2].is_nan());
        assert_eq!((sine.0[1], cosine.0[1]), (0.0, 1.0));
        assert_eq!(sine.0[3], 1e300_f64.sin());
    }
}
