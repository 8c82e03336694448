//! `fuzz [MINUTES] [TARGET] [--seed N]`: mutated inputs for some or all targets.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use fuzz_lib::{Target, run, targets};

const HELP: &str = "fuzz [MINUTES] [TARGET] [--seed N]

Mutated files, packets and messages for everything that reads what others wrote. MINUTES (1) are shared among all targets, or go to TARGET.
--list names the targets; the same seed gives the same inputs. An input that makes a target panic is written to out/fuzz/.";

fn main() -> ExitCode {
    match start(std::env::args().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("fuzz: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing was found.
fn start(mut args: impl Iterator<Item = String>) -> anyhow::Result<bool> {
    let (mut minutes, mut wanted, mut seed) = (1.0, vec![], 1);
    let all = targets();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(true);
            }
            "--list" => {
                all.iter().for_each(|target| println!("{}", target.name));
                return Ok(true);
            }
            "--seed" => {
                seed = args.next().and_then(|seed| seed.parse().ok()).context("--seed needs a number")?
            }
            name => match (name.parse::<f64>(), all.iter().find(|target| target.name == name)) {
                (Ok(given), _) if given > 0.0 && given < 1e6 => minutes = given,
                (_, Some(target)) => wanted.push(*target),
                _ => {
                    let names: Vec<&str> = all.iter().map(|target| target.name).collect();
                    bail!("\"{name}\" is no target and no number of minutes; targets: {}", names.join(", "))
                }
            },
        }
    }
    let wanted: Vec<Target> = if wanted.is_empty() { all } else { wanted };
    let each = Duration::from_secs_f64(60.0 * minutes / wanted.len() as f64);
    println!("seed {seed}, {:.0} s for each of {}", each.as_secs_f64(), wanted.len());
    let mut clean = true;
    for target in wanted {
        let report = run(&target, each, seed)?;
        println!(
            "{:<10} {:>11} cases {:>14} bytes, slowest {:.3} s, {} panics",
            target.name,
            report.cases,
            report.bytes,
            report.slowest,
            u32::from(report.found.is_some())
        );
        if let Some(found) = report.found {
            clean = false;
            println!(
                "  case {} of seed {seed}: {}\n  input: {}",
                found.case,
                found.message,
                found.path.display()
            );
        }
    }
    Ok(clean)
}
