//! Where frames are, as `/tf` and `/tf_static` tell.

mod buffer;
mod history;

pub use buffer::{Fault, TfBuffer, Transform};
pub(crate) use history::JUMP_NS;

use filters_lib::Error;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion};

/// How far from 1 the square of a quaternion's norm may be, as tf2 has it; what is accepted is normalised.
const NORM_TOLERANCE: f64 = 0.01;

/// At which time a transform is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The newest for which all that is needed is known.
    Latest,
    /// This stamp, ns.
    At(i64),
}

impl When {
    /// As stamps of messages mean it: zero is the newest.
    pub fn stamp(ns: i64) -> When {
        if ns == 0 { When::Latest } else { When::At(ns) }
    }
}

/// All that filters need to know of frames.
pub trait Frames {
    /// The transform that takes points of `source` to points of `target`.
    fn lookup(&self, target: &str, source: &str, when: When) -> Result<Isometry3<f64>, TfError>;
}

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TfError {
    /// Nobody has spoken of the frame.
    #[error("frame \"{frame}\" is unknown")]
    Unknown {
        /// Name of the frame.
        frame: String,
    },
    /// Both frames are known, and nothing joins them.
    #[error("frames \"{target}\" and \"{source_frame}\" are not connected")]
    NotConnected {
        /// The frame to which points were to be taken.
        target: String,
        /// The frame from which.
        source_frame: String,
    },
    /// The time is before the first transform that is still kept.
    #[error("\"{parent}\" → \"{child}\" at {} is too old: it is known from {} on", seconds(*.asked), seconds(*.oldest))]
    Past {
        /// The outer frame.
        parent: String,
        /// The inner frame.
        child: String,
        /// Wanted time, ns.
        asked: i64,
        /// Time of the oldest transform, ns.
        oldest: i64,
    },
    /// The time is after the newest transform.
    #[error("\"{parent}\" → \"{child}\" at {} is not there yet: it is known until {}", seconds(*.asked), seconds(*.newest))]
    Future {
        /// The outer frame.
        parent: String,
        /// The inner frame.
        child: String,
        /// Wanted time, ns.
        asked: i64,
        /// Time of the newest transform, ns.
        newest: i64,
    },
}

impl TfError {
    /// Whether waiting may help.
    pub fn may_pass(&self) -> bool {
        !matches!(self, TfError::Past { .. })
    }
}

fn seconds(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let ns = ns.unsigned_abs();
    format!("{sign}{}.{:09} s", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// The rotation x y z w of a message.
pub(crate) fn unit_quaternion(xyzw: [f64; 4]) -> filters_lib::Result<UnitQuaternion<f64>> {
    let quaternion = Quaternion::from(xyzw);
    let (what, norm) = ("orientation", quaternion.norm());
    if let Some(index) = xyzw.iter().position(|number| !number.is_finite()) {
        return Err(Error::NotFinite { what, index, value: xyzw[index] });
    }
    if (norm * norm - 1.0).abs() > NORM_TOLERANCE {
        return Err(Error::NotUnit { what, norm });
    }
    Ok(UnitQuaternion::from_quaternion(quaternion))
}
