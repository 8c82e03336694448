//! A frame with axes in an SVG picture.

use std::fmt::Write;

pub(crate) const WIDTH: f64 = 960.0;
pub(crate) const LEFT: f64 = 70.0;
pub(crate) const RIGHT: f64 = 20.0;

/// A frame with axes: what is drawn in it, in its own units.
pub(crate) struct Panel {
    pub top: f64,
    pub height: f64,
    pub x: (f64, f64),
    pub y: (f64, f64),
}

impl Panel {
    pub(crate) fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.top + self.height - (value - self.y.0) / (self.y.1 - self.y.0) * self.height
    }

    pub(crate) fn axes(&self, svg: &mut String, title: &str, unit: &str) {
        let (top, width, height) = (self.top, WIDTH - LEFT - RIGHT, self.height);
        let _ = writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999\"/>\n\
             <text x=\"{LEFT}\" y=\"{:.1}\" font-weight=\"bold\">{title}</text>",
            top - 7.0
        );
        for value in ticks(self.y) {
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}h{width}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                number(value)
            );
        }
        for value in ticks(self.x) {
            let (x, bottom) = (self.x(value), self.top + self.height);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {top:.1}v{height}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 14.0,
                number(value)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{unit}</text>",
            WIDTH - RIGHT,
            self.top - 7.0
        );
    }

    pub(crate) fn line(&self, svg: &mut String, points: impl Iterator<Item = (f64, f64)>, colour: &str) {
        svg.push_str("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"");
        svg.push_str(colour);
        svg.push_str("\" points=\"");
        for (x, y) in points {
            let _ = write!(svg, "{:.1},{:.1} ", self.x(x), self.y(y));
        }
        svg.push_str("\"/>\n");
    }
}

/// Least and most, with room around them.
pub(crate) fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (-1.0, 1.0);
    }
    let room = 0.05 * (high - low) + 0.01;
    (low - room, high + room)
}

/// Round numbers within a span.
pub(crate) fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    if high - low < 1e-6 {
        return vec![];
    }
    let rough = (high - low) / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0) * power;
    let first = (low / step).ceil() as i64;
    (first..).map(|n| n as f64 * step).take_while(|value| *value <= high).collect()
}

pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
