//! A small line chart.

use super::curves::Curve;
use std::fmt::Write;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 160.0;
const MARGIN: f64 = 26.0;

/// Input grey, output blue, with the range of both axes.
pub fn draw(curve: &Curve) -> String {
    let all = curve.input.iter().chain(&curve.output).copied();
    let (low, high) = all.fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    let end = curve.period * (curve.input.len() - 1) as f64;
    let x = |k: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * k as f64 / (curve.input.len() - 1) as f64;
    let y = |v: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (v - low) / (high - low);
    let line = |values: &[f64], colour: &str, width: f64| {
        let mut points = String::new();
        for (k, v) in values.iter().enumerate() {
            // Samples are held, so the line is a staircase.
            if k > 0 {
                let _ = write!(points, "{:.1},{:.1} ", x(k), y(values[k - 1]));
            }
            let _ = write!(points, "{:.1},{:.1} ", x(k), y(*v));
        }
        format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" points=\"{}\"/>\n",
            points.trim_end()
        )
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let _ =
        writeln!(svg, "<text x=\"{}\" y=\"14\" text-anchor=\"middle\">{}</text>", WIDTH / 2.0, curve.title);
    let _ = writeln!(
        svg,
        "<path d=\"M{MARGIN} {MARGIN}V{b}H{r}M{MARGIN} {z:.1}H{r}\" fill=\"none\" stroke=\"#bbb\"/>",
        b = HEIGHT - MARGIN,
        r = WIDTH - MARGIN,
        z = y(0.0)
    );
    svg += &line(&curve.input, "#999", 1.0);
    svg += &line(&curve.output, "#06c", 1.8);
    let label = |x: f64, y: f64, anchor: &str, text: String| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#555\">{text}</text>\n")
    };
    svg += &label(MARGIN - 3.0, y(high) + 4.0, "end", format!("{high:.1}"));
    svg += &label(MARGIN - 3.0, y(low) + 4.0, "end", format!("{low:.1}"));
    svg += &label(WIDTH - MARGIN, HEIGHT - MARGIN + 12.0, "end", format!("{end:.1} s"));
    svg + "</svg>\n"
}
