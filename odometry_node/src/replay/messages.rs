//! The messages that a replay reads.

use crate::{Body, OdometryParams, Refused};
use bag_lib::{CdrError, Reader};

/// Reads `sensor_msgs/JointState`, as far as it is needed, into the same room every time.
#[derive(Debug, Clone, Default)]
pub struct JointReader {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// Joints.
    pub name: Vec<String>,
    /// rad or m.
    pub position: Vec<f64>,
    /// rad/s or m/s; may be empty.
    pub velocity: Vec<f64>,
    /// The bytes that the names were read from: while they come again, nothing needs to be read anew.
    known: Vec<u8>,
    known_little: bool,
}

impl JointReader {
    /// Reads a message.
    pub fn read(&mut self, message: &[u8]) -> Result<(), CdrError> {
        let mut reader = Reader::new(message)?;
        self.stamp = reader.header()?.0;
        let known = self.known_little == reader.is_little() && !self.known.is_empty();
        if !(known && reader.skip(&self.known)) {
            let before = reader.clone();
            let mut names = vec![];
            reader.texts(&mut names)?;
            self.name = names.into_iter().map(str::to_owned).collect();
            self.known = before.until(&reader).to_vec();
            self.known_little = reader.is_little();
        }
        self.position.clear();
        self.velocity.clear();
        reader.f64s(&mut self.position)?;
        reader.f64s(&mut self.velocity)
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

/// `sensor_msgs/Imu`, without its orientation and covariances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImuMessage<'a> {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// The sensor's link.
    pub frame: &'a str,
    /// rad/s.
    pub gyro: [f64; 3],
    /// Acceleration less gravity, m/s².
    pub accel: [f64; 3],
}

impl<'a> ImuMessage<'a> {
    /// Reads a message.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, frame) = reader.header()?;
        // Orientation, and its covariance.
        let _: ([f64; 4], [f64; 9]) = (reader.array()?, reader.array()?);
        let gyro = reader.array()?;
        let _: [f64; 9] = reader.array()?;
        Ok(Self { stamp, frame, gyro, accel: reader.array()? })
    }
}

/// `sensor_msgs/MultiDOFJointState` that tells where the base is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyMessage<'a> {
    /// ns; 0 = absent.
    pub stamp: i64,
    /// The frame of the poses.
    pub frame: &'a str,
    /// Whose they are.
    pub name: Vec<&'a str>,
    /// x y z and x y z w.
    pub pose: Vec<[f64; 7]>,
    /// Linear, then angular; may be empty.
    pub twist: Vec<[f64; 6]>,
}

impl<'a> BodyMessage<'a> {
    /// Reads a message.
    pub fn read(message: &'a [u8]) -> Result<Self, CdrError> {
        let mut reader = Reader::new(message)?;
        let (stamp, frame) = reader.header()?;
        let mut body = Self { stamp, frame, ..Self::default() };
        reader.texts(&mut body.name)?;
        reader.structs(&mut body.pose)?;
        reader.structs(&mut body.twist)?;
        Ok(body)
    }

    /// What it says of the base.
    pub fn body(&self, params: &OdometryParams) -> Result<Body, Refused> {
        Body::told(params.robot.0.own_frame(self.frame), &self.name, &self.pose, &self.twist, params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bag_lib::Writer;

    fn message(names: &[&str], values: &[f64]) -> Vec<u8> {
        let mut cdr = Writer::default();
        cdr.begin().header(7, "base").u32(names.len() as u32);
        names.iter().for_each(|name| {
            cdr.text(name);
        });
        cdr.u32(values.len() as u32);
        if !values.is_empty() {
            cdr.f64s(values);
        }
        cdr.u32(0).u32(0).message().to_vec()
    }

    #[test]
    fn an_imu_message_is_read_and_one_that_breaks_off_is_refused() {
        let mut cdr = Writer::default();
        let numbers: Vec<f64> = (0..37).map(f64::from).collect();
        // A frame of any length: numbers are aligned to eight bytes.
        for frame in ["", "imu", "imu_link"] {
            let whole = cdr.begin().header(7, frame).f64s(&numbers).message().to_vec();
            let read = ImuMessage::read(&whole).unwrap();
            let expected =
                ImuMessage { stamp: 7, frame, gyro: [13.0, 14.0, 15.0], accel: [25.0, 26.0, 27.0] };
            assert_eq!(read, expected);
            for end in 0..whole.len() - 9 * 8 {
                assert!(ImuMessage::read(&whole[..end]).is_err(), "{end} bytes of {}", whole.len());
            }
        }
    }

    #[test]
    fn names_that_change_are_read_anew_and_a_message_that_breaks_off_is_refused() {
        let mut reader = JointReader::default();
        for names in [&["hip", "knee"][..], &["hip", "knee"], &["hip", "knot"], &["hip", "knee", "toe"], &[]]
        {
            let values: Vec<f64> = (0..names.len()).map(|n| n as f64).collect();
            let whole = message(names, &values);
            for end in 0..whole.len() - 4 {
                assert!(reader.read(&whole[..end]).is_err(), "{end} bytes of {}", whole.len());
            }
            reader.read(&whole).unwrap();
            assert_eq!(
                (reader.name.as_slice(), &reader.position),
                (&*names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>(), &values)
            );
            assert!(reader.stamp == 7 && reader.velocity.is_empty());
        }
    }
}
