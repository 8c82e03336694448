//! Every target for a few seconds. Long runs: `./gaitway fuzz`.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use fuzz_lib::{run, targets};

/// For each of eleven targets: three quarters of a minute in all.
const TIME: Duration = Duration::from_secs(4);

#[test]
fn no_target_panics() {
    // Another seed every day finds more than the same one for ever, and a find can be repeated by its number.
    let day = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    for target in targets() {
        let report = run(&target, TIME, day).unwrap();
        println!(
            "{}: {} cases, {} bytes, slowest {:.3} s",
            target.name, report.cases, report.bytes, report.slowest
        );
        assert!(report.cases > 0, "{} has inputs", target.name);
        assert!(report.found.is_none(), "{} with seed {day}: {:?}", target.name, report.found);
    }
}
