//! The simulated servo by the manual: what a driver's author may rely on.

#![allow(clippy::panic, clippy::unwrap_used)]

use herkulex_node::codec::{
    Frame, Jog, Memory, Model, Parser, ParserEvent, Status, command, detail, error, flags, reg, torque,
};
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};

const ID: u8 = 253;

struct Desk {
    sim: SimBus,
    now: u64,
    frame: Frame,
}

type Reply = (u8, u8, Vec<u8>, Status);

impl Desk {
    fn new(model: Model, angle: f64) -> Desk {
        let volts = if model.scale().celsius { 12.0 } else { 7.4 };
        let servo = SimServo::new(model, ID, angle);
        let supply = Supply { volts, ..Supply::default() };
        let mut desk = Desk {
            sim: SimBus::new(Settings::default(), vec![servo], supply),
            now: 0,
            frame: Frame::default(),
        };
        desk.pass(0.01);
        desk
    }

    fn pass(&mut self, seconds: f64) {
        self.now += (seconds * 1e9) as u64;
        self.sim.advance(self.now);
    }

    /// Sends bytes and gives the replies of the next 20 ms.
    fn say(&mut self, bytes: &[u8]) -> Vec<Reply> {
        self.sim.write(self.now, bytes);
        self.now += 20_000_000;
        let (mut heard, mut parser, mut replies) = (vec![], Parser::default(), vec![]);
        self.sim.read(self.now, &mut heard);
        let mut input: &[u8] = &heard;
        while let Some(ParserEvent::Packet(packet)) = parser.next(&mut input) {
            let r = packet.reply().unwrap();
            replies.push((r.id, r.command, r.data.to_vec(), r.status));
        }
        replies
    }

    fn write(&mut self, address: u8, values: &[u8]) -> Vec<Reply> {
        let bytes = self.frame.write(ID, Memory::Ram, address, values).unwrap().to_vec();
        self.say(&bytes)
    }

    fn read(&mut self, memory: Memory, address: u8, len: u8) -> Vec<u8> {
        let bytes = self.frame.read(ID, memory, address, len).to_vec();
        let replies = self.say(&bytes);
        replies[0].2[2..].to_vec()
    }

    fn stat(&mut self) -> Status {
        let bytes = self.frame.stat(ID).to_vec();
        self.say(&bytes)[0].3
    }

    fn jog(&mut self, goal: u16, set: u8, playtime: u8) {
        self.frame.s_jog(ID, playtime, &[Jog { id: ID, goal, set, playtime }]);
        let bytes = self.frame.bytes().to_vec();
        assert!(self.say(&bytes).is_empty());
    }
}

#[test]
fn settings_are_those_of_the_factory() {
    let mut desk = Desk::new(Model::Drs0101, 0.0);
    assert_eq!(desk.read(Memory::Eep, 0x1E, 4), [0xB8, 0x01, 0x40, 0x1F]);
    assert_eq!(desk.read(Memory::Ram, 0x18, 4), [0xB8, 0x01, 0x40, 0x1F]);
    assert_eq!(desk.read(Memory::Ram, 0x14, 4), [21, 0, 0xEA, 0x03]);
    assert_eq!(desk.read(Memory::Eep, 0, 2), [1, 1]);
}

#[test]
fn ack_policies_say_what_is_answered_and_stat_always_is() {
    let mut desk = Desk::new(Model::Drs0101, 0.0);
    let read = desk.frame.read(ID, Memory::Ram, 0x35, 1).to_vec();
    for (policy, reads, writes) in [(1, 1, 0), (2, 1, 1), (0, 0, 0)] {
        desk.write(reg::ACK_POLICY.address(), &[policy]);
        assert_eq!(desk.say(&read).len(), reads, "policy {policy}");
        assert_eq!(desk.write(reg::LED.address(), &[1]).len(), writes, "policy {policy}");
        assert_eq!(desk.stat().error, 0);
    }
    let mut frame = Frame::default();
    assert_eq!(desk.say(frame.stat(0xFE)).len(), 1);
    assert!(desk.say(frame.read(0xFE, Memory::Ram, 0x35, 1)).is_empty(), "a broadcast read is not answered");
    assert!(desk.say(frame.stat(7)).is_empty(), "nor is somebody else's request");
}

#[test]
fn a_jog_takes_its_playtime_on_a_straight_line_without_a_ramp() {
    for (ratio, quarter) in [(0u8, 0.25), (50, 0.125)] {
        let mut desk = Desk::new(Model::Drs0101, 0.0);
        desk.write(reg::ACCELERATION_RATIO.address(), &[ratio, 254]);
        desk.write(reg::TORQUE.address(), &[torque::ON]);
        desk.jog(812, 0, 90);
        // The jog's own 20 ms have passed, less its time on the wire.
        desk.pass(90.0 * 0.0112 / 4.0 - 0.0189);
        let way = |desk: &mut Desk| {
            let raw = desk.read(Memory::Ram, reg::DESIRED_POSITION.address(), 2);
            (f64::from(u16::from_le_bytes([raw[0], raw[1]])) - 512.0) / 300.0
        };
        // Read within 2 ms; the reading itself takes time on the wire.
        assert!((way(&mut desk) - quarter).abs() < 0.02, "ratio {ratio}");
        desk.pass(1.2);
        assert!((way(&mut desk) - 1.0).abs() < 1e-9);
        assert!((desk.sim.servos[0].angle() - 300.0 * 0.325f64.to_radians()).abs() < 0.004);
        assert_eq!(desk.stat().detail & (detail::MOVING | detail::IN_POSITION), detail::IN_POSITION);
    }
}

#[test]
fn errors_latch_take_torque_and_stay_until_cleared() {
    let mut desk = Desk::new(Model::Drs0101, 0.0);
    desk.write(reg::TORQUE.address(), &[torque::ON]);
    assert!(desk.stat().motor_on());
    desk.sim.faults.hot = vec![ID];
    desk.pass(0.01);
    desk.sim.faults.hot.clear();
    desk.pass(0.01);
    let status = desk.stat();
    assert_eq!((status.error, status.motor_on()), (error::TEMPERATURE, false));
    desk.write(reg::TORQUE.address(), &[torque::ON]);
    assert!(!desk.stat().motor_on(), "not before the error is cleared");
    desk.write(reg::STATUS_ERROR.address(), &[0, 0]);
    desk.write(reg::TORQUE.address(), &[torque::ON]);
    assert_eq!((desk.stat().error, desk.stat().motor_on()), (0, true));
    desk.jog(1020, 0, 10);
    assert_eq!(
        (desk.stat().error, desk.stat().motor_on()),
        (error::POSITION_LIMIT, true),
        "no reason to let go"
    );
}

#[test]
fn bad_packets_are_noted_and_a_reboot_forgets_ram() {
    let mut desk = Desk::new(Model::Drs0101, 0.0);
    desk.say(&[0xFF, 0xFF, 7, ID, 7, 0xFC, 0x04]);
    let status = desk.stat();
    assert_eq!((status.error, status.detail & detail::CHECKSUM), (error::INVALID_PACKET, detail::CHECKSUM));
    desk.write(reg::STATUS_ERROR.address(), &[0, 0]);
    let mut frame = Frame::default();
    desk.say(frame.packet(ID, 0x20, &[]).unwrap());
    assert!(desk.stat().detail & detail::UNKNOWN_COMMAND != 0);
    desk.say(frame.read(ID, Memory::Ram, 0xF0, 4));
    assert!(desk.stat().detail & detail::REGISTER_RANGE != 0);

    desk.write(reg::KP.address(), &[1, 0]);
    desk.say(frame.reboot(ID));
    assert!(desk.say(frame.stat(ID)).is_empty(), "away");
    desk.pass(0.6);
    assert_eq!(desk.stat(), Status::default());
    assert_eq!(desk.read(Memory::Ram, 0x18, 2), [0xB8, 0x01]);
}

#[test]
fn rollback_keeps_id_and_baud_only_if_asked() {
    for (keep, id) in [(true, 9), (false, 0xFD)] {
        let mut desk = Desk::new(Model::Drs0101, 0.0);
        let mut frame = Frame::default();
        desk.say(frame.write(ID, Memory::Eep, 6, &[9]).unwrap());
        desk.say(frame.rollback(ID, keep, keep));
        assert_eq!(desk.read(Memory::Eep, 6, 1), [id]);
    }
}

#[test]
fn brake_resists_load_more_than_free_and_continuous_turns() {
    let fall = |register: u8| {
        let mut desk = Desk::new(Model::Drs0101, 0.0);
        desk.write(reg::TORQUE.address(), &[register]);
        desk.sim.servos[0].load = 0.1;
        desk.pass(0.5);
        desk.sim.servos[0].angle().abs()
    };
    assert!(fall(torque::FREE) > 5.0 * fall(torque::BRAKE) && fall(torque::BRAKE) > fall(torque::ON));
    let mut desk = Desk::new(Model::Drs0101, 0.0);
    desk.write(reg::TORQUE.address(), &[torque::ON]);
    desk.jog(512, flags::CONTINUOUS, 10);
    desk.pass(2.0);
    assert!(desk.sim.servos[0].angle() > 3.0);
    desk.jog(0x4000 | 512, flags::CONTINUOUS, 10);
    desk.pass(2.0);
    assert!(desk.sim.servos[0].angle() < 1.0);
}

#[test]
fn the_battery_sags_under_load_and_positions_carry_flags() {
    let mut desk = Desk::new(Model::Drs0602, 0.5);
    assert_eq!(desk.stat().error, 0);
    let raw = desk.read(Memory::Ram, reg::POSITION.address(), 2);
    let counts = Model::Drs0602.scale().position(u16::from_le_bytes([raw[0], raw[1]]));
    assert_eq!(counts, (16384.0 + 0.5f64.to_degrees() / 0.02778).round() as u16);
    let mut small = Desk::new(Model::Drs0101, 0.0);
    let raw = small.read(Memory::Ram, reg::POSITION.address(), 2);
    assert_eq!(u16::from_le_bytes([raw[0], raw[1]]), 0x6000 | 512);
    small.sim.supply.resistance = 1.0;
    small.write(reg::TORQUE.address(), &[torque::ON]);
    small.jog(1000, 0, 1);
    small.pass(0.05);
    assert!(small.sim.volts() < 7.0 && small.read(Memory::Ram, reg::VOLTAGE.address(), 1)[0] < 96);
    assert_eq!(command::STAT, 7);
}
