//! From `main` to the last line: arguments, nodes, the loop, the end.

use crate::about::About;
use crate::beat::BeatClock;
use crate::bus::Bus;
use crate::executor::{Executor, Waker};
use crate::outside::Outside;
use crate::seat::{Seating, seat};
use crate::setup::Node;
use crate::spinner::Spinner;
use crate::stop::Stop;
use crate::strays::warn_of_strays;
use anyhow::Context as _;
use std::panic;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

/// How long tasks may take to end with the process.
const TASKS_END: Duration = Duration::from_millis(200);

/// How long nodes may take to say good-bye to the graph.
const GOOD_BYE: Duration = Duration::from_secs(2);

/// A node that can be one of several in a process.
#[derive(Clone, Copy)]
pub struct Member {
    /// Its name, purpose, topics and services.
    pub about: About,
    print_params: fn(&About, &[String]) -> anyhow::Result<String>,
    seat: fn(&mut Process) -> anyhow::Result<Seating>,
}

impl Member {
    /// The node of a crate.
    pub const fn of<N: Node>() -> Member {
        Member { about: N::ABOUT, print_params: About::print_params::<N::Params>, seat: seat::<N> }
    }
}

/// What the nodes of a process share.
pub(crate) struct Process {
    pub(crate) args: Vec<String>,
    pub(crate) context: r2r::Context,
    pub(crate) bus: Option<Rc<Bus>>,
    pub(crate) outside: Outside,
    pub(crate) waker: Waker,
    pub(crate) stop: Stop,
}

/// Runs a node alone in its process until SIGINT or SIGTERM. An error is one line on stderr, one for each of many wrong
/// parameters, and exit code 1.
pub fn run<N: Node>() -> ExitCode {
    let args = args();
    let about = N::ABOUT;
    if let Some(arg) = args.get(1).filter(|a| *a != "--ros-args") {
        let text = match arg.as_str() {
            "-h" | "--help" => Ok(about.help::<N::Params>()),
            "--print-params" => about.print_params::<N::Params>(&args),
            other => Err(anyhow::anyhow!("unknown argument \"{other}\"; see --help")),
        };
        return finish(about.name, text.map(|text| print!("{text}")));
    }
    finish(about.name, run_all(args, &[Member::of::<N>()], &[], false))
}

/// Runs several nodes in one process, on one thread, in the order in which they are named on the command line (else that of
/// `members`): what one sends, the next has in the same cycle.
pub fn compose(name: &str, purpose: &str, members: &[Member], default: &[&str]) -> ExitCode {
    let args = args();
    // A launch file that leaves a node out gives an empty argument in its place.
    let own = args.iter().skip(1).take_while(|arg| *arg != "--ros-args").filter(|arg| !arg.is_empty());
    let own: Vec<&str> = own.map(String::as_str).collect();
    let known = || members.iter().map(|m| m.about.name).collect::<Vec<_>>().join(" ");
    if own.iter().any(|arg| matches!(*arg, "-h" | "--help")) {
        println!("{name}\n\n{purpose}\n\nUsage: {name} [--help] [--print-params] [NODE…] [--ros-args …]\n");
        println!("Nodes, in the order of the pipeline: {}", known());
        println!(
            "Without NODE: {}\n\nTopics, services and parameters are those of the nodes.",
            default.join(" ")
        );
        return ExitCode::SUCCESS;
    }
    let print = own.contains(&"--print-params");
    let named: Vec<&str> = own.into_iter().filter(|arg| *arg != "--print-params").collect();
    let wanted = if named.is_empty() { default } else { &named };
    let find = |wanted: &&str| {
        let found = members.iter().find(|m| m.about.name == *wanted).copied();
        found.ok_or_else(|| anyhow::anyhow!("there is no node \"{wanted}\"; there are: {}", known()))
    };
    let chosen = wanted.iter().map(find).collect::<anyhow::Result<Vec<_>>>().and_then(|chosen| {
        let twice = (1..wanted.len()).find(|&i| wanted[..i].contains(&wanted[i]));
        twice.map_or(Ok(chosen), |i| Err(anyhow::anyhow!("node \"{}\" stands twice", wanted[i])))
    });
    let result = chosen.and_then(|chosen| match print {
        true => {
            let text = |m: &Member| (m.print_params)(&m.about, &args).map_err(|e| of_node(m, &e));
            let texts = chosen.iter().map(text).collect::<anyhow::Result<Vec<String>>>();
            texts.map(|texts| print!("{}", texts.concat()))
        }
        false => {
            let absent = members.iter().map(|m| m.about.name).filter(|name| !wanted.contains(name));
            run_all(args.clone(), &chosen, &absent.collect::<Vec<_>>(), true)
        }
    });
    finish(name, result)
}

fn args() -> Vec<String> {
    std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect()
}

fn finish(name: &str, result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            for line in format!("{e:#}").lines() {
                eprintln!("{name}: {line}");
            }
            ExitCode::FAILURE
        }
    }
}

/// An error of one of several nodes: each of its lines says whose it is.
fn of_node(member: &Member, error: &anyhow::Error) -> anyhow::Error {
    let lines: Vec<String> =
        format!("{error:#}").lines().map(|line| format!("{}: {line}", member.about.name)).collect();
    anyhow::anyhow!("{}", lines.join("\n"))
}

fn run_all(args: Vec<String>, members: &[Member], absent: &[&str], composed: bool) -> anyhow::Result<()> {
    // Read before rcl does: it would say less about what is wrong.
    let overrides = param_lib::Overrides::from_args(&args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let entered = runtime.enter();
    let (outside, lines) = Outside::new();
    let mut process = Process {
        args,
        context: create_context()?,
        bus: composed.then(Rc::default),
        outside: outside.clone(),
        waker: Waker::default(),
        stop: Stop::on_signals().context("signal handlers")?,
    };
    // Alone, a node's name stands in front of its errors anyway.
    let seat = |member: &Member| match (member.seat)(&mut process) {
        Err(e) if composed => Err(of_node(member, &e)),
        seating => seating,
    };
    let seatings: anyhow::Result<Vec<Seating>> = members.iter().map(seat).collect();
    let Process { bus, waker, stop, .. } = process;
    let end = Stop::default();
    let mut seatings = match seatings {
        Ok(seatings) => seatings,
        Err(e) => {
            // What was said before must not be lost.
            end.stop();
            let _ = outside.start(lines, vec![], end)?.join();
            return Err(e);
        }
    };
    warn_of_strays(&overrides, &seatings, absent);
    // First what is heard, then what is said: a publisher must know who of its own process listens.
    let mut forwards: Vec<_> = seatings.iter().map(|_| vec![]).collect();
    for (seating, forwards) in seatings.iter_mut().zip(&mut forwards) {
        seating.subscribe(forwards)?;
    }
    let mut relays = vec![];
    for seating in &mut seatings {
        seating.relay(&mut relays)?;
    }
    let talking = outside.start(lines, relays, end.clone())?;
    let (mut seats, mut spinners, mut beats) = (vec![], vec![], vec![]);
    for (seating, forwards) in seatings.into_iter().zip(forwards) {
        let Seating { seat, inner, commands, beat, .. } = seating;
        beats.extend(beat.map(|control| BeatClock::new(control, inner.clock.clone())));
        seats.push(seat);
        spinners.push(Spinner::start(inner, forwards, commands, end.clone())?);
    }
    anyhow::ensure!(beats.len() <= 1, "two nodes of one process want to give the beat");
    let topics = bus.map(|bus| bus.flushes()).unwrap_or_default();
    let executor = Executor { seats, topics, beat: beats.pop(), outside: outside.clone(), waker, stop };
    executor.run();
    // The states have gone, and their threads with them: now the log, then the nodes, which say good-bye to the graph.
    drop(entered);
    runtime.shutdown_timeout(TASKS_END);
    end.stop();
    outside.wake();
    let _ = talking.join();
    if !Spinner::join_all(&spinners, GOOD_BYE) {
        leave_without_good_bye(members);
    }
    Ok(())
}

/// Fast DDS 2.14 can lock itself up while it removes a participant: `set_listener` waits for a callback that waits for the discovery
/// that waits for `set_listener`. The servos are safe and the log is written by now; a process that stayed would only burn a core.
fn leave_without_good_bye(members: &[Member]) {
    let names: Vec<&str> = members.iter().map(|m| m.about.name).collect();
    eprintln!(
        "{}: DDS did not let go within {} s; ended without a good-bye to the graph",
        names.join(", "),
        GOOD_BYE.as_secs()
    );
    // `_exit`: `exit` would wait for the destructors of the same library. Zero, because it ended as it was told to.
    signal_hook::low_level::exit(0);
}

/// r2r panics when rcl refuses the arguments; here that is an error like any other.
fn create_context() -> anyhow::Result<r2r::Context> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let context = panic::catch_unwind(r2r::Context::create);
    panic::set_hook(hook);
    match context {
        Ok(context) => context.context("rcl could not start"),
        Err(cause) => {
            let text = cause.downcast_ref::<String>().map_or("unknown error", String::as_str);
            Err(anyhow::anyhow!("rcl refuses the arguments: {text}"))
        }
    }
}
