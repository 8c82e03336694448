//! Draws a robot from its right side: `draw URDF > robot.svg`.
//!
//! Shows the boxes of all visuals with the joints at zero, the farthest first.
#![allow(clippy::print_stdout)]

use std::error::Error;

use robot_model_lib::nalgebra::{Isometry3, Point3};
use robot_model_lib::{LinkPoses, ModelConfig, RobotModel};

const PIXELS_PER_METRE: f64 = 800.0;
const MARGIN: f64 = 0.03;

/// The outline of a box seen along y.
struct Outline {
    points: Vec<(f64, f64)>,
    /// The nearest corner's distance to the left of the robot's middle.
    left: f64,
    colour: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: draw URDF > robot.svg")?;
    let model = RobotModel::from_urdf_file(path, &ModelConfig::default())?;
    let mut outlines = outlines(&model);
    outlines.sort_by(|a, b| b.left.total_cmp(&a.left));
    let points = || outlines.iter().flat_map(|outline| &outline.points);
    let least = |value: fn(&(f64, f64)) -> f64| points().map(value).fold(f64::INFINITY, f64::min) - MARGIN;
    let most = |value: fn(&(f64, f64)) -> f64| points().map(value).fold(f64::NEG_INFINITY, f64::max) + MARGIN;
    let (left, right, bottom, top) = (least(|p| p.0), most(|p| p.0), least(|p| p.1), most(|p| p.1));
    let pixels = |metres: f64| (metres * PIXELS_PER_METRE).round();
    println!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" stroke="black" stroke-linejoin="round">"#,
        pixels(right - left),
        pixels(top - bottom)
    );
    for outline in &outlines {
        let corner = |&(x, z): &(f64, f64)| format!("{},{}", pixels(x - left), pixels(top - z));
        let corners: Vec<String> = outline.points.iter().map(corner).collect();
        println!(r#"  <polygon points="{}" fill="{}"/>"#, corners.join(" "), outline.colour);
    }
    println!("</svg>");
    Ok(())
}

fn outlines(model: &RobotModel) -> Vec<Outline> {
    let links = LinkPoses::new(model);
    let mut outlines = Vec::new();
    for link in &model.urdf().links {
        let Some(number) = model.find_link(&link.name) else { continue };
        for visual in &link.visual {
            let urdf_rs::Geometry::Box { size } = &visual.geometry else { continue };
            let at: Isometry3<f64> = k::urdf::isometry_from(&visual.origin);
            let side = |bit: usize, axis: usize| if bit >> axis & 1 == 0 { -0.5 } else { 0.5 } * size[axis];
            let corners: Vec<Point3<f64>> = (0..8)
                .map(|bit| links.pose(number) * (at * Point3::new(side(bit, 0), side(bit, 1), side(bit, 2))))
                .collect();
            let left = corners.iter().map(|corner| corner.y).fold(f64::INFINITY, f64::min);
            let material = visual.material.as_ref().map_or("", |material| material.name.as_str());
            outlines.push(Outline {
                points: hull(corners.iter().map(|corner| (corner.x, corner.z)).collect()),
                left,
                colour: colour(model, material),
            });
        }
    }
    outlines
}

/// A material's colour as SVG writes it.
fn colour(model: &RobotModel, material: &str) -> String {
    let named = model.urdf().materials.iter().find(|known| known.name == material);
    match named.and_then(|known| known.color.as_ref()) {
        Some(colour) => {
            let [red, green, blue, _] = colour.rgba.0.map(|share| (share * 255.0).round());
            format!("rgb({red},{green},{blue})")
        }
        None => "silver".to_owned(),
    }
}

/// Convex hull (Andrew's monotone chain).
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = |points: &mut dyn Iterator<Item = &(f64, f64)>| {
        let mut hull: Vec<(f64, f64)> = Vec::new();
        for &(x, y) in points {
            while let [.., a, b] = hull.as_slice()
                && (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0) <= 1e-12
            {
                hull.pop();
            }
            hull.push((x, y));
        }
        hull.pop();
        hull
    };
    let mut whole = half(&mut points.iter());
    whole.extend(half(&mut points.iter().rev()));
    whole
}
