//! Inverse dynamics agree with energy, and with what physics says of scale, turn and sum. Pinocchio is asked in
//! `test/robot_model`.
#![allow(clippy::unwrap_used)]

mod common;

use common::Dice;
use proptest::prelude::*;
use robot_model_lib::nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3, convert};
use robot_model_lib::{BaseMotion, Dynamics, LinkPoses, ModelConfig, ModelError, RobotModel};

/// A motion of joints and base around t = 0 with constant joint accelerations.
struct Course {
    q: [Vec<f64>; 3],
    base: BaseMotion,
    velocity: Vector3<f64>,
}

impl Course {
    fn new(model: &RobotModel, dice: &mut Dice) -> Self {
        let base = BaseMotion {
            orientation: UnitQuaternion::new(Vector3::from(dice.numbers(2.0))),
            angular_velocity: dice.numbers(2.0).into(),
            angular_acceleration: dice.numbers(5.0).into(),
            linear_acceleration: dice.numbers(5.0).into(),
        };
        let mut values = |reach: f64| model.joints().iter().map(|_| dice.within(-reach, reach)).collect();
        Self { q: [values(2.0), values(2.0), values(5.0)], base, velocity: dice.numbers(1.0).into() }
    }

    fn joints(&self, t: f64) -> Vec<f64> {
        let [q, dq, ddq] = &self.q;
        (0..q.len()).map(|i| q[i] + t * dq[i] + 0.5 * t * t * ddq[i]).collect()
    }

    fn base(&self, t: f64) -> Isometry3<f64> {
        let along = |velocity: Vector3<f64>, acceleration| velocity * t + acceleration * (0.5 * t * t);
        let turn = UnitQuaternion::new(along(self.base.angular_velocity, self.base.angular_acceleration));
        let acceleration = self.base.orientation * self.base.linear_acceleration;
        let place = Translation3::from(along(self.base.orientation * self.velocity, acceleration));
        Isometry3::from_parts(place, self.base.orientation * turn)
    }
}

/// Kinetic and potential energy at a time, from the poses of the links alone: masses are those of the URDF.
fn energy(model: &RobotModel, course: &Course, t: f64, gravity: f64) -> f64 {
    const STEP: f64 = 1e-5;
    let [before, now, after] = [t - STEP, t, t + STEP].map(|t| {
        let mut links = LinkPoses::new(model);
        links.update(&course.joints(t));
        let base = course.base(t);
        let in_world = |(name, pose)| {
            let link = model.urdf().links.iter().find(|link| link.name == name).unwrap();
            let pose: Isometry3<f64> = convert(pose);
            (base * pose * k::urdf::isometry_from(&link.inertial.origin), link)
        };
        model.link_names().zip(links.iter()).map(in_world).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for ((before, now), after) in before.iter().zip(&now).zip(&after) {
        let urdf_rs::Inertial { mass, inertia: i, .. } = &now.1.inertial;
        let v = (after.0.translation.vector - before.0.translation.vector) / (2.0 * STEP);
        let turn = before.0.rotation.inverse() * after.0.rotation;
        let w = turn.scaled_axis() / (2.0 * STEP);
        let moment = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
        sum += 0.5 * mass.value * v.norm_squared() + 0.5 * w.dot(&(moment * w));
        sum += mass.value * gravity * now.0.translation.z;
    }
    sum
}

fn run(dynamics: &mut Dynamics, course: &Course) -> (Vec<f64>, Vector3<f64>, Vector3<f64>) {
    let [q, dq, ddq] = &course.q;
    let efforts = dynamics.inverse(q, dq, ddq, &course.base);
    (efforts.joints.to_vec(), efforts.base.force, efforts.base.moment)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What joints and base give each second is what the energy grows by.
    #[test]
    fn power_is_the_rate_of_energy(seed in any::<u64>(), links in 2..16_usize) {
        const STEP: f64 = 1e-3;
        let mut dice = Dice(seed);
        let Some(model) = common::random_heavy_robot(&mut dice, links) else { return Ok(()) };
        let course = Course::new(&model, &mut dice);
        let (joints, force, moment) = run(&mut Dynamics::new(&model).unwrap(), &course);
        let power = joints.iter().zip(&course.q[1]).map(|(effort, rate)| effort * rate).sum::<f64>()
            + force.dot(&course.velocity) + moment.dot(&course.base.angular_velocity);
        let at = |t: f64| energy(&model, &course, t, 9.81);
        let (near, far) = (at(STEP) - at(-STEP), at(2.0 * STEP) - at(-2.0 * STEP));
        let growth = (8.0 * near - far) / (12.0 * STEP);
        // Fourth order in the step; velocities are differences good to 1e-9 of speeds up to some 10 m/s.
        let scale = 1.0 + power.abs() + at(0.0).abs();
        prop_assert!((power - growth).abs() < 2e-5 * scale, "{power} {growth}");
    }

    /// Without gravity a motion s times as fast takes s² times the efforts; efforts are linear in acceleration and gravity;
    /// a robot that is turned about the vertical feels nothing of it.
    #[test]
    fn scale_sum_and_turn(seed in any::<u64>(), links in 2..20_usize, s in 0.1..5.0_f64) {
        let mut dice = Dice(seed);
        let Some(model) = common::random_heavy_robot(&mut dice, links) else { return Ok(()) };
        let mut dynamics = Dynamics::new(&model).unwrap();
        let mut course = Course::new(&model, &mut dice);
        let whole = run(&mut dynamics, &course);
        let size = 1.0 + whole.0.iter().fold(whole.1.amax().max(whole.2.amax()), |most, e| most.max(e.abs()));
        let near = |a: &[f64], b: &[f64], factor: f64| {
            a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * factor * size)
        };

        course.base.orientation = UnitQuaternion::new(Vector3::z() * s) * course.base.orientation;
        prop_assert!(near(&run(&mut dynamics, &course).0, &whole.0, 10.0));

        dynamics.set_gravity(Vector3::zeros());
        let floating = run(&mut dynamics, &course);
        let mut faster = Course { q: course.q.clone(), ..course };
        faster.q[1].iter_mut().for_each(|rate| *rate *= s);
        faster.q[2].iter_mut().for_each(|growth| *growth *= s * s);
        faster.base.angular_velocity *= s;
        faster.base.angular_acceleration *= s * s;
        faster.base.linear_acceleration *= s * s;
        let scaled: Vec<f64> = floating.0.iter().map(|effort| effort * s * s).collect();
        prop_assert!(near(&run(&mut dynamics, &faster).0, &scaled, 100.0 * (1.0 + s * s)));

        // Only gravity, and all but gravity: together the whole.
        let mut still = course;
        still.q[1].fill(0.0);
        still.q[2].fill(0.0);
        still.base = BaseMotion { orientation: still.base.orientation, ..BaseMotion::default() };
        dynamics.set_gravity(Vector3::new(0.0, 0.0, -9.81));
        let held = run(&mut dynamics, &still).0;
        let sum: Vec<f64> = held.iter().zip(&floating.0).map(|(a, b)| a + b).collect();
        prop_assert!(near(&sum, &whole.0, 10.0));
    }
}

#[test]
fn the_pony_weighs_what_its_urdf_says_and_hangs_in_balance() {
    let model = common::pony();
    let mut dynamics = Dynamics::new(&model).unwrap();
    let mass: f64 = model.urdf().links.iter().map(|link| link.inertial.mass.value).sum();
    assert!((dynamics.mass() - mass).abs() < 1e-12 && (mass - 7.57).abs() < 0.005, "{mass}");
    let zeros = vec![0.0; model.joints().len()];
    let efforts = dynamics.inverse(&zeros, &zeros, &zeros, &BaseMotion::default());
    assert!((efforts.base.force - Vector3::z() * mass * 9.81).amax() < 1e-10);
    // Left and right legs are mirror images: what pitches is alike, what rolls or yaws is opposite.
    let effort =
        |name: &str| efforts.joints[model.joints().iter().position(|joint| joint.name == name).unwrap()];
    for (left, right) in [("leg1", "leg2"), ("leg3", "leg4")] {
        for (joint, sign) in [("hip_yaw", -1.0), ("hip_roll", -1.0), ("hip_pitch", 1.0), ("knee", 1.0)] {
            let (a, b) = (effort(&format!("{left}_{joint}")), effort(&format!("{right}_{joint}")));
            assert!((a - sign * b).abs() < 1e-12, "{joint}: {a} {b}");
        }
    }
}

#[test]
fn a_robot_without_masses_takes_no_effort_and_depth_is_no_limit() {
    let mut text = String::from("<robot name=\"snake\"><link name=\"l0\"/>");
    for link in 1..3000 {
        text += &format!(
            "<link name=\"l{link}\"/><joint name=\"j{link}\" type=\"revolute\"><parent link=\"l{}\"/>\
             <child link=\"l{link}\"/><axis xyz=\"0 0 1\"/></joint>",
            link - 1
        );
    }
    let model = RobotModel::from_urdf(&(text + "</robot>"), &ModelConfig::default()).unwrap();
    let values = vec![0.1; model.joints().len()];
    let mut dynamics = Dynamics::new(&model).unwrap();
    assert!(
        dynamics.inverse(&values, &values, &values, &BaseMotion::default()).joints.iter().all(|e| *e == 0.0)
    );
}

#[test]
fn masses_that_cannot_be_are_refused_by_name() {
    let robot = |mass: &str, inertia: &str, xyz: &str| {
        let text = format!(
            "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><origin xyz=\"{xyz}\"/>\
             <mass value=\"{mass}\"/><inertia {inertia}/></inertial></link><joint name=\"j\" type=\"revolute\">\
             <parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/></joint></robot>"
        );
        Dynamics::new(&RobotModel::from_urdf(&text, &ModelConfig::default()).unwrap())
    };
    let good = "ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"";
    assert!(robot("1", good, "0 0 0").is_ok());
    let flipped = "ixx=\"-1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"";
    let crossed = "ixx=\"1\" ixy=\"2\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"";
    let wild = "ixx=\"1\" ixy=\"0\" ixz=\"nan\" iyy=\"1\" iyz=\"0\" izz=\"1\"";
    for (mass, inertia, xyz) in [
        ("-0.1", good, "0 0 0"),
        ("NaN", good, "0 0 0"),
        ("inf", good, "0 0 0"),
        ("1", flipped, "0 0 0"),
        ("1", crossed, "0 0 0"),
        ("1", wild, "0 0 0"),
        ("1", good, "0 inf 0"),
    ] {
        match robot(mass, inertia, xyz) {
            Err(ModelError::BadLink { link, .. }) => assert_eq!(link, "arm"),
            other => panic!("{mass} {inertia} {xyz}: {:?}", other.map(|_| ())),
        }
    }
}
