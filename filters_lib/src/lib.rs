#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod backlash;
mod biquad;
mod butterworth;
pub mod chain;
mod check;
mod complementary;
mod differentiator;
mod elementwise;
mod error;
mod filter;
mod follower;
mod fusion;
mod gravity;
mod integrator;
mod jerk;
mod joint_states;
mod lag;
mod lead_lag;
mod limit;
mod low_pass;
mod median;
mod moving_average;
mod one_euro;
mod pid;
mod rate_limiter;
mod ring;
mod savitzky_golay;
mod schmitt;
mod second_order;
mod second_order_limited;
mod sections;
pub mod signal;
pub mod so3;
mod static_maps;
mod timed;
mod transfer_function;
mod transient;
mod window;
mod wrapped;

pub use backlash::{Backlash, BacklashParams};
pub use biquad::{BiquadBandPass, BiquadHighPass, BiquadLowPass, BiquadParams, Notch};
pub use butterworth::{ButterworthParams, FrequencyBand};
pub use chain::{Chain, ChainError};
pub use complementary::{Complementary, ComplementaryParams, ValueAndRate};
pub use differentiator::{DiffMethod, Differentiator, DifferentiatorParams};
pub use error::{Error, Result};
pub use filter::Filter;
pub use follower::{Follower, SecondOrderFollower};
pub use fusion::{Fusion, FusionMethod, FusionParams, Pair};
pub use gravity::{GravityCompensation, GravityFrames, GravityParams};
pub use integrator::{Integrator, IntegratorParams, Quadrature};
pub use joint_states::{DifferentiatorJointState, IntegratorJointState};
pub use lag::{Lag, LagParams};
pub use lead_lag::{LeadLag, LeadLagParams};
pub use limit::Limit;
pub use low_pass::{ExponentialFilter, ExponentialParams, LowPassFilter, LowPassParams};
pub use median::Median;
pub use moving_average::MovingAverage;
pub use one_euro::{OneEuro, OneEuroParams};
pub use pid::{AntiWindup, Pid, PidParams};
pub use rate_limiter::{RateLimiter, RateLimiterParams};
pub use savitzky_golay::savitzky_golay;
pub use schmitt::{Schmitt, SchmittParams};
pub use second_order::{
    Motion, SecondOrderGains, SecondOrderInput, TransientSecondExp, TransientSecondExpParams,
};
pub use second_order_limited::{TransientSecondLimited, TransientSecondLimitedParams, braking_speed};
pub use sections::{SecondOrderSections, SectionsParams};
pub use signal::{BodyTwist, JointArray, JointState, Spherical, WorldTwist, Wrench};
pub use static_maps::{DeadZone, DeadZoneParams, Increment, IncrementParams, Saturation, SaturationParams};
pub use timed::Timed;
pub use transfer_function::{TransferFunction, TransferFunctionParams};
pub use transient::{Transient, TransientInput, TransientMethod, TransientParams};
pub use window::WindowParams;
