//! The messages that a replay reads.

use filters_lib::Twist;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use super::cdr::{CdrError, Reader};
use crate::Body;

/// `sensor_msgs/JointState`, as far as it is needed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointMessage<'a> {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// Joints.
    pub name: Vec<&'a str>,
    /// rad or m.
    pub position: Vec<f64>,
    /// rad/s or m/s; may be empty.
    pub velocity: Vec<f64>,
}

impl<'a> JointMessage<'a> {
    /// Reads a message.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, _) = reader.header()?;
        let mut joints = Self { stamp, ..Self::default() };
        reader.texts(&mut joints.name)?;
        reader.f64s(&mut joints.position)?;
        reader.f64s(&mut joints.velocity)?;
        Ok(joints)
    }
}

/// `gait_msgs/SupportState`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SupportMessage<'a> {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// Chains.
    pub name: Vec<&'a str>,
    /// Contacts; may be empty.
    pub contact: Vec<&'a str>,
    /// 0…1.
    pub support: Vec<f64>,
}

impl<'a> SupportMessage<'a> {
    /// Reads a message.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, _) = reader.header()?;
        let _cycle = reader.u32()?;
        let mut supports = Self { stamp, ..Self::default() };
        reader.texts(&mut supports.name)?;
        reader.texts(&mut supports.contact)?;
        reader.f64s(&mut supports.support)?;
        Ok(supports)
    }
}

/// `gait_msgs/SyncStep`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyncMessage {
    /// Start of the cycle, ns.
    pub stamp: i64,
    /// Its number.
    pub cycle: u32,
    /// Its duration, s.
    pub period: f64,
}

impl SyncMessage {
    /// Reads a message.
    pub fn read(message: &[u8]) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, _) = reader.header()?;
        Ok(Self { stamp, cycle: reader.u32()?, period: reader.f64()? })
    }
}

/// `sensor_msgs/MultiDOFJointState` that tells where the base is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMessage {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// What it says of the base; None when it says nothing that can be used.
    pub body: Option<Body>,
}

impl BodyMessage {
    /// Reads what a message says of the base.
    pub fn read(message: &[u8], base: &str) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, _) = reader.header()?;
        let mut names = vec![];
        reader.texts(&mut names)?;
        let at = names.iter().position(|name| *name == base);
        let pose = numbers::<7>(&mut reader, at)?;
        let twist = numbers::<6>(&mut reader, at)?;
        Ok(Self { stamp, body: pose.and_then(|pose| body(&pose, twist.as_ref())) })
    }
}

/// Of a sequence of structs of N doubles the one at `at`.
fn numbers<const N: usize>(reader: &mut Reader<'_>, at: Option<usize>) -> Result<Option<[f64; N]>, CdrError> {
    let mut found = None;
    for number in 0..reader.u32()? as usize {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = reader.f64()?;
        }
        if Some(number) == at {
            found = Some(values);
        }
    }
    Ok(found)
}

fn body(pose: &[f64; 7], twist: Option<&[f64; 6]>) -> Option<Body> {
    let [x, y, z, i, j, k, w] = *pose;
    let q = Quaternion::new(w, i, j, k);
    let finite = pose.iter().chain(twist.into_iter().flatten()).all(|value| value.is_finite());
    let twist = twist.map(|t| Twist::new(Vector3::new(t[0], t[1], t[2]), Vector3::new(t[3], t[4], t[5])));
    (finite && (q.norm() - 1.0).abs() < 1e-3).then(|| Body {
        pose: Isometry3::from_parts(Vector3::new(x, y, z).into(), UnitQuaternion::new_normalize(q)),
        twist,
    })
}
