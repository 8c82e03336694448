//! What encoding costs, and how long goals take from the bridge's door to the other end of a pty.
//! `cargo bench -p herkulex_node`; plain figures, no harness.

use bench_lib::Figures;
use herkulex_node::bridge::{Bridge, BridgeConfig, Notice};
use herkulex_node::bus::{BusConfig, Event, GoalPoint, Joint, ServoConfig, Tuning};
use herkulex_node::codec::{Frame, Jog, Model, Parser, command};
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::time::Timespec;
use std::hint::black_box;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SERVOS: usize = 24;
const BAUD: u32 = 666_666;
const MESSAGES: usize = 1000;

fn main() -> std::io::Result<()> {
    let mut figures = Figures::default();
    encode(&mut figures);
    hop(&mut figures)?;
    latency(&mut figures)?;
    figures.write("herkulex")
}

fn report(figures: &mut Figures, what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] * 1e6;
    figures.set(format!("{what}, p50, µs"), at(0.5));
    figures.set(format!("{what}, p99, µs"), at(0.99));
    println!(
        "{what}: p50 {:.1} µs, p99 {:.1} µs, worst {:.1} µs ({} times)",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

fn encode(figures: &mut Figures) {
    let jogs: Vec<Jog> = (0..SERVOS as u8).map(|id| Jog { id, goal: 512, set: 0, playtime: 2 }).collect();
    let (mut frame, n) = (Frame::default(), 1_000_000u32);
    let start = Instant::now();
    for _ in 0..n {
        black_box(&mut frame).s_jog(0xFE, 2, black_box(&jogs));
    }
    let took = start.elapsed().as_secs_f64() / f64::from(n);
    println!("encode S_JOG for {SERVOS}: {:.0} ns", took * 1e9);
    figures.set("encode S_JOG, ns", took * 1e9);
    let (bytes, mut parser, mut found) = (frame.bytes().to_vec(), Parser::default(), 0);
    let start = Instant::now();
    for _ in 0..n / 10 {
        let mut input: &[u8] = black_box(&bytes);
        while parser.next(&mut input).is_some() {
            found += 1;
        }
    }
    let took = start.elapsed().as_secs_f64() / f64::from(n / 10);
    figures.set("parse the same, ns", took * 1e9);
    println!(
        "parse the same: {:.0} ns, {:.0} MB/s ({found} packets)",
        took * 1e9,
        bytes.len() as f64 / took * 1e-6
    );
}

fn pty() -> std::io::Result<(OwnedFd, String)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, vec![])?.to_string_lossy().into_owned();
    let flags = rustix::fs::fcntl_getfl(&master)?;
    rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
    Ok((master, name))
}

fn wait(fd: &OwnedFd, ns: i64) {
    let _ = poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: ns }));
}

/// The bare hop: a byte written into a pty until another thread has it.
fn hop(figures: &mut Figures) -> std::io::Result<()> {
    let (master, name) = pty()?;
    let port = herkulex_node::port::Port::open(&name, BAUD)?;
    let epoch = Instant::now();
    let written = Arc::new(AtomicU64::new(0));
    let writer = std::thread::spawn({
        let written = written.clone();
        move || {
            for _ in 0..MESSAGES {
                std::thread::sleep(Duration::from_millis(2));
                written.store(epoch.elapsed().as_nanos() as u64, Ordering::SeqCst);
                let _ = port.write(&[0x55]);
            }
            port
        }
    });
    let (mut times, mut buffer) = (vec![], [0; 64]);
    // On a busy machine two bytes may come together; then there is one time fewer.
    while !writer.is_finished() {
        wait(&master, 100_000_000);
        if rustix::io::read(&master, &mut buffer).is_ok_and(|n| n > 0) {
            times.push((epoch.elapsed().as_nanos() as u64 - written.load(Ordering::SeqCst)) as f64 * 1e-9);
        }
    }
    drop(writer.join());
    report(figures, "bare hop, write → read on a pty", times);
    Ok(())
}

/// Goals into the bridge until the first byte of their jog is read at the other end, the bus being busy with reads.
fn latency(figures: &mut Figures) -> std::io::Result<()> {
    let (master, name) = pty()?;
    let scale = Model::Drs0101.scale();
    let joint = Joint { scale, offset: 0.0, gear: 1.0, limits: (-2.7, 2.7), counts: (21, 1002) };
    let model = Model::Drs0101;
    let servo = |id| ServoConfig {
        name: format!("joint{id}"),
        id,
        model,
        number: model.number(),
        firmware: None,
        joint,
    };
    let bus = BusConfig {
        baud: BAUD,
        full_duplex: true,
        turnaround: 0.0005,
        torque_at_start: true,
        tuning: Tuning { period: 0.01, goal_timeout: 0.0, ..Tuning::default() },
        servos: (1..=SERVOS as u8).map(servo).collect(),
    };
    let (mut bridge, mut feed) =
        Bridge::start(BridgeConfig { port: name, at_exit: None, orders: None, bus })?;
    let (epoch, sent, done) = (Instant::now(), Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let source = std::thread::spawn({
        let (sent, done) = (sent.clone(), done.clone());
        move || {
            let mut ready = 0;
            while ready < SERVOS {
                std::thread::sleep(Duration::from_millis(10));
                while let Ok(notice) = feed.notices.pop() {
                    ready += usize::from(matches!(notice, Notice::Event(Event::Ready(_))));
                }
            }
            while !done.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
                sent.store(epoch.elapsed().as_nanos() as u64, Ordering::SeqCst);
                let point =
                    |servo| GoalPoint { servo, position: 0.0, playtime: 0.0224, stamp: 0, alive: true };
                bridge.goals(0, (0..SERVOS).map(point));
            }
        }
    });
    let servos = (1..=SERVOS as u8).map(|id| SimServo::new(Model::Drs0101, id, 0.0));
    let settings = Settings { baud: BAUD, ..Settings::default() };
    let mut sim = SimBus::new(settings, servos.collect(), Supply::default());
    let (mut times, mut heard, mut said) = (vec![], [0; 1024], vec![]);
    while times.len() < MESSAGES {
        let now = epoch.elapsed().as_nanos() as u64;
        if let Ok(n) = rustix::io::read(&master, &mut heard)
            && n > 0
        {
            let asked = sent.load(Ordering::SeqCst);
            if heard[4] == command::S_JOG
                && asked > 0
                && sent.compare_exchange(asked, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
            {
                times.push((epoch.elapsed().as_nanos() as u64).saturating_sub(asked) as f64 * 1e-9);
            }
            sim.write(now, &heard[..n]);
        }
        said.clear();
        sim.read(now, &mut said);
        let _ = rustix::io::write(&master, &said);
        let next = sim.next_event().unwrap_or(u64::MAX).saturating_sub(now).clamp(50_000, 1_000_000);
        wait(&master, next as i64);
    }
    done.store(true, Ordering::SeqCst);
    drop(source.join());
    report(figures, "goals → first byte at the other end of a pty, 24 servos, bus busy", times);
    Ok(())
}
