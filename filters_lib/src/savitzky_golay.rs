//! Savitzky–Golay weights at the newest sample.

use crate::check::{positive, within};
use crate::error::Result;
use crate::window::MAX_WINDOW;

/// Weights w such that Σ w\[i\]·u\[k−i\] is the `derivative`-th derivative, at the newest sample, of the polynomial of
/// degree `order` that fits the last `window` samples best (A. Savitzky, M. Golay 1964, one-sided).
///
/// The polynomials orthogonal on the samples come from Stieltjes' recurrence, so no ill-conditioned system is solved:
/// w\[i\] = Σⱼ pⱼ(tᵢ)·pⱼ⁽ᵈ⁾(0)/‖pⱼ‖².
///
/// ```
/// // Two samples and a line: the plain difference.
/// let w = filters_lib::savitzky_golay(2, 1, 1, 0.1)?;
/// assert!((w[0] - 10.0).abs() < 1e-12 && (w[1] + 10.0).abs() < 1e-12);
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub fn savitzky_golay(window: usize, order: usize, derivative: usize, period: f64) -> Result<Vec<f64>> {
    positive("period", period)?;
    within("window", window as f64, (1..=MAX_WINDOW).contains(&window), "1…10000")?;
    within("order", order as f64, order < window, "below the window")?;
    within("derivative", derivative as f64, derivative <= order, "at most the order")?;
    // Times in units of the window, 0 at the newest sample.
    let unit = (window.max(2) - 1) as f64;
    let times: Vec<f64> = (0..window).map(|i| -(i as f64) / unit).collect();
    let mut weights = vec![0.0; window];
    let (mut p, mut p_before) = (vec![1.0; window], vec![0.0; window]);
    // Derivatives 0…d of pⱼ and pⱼ₋₁ at the newest sample.
    let (mut at_end, mut at_end_before) = (vec![0.0; derivative + 1], vec![0.0; derivative + 1]);
    at_end[0] = 1.0;
    let mut square_before = 1.0;
    for j in 0..=order {
        let square: f64 = p.iter().map(|v| v * v).sum();
        for (w, v) in weights.iter_mut().zip(&p) {
            *w += v * at_end[derivative] / square;
        }
        let alpha = p.iter().zip(&times).map(|(v, t)| t * v * v).sum::<f64>() / square;
        let beta = if j == 0 { 0.0 } else { square / square_before };
        let next = |i: usize| (times[i] - alpha) * p[i] - beta * p_before[i];
        let p_next: Vec<f64> = (0..window).map(next).collect();
        let end = |d: usize| {
            let lower = if d == 0 { 0.0 } else { d as f64 * at_end[d - 1] };
            lower - alpha * at_end[d] - beta * at_end_before[d]
        };
        let end_next: Vec<f64> = (0..=derivative).map(end).collect();
        (p_before, p, at_end_before, at_end, square_before) = (p, p_next, at_end, end_next, square);
    }
    let scale = (unit * period).powi(derivative as i32).recip();
    weights.iter_mut().for_each(|w| *w *= scale);
    Ok(weights)
}
