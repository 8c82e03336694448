//! Every target for a few seconds. Long runs: `./gaitway fuzz`.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use fuzz_lib::{run, targets};

/// For each of eleven targets: three quarters of a minute in all.
const TIME: Duration = Duration::from_secs(4);
/// The same every time: what fails here was broken by what changed. Other seeds are for long runs.
const SEED: u64 = 20;

#[test]
fn no_target_panics() {
    for target in targets() {
        let report = run(&target, TIME, SEED).unwrap();
        println!(
            "{}: {} cases, {} bytes, slowest {:.3} s",
            target.name, report.cases, report.bytes, report.slowest
        );
        assert!(report.cases > 0, "{} has inputs", target.name);
        assert!(report.found.is_none(), "{}: {:?}", target.name, report.found);
    }
}
