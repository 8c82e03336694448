//! The physics: the robot's limbs as what its servos move.

mod look;

use crate::mjcf::{FOOT, GROUND};
use crate::{Drive, Scene, SimError, mjcf};
use herkulex_node::sim::{Plant, SimServo};
use mujoco_rs::prelude::{MjData, MjModel, MjtObjBase};
use nalgebra::{Isometry3, Vector3};
use robot_model_lib::{ModelConfig, RobotModel};

/// Pushes that can act at the same time.
const PUSHES: usize = 8;
/// What the physics bear in their steps of a millisecond, N.
const HARDEST_PUSH: f64 = 10_000.0;

/// A servo's place in the world.
#[derive(Clone, Debug)]
struct Seat {
    drive: Drive,
    position: usize,
    velocity: usize,
    /// Inertia that is at the joint whatever hangs on it, kg·m².
    armature: f64,
    damping: f64,
    /// Where a shaft that is held is held, rad at the joint.
    held: Option<f64>,
    effort: f64,
}

#[derive(Clone, Copy, Debug)]
struct Push {
    body: usize,
    force: [f64; 3],
    left: f64,
}

/// A foot: its chain and its geoms.
#[derive(Clone, Debug)]
struct Foot {
    chain: String,
    geoms: Vec<usize>,
}

/// The robot on its ground.
pub struct World {
    data: MjData<Box<MjModel>>,
    seats: Vec<Seat>,
    feet: Vec<Foot>,
    /// Which foot a geom is of.
    foot_of: Vec<Option<usize>>,
    /// Whether a geom is ground.
    is_ground: Vec<bool>,
    /// Whether the base is free, and then the first of the model's coordinates.
    free: bool,
    base: usize,
    substeps: usize,
    pushes: Vec<Push>,
    start: Vec<f64>,
    waiting: bool,
}

impl World {
    /// A robot in a scene, its joints at `angles` (in the order of the drives; 0 where there is none), its feet on the ground.
    /// With `wait` it stays like that until all of its servos have torque, as on a hand that holds it.
    pub fn new(
        robot: &RobotModel,
        config: &ModelConfig,
        drives: Vec<Drive>,
        scene: &Scene,
        angles: &[f64],
        wait: bool,
    ) -> Result<World, SimError> {
        let text = mjcf(robot, config, &drives, scene)?;
        let physics = |e: &dyn std::fmt::Display| SimError::Physics(e.to_string());
        let model = MjModel::from_xml_string(&text).map_err(|e| physics(&e))?;
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        let ngeom = count(model.ffi().ngeom);
        let name = |i: usize| model.id_to_name(MjtObjBase::mjOBJ_GEOM, i).unwrap_or("").to_string();
        let names: Vec<String> = (0..ngeom).map(name).collect();
        let feet: Vec<Foot> =
            config.chains.iter().filter_map(|chain| Foot::find(&chain.name, &names)).collect();
        let foot_of =
            (0..ngeom).map(|geom| feet.iter().position(|foot| foot.geoms.contains(&geom))).collect();
        let seats = drives
            .into_iter()
            .map(|drive| {
                let joint = model.name_to_id(MjtObjBase::mjOBJ_JOINT, &drive.joint);
                let joint = joint.ok_or_else(|| SimError::UnknownJoint(drive.joint.clone()))?;
                Ok(Seat {
                    position: count(i64::from(model.jnt_qposadr()[joint])),
                    velocity: count(i64::from(model.jnt_dofadr()[joint])),
                    armature: drive.armature(),
                    damping: drive.damping(),
                    held: None,
                    effort: 0.0,
                    drive,
                })
            })
            .collect::<Result<Vec<Seat>, SimError>>()?;
        let free = scene.base == crate::Base::Free;
        let data = MjData::try_new(Box::new(model)).map_err(|e| physics(&e))?;
        let mut world = World {
            is_ground: names.iter().map(|name| name.starts_with(GROUND)).collect(),
            data,
            seats,
            feet,
            foot_of,
            free,
            base: 1,
            substeps: (0.001 / scene.timestep).round().max(1.0) as usize,
            pushes: Vec::with_capacity(PUSHES),
            start: vec![],
            waiting: wait,
        };
        world.stand(angles, scene);
        Ok(world)
    }

    /// Puts the robot on the ground in a pose.
    fn stand(&mut self, angles: &[f64], scene: &Scene) {
        for (seat, angle) in self.seats.iter().zip(angles) {
            self.data.qpos_mut()[seat.position] = *angle;
        }
        let slope = scene.slope();
        let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -slope);
        let up = turn * Vector3::z();
        if self.free {
            self.set_base(&Isometry3::from_parts(Vector3::zeros().into(), turn));
        }
        self.data.forward();
        let geoms = self.feet.iter().flat_map(|foot| foot.geoms.iter());
        let heights =
            geoms.map(|&geom| Vector3::from(self.data.geom_xpos()[geom]).dot(&up) - scene.foot_radius);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        if self.free && lowest.is_finite() {
            self.set_base(&Isometry3::from_parts((-lowest * up).into(), turn));
        }
        self.data.forward();
        self.start = self.data.qpos().to_vec();
    }

    /// Puts the base somewhere, at rest; joints stay.
    pub fn set_base(&mut self, pose: &Isometry3<f64>) {
        if !self.free {
            return;
        }
        let (p, q) = (pose.translation.vector, pose.rotation);
        self.data.qpos_mut()[..7].copy_from_slice(&[p.x, p.y, p.z, q.w, q.i, q.j, q.k]);
        self.data.qvel_mut().fill(0.0);
        self.data.forward();
    }

    /// The servos of its joints, as they stand at the start.
    pub fn servos(&self) -> Vec<SimServo> {
        self.seats.iter().map(|seat| seat.drive.servo(self.data.qpos()[seat.position])).collect()
    }

    /// Everything as at the start: the robot stands where it stood, at rest.
    pub fn reset(&mut self, wait: bool) {
        self.data.qpos_mut().copy_from_slice(&self.start);
        self.data.qvel_mut().fill(0.0);
        self.pushes.clear();
        self.seats.iter_mut().for_each(|seat| seat.held = None);
        self.waiting = wait;
        self.data.forward();
    }

    /// Pushes a link (the base if empty) with a force (N, axes of the world) for a time, s.
    pub fn push(&mut self, link: &str, force: Vector3<f64>, duration: f64) -> Result<(), SimError> {
        let sane = force.norm() <= HARDEST_PUSH && (0.0..=10.0).contains(&duration);
        if !sane {
            return Err(SimError::Push);
        }
        if self.pushes.len() == PUSHES {
            return Err(SimError::Pushes);
        }
        // A name for C ends at a zero.
        let model = self.data.model();
        let found =
            if link.contains(char::from(0)) { None } else { model.name_to_id(MjtObjBase::mjOBJ_BODY, link) };
        let body = if link.is_empty() { Some(self.base) } else { found };
        let body = body.ok_or_else(|| SimError::UnknownLink(link.into()))?;
        self.pushes.push(Push { body, force: force.into(), left: duration });
        Ok(())
    }

    /// Whether it waits for torque.
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    fn push_bodies(&mut self, dt: f64) {
        self.data.xfrc_applied_mut().fill([0.0; 6]);
        for push in &mut self.pushes {
            let wrench = &mut self.data.xfrc_applied_mut()[push.body];
            wrench.iter_mut().zip(push.force).for_each(|(sum, part)| *sum += part);
            push.left -= dt;
        }
        self.pushes.retain(|push| push.left > dt / 2.0);
    }
}

impl Foot {
    fn find(chain: &str, geoms: &[String]) -> Option<Foot> {
        let start = format!("{}{chain}/", FOOT);
        let geoms: Vec<usize> = (0..geoms.len()).filter(|&i| geoms[i].starts_with(&start)).collect();
        (!geoms.is_empty()).then(|| Foot { chain: chain.into(), geoms })
    }
}

impl Seat {
    /// What acts at the joint beside the friction that MuJoCo knows of. Brakes and held shafts are taken against the least inertia
    /// that there can be, the motor's own, so that no step length makes them unstable.
    fn torque(&mut self, servo: &SimServo, angle: f64, velocity: f64, dt: f64) -> f64 {
        let gear = self.drive.gear;
        let motor = gear * servo.motor_torque();
        self.effort = motor - self.damping * servo.damping_factor() * velocity;
        let more = self.damping * (servo.damping_factor() - 1.0);
        let brake = -more * velocity / (1.0 + more * dt / self.armature);
        if !servo.is_blocked() {
            self.held = None;
            return motor + brake - gear * servo.load;
        }
        let at = *self.held.get_or_insert(angle);
        // A spring of a quarter and a damper of half of what one step could just bear.
        self.armature / dt * (0.25 / dt * (at - angle) - 0.5 * velocity)
    }
}

impl Plant for World {
    fn step(&mut self, servos: &mut [SimServo], _: u64, dt: f64) {
        // The bus may have got other servos than those that it was built with: then the rest hangs loose.
        self.waiting &= !servos.iter().all(SimServo::is_on);
        if self.waiting {
            return;
        }
        let fine = dt / self.substeps as f64;
        self.push_bodies(dt);
        for (seat, servo) in self.seats.iter_mut().zip(servos.iter()) {
            let (angle, velocity) = (self.data.qpos()[seat.position], self.data.qvel()[seat.velocity]);
            self.data.qfrc_applied_mut()[seat.velocity] = seat.torque(servo, angle, velocity, fine);
        }
        for _ in 0..self.substeps {
            self.data.step();
        }
        for (seat, servo) in self.seats.iter().zip(servos) {
            let (angle, velocity) = (self.data.qpos()[seat.position], self.data.qvel()[seat.velocity]);
            servo.place(seat.drive.to_servo(angle), seat.drive.gear * velocity);
        }
    }
}
