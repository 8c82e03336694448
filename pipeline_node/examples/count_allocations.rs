//! The pipeline with two probes in it, which count what the control thread allocates: `first_probe` after `sync_node`,
//! `last_probe` at the end. Prints a line a second; arguments as for `pipeline_node`.

use alloc_lib::allocations_so_far;
use node_lib::param_lib::params;
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::{About, Member, Node, Setup, qos};
use pipeline_node::{DEFAULT, MEMBERS, PURPOSE};
use std::cell::Cell;
use std::process::ExitCode;

params! {
    /// None.
    pub struct NoParams {
        /// Has no effect.
        unused: bool = false;
    }
}

thread_local! {
    static BEGAN: Cell<u64> = const { Cell::new(0) };
}

struct FirstProbe;

impl Node for FirstProbe {
    type Params = NoParams;
    const ABOUT: About = About { name: "first_probe", purpose: "", endpoints: &[] };
    fn build(setup: &mut Setup<Self>, _: NoParams) -> anyhow::Result<Self> {
        setup.on("sync", qos::NEWEST, |_: &mut Self, _: &SyncStep| BEGAN.set(allocations_so_far()))?;
        Ok(FirstProbe)
    }
}

/// Of the last second: cycles, cycles that allocated, what they allocated.
#[derive(Default)]
struct LastProbe {
    cycles: u64,
    guilty: u64,
    allocations: u64,
}

impl Node for LastProbe {
    type Params = NoParams;
    const ABOUT: About = About { name: "last_probe", purpose: "", endpoints: &[] };
    fn build(setup: &mut Setup<Self>, _: NoParams) -> anyhow::Result<Self> {
        setup.on("sync", qos::NEWEST, |node: &mut Self, _: &SyncStep| {
            let own = allocations_so_far() - BEGAN.get();
            node.cycles += 1;
            node.guilty += u64::from(own > 0);
            node.allocations += own;
        })?;
        setup.every(std::time::Duration::from_secs(1), |node| {
            let LastProbe { cycles, guilty, allocations } = std::mem::take(node);
            println!("{cycles} cycles, {guilty} of them allocated, {allocations} times");
        });
        Ok(LastProbe::default())
    }
}

fn main() -> ExitCode {
    let mut members = MEMBERS.to_vec();
    members.insert(1, Member::of::<FirstProbe>());
    members.push(Member::of::<LastProbe>());
    let mut default = DEFAULT.to_vec();
    default.insert(1, "first_probe");
    default.push("last_probe");
    node_lib::compose("count_allocations", PURPOSE, &members, &default)
}
