//! The tree of frames.

use super::history::{History, JUMP_NS, Outside};
use super::{Frames, TfError, When, unit_quaternion};
use filters_lib::Error;
use nalgebra::{Isometry3, Translation3};
use std::collections::HashMap;

/// More frames than any robot has; a publisher that invents names must not fill the memory.
const MOST_FRAMES: usize = 10_000;

/// A transform as messages carry it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<'a> {
    /// The outer frame.
    pub parent: &'a str,
    /// The inner frame.
    pub child: &'a str,
    /// When the transform was true, ns.
    pub stamp: i64,
    /// Origin of the inner frame in the outer one, m.
    pub translation: [f64; 3],
    /// Orientation of the inner frame in the outer one: x y z w.
    pub rotation: [f64; 4],
}

/// Why a transform was not taken; the buffer is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A frame without a name.
    #[error("a frame has no name")]
    NoName,
    /// NaN or infinite.
    #[error("\"{parent}\" → \"{child}\" holds a number that is not finite")]
    NotFinite {
        /// The outer frame.
        parent: String,
        /// The inner frame.
        child: String,
    },
    /// The rotation is no rotation.
    #[error("\"{parent}\" → \"{child}\": the quaternion's norm is {norm}, it must be 1")]
    NotUnit {
        /// The outer frame.
        parent: String,
        /// The inner frame.
        child: String,
        /// Length of the quaternion.
        norm: f64,
    },
    /// The parent hangs on the child.
    #[error("\"{parent}\" → \"{child}\" would close a loop: \"{parent}\" already hangs on \"{child}\"")]
    Loop {
        /// The outer frame.
        parent: String,
        /// The inner frame.
        child: String,
    },
    /// Too many frames.
    #[error("more than {MOST_FRAMES} frames")]
    Full,
}

#[derive(Clone, Debug)]
enum Motion {
    Fixed(Isometry3<f64>),
    Moving(History),
}

#[derive(Clone, Debug)]
struct Frame {
    name: String,
    /// Parent, and the transform that takes points of this frame to the parent's.
    up: Option<(usize, Motion)>,
}

/// Frames and what is known of them, for the last seconds.
#[derive(Clone, Debug)]
pub struct TfBuffer {
    span_ns: i64,
    places: HashMap<String, usize>,
    // Each frame's parent is another one, and the way up ends: `insert` closes no loop.
    frames: Vec<Frame>,
}

impl TfBuffer {
    /// Keeps moving frames for `span_ns` before their newest stamp.
    pub fn new(span_ns: i64) -> Self {
        TfBuffer { span_ns, places: HashMap::new(), frames: vec![] }
    }

    /// Takes a transform. A frame that gets another parent begins anew; its former parent is returned then.
    pub fn insert(&mut self, transform: &Transform<'_>, fixed: bool) -> Result<Option<String>, Fault> {
        let pose = pose_of(transform)?;
        let (parent_name, child_name) = (plain(transform.parent), plain(transform.child));
        if parent_name.is_empty() || child_name.is_empty() {
            return Err(Fault::NoName);
        }
        let known = (self.places.get(parent_name).copied(), self.places.get(child_name).copied());
        let closes = match known {
            (Some(parent), Some(child)) => self.up_from(parent).any(|above| above == child),
            _ => parent_name == child_name,
        };
        if closes {
            return Err(Fault::Loop { parent: parent_name.into(), child: child_name.into() });
        }
        let (parent, child) = (self.place(parent_name)?, self.place(child_name)?);
        let former = match &mut self.frames[child].up {
            Some((same, Motion::Moving(history))) if *same == parent && !fixed => {
                history.insert(transform.stamp, pose, self.span_ns);
                return Ok(None);
            }
            Some((other, _)) if *other != parent => Some(*other),
            _ => None,
        };
        let motion = if fixed {
            Motion::Fixed(pose)
        } else {
            let mut history = History::default();
            history.insert(transform.stamp, pose, self.span_ns);
            Motion::Moving(history)
        };
        self.frames[child].up = Some((parent, motion));
        Ok(former.map(|former| self.frames[former].name.clone()))
    }

    /// Forgets every frame that moves: time was set back.
    pub fn clear(&mut self) {
        self.forget(|_| false);
    }

    /// Forgets what is known for long after `stamp` (ns), to which time was set back: it is of the time before. What came
    /// since stays.
    pub fn rewind(&mut self, stamp: i64) {
        self.forget(|history| history.rewind(stamp.saturating_add(JUMP_NS)));
    }

    /// Forgets moving frames of which nothing stays.
    fn forget(&mut self, stays: impl Fn(&mut History) -> bool) {
        for frame in &mut self.frames {
            let gone = match &mut frame.up {
                Some((_, Motion::Moving(history))) => !stays(history),
                _ => false,
            };
            if gone {
                frame.up = None;
            }
        }
    }

    /// How many frames it has heard of.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether it has heard of none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    fn place(&mut self, name: &str) -> Result<usize, Fault> {
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        if self.frames.len() >= MOST_FRAMES {
            return Err(Fault::Full);
        }
        self.frames.push(Frame { name: name.into(), up: None });
        self.places.insert(name.into(), self.frames.len() - 1);
        Ok(self.frames.len() - 1)
    }

    /// The frame itself, its parent, and so on to the root.
    fn up_from(&self, frame: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(frame), |&frame| self.frames[frame].up.as_ref().map(|up| up.0))
    }

    /// The first frame on both ways up.
    fn meeting(&self, a: usize, b: usize) -> Option<usize> {
        let (above_a, above_b) = (self.up_from(a).count(), self.up_from(b).count());
        let a = self.up_from(a).skip(above_a.saturating_sub(above_b));
        let b = self.up_from(b).skip(above_b.saturating_sub(above_a));
        a.zip(b).find_map(|(a, b)| (a == b).then_some(a))
    }

    /// The newest time of the moving frames between `frame` and `top`.
    fn newest(&self, frame: usize, top: usize) -> Option<i64> {
        let way = self.up_from(frame).take_while(|&frame| frame != top);
        way.filter_map(|frame| match &self.frames[frame].up {
            Some((_, Motion::Moving(history))) => history.newest(),
            _ => None,
        })
        .min()
    }

    /// Takes points of `frame` to points of `top`, which is above it.
    fn climb(&self, frame: usize, top: usize, time: i64) -> Result<Isometry3<f64>, TfError> {
        let mut pose = Isometry3::identity();
        for place in self.up_from(frame).take_while(|&frame| frame != top) {
            let Frame { name, up: Some((parent, motion)) } = &self.frames[place] else { break };
            let step = match motion {
                Motion::Fixed(step) => *step,
                Motion::Moving(history) => history.at(time).map_err(|outside| {
                    let (parent, child) = (self.frames[*parent].name.clone(), name.clone());
                    match outside {
                        Outside::Before(oldest) => TfError::Past { parent, child, asked: time, oldest },
                        Outside::After(newest) => TfError::Future { parent, child, asked: time, newest },
                    }
                })?,
            };
            pose = step * pose;
        }
        Ok(pose)
    }
}

impl Frames for TfBuffer {
    fn lookup(&self, target: &str, source: &str, when: When) -> Result<Isometry3<f64>, TfError> {
        let (target_name, source_name) = (plain(target), plain(source));
        if target_name == source_name {
            return Ok(Isometry3::identity());
        }
        let find = |name: &str| {
            self.places.get(name).copied().ok_or_else(|| TfError::Unknown { frame: name.to_owned() })
        };
        let (target, source) = (find(target_name)?, find(source_name)?);
        let top = self.meeting(target, source).ok_or_else(|| TfError::NotConnected {
            target: target_name.to_owned(),
            source_frame: source_name.to_owned(),
        })?;
        let time = match when {
            When::At(time) => time,
            // Where nothing moves any time will do.
            When::Latest => {
                self.newest(target, top).into_iter().chain(self.newest(source, top)).min().unwrap_or(0)
            }
        };
        Ok(self.climb(target, top, time)?.inverse() * self.climb(source, top, time)?)
    }
}

/// A leading slash is a habit of ROS 1 and means nothing.
fn plain(name: &str) -> &str {
    name.strip_prefix('/').unwrap_or(name)
}

fn pose_of(transform: &Transform<'_>) -> Result<Isometry3<f64>, Fault> {
    let (parent, child) = (transform.parent, transform.child);
    let not_finite = || Fault::NotFinite { parent: parent.to_owned(), child: child.to_owned() };
    if !transform.translation.iter().all(|number| number.is_finite()) {
        return Err(not_finite());
    }
    let rotation = unit_quaternion(transform.rotation).map_err(|error| match error {
        Error::NotUnit { norm, .. } => {
            Fault::NotUnit { parent: parent.to_owned(), child: child.to_owned(), norm }
        }
        _ => not_finite(),
    })?;
    Ok(Isometry3::from_parts(Translation3::from(transform.translation), rotation))
}
