//! The byte vectors of the manuals, both ways.

#![allow(clippy::panic, clippy::unwrap_used)]

use herkulex_node::codec::{
    Frame, Jog, Memory, Model, Packet, Parser, ParserEvent, REGISTERS, Status, command, flags, reg, torque,
};

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
}

/// Parses exactly one packet, byte by byte, and hands it to `check`.
fn parsed(hex: &str, check: impl FnOnce(Packet<'_>)) {
    let (mut parser, bytes) = (Parser::default(), bytes(hex));
    let (last, head) = bytes.split_last().unwrap();
    for byte in head {
        assert_eq!(parser.next(&mut [*byte].as_slice()), None, "{hex}");
    }
    match parser.next(&mut [*last].as_slice()) {
        Some(ParserEvent::Packet(packet)) => check(packet),
        other => panic!("{hex}: {other:?}"),
    }
    assert!(!parser.is_waiting() && parser.skipped() == 0);
}

const JOG: Jog = Jog { id: 0xFD, goal: 512, set: flags::GREEN, playtime: 60 };

#[test]
fn requests_are_encoded_as_the_manual_prints_them() {
    let mut f = Frame::default();
    assert_eq!(f.reboot(0xFD), bytes("FF FF 07 FD 09 F2 0C"));
    assert_eq!(f.stat(0xFD), bytes("FF FF 07 FD 07 FC 02"));
    let write = f.write(0xFD, Memory::Ram, reg::TORQUE.address(), &[torque::ON]).unwrap();
    assert_eq!(write, bytes("FF FF 0A FD 03 A0 5E 34 01 60"));
    let write = f.write(0xFD, Memory::Ram, reg::STATUS_ERROR.address(), &[0, 0]).unwrap();
    assert_eq!(write, bytes("FF FF 0B FD 03 C6 38 30 02 00 00"));
    assert_eq!(f.read(0xFD, Memory::Ram, reg::LED.address(), 1), bytes("FF FF 09 FD 04 C4 3A 35 01"));
    let kp = reg::KP.eep.unwrap();
    assert_eq!(f.read(0xFD, Memory::Eep, kp, 4), bytes("FF FF 09 FD 02 EC 12 1E 04"));
    assert!(f.i_jog(0xFD, &[JOG]).is_empty());
    assert_eq!(f.bytes(), bytes("FF FF 0C FD 05 32 CC 00 02 04 FD 3C"));
    assert!(f.s_jog(0xFD, 60, &[JOG]).is_empty());
    assert_eq!(f.bytes(), bytes("FF FF 0C FD 06 30 CE 3C 00 02 04 FD"));
}

#[test]
fn requests_are_understood_by_a_servo() {
    parsed("FF FF 07 FD 09 F2 0C", |p| {
        assert_eq!((p.id, p.command, p.data), (0xFD, command::REBOOT, [].as_slice()))
    });
    parsed("FF FF 0B FD 03 C6 38 30 02 00 00", |p| {
        assert_eq!((p.command, p.data), (command::RAM_WRITE, [0x30, 2, 0, 0].as_slice()));
        assert_eq!(p.reply(), None, "a request is no reply, not even an echo");
    });
    parsed("FF FF 0C FD 06 30 CE 3C 00 02 04 FD", |p| {
        assert_eq!((p.command, p.data), (command::S_JOG, [60, 0, 2, 4, 0xFD].as_slice()))
    });
    parsed("FF FF 0C FD 05 32 CC 00 02 04 FD 3C", |p| {
        assert_eq!((p.command, p.data), (command::I_JOG, [0, 2, 4, 0xFD, 60].as_slice()))
    });
}

#[test]
fn replies_are_decoded_and_encoded() {
    let mut f = Frame::default();
    parsed("FF FF 09 FD 47 F2 0C 00 40", |p| {
        let r = p.reply().unwrap();
        assert_eq!((r.id, r.command, r.data, r.status.error), (0xFD, command::STAT, [].as_slice(), 0));
        assert!(r.status.motor_on());
    });
    let status = Status { error: 0, detail: 0x40 };
    assert_eq!(f.reply(0xFD, command::STAT, &[], status).unwrap(), bytes("FF FF 09 FD 47 F2 0C 00 40"));

    parsed("FF FF 0C FD 44 C2 3C 35 01 01 00 42", |p| {
        let r = p.reply().unwrap();
        assert_eq!((r.memory(), r.status.detail), (Some((0x35, [1].as_slice())), 0x42));
    });
    let status = Status { error: 0, detail: 0x42 };
    let reply = f.reply(0xFD, command::RAM_READ, &[0x35, 1, 1], status).unwrap();
    assert_eq!(reply, bytes("FF FF 0C FD 44 C2 3C 35 01 01 00 42"));

    parsed("FF FF 0F FD 42 4C B2 1E 04 B8 01 40 1F 00 00", |p| {
        let (address, values) = p.reply().unwrap().memory().unwrap();
        assert_eq!(address, 0x1E);
        assert_eq!((reg::KP.decode(values), reg::KD.decode(&values[2..])), (Some(440), Some(8000)));
    });
}

#[test]
fn a_captured_position_is_read_without_its_flags() {
    let raw = reg::POSITION.decode(&[0x1F, 0x62]).unwrap() as u16;
    assert_eq!(Model::Drs0101.scale().position(raw), 543);
}

#[test]
fn jogs_are_split_at_the_manuals_limits() {
    let jogs: Vec<Jog> = (0..130).map(|id| Jog { id, goal: 512, set: 0, playtime: 5 }).collect();
    let mut f = Frame::default();
    let mut left: &[Jog] = &jogs;
    let mut sizes = vec![];
    while !left.is_empty() {
        left = f.s_jog(0xFE, 5, left);
        sizes.push(f.bytes().len());
    }
    assert_eq!(sizes, [8 + 53 * 4, 8 + 53 * 4, 8 + 24 * 4]);
    let (mut left, mut sizes): (&[Jog], _) = (&jogs, vec![]);
    while !left.is_empty() {
        left = f.i_jog(0xFE, left);
        sizes.push(f.bytes().len());
    }
    assert_eq!(sizes, [7 + 43 * 5, 7 + 43 * 5, 7 + 43 * 5, 7 + 5]);
}

#[test]
fn too_much_data_is_an_error_and_the_frame_stays_usable() {
    let mut f = Frame::default();
    assert!(f.packet(1, command::RAM_WRITE, &[0; 216]).is_ok());
    assert!(f.packet(1, command::RAM_WRITE, &[0; 217]).is_err());
    assert!(f.write(1, Memory::Ram, 0, &[0; 300]).is_err());
    assert_eq!(f.stat(0xFD), bytes("FF FF 07 FD 07 FC 02"));
}

#[test]
fn no_two_registers_of_a_model_overlap_and_ram_mirrors_eep() {
    for model in Model::ALL {
        let own: Vec<_> = REGISTERS.iter().filter(|r| r.models.contain(model)).collect();
        for pair in own.windows(2) {
            for (a, b) in [(pair[0].ram, pair[1].ram), (pair[0].eep, pair[1].eep)] {
                if let (Some(a), Some(b)) = (a, b) {
                    assert!(a + pair[0].size <= b, "{} runs into {}", pair[0].name, pair[1].name);
                }
            }
        }
        for r in own {
            if let (Some(ram), Some(eep)) = (r.ram, r.eep) {
                assert_eq!(eep, ram + 6, "{}", r.name);
            }
        }
    }
}
