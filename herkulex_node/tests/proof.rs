//! Proof before torque: a servo that is not what the file says, or does not do what it is told, stays off and says why.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::fsm::{FAULT_BACK_OFF, FAULT_LIMIT};
use herkulex_node::bus::{Command, Event, Joint, Phase, Refusal, Tuning, ns};
use herkulex_node::codec::{Model, error, reg, torque};
use herkulex_node::sim::SimServo;
use rig::{Rig, config, start_angle};

fn tuning() -> Tuning {
    Tuning { period: 0.02, playtime: 0.04, goal_timeout: 0.0, ..Tuning::default() }
}

fn rig() -> Rig {
    Rig::new(config(4, 666_666, tuning()), 3)
}

fn refused(rig: &Rig, i: usize) -> Option<Refusal> {
    match rig.bus.servos()[i].phase() {
        Phase::Refused(why) => Some(why),
        _ => None,
    }
}

#[test]
fn a_servo_of_another_model_gets_no_torque_and_says_why() {
    let mut rig = rig();
    // The file says 0101; this is a 0602, whose counts mean a twelfth of the angle.
    rig.sim.servos[1] = SimServo::new(Model::Drs0602, 2, 0.5);
    rig.run(1.0);
    rig.goals(0.04, start_angle);
    rig.run(1.0);
    assert_eq!((rig.on(), refused(&rig, 1)), (3, Some(Refusal::Model([6, 2]))));
    assert_eq!(rig.sim.servos[1].angle(), 0.5);
    let text = "joint2 (id 2): says that it is model 0602, not that of the file";
    assert_eq!(rig.bus.problem_text(1), text);
    assert_eq!(rig.outcome(Command::TorqueOn, vec![1]), Err(text.into()));
    assert_eq!(
        rig.count(|e| matches!(e, Event::Refused(1, Refusal::Model(_)))),
        2,
        "once for each time asked"
    );
}

#[test]
fn a_number_that_lies_is_as_good_as_another_model() {
    let mut rig = rig();
    rig.sim.servos[0].set_number([4, 1]);
    rig.run(1.0);
    assert_eq!((rig.on(), refused(&rig, 0)), (3, Some(Refusal::Model([4, 1]))));
    // Put right, and said so.
    rig.sim.servos[0].set_number([1, 1]);
    rig.run(1.0);
    assert_eq!(rig.on(), 3, "not by itself");
    assert!(rig.outcome(Command::TorqueOn, vec![0]).is_ok());
}

#[test]
fn other_firmware_than_the_file_says_is_refused() {
    let mut config = config(2, 666_666, tuning());
    config.servos[0].firmware = Some([0x90, 0x00]);
    config.servos[1].firmware = Some([0x91, 0x00]);
    let mut rig = Rig::new(config, 3);
    rig.run(1.0);
    assert_eq!((rig.on(), refused(&rig, 1)), (1, Some(Refusal::Firmware([0x90, 0x00]))));
}

#[test]
fn goals_stay_within_position_limits_that_are_narrower_than_ours() {
    let mut rig = rig();
    // About ±0.9 rad around the middle, in both memories of the servo.
    rig.sim.servos[2].limit(353, 671);
    rig.get_ready(2.0);
    for k in 0..200 {
        rig.goals(0.04, |i| start_angle(i) + 2.4 * (f64::from(k) * 0.02).sin());
        rig.run(0.02);
        assert_eq!(rig.sim.servos[2].get(&reg::STATUS_ERROR), 0, "no jog was refused");
        assert!(rig.sim.servos[2].is_on());
    }
    rig.goals(0.5, |_| 2.5);
    rig.run(4.0);
    let joint = Joint { counts: (353, 671), ..rig::joint(Model::Drs0101) };
    assert!((rig.sim.servos[2].angle() - joint.to_angle(671)).abs() < 0.01, "it goes to the near limit");
}

#[test]
fn a_servo_outside_its_own_limits_is_not_dragged_into_them() {
    let mut rig = rig();
    let start = rig.sim.servos[2].angle();
    rig.sim.servos[2].limit(500, 520);
    rig.run(1.0);
    let counts = (512.0 + start.to_degrees() / 0.325).round() as u16;
    assert_eq!((rig.on(), refused(&rig, 2)), (3, Some(Refusal::Outside(counts))));
    assert_eq!(rig.sim.servos[2].angle(), start);
    rig.sim.servos[2].limit(900, 901);
    assert!(rig.outcome(Command::TorqueOn, vec![2]).is_err());
    // Moved by hand, it can be held.
    rig.sim.servos[2].limit(500, 520);
    rig.sim.servos[2].turn(-start);
    assert!(rig.outcome(Command::TorqueOn, vec![2]).is_ok());
}

#[test]
fn a_servo_that_takes_no_goal_gets_no_torque() {
    let mut rig = rig();
    rig.sim.faults.deaf = vec![3];
    rig.run(3.0);
    assert_eq!((rig.on(), refused(&rig, 2)), (3, Some(Refusal::Seed)));
    assert_eq!((rig.sim.servos[2].angle(), rig.sim.servos[2].worst_start), (start_angle(2), 0));
    rig.sim.faults.deaf = vec![];
    assert!(rig.outcome(Command::ClearErrors, vec![2]).is_ok(), "cleared, it is tried again");
    assert_eq!(rig.on(), 4);
}

#[test]
fn overload_waits_longer_each_time_and_locks_in_the_end() {
    let mut rig = rig();
    rig.get_ready(2.0);
    rig.goals(0.5, |i| start_angle(i) + 0.6);
    rig.run(1.0);
    rig.sim.faults.blocked = vec![2];
    let start = rig.now;
    // Goals go on, so each time that it has torque again it pulls against the hand that holds it.
    while !matches!(rig.bus.servos()[1].phase(), Phase::Locked) {
        rig.goals(0.04, |i| start_angle(i) - 0.6);
        rig.run(0.02);
        assert!(rig.now - start < ns(60.0), "{:?}", rig.bus.servos()[1].fsm());
    }
    let faults: Vec<u64> =
        rig.events.iter().filter(|(_, e)| matches!(e, Event::Fault(1, _))).map(|(t, _)| *t).collect();
    let torque: Vec<u64> =
        rig.events.iter().filter(|(_, e)| matches!(e, Event::Ready(1))).map(|(t, _)| *t).collect();
    assert_eq!(faults.len() + 1, usize::from(FAULT_LIMIT), "{faults:?}");
    for (k, (fault, again)) in faults.iter().zip(&torque[1..]).enumerate() {
        assert!(
            again - fault >= FAULT_BACK_OFF << k,
            "try {k} came after {} s",
            (again - fault) as f64 * 1e-9
        );
    }
    assert!(rig.bus.problem_text(1).contains("overload") && rig.bus.problem_text(1).contains("clear_errors"));
    rig.run(20.0);
    assert!(!rig.sim.servos[1].is_on(), "for ever");
    let order = rig.outcome(Command::TorqueOn, vec![1]);
    assert!(order.is_err_and(|e| e.contains("too many faults")), "torque alone does not clear it");
    rig.sim.faults.blocked = vec![];
    assert!(rig.outcome(Command::ClearErrors, vec![1]).is_ok());
    rig.get_ready(2.0);
}

#[test]
fn torque_that_somebody_else_gave_is_taken_again() {
    for (order, register) in [(Command::Brake, torque::BRAKE), (Command::TorqueOff, torque::FREE)] {
        let mut rig = rig();
        rig.get_ready(2.0);
        assert!(rig.outcome(order, vec![0]).is_ok());
        rig.asked[0].off = None;
        rig.sim.servos[0].set(&reg::TORQUE, i32::from(torque::ON));
        // Once in a round of reads; four servos take a few milliseconds.
        rig.run(0.05);
        assert_eq!(rig.sim.servos[0].get(&reg::TORQUE), i32::from(register), "{order:?}");
    }
}

#[test]
fn an_error_without_an_end_never_gets_torque() {
    let mut rig = rig();
    rig.sim.faults.broken = vec![4];
    rig.run(20.0);
    assert_eq!((rig.on(), rig.bus.servos()[3].phase()), (3, Phase::Locked));
    assert_eq!(
        rig.sim.servos[3].get(&reg::STATUS_ERROR) & i32::from(error::DRIVER),
        i32::from(error::DRIVER)
    );
}

#[test]
fn a_reading_is_stamped_with_when_the_servo_took_it() {
    for (delay, baud) in [(0.0, 666_666), (0.0, 115_200), (0.3, 666_666)] {
        let mut rig = Rig::new(config(6, baud, tuning()), 3);
        rig.get_ready(3.0);
        rig.sim.faults.delay = delay;
        rig.sim.faults.delay_time = 0.008;
        rig.keep_writes = true;
        let (mut truth, from) = (vec![], rig.now);
        for k in 0..2000 {
            if k % 20 == 0 {
                let t = rig.now as f64 * 1e-9;
                rig.goals(0.04, |i| start_angle(i) + 0.3 * (3.0 * t + i as f64).sin());
            }
            truth.push((rig.now, rig.sim.servos.iter().map(|s| s.angle()).collect::<Vec<_>>()));
            rig.run(0.001);
        }
        let (quantum, mut n, mut worst) = (rig::joint(Model::Drs0101).quantum(), 0, 0.0_f64);
        for reading in rig.readings.iter().filter(|r| r.measured.at > from) {
            let m = reading.measured;
            let k = ((m.at - from) / 1_000_000) as usize;
            let [(t0, a), (_, b)] = &truth[k.min(truth.len() - 2)..][..2] else { panic!() };
            let share = (m.at - t0) as f64 * 1e-6;
            let at = a[reading.servo] + (b[reading.servo] - a[reading.servo]) * share;
            // Half a count; what it moves in the uncertainty and in the millisecond of the simulator, at 1.5 rad/s.
            let bound = quantum / 2.0 + 1.5 * (m.uncertainty as f64 * 1e-9 + 0.001);
            assert!((m.position - at).abs() <= bound, "{delay} {baud}: {} rad off, {bound}", m.position - at);
            worst = worst.max(m.uncertainty as f64 * 1e-9);
            n += 1;
        }
        println!("{baud} baud, {n} readings, the most uncertain by ±{:.2} ms", worst * 1e3);
        assert!(n > 500);
        if delay == 0.0 {
            // Half of the servo's turnaround, and of a byte in which the host may look.
            assert!(worst <= 0.00015 + 10.0 / f64::from(baud), "{worst}");
        }
    }
}

#[test]
fn effort_and_temperature_are_told_where_the_model_allows() {
    let mut rig = rig();
    rig.get_ready(2.0);
    rig.sim.servos[0].load = 0.1;
    rig.run(2.0);
    let servo = &rig.bus.servos()[0];
    let effort = servo.measured().unwrap().effort;
    // Held against a load the motor gives what the load takes, but for dry friction (7 of 94·7.4 at the stall's 1.18 N·m).
    let friction = 1.18 * 7.0 / (94.0 * 7.4);
    assert!((effort - 0.1).abs() < friction + 1.18 / 1023.0, "{effort} N·m of 0.1");
    assert!((servo.temperature().unwrap() - 30.0).abs() < 1.5, "{:?}", servo.temperature());
}

#[test]
fn a_servo_that_was_told_to_answer_nothing_is_found_all_the_same() {
    let mut rig = rig();
    rig.sim.servos[1].set(&reg::ACK_POLICY, 0);
    rig.get_ready(2.0);
}

#[test]
fn two_servos_of_one_id_keep_nobody_else_from_torque() {
    let mut rig = rig();
    rig.sim.servos.push(SimServo::new(Model::Drs0201, 2, -0.4));
    rig.asked.push(rig.asked[1].clone());
    rig.run(3.0);
    let on: Vec<bool> = rig.sim.servos.iter().map(|s| s.is_on()).collect();
    assert_eq!((on[0], on[2], on[3]), (true, true, true), "{:?}", rig.phases());
    assert_eq!((on[1], on[4]), (false, false), "and neither of the two gets any");
}

#[test]
fn a_playtime_without_an_end_is_a_gentle_one() {
    let mut rig = rig();
    rig.get_ready(2.0);
    let from = rig.sim.servos[0].angle();
    for playtime in [1e18, 1e300, f64::MAX] {
        rig.goals(playtime, |_| 1.0);
        rig.run(1.0);
        assert!((rig.sim.servos[0].angle() - from).abs() < 0.01);
    }
}
