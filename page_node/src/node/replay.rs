//! `odometry_replay` on a recording, with the parameters that `odometry_node` has now: tune, replay, look.

use super::hub::Hub;
use super::orders::Answer;
use crate::recordings;
use rustix::process::{Pid, setpriority_process};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

const PROGRAM: &str = "odometry_replay";
const NODE: &str = "odometry_node";
/// Hours of a robot's life are read in minutes; more is a mistake.
const LONGEST: Duration = Duration::from_secs(600);
/// Behind everything that walks.
const NICE: i32 = 15;

/// Where the program is: beside this one, or where ROS installs it.
fn program() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(PROGRAM)));
    let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
    let installed = prefixes
        .split(':')
        .filter(|p| !p.is_empty())
        .map(|p| Path::new(p).join("lib").join(NODE).join(PROGRAM));
    beside.into_iter().chain(installed).find(|path| path.is_file())
}

/// Replays a recording, one at a time; the answer has what the program says and the name of its picture.
pub(super) async fn run(hub: &Arc<Hub>, name: &str, measured: bool) -> Answer {
    let Ok(_only) = hub.replaying.try_lock() else {
        return Err("another recording is being replayed".into());
    };
    let folder = hub.settings.borrow().recordings.clone();
    let bag = recordings::find(Path::new(&folder), name).map_err(|e| e.to_string())?;
    let program = program().ok_or(format!("{PROGRAM} is neither beside page_node nor installed"))?;
    let parameters = hub.state().tuning.all_yaml(NODE);
    let parameters = parameters.ok_or(format!("{NODE} has not told its parameters: it has to run"))?;
    // The picture lies beside the recording, and the parameters for as long as they are read.
    let stem = bag.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (picture, config) = (bag.with_extension("svg"), bag.with_file_name(format!(".{stem}.yaml")));
    // Whatever links of these names lead to is not written over.
    for file in [&picture, &config] {
        let _ = tokio::fs::remove_file(file).await;
    }
    tokio::fs::write(&config, parameters).await.map_err(|e| format!("{}: {e}", config.display()))?;
    let mut command = Command::new(program);
    command.arg(&bag).arg("--config").arg(&config).arg("--plot").arg(&picture).arg("--force");
    if measured {
        command.args(["--joints", &format!("{}/joint_states", hub.namespace)]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let child = command.spawn().map_err(|e| format!("{PROGRAM}: {e}"))?;
    // It would take a whole processor from the robot that walks meanwhile. One that has ended already needs none.
    if let Some(pid) = child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
        let _ = setpriority_process(Some(pid), NICE);
    }
    let ended = tokio::time::timeout(LONGEST, child.wait_with_output()).await;
    // It is only for the program; if it cannot be removed the next one writes over it.
    let _ = tokio::fs::remove_file(&config).await;
    let output = match ended {
        Ok(output) => output.map_err(|e| format!("{PROGRAM}: {e}"))?,
        Err(_) => return Err(format!("{PROGRAM} took more than {} s", LONGEST.as_secs())),
    };
    let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    if !output.status.success() {
        return Err(said.trim().to_string());
    }
    let shown =
        name.rsplit_once('/').map_or(format!("{stem}.svg"), |(inside, _)| format!("{inside}/{stem}.svg"));
    Ok((said.trim().to_string(), json!({ "picture": shown })))
}
