//! Transient of the second order: position and velocity pass smoothly to a trajectory.

use crate::check::{positive, same_length};
use crate::error::Result;
use crate::filter::Params;
use crate::memoryless::{Memoryless, MemorylessLaw, Sample};
use crate::signal::{Manifold, Signal, Trackable, VectorSpace};

/// A position with its velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion<S: Manifold> {
    /// Position.
    pub x: S,
    /// Velocity (body axes for orientation).
    pub v: S::Tangent,
}

/// The present motion and the wanted one at one instant. The caller feeds the output back as `x` and `v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondOrderInput<S: Manifold> {
    /// Present position.
    pub x: S,
    /// Present velocity.
    pub v: S::Tangent,
    /// Wanted position.
    pub xr: S,
    /// Wanted velocity.
    pub vr: S::Tangent,
    /// Wanted acceleration.
    pub ar: S::Tangent,
}

impl<S: Trackable> Sample for SecondOrderInput<S> {
    type Output = Motion<S>;

    #[inline]
    fn accept(&self) -> Result<()> {
        self.x.check("x")?;
        self.xr.check("xr")?;
        for (what, vector) in [("v", &self.v), ("vr", &self.vr), ("ar", &self.ar)] {
            same_length(what, self.x.velocity_size(), vector.size())?;
            vector.check(what)?;
        }
        same_length("xr", self.x.size(), self.xr.size())
    }

    fn blank(&self) -> Motion<S> {
        Motion { x: self.x, v: self.v }
    }
}

/// The law v̇ = ar + a0·xe + a1·ve of the error xe = xr − x, ve = vr − v.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondOrderGains {
    /// Stiffness a0, 1/s².
    pub a0: f64,
    /// Damping a1, 1/s.
    pub a1: f64,
}

impl SecondOrderGains {
    /// Fastest approach without overshoot with the time constant `tau`: a0 = 1/τ², a1 = 2/τ.
    pub fn critical(tau: f64) -> Self {
        Self { a0: 1.0 / (tau * tau), a1: 2.0 / tau }
    }

    pub(crate) fn check(&self) -> Result<()> {
        positive("a0", self.a0)?;
        positive("a1", self.a1)
    }

    /// exp(A·t) of A = \[0 1; −a0 −a1\], row by row: (xe, ve) after the time t.
    ///
    /// With h = a1/2, d = h² − a0: exp(A·t) = e^(−ht)·\[c + h·s, s; −a0·s, c − h·s\], where c and s are cosh(√d·t) and
    /// sinh(√d·t)/√d (cos and sin for d < 0), written so that nothing overflows.
    pub fn transition(&self, t: f64) -> [[f64; 2]; 2] {
        let h = 0.5 * self.a1;
        let d = h * h - self.a0;
        let (c, s) = if d > 0.0 {
            let r = d.sqrt();
            // −h + r without cancellation.
            let slow = (-self.a0 / (h + r) * t).exp();
            let ratio = -(-2.0 * r * t).exp_m1();
            (slow * (1.0 - 0.5 * ratio), slow * if r * t < 1e-12 { t } else { ratio / (2.0 * r) })
        } else {
            let (w, decay) = ((-d).sqrt(), (-h * t).exp());
            let (sin, cos) = (w * t).sin_cos();
            (decay * cos, decay * if w * t < 1e-12 { t } else { sin / w })
        };
        [[c + h * s, s], [-self.a0 * s, c - h * s]]
    }
}

/// Parameters of a [`TransientSecondExp`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransientSecondExpParams {
    /// Period T, s.
    pub period: f64,
    /// Gains of the error's law.
    pub gains: SecondOrderGains,
}

/// Exponential transient of the second order, discretised exactly: the error is multiplied by exp(A·T), so it is
/// stable for every period.
///
/// (xe, ve)\[k+1\] = exp(A·T)·(xe, ve)\[k\]; y = reference after T (constant ar) − error\[k+1\]. On SO(3) the error is
/// log(qᵀ·qr) and ve its true time derivative, so the linear law holds exactly there too.
///
/// ```
/// # use filters_lib::*;
/// let params = TransientSecondExpParams { period: 0.1, gains: SecondOrderGains::critical(0.5) };
/// let transient = TransientSecondExp::new(params)?;
/// let y = transient.output(&SecondOrderInput { x: 0.0, v: 0.0, xr: 1.0, vr: 0.0, ar: 0.0 })?;
/// assert!(y.x > 0.0 && y.x < 1.0 && y.v > 0.0);
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type TransientSecondExp<S> = Memoryless<S, TransientSecondExpParams>;

impl Params for TransientSecondExpParams {
    type Ready = [[f64; 2]; 2];

    fn check(&self) -> Result<Self::Ready> {
        positive("period", self.period)?;
        self.gains.check()?;
        Ok(self.gains.transition(self.period))
    }
}

/// scale_a·a + scale_b·b.
#[inline]
pub(crate) fn combine<V: VectorSpace + Copy>(scale_a: f64, a: &V, scale_b: f64, b: &V) -> V {
    let mut sum = *a;
    for (s, b) in sum.elements_mut().iter_mut().zip(b.elements()) {
        *s = scale_a * *s + scale_b * b;
    }
    sum
}

impl<S: Trackable> MemorylessLaw<S> for TransientSecondExpParams {
    type Input = SecondOrderInput<S>;

    #[inline]
    fn output_into(&self, ready: &Self::Ready, u: &SecondOrderInput<S>, y: &mut Motion<S>) -> Result<()> {
        u.accept()?;
        let period = self.period;
        let error = u.x.error_to(&u.xr);
        let rate = S::rate(&error, &combine(1.0, &S::seen(&error, &u.vr), -1.0, &u.v));
        let [[xx, xv], [vx, vv]] = *ready;
        let error_next = combine(xx, &error, xv, &rate);
        let rate_next = combine(vx, &error, vv, &rate);
        let reference = u.xr.moved(period, &combine(1.0, &u.vr, 0.5 * period, &u.ar));
        let reference_velocity = combine(1.0, &u.vr, period, &u.ar);
        y.x = S::behind(&reference, &error_next);
        let seen = S::seen(&error_next, &reference_velocity);
        y.v = combine(1.0, &seen, -1.0, &S::difference(&error_next, &rate_next));
        Ok(())
    }
}
