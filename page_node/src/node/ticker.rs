//! What is done some times a second: the newest snapshot goes out, silent drivers are halted, nodes that fell silent are told.

use super::hub::Hub;
use super::recorder;
use crate::protocol::Told;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// How often everybody is told of all nodes, s.
const HEALTH: f64 = 1.0;

/// Until the process ends.
pub(super) async fn run(hub: Arc<Hub>) {
    let mut rate = hub.settings.borrow().rate;
    let mut ticks = interval(rate);
    let (mut names, mut told, mut presence) = (0, f64::NEG_INFINITY, vec![]);
    loop {
        ticks.tick().await;
        let wanted = hub.settings.borrow().rate;
        if wanted.to_bits() != rate.to_bits() {
            rate = wanted;
            ticks = interval(rate);
        }
        let now = hub.now();
        halt_if_silent(&hub, now);
        follow_bus(&hub, now);
        if hub.recorder.is_over() {
            // What it says is in the log.
            let _ = recorder::end(&hub).await;
        }
        if hub.clients.load(Ordering::Relaxed) == 0 {
            continue;
        }
        let state = hub.state();
        if state.scene.revision() != names {
            names = state.scene.revision();
            hub.tell(&Told::Names { revision: names, names: state.scene.names() });
        }
        hub.frames.send_replace(Told::Snapshot(state.scene.snapshot(now)).to_text().into());
        let view = state.health.view(now);
        let here: Vec<_> = view.nodes.iter().map(|(_, presence)| *presence).collect();
        if here != presence || now - told >= HEALTH {
            (presence, told) = (here, now);
            hub.tell(&Told::Health(view));
            drop(state);
            if hub.recorder.is_running() {
                hub.tell_recording();
            }
        }
    }
}

fn interval(rate: f64) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate.max(1.0)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks
}

fn halt_if_silent(hub: &Hub, now: f64) {
    let silent = hub.state().drive.expire(now);
    if silent {
        hub.command([0.0; 3]);
        hub.tell_drive();
    }
}

/// A stop that somebody else pressed or cleared.
fn follow_bus(hub: &Hub, now: f64) {
    let changed = {
        let mut state = hub.state();
        let stopped = state.health.figure("herkulex_node", "stopped", now).map(|text| text == "true");
        state.stop.observe(stopped, now)
    };
    if changed {
        hub.follow_stop();
    }
}
