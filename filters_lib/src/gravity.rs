//! Gravity compensation of a wrench.

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace, Wrench, no_overflow};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

/// Parameters of a [`GravityCompensation`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "GravityNumbers", into = "GravityNumbers")]
pub struct GravityParams {
    /// Centre of gravity p_s of the mass in the sensor frame, m.
    pub cog: Vector3<f64>,
    /// Force of gravity g_w on the mass along the axes of the world frame, N.
    pub force: Vector3<f64>,
}

/// [`GravityParams`] as they are written down.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GravityNumbers {
    cog: [f64; 3],
    force: [f64; 3],
}

impl From<GravityNumbers> for GravityParams {
    fn from(numbers: GravityNumbers) -> Self {
        Self { cog: numbers.cog.into(), force: numbers.force.into() }
    }
}

impl From<GravityParams> for GravityNumbers {
    fn from(params: GravityParams) -> Self {
        Self { cog: params.cog.into(), force: params.force.into() }
    }
}

impl GravityParams {
    /// From a mass (kg) and the gravity field (m/s², world axes).
    pub fn from_mass(cog: Vector3<f64>, mass: f64, field: Vector3<f64>) -> Self {
        Self { cog, force: field * mass }
    }

    /// Refuses numbers that are not finite.
    pub fn check(&self) -> Result<()> {
        self.cog.check("CoG.pos")?;
        self.force.check("CoG.force")
    }
}

/// Where the frames are at one instant; each maps points of the second-named frame to the first-named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GravityFrames {
    /// T_si: the frame of the input wrench in the sensor frame.
    pub sensor_from_input: Isometry3<f64>,
    /// T_sw: the world in the sensor frame; only its rotation counts, gravity being a field.
    pub sensor_from_world: Isometry3<f64>,
    /// T_os: the sensor frame in the frame of the output.
    pub output_from_sensor: Isometry3<f64>,
}

impl GravityFrames {
    /// Refuses transforms that are not finite or not rigid.
    pub fn check(&self) -> Result<()> {
        self.sensor_from_input.check("sensor_from_input")?;
        self.sensor_from_world.check("sensor_from_world")?;
        self.output_from_sensor.check("output_from_sensor")
    }
}

/// Takes the weight of a known mass out of a measured wrench: in the sensor frame fc = f − R_sw·g_w and
/// τc = τ − p_s × (R_sw·g_w), with the input moved there and the result moved to the output frame as full wrenches,
/// lever arms included. Its frames must be set before the first output.
///
/// ```
/// # use filters_lib::{Filter, GravityCompensation, GravityFrames, GravityParams, Wrench};
/// # use nalgebra::{Isometry3, Vector3};
/// let (cog, force) = (Vector3::new(0.0, 0.0, 0.1), Vector3::new(0.0, 0.0, -9.81));
/// let mut filter = GravityCompensation::new(GravityParams { cog, force })?;
/// let same = Isometry3::identity();
/// filter.set_frames(GravityFrames { sensor_from_input: same, sensor_from_world: same, output_from_sensor: same })?;
/// assert_eq!(filter.output(&Wrench::new(force, cog.cross(&force)))?, Wrench::default());
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GravityCompensation {
    params: GravityParams,
    frames: Option<GravityFrames>,
}

impl GravityCompensation {
    /// With validated parameters and no frames yet.
    pub fn new(params: GravityParams) -> Result<Self> {
        params.check()?;
        Ok(Self { params, frames: None })
    }

    /// Replaces the parameters; the frames stay.
    pub fn set_params(&mut self, params: GravityParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &GravityParams {
        &self.params
    }

    /// Says where the frames are now.
    pub fn set_frames(&mut self, frames: GravityFrames) -> Result<()> {
        frames.check()?;
        self.frames = Some(frames);
        Ok(())
    }
}

impl Filter for GravityCompensation {
    type State = Wrench;
    type Input = Wrench;
    type Output = Wrench;

    fn start(&mut self, x0: &Wrench) -> Result<()> {
        x0.check("x0")
    }

    fn reset(&mut self) {}

    #[inline]
    fn output_into(&self, u: &Wrench, y: &mut Wrench) -> Result<()> {
        u.check("u")?;
        let frames = self.frames.as_ref().ok_or(Error::NoFrames)?;
        let weight = frames.sensor_from_world.rotation * self.params.force;
        let measured = u.transformed(&frames.sensor_from_input);
        let force = measured.force() - weight;
        let torque = measured.torque() - self.params.cog.cross(&weight);
        *y = Wrench::new(force, torque).transformed(&frames.output_from_sensor);
        no_overflow(y.elements())
    }

    #[inline]
    fn prepare(&mut self, u: &Wrench, y: &mut Wrench) -> Result<()> {
        self.output_into(u, y)
    }

    fn commit(&mut self) {}

    fn blank(&self, u: &Wrench) -> Wrench {
        *u
    }
}
