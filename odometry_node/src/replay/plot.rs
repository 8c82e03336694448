//! The picture of a replay: the way from above with its footprints, height, heading, and the gait diagram.

use std::fmt::Write;

use super::summary::{Sample, Stance, Summary};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const MAP_HEIGHT: f64 = 420.0;
const CURVE_HEIGHT: f64 = 110.0;
const ROW: f64 = 16.0;
/// Longer gait diagrams cannot be read; then this many seconds from the middle are shown.
const LONGEST_GAIT: f64 = 12.0;
const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#d19a2a", "#2a9d8f", "#9c4a6b", "#5b6770"];

/// A frame with axes: what is drawn in it, in its own units.
struct Panel {
    top: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Panel {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        self.top + self.height - (value - self.y.0) / (self.y.1 - self.y.0) * self.height
    }

    fn axes(&self, svg: &mut String, title: &str, unit: &str) {
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

    fn line(&self, svg: &mut String, points: impl Iterator<Item = (f64, f64)>, colour: &str) {
        svg.push_str("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"");
        svg.push_str(colour);
        svg.push_str("\" points=\"");
        for (x, y) in points {
            let _ = write!(svg, "{:.1},{:.1} ", self.x(x), self.y(y));
        }
        svg.push_str("\"/>\n");
    }
}

/// Draws a replay as SVG.
pub fn draw(summary: &Summary) -> String {
    let rows = summary.legs.len() as f64 * ROW;
    let total = 40.0 + MAP_HEIGHT + 2.0 * (CURVE_HEIGHT + 50.0) + rows + 100.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {total:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{total:.0}\" fill=\"#fff\"/>\n"
    );
    let mut top = 40.0;
    map(&mut svg, summary, top);
    top += MAP_HEIGHT + 50.0;
    let time = (0.0, summary.duration().max(1e-3));
    curve(&mut svg, summary, top, time, "height", "m", |sample| sample.place[2]);
    top += CURVE_HEIGHT + 50.0;
    curve(&mut svg, summary, top, time, "heading", "degrees", |sample| sample.heading.to_degrees());
    top += CURVE_HEIGHT + 50.0;
    gait(&mut svg, summary, top);
    svg.push_str("</svg>\n");
    svg
}

fn map(svg: &mut String, summary: &Summary, top: f64) {
    let places = || {
        let feet = summary.stances.iter().map(|stance| stance.place);
        summary.samples.iter().map(|sample| [sample.place[0], sample.place[1]]).chain(feet)
    };
    let (mut x, mut y) = (span(places().map(|place| place[0])), span(places().map(|place| place[1])));
    // One metre is as long in both directions.
    let metre = ((x.1 - x.0) / (WIDTH - LEFT - RIGHT)).max((y.1 - y.0) / MAP_HEIGHT);
    let widen = |span: &mut (f64, f64), length: f64| {
        let middle = (span.0 + span.1) / 2.0;
        *span = (middle - length * metre / 2.0, middle + length * metre / 2.0);
    };
    widen(&mut x, WIDTH - LEFT - RIGHT);
    widen(&mut y, MAP_HEIGHT);
    let panel = Panel { top, height: MAP_HEIGHT, x, y };
    panel.axes(svg, "path of the base from above, and footprints", "m");
    let mut spot = LEFT + 300.0;
    for (leg, name) in summary.legs.iter().enumerate() {
        let colour = COLOURS[leg % COLOURS.len()];
        let y = top - 10.0;
        let _ = writeln!(
            svg,
            "<circle cx=\"{spot:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            spot + 6.0,
            y + 3.0,
            escaped(name)
        );
        spot += 20.0 + 7.0 * name.chars().count() as f64;
    }
    for stance in &summary.stances {
        let (x, y) = (panel.x(stance.place[0]), panel.y(stance.place[1]));
        let colour = COLOURS[stance.leg % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\" fill-opacity=\"0.6\"/>"
        );
    }
    panel.line(svg, summary.samples.iter().map(|sample| (sample.place[0], sample.place[1])), "#111");
    for (sample, colour) in [(summary.samples.first(), "#2b2"), (summary.samples.last(), "#d22")] {
        let Some(sample) = sample else { continue };
        let (x, y) = (panel.x(sample.place[0]), panel.y(sample.place[1]));
        let (dx, dy) = (18.0 * sample.heading.cos(), -18.0 * sample.heading.sin());
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {y:.1}l{dx:.1} {dy:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"
        );
    }
}

fn curve(
    svg: &mut String,
    summary: &Summary,
    top: f64,
    x: (f64, f64),
    title: &str,
    unit: &str,
    value: impl Fn(&Sample) -> f64,
) {
    let panel = Panel { top, height: CURVE_HEIGHT, x, y: span(summary.samples.iter().map(&value)) };
    panel.axes(svg, title, unit);
    panel.line(svg, summary.samples.iter().map(|sample| (sample.time, value(sample))), COLOURS[0]);
}

fn gait(svg: &mut String, summary: &Summary, top: f64) {
    let duration = summary.duration().max(1e-3);
    let from = (duration / 2.0 - LONGEST_GAIT / 2.0).max(0.0);
    let to = (from + LONGEST_GAIT).min(duration);
    let rows = summary.legs.len() as f64;
    let panel = Panel { top, height: rows * ROW, x: (from, to), y: (0.0, rows) };
    let frame = Panel { y: (2.0, 2.0 + 1e-9), ..panel };
    frame.axes(svg, "gait: a bar while a hoof is down", "s");
    let bar = |stance: &Stance| {
        let (start, end) = (panel.x(stance.from.max(from)), panel.x(stance.to.min(to)));
        (start, (end - start).max(0.5), panel.y(rows - stance.leg as f64) + 3.0)
    };
    for stance in summary.stances.iter().filter(|stance| stance.to >= from && stance.from <= to) {
        let (x, width, y) = bar(stance);
        let colour = COLOURS[stance.leg % COLOURS.len()];
        let height = ROW - 6.0;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{colour}\"/>"
        );
    }
    for (leg, name) in summary.legs.iter().enumerate() {
        let y = panel.y(rows - leg as f64) + 12.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            escaped(name)
        );
    }
}

/// Least and most, with room around them.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (-1.0, 1.0);
    }
    let room = 0.05 * (high - low) + 0.01;
    (low - room, high + room)
}

/// Round numbers within a span.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    if high - low < 1e-6 {
        return vec![];
    }
    let rough = (high - low) / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0) * power;
    let first = (low / step).ceil() as i64;
    (first..).map(|n| n as f64 * step).take_while(|value| *value <= high).collect()
}

fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
