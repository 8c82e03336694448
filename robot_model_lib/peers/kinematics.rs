//! Lets any other tool check the kernel: `kinematics URDF CONFIG`.
//!
//! Reads JSON lines `{"q": {"joint": value, …}}` from standard input (absent joints are zero) and
//! prints for each line
//! `{"links": {name: [x,y,z,qx,qy,qz,qw]}, "jacobians": {chain: {"joints": [names], "rows": [[…]×6]}}}`
//! in the root link's axes, linear rows first, taken at the mean of the default contact's points
//! (for a chain without a contact, at its last link's origin).

use std::error::Error;
use std::io::{BufRead, Write};

use robot_model_lib::nalgebra::{IsometryMatrix3, UnitQuaternion};
use robot_model_lib::{Chain, JointSlot, Kinematics, LinkPoses, RobotModel, RobotParams};
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, config] = arguments.as_slice() else {
        return Err("usage: kinematics URDF CONFIG < poses.jsonl".into());
    };
    let text = std::fs::read_to_string(config).map_err(|error| format!("{config}: {error}"))?;
    let model = RobotModel::from_urdf_file(urdf, &RobotParams::from_file_text(&text)?.config()?)?;
    let (mut kinematics, mut links) = (Kinematics::new(&model), LinkPoses::new(&model));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let q = positions(&model, &serde_json::from_str(&line)?)?;
        kinematics.update(&q);
        links.update(&q);
        let answer = json!({"links": poses(&model, &links), "jacobians": jacobians(&model, &kinematics)});
        writeln!(out, "{answer}")?;
        // Whoever drives us line by line waits for this one.
        out.flush()?;
    }
    Ok(())
}

fn positions(model: &RobotModel, request: &Value) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut q = vec![0.0; model.joints().len()];
    let given = request.get("q").and_then(Value::as_object).ok_or("a line wants {\"q\": {…}}")?;
    for (name, value) in given {
        let value = value.as_f64().ok_or_else(|| format!("joint \"{name}\": {value} is no number"))?;
        match model.find_joint(name) {
            JointSlot::Joint { index, .. } => q[index] = value,
            JointSlot::Mimic { .. } => return Err(format!("joint \"{name}\" mimics another").into()),
            JointSlot::Unknown => return Err(format!("joint \"{name}\" is not movable or unknown").into()),
        }
    }
    Ok(q)
}

fn poses(model: &RobotModel, links: &LinkPoses) -> Map<String, Value> {
    let pose = |(name, pose): (&str, IsometryMatrix3<f64>)| {
        let (p, r) = (pose.translation.vector, UnitQuaternion::from_rotation_matrix(&pose.rotation));
        (name.to_owned(), json!([p.x, p.y, p.z, r.i, r.j, r.k, r.w]))
    };
    model.link_names().zip(links.iter()).map(pose).collect()
}

fn jacobians(model: &RobotModel, kinematics: &Kinematics) -> Map<String, Value> {
    let jacobian = |(number, chain): (usize, &Chain)| {
        let joints: Vec<&str> =
            model.joints()[chain.joints.clone()].iter().map(|joint| joint.name.as_str()).collect();
        let jacobian = kinematics.jacobian(number);
        let rows: Vec<Vec<f64>> = jacobian.row_iter().map(|row| row.iter().copied().collect()).collect();
        (chain.name.clone(), json!({"joints": joints, "rows": rows}))
    };
    model.chains().iter().enumerate().map(jacobian).collect()
}
