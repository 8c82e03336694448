//! Lets any other tool check inverse dynamics: `dynamics URDF CONFIG`.
//!
//! Reads JSON lines
//! `{"q": {"joint": value, …}, "dq": {…}, "ddq": {…}, "gravity": [x,y,z], "base": {"orientation": [x,y,z,w],
//! "angular_velocity": [x,y,z], "angular_acceleration": [x,y,z], "linear_acceleration": [x,y,z]}}`
//! (what is absent is zero, level, or gravity of 9.81 m/s²) and prints for each line
//! `{"mass": kg, "efforts": {joint: value}, "base": [fx,fy,fz,mx,my,mz]}`; see `BaseMotion` and `Wrench` for axes.
//! With `"standing": {"chain": support, …}` the ground helps, by a gravity that points down the world's Oz: efforts are those
//! of `WholeBody`, `base` is what the ground cannot give, and `"forces": [[link, [x,y,z], [fx,fy,fz]], …]` are the forces
//! at points of the feet, all in the root link's frame.

use std::error::Error;
use std::io::{BufRead, Write};

use robot_model_lib::nalgebra::{Quaternion, UnitQuaternion, Vector3};
use robot_model_lib::{BaseMotion, Chain, Dynamics, JointSlot, PointForce, RobotModel, RobotParams};
use robot_model_lib::{StandingContact, WholeBody, Wrench};
use serde_json::{Map, Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, config] = arguments.as_slice() else {
        return Err("usage: dynamics URDF CONFIG < motions.jsonl".into());
    };
    let text = std::fs::read_to_string(config).map_err(|error| format!("{config}: {error}"))?;
    let model = RobotModel::from_urdf_file(urdf, &RobotParams::from_file_text(&text)?.config()?)?;
    let (mut dynamics, mut body) = (Dynamics::new(&model)?, WholeBody::new(&model)?);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let [q, dq, ddq] = ["q", "dq", "ddq"].map(|key| per_joint(&model, &request, key));
        let (q, dq, ddq) = (q?, dq?, ddq?);
        if let Some(gravity) = numbers::<3>(&request, "gravity") {
            dynamics.set_gravity(gravity.into());
            body.set_gravity(-gravity[2]);
        }
        let (mass, base) = (dynamics.mass(), motion(&request["base"]));
        let efforts = match request["standing"].as_object() {
            Some(supports) => body.efforts([&q, &dq, &ddq], &base, &standing(&model, supports)),
            None => dynamics.inverse(&q, &dq, &ddq, &base),
        };
        let mut answer =
            json!({"mass": mass, "efforts": named(&model, efforts.joints), "base": six(&efforts.base)});
        if request.get("standing").is_some() {
            answer["forces"] = body.ground_forces().iter().map(|force| point_force(&model, force)).collect();
        }
        writeln!(out, "{answer}")?;
        // Whoever drives us line by line waits for this one.
        out.flush()?;
    }
    Ok(())
}

fn per_joint(model: &RobotModel, request: &Value, key: &str) -> Outcome<Vec<f64>> {
    let mut values = vec![0.0; model.joints().len()];
    for (name, value) in request[key].as_object().into_iter().flatten() {
        let JointSlot::Joint { index, .. } = model.find_joint(name) else {
            return Err(format!("joint \"{name}\" is unknown, fixed or mimics another").into());
        };
        values[index] = value.as_f64().ok_or_else(|| format!("joint \"{name}\": {value} is no number"))?;
    }
    Ok(values)
}

fn numbers<const N: usize>(parent: &Value, key: &str) -> Option<[f64; N]> {
    let values: Vec<f64> = parent.get(key)?.as_array()?.iter().filter_map(Value::as_f64).collect();
    values.try_into().ok()
}

fn motion(base: &Value) -> BaseMotion {
    let vector = |key| numbers::<3>(base, key).map_or_else(Vector3::zeros, Vector3::from);
    let [x, y, z, w] = numbers(base, "orientation").unwrap_or([0.0, 0.0, 0.0, 1.0]);
    BaseMotion {
        orientation: UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)),
        angular_velocity: vector("angular_velocity"),
        angular_acceleration: vector("angular_acceleration"),
        linear_acceleration: vector("linear_acceleration"),
    }
}

fn standing(model: &RobotModel, supports: &Map<String, Value>) -> Vec<Option<StandingContact>> {
    let stands = |chain: &Chain| {
        let support = supports.get(&chain.name)?.as_f64()?;
        Some(StandingContact { contact: chain.default_contact?, support })
    };
    model.chains().iter().map(stands).collect()
}

fn point_force(model: &RobotModel, at: &PointForce) -> Value {
    let link = model.link_names().nth(model.chains()[at.chain].last_link).unwrap_or_default();
    let (point, force): ([f64; 3], [f64; 3]) = (at.point.coords.into(), at.force.into());
    json!([link, point, force])
}

fn named(model: &RobotModel, values: &[f64]) -> Map<String, Value> {
    model.joints().iter().zip(values).map(|(joint, value)| (joint.name.clone(), json!(value))).collect()
}

fn six(wrench: &Wrench) -> Vec<f64> {
    wrench.force.iter().chain(&wrench.moment).copied().collect()
}
