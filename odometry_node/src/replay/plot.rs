//! The picture of a replay: the way from above with its footprints, height, heading, and the gait diagram.

use std::fmt::Write;

use nalgebra::{Isometry3, Matrix2, SymmetricEigen, UnitQuaternion, Vector3};

use super::panel::{LEFT, Panel, RIGHT, WIDTH, escaped, span};
use super::summary::{Sample, Stance, Summary};
use crate::estimate::heading;

const MAP_HEIGHT: f64 = 420.0;
const CURVE_HEIGHT: f64 = 110.0;
const ROW: f64 = 16.0;
/// Longer gait diagrams cannot be read; then this many seconds from the middle are shown.
const LONGEST_GAIT: f64 = 12.0;
const TRUTH: &str = "#2a9d3f";
const SPREAD: &str = "#7a5fd0";
/// More points of the true way than this cannot be seen.
const MOST_TRUE: usize = 1024;
/// More ellipses than this hide each other.
const ELLIPSES: usize = 12;
const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#d19a2a", "#2a9d8f", "#9c4a6b", "#5b6770"];

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
    let truth = truth(summary);
    let places = || {
        let feet = summary.stances.iter().map(|stance| stance.place);
        let own = summary.samples.iter().map(|sample| [sample.place[0], sample.place[1]]);
        own.chain(feet).chain(truth.iter().copied())
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
    if !truth.is_empty() {
        panel.line(svg, truth.iter().map(|place| (place[0], place[1])), TRUTH);
        label(svg, top, "truth", TRUTH);
    }
    let ellipses = ellipses(svg, summary, &panel);
    if ellipses > 0 {
        label(svg, top - 12.0, "2σ of the place", SPREAD);
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

/// The true places, put where the estimate began: truth has a frame of its own.
fn truth(summary: &Summary) -> Vec<[f64; 2]> {
    let pairs = summary.path.beside(&summary.truth);
    let Some((_, own, other)) = pairs.first() else { return vec![] };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading(own) - heading(other));
    let shift = own.translation.vector - turn * other.translation.vector;
    let every = pairs.len().div_ceil(MOST_TRUE);
    let place = |(_, _, other): &(f64, _, Isometry3<f64>)| {
        let place = turn * other.translation.vector + shift;
        [place.x, place.y]
    };
    pairs.iter().step_by(every).map(place).collect()
}

/// Ellipses of 2σ along the way, the last at its end; how many can be seen.
fn ellipses(svg: &mut String, summary: &Summary, panel: &Panel) -> usize {
    let every = summary.samples.len().div_ceil(ELLIPSES).max(1);
    let metre = panel.x(1.0) - panel.x(0.0);
    let mut drawn = 0;
    for sample in summary.samples.iter().rev().step_by(every) {
        let [xx, xy, yy] = sample.covariance;
        let axes = SymmetricEigen::new(Matrix2::new(xx, xy, xy, yy));
        let radius = axes.eigenvalues.map(|variance| 2.0 * metre * variance.max(0.0).sqrt());
        if !(radius.max() >= 1.0 && radius.max() < 10.0 * WIDTH) {
            continue;
        }
        drawn += 1;
        let (x, y) = (panel.x(sample.place[0]), panel.y(sample.place[1]));
        // The picture's y goes down.
        let turn = -axes.eigenvectors[(1, 0)].atan2(axes.eigenvectors[(0, 0)]).to_degrees();
        let (rx, ry) = (radius[0], radius[1]);
        let _ = writeln!(
            svg,
            "<ellipse rx=\"{rx:.1}\" ry=\"{ry:.1}\" transform=\"translate({x:.1} {y:.1}) rotate({turn:.1})\" fill=\"{SPREAD}\" \
             fill-opacity=\"0.12\" stroke=\"{SPREAD}\"/>"
        );
    }
    drawn
}

fn label(svg: &mut String, top: f64, text: &str, colour: &str) {
    let (x, y) = (WIDTH - RIGHT - 40.0, top - 7.0);
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"{colour}\">{text}</text>");
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
