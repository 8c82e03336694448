//! Transient of the second order: position and velocity pass smoothly to a trajectory.

use crate::check::{positive, same_length};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Manifold, Signal, VectorSpace, no_overflow};
use crate::so3::Group;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// A position with its velocity (body axes for orientation and pose).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion<S: Manifold> {
    /// Position.
    pub x: S,
    /// Velocity.
    pub v: S::Tangent,
}

/// The present motion and the wanted one at one instant. The caller feeds the output back as `x` and `v`, or lets a
/// [`SecondOrderFollower`](crate::SecondOrderFollower) do it.
///
/// For a pose the linear part of `ar` is the acceleration of the origin along the wanted pose's own axes, Rrᵀ·p̈r.
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

impl<S: Manifold> SecondOrderInput<S> {
    /// Refuses numbers that are not finite and sizes that differ.
    #[inline]
    pub(crate) fn accept(&self, y: &Motion<S>) -> Result<()> {
        for (what, signal) in [("x", &self.x), ("xr", &self.xr)] {
            same_length(what, y.x.size(), signal.size())?;
            signal.check(what)?;
        }
        for (what, vector) in [("v", &self.v), ("vr", &self.vr), ("ar", &self.ar)] {
            same_length(what, y.v.size(), vector.size())?;
            vector.check(what)?;
        }
        Ok(())
    }
}

/// v̇ = ar + a0·xe + a1·ve for the errors xe = xr − x, ve = vr − v.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransientSecondExpParams {
    /// Period T, s.
    pub period: f64,
    /// Gains of the error's dynamics.
    pub gains: SecondOrderGains,
}

/// Exponential transient of the second order, discretised exactly: the error is multiplied by exp(A·T), so it is
/// stable for every period. It has no state of its own.
///
/// (xe, ve)\[k+1\] = exp(A·T)·(xe, ve)\[k\]; y = reference after T (constant ar) − error\[k+1\]. On SO(3) the error is
/// log(qᵀ·qr) and ve its true time derivative, so the linear equation holds exactly there too.
///
/// ```
/// # use filters_lib::*;
/// let params = TransientSecondExpParams { period: 0.1, gains: SecondOrderGains::critical(0.5) };
/// let transient = TransientSecondExp::new(params)?;
/// let y = transient.output(&SecondOrderInput { x: 0.0, v: 0.0, xr: 1.0, vr: 0.0, ar: 0.0 })?;
/// assert!(y.x > 0.0 && y.x < 1.0 && y.v > 0.0);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TransientSecondExp<S> {
    params: TransientSecondExpParams,
    transition: [[f64; 2]; 2],
    signal: PhantomData<S>,
}

impl<S: Manifold> TransientSecondExp<S> {
    /// With validated parameters.
    pub fn new(params: TransientSecondExpParams) -> Result<Self> {
        positive("period", params.period)?;
        params.gains.check()?;
        Ok(Self { params, transition: params.gains.transition(params.period), signal: PhantomData })
    }

    #[inline]
    fn compute(&self, u: &SecondOrderInput<S>, y: &mut Motion<S>) {
        S::second_exp(&self.transition, self.params.period, u, y);
    }
}

/// What the two second-order transients share: they are static maps from input and reference to motion.
macro_rules! second_order_map {
    ($name:ident, $params:ident) => {
        impl<S: Manifold> $name<S> {
            /// Replaces the parameters.
            pub fn set_params(&mut self, params: $params) -> Result<()> {
                *self = Self::new(params)?;
                Ok(())
            }

            /// The parameters in use.
            pub fn params(&self) -> &$params {
                &self.params
            }
        }

        impl<S: Manifold> Filter for $name<S> {
            type State = ();
            type Input = SecondOrderInput<S>;
            type Output = Motion<S>;

            fn start(&mut self, _x0: &()) -> Result<()> {
                Ok(())
            }

            fn reset(&mut self) {}

            #[inline]
            fn output_into(&self, u: &SecondOrderInput<S>, y: &mut Motion<S>) -> Result<()> {
                u.accept(y)?;
                self.compute(u, y);
                // A position that overflows is no rotation either.
                no_overflow(y.v.elements())?;
                y.x.check("y").map_err(|_| Error::Overflow)
            }

            #[inline]
            fn prepare(&mut self, u: &SecondOrderInput<S>, y: &mut Motion<S>) -> Result<()> {
                self.output_into(u, y)
            }

            fn commit(&mut self) {}

            fn blank(&self, u: &SecondOrderInput<S>) -> Motion<S> {
                Motion { x: u.x.clone(), v: u.v.clone() }
            }

            fn set_period(&mut self, period: f64) -> Result<()> {
                self.set_params($params { period, ..self.params })
            }
        }
    };
}
pub(crate) use second_order_map;

use crate::error::Error;
second_order_map!(TransientSecondExp, TransientSecondExpParams);

/// scale_a·a + scale_b·b.
#[inline]
pub(crate) fn combine<V: VectorSpace + Copy>(scale_a: f64, a: &V, scale_b: f64, b: &V) -> V {
    let mut sum = *a;
    for (s, b) in sum.elements_mut().iter_mut().zip(b.elements()) {
        *s = scale_a * *s + scale_b * b;
    }
    sum
}

/// [`TransientSecondExp`] on a group.
#[inline]
pub(crate) fn group_exp<S: Group>(
    transition: &[[f64; 2]; 2],
    period: f64,
    u: &SecondOrderInput<S>,
) -> Motion<S> {
    let error = u.x.error_to(&u.xr);
    let rate = S::rate(&error, &combine(1.0, &S::seen(&error, &u.vr), -1.0, &u.v));
    let [[xx, xv], [vx, vv]] = *transition;
    let error_next = combine(xx, &error, xv, &rate);
    let rate_next = combine(vx, &error, vv, &rate);
    let reference = u.xr.moved(period, &combine(1.0, &u.vr, 0.5 * period, &u.ar));
    let reference_velocity = combine(1.0, &u.vr, period, &u.ar);
    let seen = S::seen(&error_next, &reference_velocity);
    Motion {
        x: reference.moved(-1.0, &error_next),
        v: combine(1.0, &seen, -1.0, &S::difference(&error_next, &rate_next)),
    }
}
