//! Numbers for people.

/// A number with so many decimals; what rounds to zero has no sign.
///
/// ```
/// # use robot_model_lib::fixed;
/// assert_eq!([-0.004, -0.006, 2.0].map(|x| fixed(x, 2)), ["0.00", "-0.01", "2.00"]);
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|c| matches!(c, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}
