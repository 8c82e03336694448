//! Design of Butterworth filters as second-order sections.

use crate::check::{positive, resolved, within};
use crate::error::Result;
use crate::sections::SectionsParams;
use nalgebra::{Complex, ComplexField};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// What a filter lets through. Frequencies in Hz, above 0 and below half of 1/T; not nearer to either, nor to each other,
/// than rounding allows, for order 2 about 7·10⁻⁶/T.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FrequencyBand {
    /// What is slower.
    LowPass {
        /// Corner, −3 dB.
        frequency: f64,
    },
    /// What is faster.
    HighPass {
        /// Corner, −3 dB.
        frequency: f64,
    },
    /// What lies between.
    BandPass {
        /// Lower corner, −3 dB.
        low: f64,
        /// Upper corner, −3 dB.
        high: f64,
    },
    /// What does not lie between.
    BandStop {
        /// Lower corner, −3 dB.
        low: f64,
        /// Upper corner, −3 dB.
        high: f64,
    },
}

/// A Butterworth filter, as SciPy's `butter` designs it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ButterworthParams {
    /// Period T, s.
    pub period: f64,
    /// Order of the low-pass it is made from, 1…50; band filters have twice as many poles.
    pub order: usize,
    /// What it lets through.
    pub band: FrequencyBand,
}

impl ButterworthParams {
    /// The sections: poles of the analog low-pass, moved to the band, then through the bilinear transform with the
    /// corners kept (prewarped). Corners so near to an end of the range, or to each other, that rounding would move poles
    /// by more than a millionth of their distance from the unit circle are refused.
    pub fn design(&self) -> Result<SectionsParams> {
        positive("period", self.period)?;
        within("order", self.order as f64, (1..=50).contains(&self.order), "1…50")?;
        let warp = |name: &'static str, frequency: f64| {
            positive(name, frequency)?;
            let below = frequency * self.period < 0.5;
            within(name, frequency, below, "below half the sampling frequency")?;
            Ok((PI * frequency * self.period).tan())
        };
        // One half of the poles of the analog low-pass, the upper one; a real pole comes last.
        let count = self.order.div_ceil(2);
        let pole = |i: usize| turned(PI * (0.5 + (2 * i + 1) as f64 / (2 * self.order) as f64));
        let poles = (0..count).map(|i| (pole(i), self.order % 2 == 1 && i + 1 == count));
        let mut sections: Vec<[f64; 6]> = match self.band {
            FrequencyBand::LowPass { frequency } => {
                let w = warp("frequency", frequency)?;
                poles.map(|(p, single)| section(p * w, single, Zeros::Nyquist, 1.0)).collect()
            }
            FrequencyBand::HighPass { frequency } => {
                let w = warp("frequency", frequency)?;
                poles.map(|(p, single)| section(p.inv() * w, single, Zeros::Rest, -1.0)).collect()
            }
            FrequencyBand::BandPass { low, high } => {
                let (w, width) = centre(low, high, warp)?;
                let at = turned(2.0 * w.atan());
                split(poles, w, |p| p * width, |p| (p, Zeros::Both, at))
            }
            FrequencyBand::BandStop { low, high } => {
                let (w, width) = centre(low, high, warp)?;
                let at = Complex::from(1.0);
                split(poles, w, |p| p.inv() * width, |p| (p, Zeros::Notch(2.0 * w.atan()), at))
            }
        };
        // The sharpest section last: it finds the least left of what it would enlarge.
        sections.reverse();
        let (name, lowest) = match self.band {
            FrequencyBand::LowPass { frequency } | FrequencyBand::HighPass { frequency } => {
                ("frequency", frequency)
            }
            FrequencyBand::BandPass { low, .. } | FrequencyBand::BandStop { low, .. } => ("low", low),
        };
        let good = sections.iter().all(|[b0, _, _, _, a1, a2]| *b0 != 0.0 && resolved([*a1, *a2]));
        within(name, lowest, good, "farther from 0, half the sampling frequency and the other corner")?;
        Ok(SectionsParams { sections })
    }
}

/// The number of this angle on the unit circle.
fn turned(angle: f64) -> Complex<f64> {
    Complex::new(angle.cos(), angle.sin())
}

/// Geometric centre and width of a band, of its warped corners.
fn centre(low: f64, high: f64, warp: impl Fn(&'static str, f64) -> Result<f64>) -> Result<(f64, f64)> {
    let (from, to) = (warp("low", low)?, warp("high", high)?);
    within("low", low, from < to, "below the upper corner")?;
    Ok(((from * to).sqrt(), to - from))
}

/// Where the zeros of a section lie on the unit circle.
#[derive(Clone, Copy)]
enum Zeros {
    /// At −1, so half the sampling frequency is gone.
    Nyquist,
    /// At 1, so the resting part is gone.
    Rest,
    /// One at each of them.
    Both,
    /// At ± this angle.
    Notch(f64),
}

/// z of an analog pole: the bilinear transform (1 + s)/(1 − s).
fn bilinear(pole: Complex<f64>) -> Complex<f64> {
    (Complex::from(1.0) + pole) / (Complex::from(1.0) - pole)
}

/// The section of an analog pole and its conjugate (or of a single real one), with the gain 1 at z = `at`.
fn section(pole: Complex<f64>, single: bool, zeros: Zeros, at: f64) -> [f64; 6] {
    let z = bilinear(pole);
    if single {
        let b1 = if let Zeros::Nyquist = zeros { 1.0 } else { -1.0 };
        let gain = (1.0 - z.re * at) / (1.0 + b1 * at);
        return [gain, gain * b1, 0.0, 1.0, -z.re, 0.0];
    }
    normalised([-2.0 * z.re, z.norm_sqr()], zeros, Complex::from(at))
}

/// Two sections for each pair of poles of the low-pass: s² − p·s + w² = 0 for p = `spread`(pole).
fn split(
    poles: impl Iterator<Item = (Complex<f64>, bool)>,
    w: f64,
    spread: impl Fn(Complex<f64>) -> Complex<f64>,
    place: impl Fn([f64; 2]) -> ([f64; 2], Zeros, Complex<f64>),
) -> Vec<[f64; 6]> {
    let mut sections = vec![];
    for (pole, single) in poles {
        let half = spread(pole) * 0.5;
        let root = (half * half - w * w).sqrt();
        let (first, second) = (bilinear(half + root), bilinear(half - root));
        let denominators = if single {
            // Their own conjugates, or of each other.
            vec![[-(first + second).re, (first * second).re]]
        } else {
            vec![[-2.0 * first.re, first.norm_sqr()], [-2.0 * second.re, second.norm_sqr()]]
        };
        for denominator in denominators {
            let (a, zeros, at) = place(denominator);
            sections.push(normalised(a, zeros, at));
        }
    }
    sections
}

/// A section with the gain 1 at z = `at`.
fn normalised([a1, a2]: [f64; 2], zeros: Zeros, at: Complex<f64>) -> [f64; 6] {
    let [b1, b2] = match zeros {
        Zeros::Nyquist => [2.0, 1.0],
        Zeros::Rest => [-2.0, 1.0],
        Zeros::Both => [0.0, -1.0],
        Zeros::Notch(angle) => [-2.0 * angle.cos(), 1.0],
    };
    let value = |c1: f64, c2: f64| (at * at + at * c1 + Complex::from(c2)).modulus();
    let gain = value(a1, a2) / value(b1, b2);
    [gain, gain * b1, gain * b2, 1.0, a1, a2]
}
