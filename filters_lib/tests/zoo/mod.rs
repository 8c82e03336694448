//! One of every filter, with random parameters and inputs, for tests that hold for all of them.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use filters_lib::chain::Value;
use filters_lib::*;
use nalgebra::{Isometry3, SVector, Translation3, UnitQuaternion, Vector3};

/// xorshift64*: enough randomness, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.unit() * (high - low + 1) as f64) as usize
    }
}

/// A random value of a signal.
pub trait Draw: Sized {
    fn draw(r: &mut Random) -> Self;

    /// Puts a bad number into one random place.
    fn spoil(&mut self, with: f64, r: &mut Random);
}

impl Draw for () {
    fn draw(_r: &mut Random) -> Self {}

    fn spoil(&mut self, _with: f64, _r: &mut Random) {}
}

impl Draw for f64 {
    fn draw(r: &mut Random) -> Self {
        r.within(-5.0, 5.0)
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl<const N: usize> Draw for SVector<f64, N> {
    fn draw(r: &mut Random) -> Self {
        Self::from_fn(|_, _| f64::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl Draw for JointArray {
    fn draw(r: &mut Random) -> Self {
        (0..7).map(|_| f64::draw(r)).collect()
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl Draw for JointState {
    fn draw(r: &mut Random) -> Self {
        JointState::new(&JointArray::draw(r), &JointArray::draw(r)).unwrap()
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl Draw for Twist {
    fn draw(r: &mut Random) -> Self {
        Twist(Draw::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl Draw for Wrench {
    fn draw(r: &mut Random) -> Self {
        Wrench(Draw::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let last = self.elements().len() - 1;
        self.elements_mut()[r.count(0, last)] = with;
    }
}

impl Draw for Spherical {
    fn draw(r: &mut Random) -> Self {
        Spherical(Draw::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        self.0.spoil(with, r);
    }
}

impl Draw for UnitQuaternion<f64> {
    fn draw(r: &mut Random) -> Self {
        UnitQuaternion::from_scaled_axis(Vector3::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        let mut coords = self.coords;
        coords.spoil(with, r);
        *self = UnitQuaternion::new_unchecked(coords.into());
    }
}

impl Draw for Isometry3<f64> {
    fn draw(r: &mut Random) -> Self {
        Isometry3::from_parts(Translation3::from(Vector3::draw(r)), Draw::draw(r))
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        if r.unit() < 0.5 { self.translation.vector.spoil(with, r) } else { self.rotation.spoil(with, r) }
    }
}

impl<S: Draw> Draw for Pair<S> {
    fn draw(r: &mut Random) -> Self {
        Pair { u1: S::draw(r), u2: S::draw(r) }
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        if r.unit() < 0.5 { self.u1.spoil(with, r) } else { self.u2.spoil(with, r) }
    }
}

impl<S: Draw> Draw for TransientInput<S> {
    fn draw(r: &mut Random) -> Self {
        TransientInput { u: S::draw(r), ur: S::draw(r) }
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        if r.unit() < 0.5 { self.u.spoil(with, r) } else { self.ur.spoil(with, r) }
    }
}

impl<S: Draw + Manifold<Tangent: Draw>> Draw for SecondOrderInput<S> {
    fn draw(r: &mut Random) -> Self {
        Self { x: S::draw(r), v: Draw::draw(r), xr: S::draw(r), vr: Draw::draw(r), ar: Draw::draw(r) }
    }

    fn spoil(&mut self, with: f64, r: &mut Random) {
        match r.count(0, 4) {
            0 => self.x.spoil(with, r),
            1 => self.v.spoil(with, r),
            2 => self.xr.spoil(with, r),
            3 => self.vr.spoil(with, r),
            _ => self.ar.spoil(with, r),
        }
    }
}

/// A value whose length may be wrong.
pub trait Shorten {
    /// Takes one number away from one random part; false when the type fixes the length.
    fn shorten(&mut self, _r: &mut Random) -> bool {
        false
    }
}

impl Shorten for () {}
impl Shorten for f64 {}
impl<const N: usize> Shorten for SVector<f64, N> {}
impl Shorten for Twist {}
impl Shorten for Wrench {}
impl Shorten for Spherical {}
impl Shorten for UnitQuaternion<f64> {}
impl Shorten for Isometry3<f64> {}
impl<S: Manifold> Shorten for SecondOrderInput<S> {}
impl<S: Manifold> Shorten for Motion<S> {}

impl Shorten for JointArray {
    fn shorten(&mut self, _r: &mut Random) -> bool {
        self.pop().is_some()
    }
}

impl Shorten for JointState {
    fn shorten(&mut self, _r: &mut Random) -> bool {
        let fewer = 1..self.joints();
        *self = JointState::new(&self.position()[fewer.clone()], &self.velocity()[fewer]).unwrap();
        true
    }
}

impl<S: Shorten> Shorten for Pair<S> {
    fn shorten(&mut self, r: &mut Random) -> bool {
        if r.unit() < 0.5 { self.u1.shorten(r) } else { self.u2.shorten(r) }
    }
}

impl<S: Shorten> Shorten for TransientInput<S> {
    fn shorten(&mut self, r: &mut Random) -> bool {
        if r.unit() < 0.5 { self.u.shorten(r) } else { self.ur.shorten(r) }
    }
}

/// A filter whose inputs and initial conditions can be drawn.
pub trait Specimen:
    Clone
    + Filter<
        Input: Draw + Clone + Shorten,
        Output: PartialEq + std::fmt::Debug + Clone + Shorten,
        State: Draw + Shorten,
    >
{
}

impl<F> Specimen for F where
    F: Clone
        + Filter<
            Input: Draw + Clone + Shorten,
            Output: PartialEq + std::fmt::Debug + Clone + Shorten,
            State: Draw + Shorten,
        >
{
}

/// What a test does with a filter.
pub trait Visit {
    fn filter<F: Specimen>(&mut self, name: &str, filter: F, r: &mut Random);
}

/// Brings one of every filter, on every type it works on, to the visitor.
pub fn visit_all(v: &mut impl Visit, r: &mut Random) {
    links::<f64>(v, r, "f64");
    links::<Vector3<f64>>(v, r, "Vector3");
    links::<SVector<f64, 7>>(v, r, "SVector<7>");
    links::<JointArray>(v, r, "JointArray");
    links::<JointState>(v, r, "JointState");
    links::<Twist>(v, r, "Twist");
    links::<Wrench>(v, r, "Wrench");
    calculus::<UnitQuaternion<f64>>(v, r, "UnitQuaternion");
    calculus::<Isometry3<f64>>(v, r, "Isometry3");
    blends::<Spherical>(v, r, "Spherical");
    second_order::<f64>(v, r, "f64");
    second_order::<Vector3<f64>>(v, r, "Vector3");
    second_order::<UnitQuaternion<f64>>(v, r, "UnitQuaternion");
    second_order::<Isometry3<f64>>(v, r, "Isometry3");
    let gravity = GravityParams { cog: Vector3::draw(r), force: Vector3::draw(r) };
    let mut gravity = GravityCompensation::new(gravity).unwrap();
    gravity.set_frames(frames(r)).unwrap();
    v.filter("GravityCompensation", gravity, r);
    let state = JointState::draw(r);
    v.filter("IntegratorJointState", IntegratorJointState::new(integrator(r), &state).unwrap(), r);
    v.filter(
        "DifferentiatorJointState",
        DifferentiatorJointState::new(differentiator(r), &state).unwrap(),
        r,
    );
}

pub fn frames(r: &mut Random) -> GravityFrames {
    GravityFrames {
        sensor_from_input: Draw::draw(r),
        sensor_from_world: Draw::draw(r),
        output_from_sensor: Draw::draw(r),
    }
}

fn period(r: &mut Random) -> f64 {
    10.0_f64.powf(r.within(-3.0, 0.5))
}

fn integrator(r: &mut Random) -> IntegratorParams {
    let methods = [Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson];
    IntegratorParams { period: period(r), method: methods[r.count(0, 2)] }
}

fn differentiator(r: &mut Random) -> DifferentiatorParams {
    let window = r.count(2, 9);
    let order = r.count(1, window - 1);
    let methods = [
        DiffMethod::Difference,
        DiffMethod::Inertial { tau: period(r) },
        DiffMethod::SavitzkyGolay { window, order },
    ];
    DifferentiatorParams { period: period(r), method: methods[r.count(0, 2)] }
}

fn blends<S: Signal + Draw + Shorten>(v: &mut impl Visit, r: &mut Random, t: &str) {
    let (period, tau, speed) = (period(r), period(r), Limit::parts(period(r), period(r)));
    v.filter(&format!("FusionLinear<{t}>"), FusionLinear::<S>::new(LinearWeight { period, tau }).unwrap(), r);
    v.filter(&format!("FusionExp<{t}>"), FusionExp::<S>::new(ExpWeight { period, tau }).unwrap(), r);
    let law = LimitedExpWeight { period, tau, speed };
    v.filter(&format!("FusionExpLimited<{t}>"), FusionExpLimited::<S>::new(law).unwrap(), r);
    v.filter(
        &format!("TransientLinear<{t}>"),
        TransientLinear::<S>::new(LinearStep { period, speed }).unwrap(),
        r,
    );
    v.filter(&format!("TransientExp<{t}>"), TransientExp::<S>::new(ExpStep { period, tau }).unwrap(), r);
    let law = LimitedExpStep { period, tau, speed };
    v.filter(&format!("TransientExpLimited<{t}>"), TransientExpLimited::<S>::new(law).unwrap(), r);
    v.filter(&format!("Follower<{t}>"), Follower::new(law, &S::draw(r)).unwrap(), r);
}

fn calculus<S: Manifold<Tangent: Draw + Shorten> + Draw + Shorten>(
    v: &mut impl Visit,
    r: &mut Random,
    t: &str,
) {
    blends::<S>(v, r, t);
    v.filter(&format!("Integrator<{t}>"), Integrator::new(integrator(r), &S::draw(r)).unwrap(), r);
    v.filter(
        &format!("Differentiator<{t}>"),
        Differentiator::new(differentiator(r), &S::draw(r)).unwrap(),
        r,
    );
}

fn second_order<S: Trackable<Tangent: Draw> + Draw + Shorten>(v: &mut impl Visit, r: &mut Random, t: &str) {
    let (period, gains) = (period(r), SecondOrderGains { a0: period(r), a1: period(r) });
    let params = TransientSecondExpParams { period, gains };
    v.filter(&format!("TransientSecondExp<{t}>"), TransientSecondExp::<S>::new(params).unwrap(), r);
    let (acceleration, velocity) = (Limit::parts(1.0, 2.0), Limit::parts(3.0, 4.0));
    let params = TransientSecondLimitedParams { period, gains, acceleration, velocity };
    v.filter(&format!("TransientSecondLimited<{t}>"), TransientSecondLimited::<S>::new(params).unwrap(), r);
}

fn links<S>(v: &mut impl Visit, r: &mut Random, t: &str)
where
    S: chain::ChainSignal + Draw + Shorten,
{
    calculus::<S>(v, r, t);
    let x0 = S::draw(r);
    let period = period(r);
    let order = r.count(0, 8);
    let b = (0..=order).map(|_| r.within(-1.0, 1.0)).collect();
    let a = (0..=order).map(|i| if i == 0 { 2.0 } else { r.within(-0.2, 0.2) }).collect();
    let transfer = TransferFunctionParams { b, a };
    v.filter(&format!("TransferFunction<{t}>"), TransferFunction::new(transfer, &x0).unwrap(), r);
    let tau = r.within(0.01, 1.0);
    v.filter(&format!("Lag<{t}>"), Lag::new(LagParams { period, tau }, &x0).unwrap(), r);
    let lead_lag = LeadLagParams { period, gain: 2.0, tau_lead: r.unit(), tau_lag: tau };
    v.filter(&format!("LeadLag<{t}>"), LeadLag::new(lead_lag, &x0).unwrap(), r);
    let biquad = BiquadLowPassParams { period, frequency: r.within(0.01, 0.49) / period, quality: 0.7 };
    v.filter(&format!("BiquadLowPass<{t}>"), BiquadLowPass::new(biquad, &x0).unwrap(), r);
    let schmitt = SchmittParams { low: -1.0, high: 1.0, output_low: 0.0, output_high: 1.0 };
    v.filter(&format!("Schmitt<{t}>"), Schmitt::new(schmitt, &x0).unwrap(), r);
    v.filter(&format!("Backlash<{t}>"), Backlash::new(BacklashParams { width: 1.0 }, &x0).unwrap(), r);
    v.filter(
        &format!("DeadZone<{t}>"),
        DeadZone::<S>::new(DeadZoneParams { low: -1.0, high: 1.0 }).unwrap(),
        r,
    );
    let saturation = SaturationParams { low: -1.0, high: 1.0 };
    v.filter(&format!("Saturation<{t}>"), Saturation::<S>::new(saturation).unwrap(), r);
    let limits = RateLimiterParams {
        period,
        max_value: 4.0,
        max_first_derivative: 3.0,
        max_second_derivative: if r.unit() < 0.5 { 2.0 } else { f64::INFINITY },
        ..Default::default()
    };
    v.filter(&format!("RateLimiter<{t}>"), RateLimiter::new(limits, &x0).unwrap(), r);
    let window = WindowParams { window: r.count(1, 9) };
    v.filter(&format!("MovingAverage<{t}>"), MovingAverage::new(window, &x0).unwrap(), r);
    v.filter(&format!("Median<{t}>"), Median::new(window, &x0).unwrap(), r);
    let low_pass =
        LowPassParams { sampling_frequency: 100.0, damping_frequency: 9.0, damping_intensity: 1.0 };
    v.filter(&format!("LowPassFilter<{t}>"), LowPassFilter::new(low_pass, &x0).unwrap(), r);
    let exponential = ExponentialParams { alpha: r.unit() };
    v.filter(&format!("ExponentialFilter<{t}>"), ExponentialFilter::new(exponential, &x0).unwrap(), r);
    let params = [
        ("filter1.name", Value::from("a")),
        ("filter1.type", Value::from("Median")),
        ("filter1.params.window", Value::from(3)),
        ("filter2.name", Value::from("b")),
        ("filter2.type", Value::from("filters_lib/Lag")),
        ("filter2.params.tau", Value::from(0.3)),
        ("filter3.name", Value::from("c")),
        ("filter3.type", Value::from("ExponentialFilter")),
        ("filter3.params.alpha", Value::from(0.3)),
    ];
    v.filter(&format!("Chain<{t}>"), Chain::new(&params, period, &x0).unwrap(), r);
}
