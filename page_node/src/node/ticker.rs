//! What is done some times a second: the newest snapshot goes out, the log, and which nodes fell silent.

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
    let mut settings = hub.settings.clone();
    let mut ticks = interval(settings.borrow_and_update().rate);
    let (mut names, mut told, mut presence) = (0, f64::NEG_INFINITY, vec![]);
    loop {
        ticks.tick().await;
        if settings.has_changed().unwrap_or(false) {
            ticks = interval(settings.borrow_and_update().rate);
            let _ = hub.events.send(hub.limits_text());
        }
        let now = hub.now();
        follow_bus(&hub, now);
        if hub.recorder.is_over() {
            tokio::spawn(recorder::end_of_itself(hub.clone()));
        }
        let mut state = hub.state();
        let lines = state.lines.untold().map(|lines| Told::Log(lines).to_text());
        if hub.clients.load(Ordering::Relaxed) == 0 {
            continue;
        }
        if let Some(lines) = lines {
            let _ = hub.events.send(lines.into());
        }
        let joints = &state.scene.joints;
        if joints.revision() != names {
            names = joints.revision();
            hub.tell(&Told::Names { revision: names, names: joints.names() });
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
