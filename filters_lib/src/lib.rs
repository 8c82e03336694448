#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod chain;
mod check;
mod control;
mod differentiator;
mod error;
mod filter;
mod fusion;
mod integrator;
mod joint_state_filters;
mod limit;
mod link;
mod memoryless;
mod savitzky_golay;
mod second_order;
mod second_order_limited;
mod signal;
pub mod so3;
mod sweep;
mod transient;

pub use chain::{Chain, ChainError};
pub use control::{
    ExponentialFilter, ExponentialParams, FirstSample, GravityCompensation, GravityFrames, GravityParams,
    LowPassFilter, LowPassParams,
};
pub use differentiator::{DiffMethod, Differentiator, DifferentiatorParams};
pub use error::{Error, Result};
pub use filter::{Buffered, Filter, Params};
pub use fusion::{
    ExpWeight, Fusion, FusionExp, FusionExpLimited, FusionLinear, LimitedExpWeight, LinearWeight, Pair,
    WeightLaw,
};
pub use integrator::{Integrator, IntegratorParams, Quadrature};
pub use joint_state_filters::{DifferentiatorJointState, IntegratorJointState};
pub use limit::Limit;
pub use link::{
    Backlash, BacklashParams, BiquadLowPass, BiquadLowPassParams, DeadZone, DeadZoneParams, Lag, LagParams,
    LeadLag, LeadLagParams, Link, LinkLaw, Median, MovingAverage, RateLimiter, RateLimiterParams, Saturation,
    SaturationParams, Schmitt, SchmittParams, TransferFunction, TransferFunctionParams, WindowParams,
};
pub use memoryless::{Memoryless, MemorylessLaw, Sample};
pub use savitzky_golay::savitzky_golay;
pub use second_order::{
    Motion, SecondOrderGains, SecondOrderInput, TransientSecondExp, TransientSecondExpParams,
};
pub use second_order_limited::{TransientSecondLimited, TransientSecondLimitedParams};
pub use signal::{
    JointArray, JointState, Manifold, Signal, Spherical, Trackable, Twist, VectorSpace, Wrench,
};
pub use transient::{
    ExpStep, Follower, LimitedExpStep, LinearStep, StepLaw, Transient, TransientExp, TransientExpLimited,
    TransientInput, TransientLinear,
};
