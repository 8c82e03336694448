//! From parameters to what the parts of the gait are told.

use crate::gait_speed::GaitSpeed;
use crate::params::GaitParams;
use crate::pattern::{Pattern, trot_phases, walk_phases};
use crate::stride::Stride;
use nalgebra::{Isometry2, Point2, Vector2};
use param_lib::ParamError;

/// How to walk, for legs whose feet are at `homes` with all joints at zero.
pub(crate) fn stride(params: &GaitParams, homes: &[Isometry2<f64>]) -> Result<Stride, ParamError> {
    Ok(Stride {
        pattern: pattern(params, homes)?,
        homes: homes.iter().map(|home| spread(home, params)).collect(),
        lift: params.lift,
        longest: params.max_stride,
        acceleration: params.acceleration,
        turn_acceleration: params.turn_acceleration,
        speed: GaitSpeed::default(),
        reach: vec![],
    })
}

/// Further out on its own side.
fn spread(home: &Isometry2<f64>, params: &GaitParams) -> Isometry2<f64> {
    let at = home.translation.vector;
    let more = Vector2::new(at.x.signum() * params.stance_length, at.y.signum() * params.stance_width);
    Isometry2::from_parts((at + more).into(), home.rotation)
}

fn pattern(params: &GaitParams, homes: &[Isometry2<f64>]) -> Result<Pattern, ParamError> {
    let name = params.gait.as_str();
    let points: Vec<Point2<f64>> = homes.iter().map(|home| Point2::from(home.translation.vector)).collect();
    let known = match name {
        "trot" => Pattern { period: 1.0, duty: 0.55, phases: trot_phases(&points) },
        _ => Pattern { period: 1.6, duty: 0.8, phases: walk_phases(&points) },
    };
    let Some((_, own)) = params.gaits.0.iter().find(|(gait, _)| gait == name) else { return Ok(known) };
    let phases = if own.phases.is_empty() { known.phases } else { own.phases.clone() };
    if phases.len() != homes.len() {
        let why = format!("{} numbers for {} legs", phases.len(), homes.len());
        return Err(ParamError::unfit(format!("gaits.{name}.phases"), why));
    }
    Ok(Pattern { period: own.period, duty: own.duty, phases })
}

/// How fast the body may move above its feet, m/s and rad/s.
pub(crate) fn body_speed(params: &GaitParams) -> [f64; 2] {
    [params.body_speed, params.body_turn_speed]
}
