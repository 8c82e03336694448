//! The physics: the robot's limbs as what its servos move.

mod look;
mod push;
mod seat;
mod start;

use crate::mjcf::{FOOT, GROUND};
use crate::{Drive, Scene, SimError, mjcf};
use herkulex_node::sim::{Plant, SimServo};
use mujoco_rs::prelude::{MjData, MjModel, MjtObjBase};
use nalgebra::Isometry3;
use push::{PUSHES, Push};
use robot_model_lib::{ModelConfig, RobotModel};
use seat::Seat;

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
    substeps: u16,
    /// Of gravity, m/s².
    gravity: f64,
    pushes: Vec<Push>,
    start: Vec<f64>,
    waiting: bool,
    upsets: u64,
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
                let velocity = count(i64::from(model.jnt_dofadr()[joint]));
                Ok(Seat::new(drive, count(i64::from(model.jnt_qposadr()[joint])), velocity))
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
            substeps: scene.substeps(),
            gravity: scene.gravity,
            pushes: Vec::with_capacity(PUSHES),
            start: vec![],
            waiting: wait,
            upsets: 0,
        };
        world.stand(robot.urdf(), angles, scene);
        Ok(world)
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
        self.data.qfrc_applied_mut().fill(0.0);
        self.data.xfrc_applied_mut().fill([0.0; 6]);
        self.pushes.clear();
        self.seats.iter_mut().for_each(Seat::reset);
        self.waiting = wait;
        self.data.forward();
    }

    /// Whether it waits for torque.
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// How often the physics came to no end: forces beyond what their step bears. The robot stands at its start again after that.
    pub fn upsets(&self) -> u64 {
        self.upsets
    }
}

impl Foot {
    fn find(chain: &str, geoms: &[String]) -> Option<Foot> {
        let start = format!("{}{chain}/", FOOT);
        let geoms: Vec<usize> = (0..geoms.len()).filter(|&i| geoms[i].starts_with(&start)).collect();
        (!geoms.is_empty()).then(|| Foot { chain: chain.into(), geoms })
    }
}

impl Plant for World {
    fn step(&mut self, servos: &mut [SimServo], _: u64, dt: f64) {
        // The bus may have got other servos than those that it was built with: then the rest hangs loose.
        self.waiting &= !servos.iter().all(SimServo::is_on);
        if self.waiting {
            return;
        }
        let fine = dt / f64::from(self.substeps);
        let before = self.data.time();
        self.push_bodies(dt);
        for _ in 0..self.substeps {
            for (seat, servo) in self.seats.iter_mut().zip(servos.iter()) {
                let (angle, velocity) = (self.data.qpos()[seat.position], self.data.qvel()[seat.velocity]);
                self.data.qfrc_applied_mut()[seat.velocity] = seat.torque(servo, angle, velocity, fine);
            }
            self.data.step();
        }
        // MuJoCo begins anew with what is not a number or too large, at its own zero, which is in the floor.
        if self.data.time() < before + dt / 2.0 {
            self.upsets += 1;
            self.reset(false);
        }
        for (seat, servo) in self.seats.iter().zip(servos) {
            let (angle, velocity) = (self.data.qpos()[seat.position], self.data.qvel()[seat.velocity]);
            servo.place(seat.drive.to_servo(angle), seat.drive.gear * velocity);
        }
    }
}
