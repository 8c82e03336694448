//! What browsers want of the robot.

use super::calls::{PATIENCE, trigger};
use super::hub::Hub;
use super::parameters;
use super::recorder;
use super::replay;
use crate::body_pose;
use crate::protocol::StopState;
use crate::recordings;
use crate::request::Wish;
use node_lib::r2r::gait_msgs::srv::PlayMotion;
use node_lib::r2r::geometry_msgs::msg::Pose;
use param_lib::Value;
use serde_json::{Value as Json, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What a browser is answered: a line, and what it asked for.
pub(super) type Answer = Result<(String, Json), String>;

/// Between tries to stop a bus that does not answer.
const AGAIN: Duration = Duration::from_millis(500);
/// How long one try may take.
const TRY: Duration = Duration::from_secs(3);

/// Does what a browser wants, but for driving, which waits for nobody.
pub(super) async fn fulfil(hub: &Arc<Hub>, wish: Wish) -> Answer {
    let said = |text: String| (text, Json::Null);
    match wish {
        // Dealt with where they come in.
        Wish::Drive { .. } | Wish::Release | Wish::Stop => Ok(said(String::new())),
        Wish::ClearStop => {
            let presses = hub.state().stop.presses();
            let text = trigger(&hub.calls.clear_stop, PATIENCE).await?;
            let now = hub.now();
            let is_clear = hub.state().stop.cleared(presses, now);
            hub.follow_stop();
            if !is_clear {
                hub.stop_asked.notify_one();
                return Err("the stop was pressed again meanwhile".into());
            }
            Ok(said(text))
        }
        Wish::Order { order } => hub.calls.order(order).await.map(said),
        Wish::Play { file } => {
            let request = PlayMotion::Request { file, ..PlayMotion::Request::default() };
            let answer = hub.calls.play.call(&request, PATIENCE).await.map_err(|e| e.to_string())?;
            if answer.success { Ok(said(answer.message)) } else { Err(answer.message) }
        }
        Wish::Pose { position: [x, y, z], angles: [roll, pitch, yaw] } => {
            pose(hub, [x, y, z, roll, pitch, yaw]).map(said)
        }
        Wish::Parameters { node } => {
            let view = hub.state().tuning.view(&node);
            if view.is_null() {
                Err(format!("{node} has not told its parameters"))
            } else {
                Ok((String::new(), view))
            }
        }
        Wish::Set { node, name, value } => parameters::set(hub, &node, &name, &value).await.map(said),
        Wish::Undo => parameters::undo(hub).await.map(said),
        Wish::Save { node } => save(hub, &node).await.map(said),
        Wish::Record { label } => recorder::begin(hub, label).await,
        Wish::EndRecording => recorder::end(hub).await,
        Wish::Replay { name, measured } => replay::run(hub, &name, measured).await,
        Wish::Motions => Ok((String::new(), motions(hub).await)),
        Wish::Recordings => {
            let folder = hub.settings.borrow().recordings.clone();
            let list = move || if folder.is_empty() { vec![] } else { recordings::list(Path::new(&folder)) };
            let found = tokio::task::spawn_blocking(list).await.unwrap_or_default();
            Ok((String::new(), json!(found)))
        }
    }
}

/// Stops at once: the word is passed on before anything else is done.
pub(super) fn stop(hub: &Hub) {
    let now = hub.now();
    hub.state().stop.ask(now);
    hub.stop_asked.notify_one();
    hub.command([0.0; 3]);
    hub.follow_stop();
}

/// Asks the bus to stop until it has confirmed it.
pub(super) async fn keep_stopping(hub: Arc<Hub>) {
    loop {
        hub.stop_asked.notified().await;
        while hub.state().stop.state() == StopState::Asked {
            let answer = trigger(&hub.calls.stop, TRY).await;
            let now = hub.now();
            match &answer {
                Ok(text) => hub.state().stop.answered(true, text, now),
                Err(text) => hub.state().stop.answered(false, text, now),
            }
            hub.follow_stop();
            if answer.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

fn pose(hub: &Hub, asked: [f64; 6]) -> Result<String, String> {
    let [x, y, z, roll, pitch, yaw] = body_pose::within_reason(asked).ok_or("a pose needs numbers")?;
    let mut pose = Pose::default();
    (pose.position.x, pose.position.y, pose.position.z) = (x, y, z);
    let q = &mut pose.orientation;
    [q.x, q.y, q.z, q.w] = body_pose::quaternion([roll, pitch, yaw]);
    hub.outputs.body_pose.send(pose);
    Ok(String::new())
}

/// The motion files that gait_node plays, where its folder is on this machine.
async fn motions(hub: &Hub) -> Json {
    let Some(Value::Text(folder)) = hub.state().tuning.value("gait_node", "motions").cloned() else {
        return json!([]);
    };
    let list = move || if folder.is_empty() { vec![] } else { recordings::list(Path::new(&folder)) };
    let found = tokio::task::spawn_blocking(list).await.unwrap_or_default();
    let is_motion = |name: &&str| [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
    json!(found.iter().map(|file| file.name.as_str()).filter(is_motion).collect::<Vec<_>>())
}

/// Writes what differs into a file of the node's name.
async fn save(hub: &Hub, node: &str) -> Result<String, String> {
    let folder = hub.settings.borrow().saved.clone();
    if folder.is_empty() {
        return Err("there is no folder to save into: give page_node the parameter saved".into());
    }
    if !recordings::is_plain(node) || !hub.state().tuning.knows(node) {
        return Err(format!("{node} is no node that is known here"));
    }
    let (path, text) = (Path::new(&folder).join(format!("{node}.yaml")), hub.state().tuning.to_yaml(node));
    let written = path.clone();
    let write = move || {
        std::fs::create_dir_all(&folder)?;
        let part = written.with_extension("part");
        std::fs::write(&part, text)?;
        std::fs::rename(part, written)
    };
    let done = tokio::task::spawn_blocking(write).await.map_err(|e| e.to_string())?;
    done.map(|()| format!("saved as {}", path.display())).map_err(|e| format!("{}: {e}", path.display()))
}
