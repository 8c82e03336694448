//! Where a polynomial is lowest and highest: exactly, for a look here and there misses the top.

/// Coefficients of Σ cᵢ·sⁱ.
pub type Coefficients = [f64; 6];

/// Halvings of an interval until it is as small as numbers are.
const HALVINGS: u32 = 54;

/// The value at s.
pub fn value(c: &Coefficients, s: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * s + c)
}

/// The derivative by s.
pub fn derivative(c: &Coefficients) -> Coefficients {
    [c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4], 5.0 * c[5], 0.0]
}

/// Lowest and highest value for s in 0 … 1, each with its s: at an end, or where the derivative is zero.
pub fn extremes(c: &Coefficients) -> [(f64, f64); 2] {
    let (roots, count) = roots(&derivative(c));
    let mut found = [(f64::INFINITY, 0.0), (f64::NEG_INFINITY, 0.0)];
    for s in [0.0, 1.0].into_iter().chain(roots[..count].iter().copied()) {
        let here = value(c, s);
        if here < found[0].0 {
            found[0] = (here, s);
        }
        if here > found[1].0 {
            found[1] = (here, s);
        }
    }
    found
}

/// Where the sign changes between 0 and 1, in order: between two roots of the derivative there is at most one.
fn roots(c: &Coefficients) -> ([f64; 5], usize) {
    let (mut found, mut count) = ([0.0; 5], 0);
    if c[1..].iter().all(|c| *c == 0.0) {
        return (found, 0);
    }
    let (turns, turn_count) = roots(&derivative(c));
    let mut low = 0.0;
    for high in turns[..turn_count].iter().copied().chain([1.0]) {
        if let Some(root) = bisect(c, low, high)
            && count < found.len()
        {
            found[count] = root;
            count += 1;
        }
        low = high;
    }
    (found, count)
}

fn bisect(c: &Coefficients, mut low: f64, mut high: f64) -> Option<f64> {
    let rises = value(c, low) < 0.0;
    if rises == (value(c, high) < 0.0) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if (value(c, middle) < 0.0) == rises { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Nowhere is it lower or higher, and what is given is a value that it has.
        #[test]
        fn extremes_bound_the_polynomial_and_are_reached(c in prop::array::uniform6(-3.0..3.0_f64), zeros in 0..6_usize) {
            let mut c = c;
            c[6 - zeros..].fill(0.0);
            let [low, high] = extremes(&c);
            prop_assert_eq!((value(&c, low.1), value(&c, high.1)), (low.0, high.0));
            prop_assert!((0.0..=1.0).contains(&low.1) && (0.0..=1.0).contains(&high.1));
            for look in 0..=1000 {
                let here = value(&c, f64::from(look) / 1000.0);
                prop_assert!(here >= low.0 - 1e-12 && here <= high.0 + 1e-12);
            }
        }
    }

    #[test]
    fn chebyshev_s_polynomial_has_its_extremes_where_it_has_them() {
        // T₅(2s − 1) moves between ±1 and touches each three times (P. L. Chebyshev 1854).
        let shifted = [-1.0, 50.0, -400.0, 1120.0, -1280.0, 512.0];
        let [low, high] = extremes(&shifted);
        assert!((low.0 + 1.0).abs() < 1e-12 && (high.0 - 1.0).abs() < 1e-12);
    }
}
