//! What the simulator can be told.

use crate::codec::Model;
use crate::params::ModelName;
use crate::pty::{Conditions, Simulator};
use crate::sim::{Faults, Settings, SimBus, SimServo, Supply};
use param_lib::{ParamError, params};

params! {
    /// What `herkulex_sim` can be told. Probabilities are per packet.
    pub struct SimParams {
        /// Where the port appears.
        link: String = "/tmp/herkulex_sim".into(), read_only true;
        /// Bytes are paced at this speed, whatever the host sets.
        baud: i64 = 115200, unit "bit/s", range 9600..=3000000, read_only true;
        /// From the end of a request to the start of its answer.
        turnaround: f64 = 0.0003, unit "s", range 0.0..=0.1, read_only true;
        /// Answers that overlap spoil each other, as on a real line; else the later one waits. Wants an undisturbed machine.
        collisions: bool = false, read_only true;
        /// The servos.
        ids: Vec<i64> = (1..=28).collect(), range 0..=253, read_only true;
        /// Their model.
        model: ModelName = ModelName::Drs0101, read_only true;
        /// Where they stand at the start, from their middle; those without a number stand in the middle.
        angles: Vec<f64> = vec![0.0], unit "rad", range -20.0..=20.0, read_only true;
        /// Of the random faults.
        seed: i64 = 1, range 0..=1000000, read_only true;
        /// Of the battery without a load.
        voltage: f64 = 7.4, unit "V", range 0.0..=30.0;
        /// Of battery and cables: the voltage sags when servos work.
        resistance: f64 = 0.02, unit "ohm", range 0.0..=10.0;
        /// Torque at every shaft.
        load: f64 = 0.0, unit "N m", range -100.0..=100.0, slider -5.0..=5.0;
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
        /// Ids of servos whose shaft is held, which ends in an overload; -1 for none.
        blocked: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos with a failed motor driver, an error that stays; -1 for none.
        broken: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that take no jogs; -1 for none.
        deaf: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that keep their torque whatever is ordered; -1 for none.
        stubborn: Vec<i64> = vec![-1], range -1..=253;
        /// Ids of servos that say they are another model; -1 for none.
        strangers: Vec<i64> = vec![-1], range -1..=253, read_only true;
        /// Ids of servos whose position limits are half as wide as from the factory; -1 for none.
        narrow: Vec<i64> = vec![-1], range -1..=253, read_only true;
        /// The servos' power is cut: torque, goals and settings are lost.
        dark: bool = false;
        /// The plug is pulled: the port disappears. Servos keep power, torque and goals.
        unplugged: bool = false;
    }
    validate self => self.check()
}

impl SimParams {
    fn check(&self) -> Result<(), ParamError> {
        if self.ids.iter().enumerate().any(|(i, id)| self.ids[..i].contains(id)) {
            return Err(ParamError::unfit("ids", "two servos have the same id"));
        }
        Ok(())
    }

    /// The servos on their line.
    pub fn bus(&self) -> SimBus {
        let settings = Settings {
            baud: self.baud as u32,
            turnaround: self.turnaround,
            collisions: self.collisions,
            strict_baud: false,
            seed: self.seed as u64,
        };
        let angle = |i: usize| self.angles.get(i).copied().unwrap_or(0.0);
        let ids = self.ids.iter().enumerate();
        let model = self.model.model();
        let servo = |(i, id): (usize, &i64)| {
            let mut servo = SimServo::new(model, *id as u8, angle(i));
            if self.strangers.contains(id) {
                let other = if model == Model::Drs0602 { Model::Drs0101 } else { Model::Drs0602 };
                servo.set_number(other.number());
            }
            if self.narrow.contains(id) {
                let (low, high) = model.position_limits();
                let quarter = i32::from(high - low) / 4;
                servo.limit(i32::from(low) + quarter, i32::from(high) - quarter);
            }
            servo
        };
        SimBus::new(settings, ids.map(servo).collect(), self.conditions().supply)
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
            load: self.load,
        }
    }

    /// Starts the simulator.
    pub fn start(&self) -> std::io::Result<Simulator> {
        Simulator::start(self.bus(), self.conditions(), self.link.clone().into())
    }
}
