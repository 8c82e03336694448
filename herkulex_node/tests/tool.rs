//! `herkulex_tool` against servos on a pseudo-terminal that understand only their own baud rate.

#![allow(clippy::panic, clippy::unwrap_used)]

use herkulex_node::codec::{Model, reg, torque};
use herkulex_node::port::Port;
use herkulex_node::pty::{Conditions, Simulator};
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};
use herkulex_node::tool::run;
use std::path::PathBuf;

struct Desk {
    simulator: Simulator,
    link: PathBuf,
}

impl Desk {
    fn new(name: &str, servos: &[(Model, u8)]) -> Desk {
        Desk::with(name, servos, |_| {})
    }

    fn with(name: &str, servos: &[(Model, u8)], prepare: impl Fn(&mut SimServo)) -> Desk {
        let link = std::env::temp_dir().join(format!("herkulex_tool_{name}_{}", std::process::id()));
        let servo = |(model, id): &(Model, u8)| SimServo::new(*model, *id, 0.5);
        let settings = Settings { strict_baud: true, collisions: true, ..Settings::default() };
        let mut servos: Vec<SimServo> = servos.iter().map(servo).collect();
        servos.iter_mut().for_each(|s| s.set(&reg::KP, 300));
        servos.iter_mut().for_each(prepare);
        let sim = SimBus::new(settings, servos, Supply::default());
        Desk { simulator: Simulator::start(sim, Conditions::default(), link.clone()).unwrap(), link }
    }

    fn tool(&self, command: &str) -> Result<String, String> {
        self.tool_with(command, "")
    }

    fn tool_with(&self, command: &str, typed: &str) -> Result<String, String> {
        let mut args = vec!["--port".to_string(), self.link.to_string_lossy().into_owned()];
        args.extend(command.split_whitespace().map(String::from));
        let mut out = vec![];
        let mut input = typed.as_bytes();
        run(&args, &mut input, &mut out).map(|()| String::from_utf8(out).unwrap()).map_err(|e| e.to_string())
    }
}

#[test]
fn a_new_servo_gets_an_id_and_a_speed() {
    let desk = Desk::new("new", &[(Model::Drs0201, 253)]);
    let found = desk.tool("--baud 115200 scan").unwrap();
    assert_eq!(found, "id 253 at 115200 baud: DRS-0201, firmware 9000, ok, as from the factory\n1 servos\n");
    assert_eq!(desk.tool("set-id 253 7").unwrap(), "servo 253 is 7 now\n");
    assert_eq!(desk.tool("set-baud 7 666666").unwrap(), "servo 7 answers at 666666 baud\n");
    assert!(desk.tool("info 7").unwrap_err().contains("servo 7 does not answer"), "not at 115200 any more");
    assert_eq!(desk.tool("--baud 666666 read 7 id --eep").unwrap().split(' ').next(), Some("7"));
    let info = desk.tool("--baud 666666 info 7").unwrap();
    assert!(
        info.contains("DRS-0201, number 0201, firmware 9000")
            && info.contains("30 °C")
            && info.contains("7.4 V"),
        "{info}"
    );
    let table = desk.tool("--baud 666666 monitor 7 9 --count 2").unwrap();
    assert!(
        table.contains("7 0201     28.") && table.contains("   9 no answer") && table.contains("free"),
        "{table}"
    );
}

#[test]
fn two_servos_of_one_id_are_noticed() {
    let desk = Desk::new("twins", &[(Model::Drs0101, 253), (Model::Drs0602, 253)]);
    let scan = desk.tool("--baud 115200 scan").unwrap();
    assert!(scan.contains("id 253 at 115200 baud: several servos answer at once"), "{scan}");
    assert!(desk.tool("set-id 253 7").is_err());
}

#[test]
fn registers_are_read_and_written_with_care() {
    let desk = Desk::new("write", &[(Model::Drs0101, 3), (Model::Drs0101, 4)]);
    assert_eq!(desk.tool("read 3 kp").unwrap(), "300 (0x12c) \n");
    assert_eq!(desk.tool("write 3 0x18 0x1b8").unwrap(), "kp of servo 3 is 440\n");
    assert_eq!(desk.tool("read 3 KP").unwrap(), "440 (0x1b8) \n");
    assert_eq!(desk.tool("read 3 max-temperature").unwrap(), "223 (0xdf) 85 °C\n");
    for (command, why) in [
        ("write 3 torque 0x60", "throw the servo to an old goal"),
        ("write 3 position 5", "can only be read"),
        ("write 3 led 256", "0 … 255"),
        ("write 3 id 9 --eep", "set-id"),
        ("write 3 nonsense 1", "no register \"nonsense\""),
        ("set-id 3 4", "somebody answers to 4 already"),
        ("set-id 3 254", "254 is not an id"),
        ("set-baud 3 1000000", "only the 0602"),
        ("set-baud 3 9600", "is none of"),
        ("read 9 kp", "servo 9 does not answer"),
        ("frobnicate", "no command"),
    ] {
        let refused = desk.tool(command).unwrap_err();
        assert!(refused.contains(why), "{command}: {refused}");
    }
}

#[test]
fn settings_are_changed_only_while_nothing_can_move() {
    let desk = Desk::with("rest", &[(Model::Drs0101, 3)], |servo| {
        servo.set(&reg::TORQUE, i32::from(torque::ON));
        servo.set(&reg::LED, 1);
    });
    // In the one memory as in the other: a gain, a limit or another id is a jump as well.
    for register in
        ["kp 100", "min-position 500", "max_position 520", "id 9", "calibration 20", "torque-policy 0"]
    {
        let refused = desk.tool(&format!("write 3 {register}")).unwrap_err();
        assert!(refused.contains("servo 3 has torque"), "{register}: {refused}");
    }
    assert!(desk.tool("write 3 kp 100 --eep").unwrap_err().contains("servo 3 has torque"));
    assert!(desk.simulator.truth()[0].on, "and nothing was changed");
    // What cannot move it can be written, and what lets it go.
    for register in ["led 3", "status_error 0", "status_detail 0"] {
        assert!(desk.tool(&format!("write 3 {register}")).is_ok(), "{register}");
    }
    for value in [1, 0x20, 0x61, 0x41, 0x60, 255] {
        assert!(desk.tool(&format!("write 3 torque {value}")).unwrap_err().contains("refused"), "{value}");
    }
    assert!(desk.tool("write 3 torque 0x40").is_ok() && desk.tool("write 3 torque 0").is_ok());
    assert!(desk.tool("write 3 kp 100").is_ok());
}

#[test]
fn wiping_the_mark_of_a_stop_is_said() {
    let desk = Desk::with("mark", &[(Model::Drs0101, 3)], |servo| servo.set(&reg::LED, 4));
    let said = desk.tool("write 3 led 0").unwrap();
    assert!(said.contains("it was stopped by herkulex_node"), "{said}");
    assert_eq!(desk.tool("write 3 led 1").unwrap(), "led of servo 3 is 1\n");
}

#[test]
fn a_factory_reset_asks_first() {
    let desk = Desk::new("reset", &[(Model::Drs0101, 5)]);
    assert!(desk.tool("write 5 kp 100 --eep").is_ok());
    assert!(desk.tool_with("factory-reset 5", "no\n").unwrap_err().contains("not confirmed"));
    assert_eq!(desk.tool("read 5 kp --eep").unwrap(), "100 (0x64) \n");
    assert!(desk.tool_with("factory-reset 5", "5\n").unwrap().contains("has its factory settings"));
    assert_eq!(desk.tool("read 5 kp --eep").unwrap(), "440 (0x1b8) \n");
}

#[test]
fn a_port_that_the_node_has_is_left_alone() {
    let desk = Desk::new("lock", &[(Model::Drs0101, 5)]);
    let node = Port::open(&desk.link.to_string_lossy(), 115_200).unwrap();
    let refused = desk.tool("write 5 led 1").unwrap_err();
    assert!(refused.contains("in use by another process"), "{refused}");
    drop(node);
    assert!(desk.tool("write 5 led 1").is_ok());
}

#[test]
fn a_simulator_takes_over_the_link_of_another_and_nobody_elses() {
    let link = std::env::temp_dir().join(format!("herkulex_link_{}", std::process::id()));
    let start = || {
        let sim = SimBus::new(Settings::default(), vec![], Supply::default());
        Simulator::start(sim, Conditions::default(), link.clone())
    };
    let first = start().unwrap();
    let second = start().unwrap();
    drop(first);
    assert!(link.exists(), "the second one's");
    drop(second);
    assert!(!link.is_symlink());
    std::os::unix::fs::symlink("/dev/pts/123456", &link).unwrap();
    drop(start().unwrap());
    std::os::unix::fs::symlink("precious", &link).unwrap();
    assert!(start().is_err());
    assert_eq!(std::fs::read_link(&link).unwrap(), PathBuf::from("precious"));
    std::fs::remove_file(&link).unwrap();
}
