//! Between messages and the samples of the core.

use crate::tf::unit_quaternion;
use crate::{ImuSample, Pipeline, RunningChain};
use filters_lib::BodyTwist;
use filters_lib::chain::ChainSignal;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use node_lib::RosClock;
use node_lib::r2r::WrappedTypesupport;
use node_lib::r2r::geometry_msgs::msg::{
    PoseStamped, Quaternion, TwistStamped, Vector3 as Axes, Vector3Stamped,
};
use node_lib::r2r::sensor_msgs::msg::Imu;
use node_lib::r2r::std_msgs::msg::Float64;

/// A message with one sample in it.
pub(super) trait Sampled: WrappedTypesupport + PartialEq + Send + 'static {
    type Signal: ChainSignal;

    /// The chain, when the pipeline carries this message.
    fn chain(pipeline: &mut Pipeline) -> Option<&mut RunningChain<Self::Signal>>;

    /// Its stamp, ns; 0 for none.
    fn stamp(&self) -> i64;

    fn sample(&self) -> filters_lib::Result<Self::Signal>;

    /// The message with another sample in it.
    fn with(&self, sample: &Self::Signal, sent: &mut Self);
}

impl Sampled for Float64 {
    type Signal = f64;

    fn chain(pipeline: &mut Pipeline) -> Option<&mut RunningChain<f64>> {
        if let Pipeline::Number(chain) = pipeline { Some(chain) } else { None }
    }

    fn stamp(&self) -> i64 {
        0
    }

    fn sample(&self) -> filters_lib::Result<f64> {
        Ok(self.data)
    }

    fn with(&self, sample: &f64, sent: &mut Self) {
        sent.data = *sample;
    }
}

impl Sampled for Vector3Stamped {
    type Signal = Vector3<f64>;

    fn chain(pipeline: &mut Pipeline) -> Option<&mut RunningChain<Vector3<f64>>> {
        if let Pipeline::Vector(chain) = pipeline { Some(chain) } else { None }
    }

    fn stamp(&self) -> i64 {
        RosClock::ns(&self.header.stamp)
    }

    fn sample(&self) -> filters_lib::Result<Vector3<f64>> {
        Ok(vector(&self.vector))
    }

    fn with(&self, sample: &Vector3<f64>, sent: &mut Self) {
        sent.header.clone_from(&self.header);
        sent.vector = axes(*sample);
    }
}

impl Sampled for TwistStamped {
    type Signal = BodyTwist;

    fn chain(pipeline: &mut Pipeline) -> Option<&mut RunningChain<BodyTwist>> {
        if let Pipeline::Twist(chain) = pipeline { Some(chain) } else { None }
    }

    fn stamp(&self) -> i64 {
        RosClock::ns(&self.header.stamp)
    }

    fn sample(&self) -> filters_lib::Result<BodyTwist> {
        Ok(BodyTwist::new(vector(&self.twist.linear), vector(&self.twist.angular)))
    }

    fn with(&self, sample: &BodyTwist, sent: &mut Self) {
        sent.header.clone_from(&self.header);
        sent.twist.linear = axes(sample.linear());
        sent.twist.angular = axes(sample.angular());
    }
}

impl Sampled for PoseStamped {
    type Signal = Isometry3<f64>;

    fn chain(pipeline: &mut Pipeline) -> Option<&mut RunningChain<Isometry3<f64>>> {
        if let Pipeline::Pose(chain) = pipeline { Some(chain) } else { None }
    }

    fn stamp(&self) -> i64 {
        RosClock::ns(&self.header.stamp)
    }

    fn sample(&self) -> filters_lib::Result<Isometry3<f64>> {
        let at = &self.pose.position;
        Ok(Isometry3::from_parts(Translation3::new(at.x, at.y, at.z), turn(&self.pose.orientation)?))
    }

    fn with(&self, sample: &Isometry3<f64>, sent: &mut Self) {
        sent.header.clone_from(&self.header);
        let at = &sample.translation;
        (sent.pose.position.x, sent.pose.position.y, sent.pose.position.z) = (at.x, at.y, at.z);
        sent.pose.orientation = quaternion(&sample.rotation);
    }
}

/// What an imu measures: a covariance that begins with −1 says that it does not measure that part, and so does an
/// orientation of four zeros, which many drivers send.
pub(super) fn imu_sample(message: &Imu) -> filters_lib::Result<ImuSample> {
    let measured = |covariance: &[f64]| covariance.first() != Some(&-1.0);
    let zeros = Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 0.0 };
    let oriented = measured(&message.orientation_covariance) && message.orientation != zeros;
    Ok(ImuSample {
        orientation: oriented.then(|| turn(&message.orientation)).transpose()?,
        angular_velocity: measured(&message.angular_velocity_covariance)
            .then(|| vector(&message.angular_velocity)),
        linear_acceleration: measured(&message.linear_acceleration_covariance)
            .then(|| vector(&message.linear_acceleration)),
    })
}

/// The message with other measurements; what is absent stays as it came, and so do the covariances.
pub(super) fn put_imu(message: &Imu, sample: &ImuSample, sent: &mut Imu) {
    sent.clone_from(message);
    if let Some(orientation) = &sample.orientation {
        sent.orientation = quaternion(orientation);
    }
    if let Some(rate) = sample.angular_velocity {
        sent.angular_velocity = axes(rate);
    }
    if let Some(acceleration) = sample.linear_acceleration {
        sent.linear_acceleration = axes(acceleration);
    }
}

fn turn(q: &Quaternion) -> filters_lib::Result<UnitQuaternion<f64>> {
    unit_quaternion([q.x, q.y, q.z, q.w])
}

fn quaternion(q: &UnitQuaternion<f64>) -> Quaternion {
    Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

pub(super) fn vector(axes: &Axes) -> Vector3<f64> {
    Vector3::new(axes.x, axes.y, axes.z)
}

pub(super) fn axes(vector: Vector3<f64>) -> Axes {
    Axes { x: vector.x, y: vector.y, z: vector.z }
}
