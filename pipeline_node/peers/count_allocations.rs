//! The pipeline between two probes, which count what the control thread allocates in a cycle: waking up, what came in from outside, every
//! node, what goes out. The probes count while the house is kept, once between two cycles: `first_probe` before anybody's timers and
//! services, `last_probe` after them. Prints a line a second; arguments as for `pipeline_node`.

use node_lib::param_lib::params;
use node_lib::{About, Member, Node, Setup};
use pipeline_node::{DEFAULT, MEMBERS, PURPOSE};
use std::cell::Cell;
use std::process::ExitCode;
use std::time::Duration;
use test_lib::allocations_so_far;

params! {
    /// None.
    pub struct NoParams {
        /// Has no effect.
        unused: bool = false;
    }
}

/// Of the last second: cycles, cycles that allocated, what they allocated.
#[derive(Clone, Copy, Default)]
struct Counts {
    cycles: u64,
    guilty: u64,
    allocations: u64,
}

thread_local! {
    static BEGAN: Cell<u64> = const { Cell::new(0) };
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { cycles: 0, guilty: 0, allocations: 0 }) };
}

struct FirstProbe;

impl Node for FirstProbe {
    type Params = NoParams;
    const ABOUT: About = About { name: "first_probe", purpose: "", endpoints: &[] };
    fn build(setup: &mut Setup<Self>, _: NoParams) -> anyhow::Result<Self> {
        setup.every(Duration::ZERO, |_| {
            let own = allocations_so_far() - BEGAN.get();
            let Counts { cycles, guilty, allocations } = COUNTS.get();
            let guilty = guilty + u64::from(own > 0);
            COUNTS.set(Counts { cycles: cycles + 1, guilty, allocations: allocations + own });
        });
        Ok(FirstProbe)
    }
}

struct LastProbe;

impl Node for LastProbe {
    type Params = NoParams;
    const ABOUT: About = About { name: "last_probe", purpose: "", endpoints: &[] };
    fn build(setup: &mut Setup<Self>, _: NoParams) -> anyhow::Result<Self> {
        setup.every(Duration::from_secs(1), |_| {
            let Counts { cycles, guilty, allocations } = COUNTS.take();
            println!("{cycles} cycles, {guilty} of them allocated, {allocations} times");
        });
        setup.every(Duration::ZERO, |_| BEGAN.set(allocations_so_far()));
        Ok(LastProbe)
    }
}

fn main() -> ExitCode {
    let mut members = MEMBERS.to_vec();
    members.insert(0, Member::of::<FirstProbe>());
    members.push(Member::of::<LastProbe>());
    let mut default = DEFAULT.to_vec();
    default.insert(0, "first_probe");
    default.push("last_probe");
    node_lib::compose("count_allocations", PURPOSE, &members, &default)
}
