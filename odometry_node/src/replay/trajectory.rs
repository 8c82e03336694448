//! Poses over time: an estimate, or the truth that it is compared with.

use nalgebra::Isometry3;

use super::bag::{Bag, Recorded};
use super::limits;
use super::messages::BodyMessage;
use super::topics::{Role, Topics};
use crate::{OdometryParams, placed};
use anyhow::{Context as _, bail};
use bag_lib::Reader;

/// Poses nearer in time are left out, ns: a body does little in 5 ms, and an hour still fits into memory.
const SPACING: i64 = 5_000_000;
/// Between poses farther apart nothing is known, ns.
const LONGEST_GAP: i64 = 250_000_000;

/// Poses with their times, which only grow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    stamps: Vec<i64>,
    poses: Vec<Isometry3<f64>>,
}

impl Trajectory {
    /// Adds a pose; one that is not later than the last by 5 ms or more is left out.
    pub fn push(&mut self, stamp: i64, pose: Isometry3<f64>) {
        if self.stamps.last().is_none_or(|last| stamp.saturating_sub(*last) >= SPACING) {
            self.stamps.push(stamp);
            self.poses.push(pose);
        }
    }

    /// Whether it has no poses.
    pub fn is_empty(&self) -> bool {
        self.stamps.is_empty()
    }

    /// Times (ns) and poses.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Isometry3<f64>)> {
        self.stamps.iter().copied().zip(&self.poses)
    }

    /// The pose at a time, ns; None outside, and in gaps.
    pub fn at(&self, stamp: i64) -> Option<Isometry3<f64>> {
        let next = self.stamps.partition_point(|at| *at < stamp);
        let (after, pose) = (*self.stamps.get(next)?, self.poses.get(next)?);
        if after == stamp {
            return Some(*pose);
        }
        let before = next.checked_sub(1)?;
        let gap = after.saturating_sub(self.stamps[before]);
        if gap > LONGEST_GAP {
            return None;
        }
        let share = (stamp - self.stamps[before]) as f64 / gap as f64;
        // Half a turn within a gap has no shortest way.
        self.poses[before].try_lerp_slerp(pose, share, 1e-9)
    }

    /// Its own poses beside those of another at the same times: seconds since the first, own, other.
    pub fn beside(&self, other: &Self) -> Vec<(f64, Isometry3<f64>, Isometry3<f64>)> {
        let both = self.iter().filter_map(|(stamp, own)| Some((stamp, *own, other.at(stamp)?)));
        let mut start = None;
        both.map(|(stamp, own, other)| ((stamp - *start.get_or_insert(stamp)) as f64 * 1e-9, own, other))
            .collect()
    }

    /// Of a topic of a bag (`nav_msgs/Odometry` or `sensor_msgs/MultiDOFJointState`). Without a name: the truth if `truth` and
    /// there is one, else whatever ends in `/odom`.
    pub fn read(
        bag: &Bag,
        topic: Option<&str>,
        truth: bool,
        params: &OdometryParams,
    ) -> anyhow::Result<(Self, String)> {
        let mut all = Topics::default().only(Role::Truth);
        all.give(Role::Truth, "");
        bag.read(&mut all, &mut |_| Ok(()))?;
        let topic = match topic {
            Some(topic) => topic.to_owned(),
            None => choose(all.seen(), truth)?,
        };
        let mut topics = all.only(Role::Truth);
        topics.give(Role::Truth, &topic);
        let (mut trajectory, mut room) = (Self::default(), vec![]);
        bag.read(&mut topics, &mut |message| trajectory.take(message, params, &mut room))?;
        if trajectory.is_empty() {
            bail!("topic {topic} has no poses");
        }
        Ok((trajectory, topic))
    }

    /// Adds the pose of a message.
    pub(crate) fn take(
        &mut self,
        message: &Recorded<'_>,
        params: &OdometryParams,
        room: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        let data = limits::message(message.data, room)?;
        let (stamp, pose) = pose(&message.channel.kind, data, params).context("a pose cannot be used")?;
        self.push(if stamp == 0 { message.log_time } else { stamp }, pose);
        Ok(())
    }
}

/// Time (ns) and pose of a message.
fn pose(kind: &str, data: &[u8], params: &OdometryParams) -> anyhow::Result<(i64, Isometry3<f64>)> {
    if kind.ends_with("/Odometry") {
        let mut reader = Reader::new(data)?;
        let (stamp, _) = reader.header()?;
        reader.text()?;
        let mut numbers = [0.0; 7];
        for number in &mut numbers {
            *number = reader.f64()?;
        }
        // Truth has a frame of its own.
        return Ok((stamp, placed("", &numbers, params)?));
    }
    let body = BodyMessage::read(data)?;
    let at = body.name.iter().position(|name| *name == params.base_frame).unwrap_or(0);
    let numbers = body.pose.get(at).context("it has no pose")?;
    Ok((body.stamp, placed("", numbers, params)?))
}

fn choose(seen: &[(String, String)], truth: bool) -> anyhow::Result<String> {
    let of_poses = |kind: &str| kind == "nav_msgs/msg/Odometry";
    let (true_ones, others): (Vec<&str>, Vec<&str>) = seen
        .iter()
        .filter(|(topic, kind)| topic.ends_with("/odom") && of_poses(kind))
        .map(|(topic, _)| topic.as_str())
        .partition(|topic| topic.ends_with("truth/odom"));
    let list = if truth && !true_ones.is_empty() { true_ones } else { others };
    match list.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => bail!("there is no topic that ends in /odom; name one with --odom or --truth"),
        several => bail!("which of {}? name one with --odom or --truth", several.join(", ")),
    }
}
