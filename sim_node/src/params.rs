//! What `robot_sim` can be told.

use crate::{Base, FallRules, ImuNoise, Payload, Scene, Terrain};
use herkulex_node::pty::Conditions;
use herkulex_node::sim::{Faults, Settings, Supply};
use param_lib::{Flat, choices, params};
use robot_model_lib::RobotParams;

choices! {
    /// What the robot walks on.
    pub enum TerrainName { Flat = "flat", Slope = "slope", Steps = "steps", Patches = "patches" }
}
choices! {
    /// How its base is held.
    pub enum BaseName { Free = "free", Fixed = "fixed" }
}

params! {
    /// What `robot_sim` can be told. Probabilities are per packet.
    pub struct RobotSimParams {
        /// Where the port appears.
        link: String = "/tmp/robot_sim".into(), read_only true;
        /// The bridge's parameter file: which servos there are, and how they hang on the joints.
        servo_file: String = String::new(), read_only true;
        /// Bytes are paced at this speed, whatever the host sets.
        baud: i64 = 666666, unit "bit/s", range 9600..=3000000, read_only true;
        /// From the end of a request to the start of its answer.
        turnaround: f64 = 0.0003, unit "s", range 0.0..=0.1, read_only true;
        /// Answers that overlap spoil each other, as on a real line; else the later one waits. Wants an undisturbed machine.
        collisions: bool = false, read_only true;
        /// Of everything random: faults, terrain, the IMU's errors.
        seed: i64 = 1, range 0..=1000000, read_only true;
        /// Whether the robot stands on its feet or hangs on a stand.
        base: BaseName = BaseName::Free, read_only true;
        /// Angles of the joints at the start, in the order of servo_file; those without a number are at 0.
        start: Vec<f64> = vec![0.0], unit "rad", range -20.0..=20.0, read_only true;
        /// The robot is held in its start pose until all servos have torque for the first time.
        hold_until_torque: bool = true, read_only true;
        /// The ground.
        terrain: TerrainName = TerrainName::Flat, read_only true;
        /// How steep a slope is; it rises ahead of the robot.
        slope: f64 = 0.0873, unit "rad", range -0.8..=0.8, read_only true;
        /// The highest of the steps.
        step_height: f64 = 0.01, unit "m", range 0.0..=0.3, read_only true;
        /// Friction of feet on slippery patches.
        patch_friction: f64 = 0.2, range 0.0..=3.0, read_only true;
        /// Friction of feet on the ground.
        friction: f64 = 0.8, range 0.0..=3.0, read_only true;
        /// Of the spheres at the points of a foot's contact.
        foot_radius: f64 = 0.005, unit "m", range 0.001..=0.2, read_only true;
        /// What the base carries.
        payload: f64 = 0.0, unit "kg", range 0.0..=1000.0, read_only true;
        /// Where, in the base's frame.
        payload_at: [f64; 3] = [0.0, 0.0, 0.1], unit "m", read_only true;
        /// One step of the physics at the most; a whole number of them makes the millisecond in which regulators of servos step.
        timestep: f64 = 0.001, unit "s", range 0.00005..=0.001, read_only true;
        /// The frame that truth is given in.
        world_frame: String = "world".into(), read_only true;
        /// How often truth is published.
        truth_rate: f64 = 100.0, unit "Hz", range 1.0..=1000.0, read_only true;
        /// How often the IMU is read; 0 for none.
        imu_rate: f64 = 200.0, unit "Hz", range 0.0..=1000.0, read_only true;
        /// The link on which the IMU sits; empty for the base.
        imu_link: String = String::new(), read_only true;
        /// Noise density of the gyro.
        gyro_noise: f64 = 0.0002, unit "rad/s/√Hz", range 0.0..=1.0, read_only true;
        /// Noise density of the accelerometer.
        accel_noise: f64 = 0.002, unit "m/s²/√Hz", range 0.0..=10.0, read_only true;
        /// Standard deviation of the gyro's constant error.
        gyro_bias: f64 = 0.002, unit "rad/s", range 0.0..=1.0, read_only true;
        /// Standard deviation of the accelerometer's constant error.
        accel_bias: f64 = 0.05, unit "m/s²", range 0.0..=10.0, read_only true;
        /// A base that leans more has fallen.
        fall_tilt: f64 = 0.8, unit "rad", range 0.1..=3.1, read_only true;
        /// So has a robot that lies on something else than its feet for this long.
        fall_time: f64 = 0.1, unit "s", range 0.0..=10.0, read_only true;
        /// Of the battery without a load.
        voltage: f64 = 7.4, unit "V", range 0.0..=30.0;
        /// Of battery and cables: the voltage sags when servos work.
        resistance: f64 = 0.02, unit "ohm", range 0.0..=10.0;
        /// A packet is lost.
        drop: f64 = 0.0, range 0.0..=1.0;
        /// A byte of a packet changes, in a way that the checksum shows.
        corrupt: f64 = 0.0, range 0.0..=1.0;
        /// A servo answers late.
        delay: f64 = 0.0, range 0.0..=1.0;
        /// How late at the most.
        delay_time: f64 = 0.03, unit "s", range 0.0..=10.0;
        /// A packet comes twice.
        duplicate: f64 = 0.0, range 0.0..=1.0;
        /// The host receives its own packet.
        echo: f64 = 0.0, range 0.0..=1.0;
        /// Noise in front of a packet.
        garbage: f64 = 0.0, range 0.0..=1.0;
        /// Volts taken from the battery.
        voltage_drop: f64 = 0.0, unit "V", range 0.0..=30.0, slider 0.0..=10.0;
        /// Ids of servos that are too hot; -1 for none.
        hot: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that neither receive nor answer; -1 for none.
        dead: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos whose shaft is held; -1 for none.
        blocked: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos with a failed motor driver, an error that stays; -1 for none.
        broken: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that take no jogs; -1 for none.
        deaf: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that keep their torque whatever is ordered; -1 for none.
        stubborn: Vec<i64> = vec![-1], range -1..=253;
        /// The servos' power is cut: torque, goals and settings are lost, and the robot falls.
        dark: bool = false;
        /// The plug is pulled: the port disappears. Servos keep power, torque and goals.
        unplugged: bool = false;
        /// The robot.
        robot: Flat<RobotParams> = Flat::default();
    }
}

impl RobotSimParams {
    /// What the robot stands on and carries.
    pub fn scene(&self) -> Scene {
        let seed = self.seed as u64;
        Scene {
            base: if self.base == BaseName::Free { Base::Free } else { Base::Fixed },
            terrain: match self.terrain {
                TerrainName::Flat => Terrain::Flat,
                TerrainName::Slope => Terrain::Slope(self.slope),
                TerrainName::Steps => Terrain::Steps { height: self.step_height, seed },
                TerrainName::Patches => Terrain::Patches { friction: self.patch_friction, seed },
            },
            friction: self.friction,
            foot_radius: self.foot_radius,
            payload: Payload { mass: self.payload, at: self.payload_at },
            timestep: self.timestep,
            imu_link: self.imu_link.clone(),
            ..Scene::default()
        }
    }

    /// The servos' line.
    pub fn settings(&self) -> Settings {
        Settings {
            baud: self.baud as u32,
            turnaround: self.turnaround,
            collisions: self.collisions,
            strict_baud: false,
            seed: self.seed as u64,
        }
    }

    /// What is wrong with the IMU.
    pub fn imu_noise(&self) -> ImuNoise {
        ImuNoise {
            gyro_density: self.gyro_noise,
            accel_density: self.accel_noise,
            gyro_bias: self.gyro_bias,
            accel_bias: self.accel_bias,
        }
    }

    /// What counts as a fall.
    pub fn fall_rules(&self) -> FallRules {
        FallRules { tilt: self.fall_tilt, lying: self.fall_time }
    }

    /// What can change while it runs.
    pub fn conditions(&self) -> Conditions {
        let ids = |list: &[i64]| list.iter().filter_map(|id| u8::try_from(*id).ok()).collect();
        Conditions {
            faults: Faults {
                drop: self.drop,
                corrupt: self.corrupt,
                delay: self.delay,
                delay_time: self.delay_time,
                duplicate: self.duplicate,
                echo: self.echo,
                garbage: self.garbage,
                hot: ids(&self.hot),
                dead: ids(&self.dead),
                blocked: ids(&self.blocked),
                broken: ids(&self.broken),
                deaf: ids(&self.deaf),
                stubborn: ids(&self.stubborn),
                voltage_drop: self.voltage_drop,
            },
            supply: Supply { volts: self.voltage, resistance: self.resistance, ..Supply::default() },
            unplugged: self.unplugged,
            dark: self.dark,
            load: 0.0,
        }
    }
}
