//! From `main` to the last line: arguments, parameters, the loop, the end.

use crate::about::About;
use crate::diagnostics::Report;
use crate::log::{Log, ROSOUT};
use crate::param_server::{ParamServer, USE_SIM_TIME, follow_sim_time};
use crate::setup::{Inner, Reporter, Setup};
use crate::stop::Stop;
use crate::time::RosClock;
use anyhow::Context as _;
use param_lib::{Overrides, Params, Spec, Table, Value};
use r2r::QosProfile;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use std::panic;
use std::process::ExitCode;
use std::time::Duration;

/// How long a spin may wait; a signal is noticed that much later at the most.
const SPIN: Duration = Duration::from_millis(50);

/// Runs a node until SIGINT or SIGTERM. `build` opens what it needs on [`Setup`] and returns the state on which all
/// callbacks work. An error is one line on stderr, one for each of many wrong parameters, and exit code 1.
pub fn run<S: 'static, P: Params + 'static>(
    about: About,
    build: impl FnOnce(&mut Setup<S, P>, P) -> anyhow::Result<S>,
) -> ExitCode {
    let args: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    if let Some(arg) = args.get(1).filter(|a| *a != "--ros-args") {
        let text = match arg.as_str() {
            "-h" | "--help" => Ok(about.help::<P>()),
            "--print-params" => about.print_params::<P>(&args),
            other => Err(anyhow::anyhow!("unknown argument \"{other}\"; see --help")),
        };
        return finish(&about, text.map(|text| print!("{text}")));
    }
    finish(&about, try_run(&about, &args, build))
}

fn finish(about: &About, result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            for line in format!("{e:#}").lines() {
                eprintln!("{}: {line}", about.name);
            }
            ExitCode::FAILURE
        }
    }
}

fn try_run<S: 'static, P: Params + 'static>(
    about: &About,
    args: &[String],
    build: impl FnOnce(&mut Setup<S, P>, P) -> anyhow::Result<S>,
) -> anyhow::Result<()> {
    // Read before rcl does: it would say less about what is wrong.
    let overrides = Overrides::from_args(args)?;
    let stop = Stop::on_signals().context("signal handlers")?;
    let mut node =
        r2r::Node::create(create_context()?, about.name, "").context("the node could not be created")?;
    let full_name = node.fully_qualified_name()?;
    let clock = RosClock::default();
    let rosout = node.create_publisher("/rosout", ROSOUT)?;
    let log = Log::new(node.logger(), clock.clone(), rosout);
    let mut inner = Inner::new(node, full_name, log.clone(), clock);

    let overrides = overrides.for_node(&inner.full_name);
    let mut specs = P::specs_for(&overrides)?;
    specs.push(Spec::new(USE_SIM_TIME, Value::Bool(false), "Time comes from /clock instead of the system."));
    let table = Table::declare_all(specs, &overrides)?;
    for o in overrides.iter().filter(|o| o.exact && table.get(&o.name).is_none()) {
        log.warn(table.unknown(&o.name));
    }
    let params = P::read(&table)?;
    follow_sim_time(&mut inner, &table)?;

    let mut setup = Setup::new(inner, stop.clone());
    let mut state = build(&mut setup, params)?;
    let on_change = setup.on_change.take();
    let polls = ParamServer::<S, P>::open(&mut setup.inner, table, on_change)?;
    setup.polls.extend(polls);
    if let Some(report) = setup.report.take() {
        publish_diagnostics(&mut setup, report)?;
    }
    while !stop.is_stopped() {
        setup.spin(&mut state, SPIN);
    }
    // First the state with its threads and publishers, then the node: it says good-bye to the graph.
    drop(state);
    drop(setup);
    Ok(())
}

fn publish_diagnostics<S: 'static, P>(
    setup: &mut Setup<S, P>,
    mut report: Reporter<S>,
) -> anyhow::Result<()> {
    let publisher = setup.publisher::<DiagnosticArray>("/diagnostics", QosProfile::default())?;
    let (log, clock, name) = (setup.log(), setup.clock(), setup.full_name().to_string());
    setup.every(Duration::from_secs(1), move |state| {
        let mut array = DiagnosticArray::default();
        array.header.stamp = clock.now();
        let mut own = Report::default();
        report(state, &mut own);
        array.status = vec![own.into_status(&name)];
        if let Err(e) = publisher.publish(&array) {
            log.error(format!("could not publish /diagnostics: {e}"));
        }
    });
    Ok(())
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
