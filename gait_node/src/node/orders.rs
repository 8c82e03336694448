//! What services order.

use super::GaitNode;
use crate::{Activity, GaitParams, Motion, MotionLimits, MotionRules, Trajectory, Walker, motion_of_folder};
use anyhow::{Context, ensure};
use node_lib::Setup;
use node_lib::r2r::gait_msgs::srv::PlayMotion;
use node_lib::r2r::std_srvs::srv::Trigger;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What an order comes to: the answer's words, or why not.
type Order = fn(&mut Walker) -> Result<String, &'static str>;

const ORDERS: [(&str, Order); 4] = [
    ("~/stand", |walker| {
        walker.stand();
        Ok("stands".into())
    }),
    ("~/sit", |walker| {
        let why = "it waits for its pose or for torque, or there is no posture sit (postures.sit.height)";
        if walker.sit() { Ok("sits down".into()) } else { Err(why) }
    }),
    ("~/halt", |walker| {
        let waited = walker.halt();
        Ok(waited.map_or("halts".into(), |motion| format!("halts; {motion} had not begun and is dropped")))
    }),
    ("~/resume", |walker| if walker.resume() { Ok("goes on".into()) } else { Err("no motion was halted") }),
];

/// Opens the services. Gives where the folder of motions is kept for those who read files.
pub fn offer(setup: &mut Setup<GaitNode>, params: &GaitParams) -> anyhow::Result<Arc<Mutex<String>>> {
    for (name, order) in ORDERS {
        setup.service::<Trigger::Service>(name, move |node, _| {
            let done = node.walker.as_mut().ok_or("no robot is known yet").and_then(order);
            Trigger::Response { success: done.is_ok(), message: done.unwrap_or_else(str::to_string) }
        })?;
    }
    // The file is read where waiting for a disk delays nobody.
    let folder = Arc::new(Mutex::new(params.motions.clone()));
    let motions = folder.clone();
    let prepare = move |request: PlayMotion::Request| {
        let folder = folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let read = motion_of_folder(Path::new(&folder), &request.file);
        (request, read)
    };
    setup.prepared_service::<PlayMotion::Service, _>("~/play", prepare, |node, (request, read)| {
        let played = read.and_then(|trajectory| node.play(&request, trajectory));
        let success = played.is_ok();
        PlayMotion::Response { success, message: played.unwrap_or_else(|e| format!("{e:#}")) }
    })?;
    Ok(motions)
}

impl GaitNode {
    fn play(
        &mut self,
        request: &PlayMotion::Request,
        trajectory: Option<Trajectory>,
    ) -> anyhow::Result<String> {
        let walker = self.walker.as_mut().context("no robot is known yet")?;
        let Some(mut trajectory) = trajectory else {
            walker.stand();
            return Ok("stands".into());
        };
        ensure!(walker.activity() != Activity::Limp, "the robot has no torque");
        let rules = rules(&self.params, request)?;
        if request.backwards {
            trajectory.reverse();
        }
        let file = &request.file;
        let wrong = |e| anyhow::anyhow!("{}: {e}", Path::new(&self.params.motions).join(file).display());
        let motion = Motion::new(&trajectory, walker.model(), &rules).map_err(wrong)?;
        let seconds = motion.entry_time() + motion.duration();
        let adjustments = motion.adjustments().to_string();
        let with = if adjustments.is_empty() { "" } else { "; " };
        let answer = format!("{file}: {seconds:.1} s{with}{adjustments}");
        if !adjustments.is_empty() {
            self.log.info(&answer);
        }
        walker.play(motion.named(file).repeated(request.repeat));
        Ok(answer)
    }
}

/// As the parameters say, but for what the request says.
fn rules(params: &GaitParams, request: &PlayMotion::Request) -> anyhow::Result<MotionRules> {
    let mut rules = MotionRules::from(params);
    if request.speed != 0.0 {
        ensure!((0.1..=4.0).contains(&request.speed), "speed {}: it is 0.1 … 4, or 0", request.speed);
        rules.speed = request.speed;
    }
    if !request.limits.is_empty() {
        let limits = MotionLimits::from_word(&request.limits);
        rules.limits =
            limits.with_context(|| format!("limits \"{}\": refuse, stretch or clamp", request.limits))?;
    }
    Ok(rules)
}
