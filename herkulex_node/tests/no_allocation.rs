//! The encoder, the parser and a settled bus do not allocate.

mod rig;

use herkulex_node::bus::{Action, GoalPoint, Tuning};
use herkulex_node::codec::{Frame, Jog, Memory, Parser};
use test_lib::allocations;

#[test]
fn encoding_and_parsing_do_not_allocate() {
    let jogs: Vec<Jog> = (0..130).map(|id| Jog { id, goal: 500, set: 0, playtime: 3 }).collect();
    let mut stream = Vec::with_capacity(10_000);
    let (mut frame, mut parser, mut found) = (Frame::default(), Parser::default(), 0);
    let n = allocations(|| {
        let mut left: &[Jog] = &jogs;
        while !left.is_empty() {
            left = frame.s_jog(0xFE, 3, left);
            stream.extend_from_slice(frame.bytes());
        }
        let mut left: &[Jog] = &jogs;
        while !left.is_empty() {
            left = frame.i_jog(0xFE, left);
            stream.extend_from_slice(frame.bytes());
        }
        stream.extend_from_slice(frame.read(1, Memory::Ram, 0x3A, 6));
        stream.extend_from_slice(frame.write(1, Memory::Ram, 0x34, &[0x60]).unwrap_or_default());
        let mut input: &[u8] = &stream;
        while parser.next(&mut input).is_some() {
            found += 1;
        }
    });
    assert_eq!((n, found), (0, 3 + 4 + 2));
}

#[test]
fn a_settled_bus_does_not_allocate() {
    let tuning = Tuning { period: 0.01, goal_timeout: 0.0, ..Tuning::default() };
    let mut rig = rig::Rig::new(rig::config(24, 666_666, tuning), 1);
    rig.get_ready(5.0);
    rig.goals(0.02, rig::start_angle);
    rig.run(1.0);
    let (mut n, mut heard) = (0, Vec::with_capacity(1000));
    for _ in 0..20_000 {
        let now = rig.now;
        heard.clear();
        rig.sim.read(now, &mut heard);
        let (bus, sim) = (&mut rig.bus, &mut rig.sim);
        let mut written = Vec::with_capacity(1000);
        n += allocations(|| {
            if now % 10_000_000 < 25_000 {
                let point = |servo| GoalPoint {
                    servo,
                    position: rig::start_angle(servo),
                    playtime: 0.02,
                    stamp: now,
                    alive: true,
                };
                bus.goals(now, now, (0..24).map(point));
            }
            bus.receive(now, &heard);
            while let Action::Write(bytes) = bus.poll(now) {
                written.extend_from_slice(bytes);
            }
        });
        if !written.is_empty() {
            sim.write(now, &written);
        }
        rig.now += 25_000;
    }
    assert_eq!(n, 0);
}
