//! What filters share that treat each number of a signal alone. A filter is a struct of its own; its file holds its
//! parameters, its coefficients, where it rests and its difference equation.

use crate::check::same_length;
use crate::error::{Error, Result};
use crate::signal::{Signal, VectorSpace, accept, accept_start, all_finite};
use std::fmt::Debug;

/// The difference equation of one number with a memory of `N` numbers, all in units of the signal (or its rates) and
/// never products with coefficients: so a change of parameters does not disturb a filter at rest.
pub(crate) trait Rule<const N: usize> {
    /// What the user sets.
    type Params: Copy + Debug;
    /// What the equation needs of it, computed once.
    type Coefficients: Copy + Debug;

    /// Checks the parameters.
    fn coefficients(params: &Self::Params) -> Result<Self::Coefficients>;

    /// The memory after the input `u` for ever.
    fn rest(coefficients: &Self::Coefficients, u: f64) -> [f64; N];

    /// y\[k\] and x\[k+1\] from u\[k\] and x\[k\].
    fn step(coefficients: &Self::Coefficients, u: f64, x: [f64; N]) -> (f64, [f64; N]);

    /// Whether x\[k+1\] is finite whenever u\[k\], x\[k\] and y\[k\] are: when it is made of them, or lies between them.
    const STATE_IS_BOUNDED: bool = false;

    /// The parameters with another period, for filters that have one.
    fn with_period(_params: &Self::Params, _period: f64) -> Option<Self::Params> {
        None
    }
}

/// Parameters and state of an elementwise filter.
#[derive(Debug, Clone)]
pub(crate) struct Elementwise<S, R: Rule<N>, const N: usize> {
    pub(crate) params: R::Params,
    coefficients: R::Coefficients,
    x: [S; N],
    // x[k+1] is built here and takes its place once all of it is known to be good.
    next: [S; N],
    is_empty: bool,
}

impl<S: VectorSpace, R: Rule<N>, const N: usize> Elementwise<S, R, N> {
    pub(crate) fn new(params: R::Params, x0: &S) -> Result<Self> {
        let coefficients = R::coefficients(&params)?;
        let x = [(); N].map(|()| x0.clone());
        let mut filter = Self { params, coefficients, next: x.clone(), x, is_empty: true };
        filter.start(x0)?;
        Ok(filter)
    }

    /// The state stays.
    pub(crate) fn set_params(&mut self, params: R::Params) -> Result<()> {
        self.coefficients = R::coefficients(&params)?;
        self.params = params;
        Ok(())
    }

    pub(crate) fn set_period(&mut self, period: f64) -> Result<()> {
        R::with_period(&self.params, period).map_or(Ok(()), |params| self.set_params(params))
    }

    #[inline]
    fn size(&self) -> usize {
        self.x.first().map_or(0, Signal::size)
    }

    pub(crate) fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.size(), x0)?;
        let rest = |e: usize| R::rest(&self.coefficients, x0.elements()[e]);
        if (0..x0.size()).any(|e| !all_finite(&rest(e))) {
            return Err(Error::Overflow);
        }
        for e in 0..x0.size() {
            let rest = R::rest(&self.coefficients, x0.elements()[e]);
            self.x.iter_mut().zip(rest).for_each(|(x, rest)| x.elements_mut()[e] = rest);
        }
        self.is_empty = false;
        Ok(())
    }

    pub(crate) fn reset(&mut self) {
        self.is_empty = true;
    }

    #[inline]
    pub(crate) fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size(), u, self.size(), y.size())?;
        let (coefficients, x) = (self.coefficients, self.x.each_ref().map(S::elements));
        let (u, y) = (u.elements(), y.elements_mut());
        if self.is_empty {
            run(u, x, y, [], |u, _| (R::step(&coefficients, u, R::rest(&coefficients, u)).0, []));
        } else {
            run(u, x, y, [], |u, x| (R::step(&coefficients, u, x).0, []));
        }
        if all_finite(y) { Ok(()) } else { Err(Error::Overflow) }
    }

    #[inline]
    pub(crate) fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size(), u, self.size(), y.size())?;
        let (coefficients, x) = (self.coefficients, self.x.each_ref().map(S::elements));
        let (u, y, next) = (u.elements(), y.elements_mut(), self.next.each_mut().map(S::elements_mut));
        if self.is_empty {
            run(u, x, y, next, |u, _| R::step(&coefficients, u, R::rest(&coefficients, u)));
        } else {
            run(u, x, y, next, |u, x| R::step(&coefficients, u, x));
        }
        let mut ok = all_finite(y);
        if !R::STATE_IS_BOUNDED {
            ok = self.next.iter().fold(ok, |ok, next| ok & all_finite(next.elements()));
        }
        if ok { Ok(()) } else { Err(Error::Overflow) }
    }

    #[inline]
    pub(crate) fn commit(&mut self) {
        std::mem::swap(&mut self.x, &mut self.next);
        self.is_empty = false;
    }
}

/// (y, next) = f(u, x) for each element.
#[inline]
fn run<const N: usize, const M: usize>(
    u: &[f64],
    x: [&[f64]; N],
    y: &mut [f64],
    mut next: [&mut [f64]; M],
    f: impl Fn(f64, [f64; N]) -> (f64, [f64; M]),
) {
    // All have one length; cut to it they need no check of their bounds.
    let n = u.len();
    let (x, y) = (x.map(|x| &x[..n]), &mut y[..n]);
    next = next.map(|next| &mut next[..n]);
    for e in 0..n {
        let (value, after) = f(u[e], x.map(|x| x[e]));
        y[e] = value;
        next.iter_mut().zip(after).for_each(|(next, after)| next[e] = after);
    }
}

/// y = f(u), element by element, for static maps.
#[inline]
pub(crate) fn map_into<V: VectorSpace>(u: &V, y: &mut V, f: impl Fn(f64) -> f64) -> Result<()> {
    same_length("y", u.size(), y.size())?;
    u.check("u")?;
    y.elements_mut().iter_mut().zip(u.elements()).for_each(|(y, u)| *y = f(*u));
    if all_finite(y.elements()) { Ok(()) } else { Err(Error::Overflow) }
}

/// min(max(u, low), high) for numbers: plain selects, where those of `f64` look for NaN too.
#[inline]
pub(crate) fn clip(u: f64, low: f64, high: f64) -> f64 {
    let above = if u > low { u } else { low };
    if above < high { above } else { high }
}

/// The filter `$name` by the rule `$rule` with a memory of `$n` numbers.
macro_rules! elementwise {
    ($(#[$doc:meta])* $name:ident, $params:ident, $rule:ident, $n:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<S>(crate::elementwise::Elementwise<S, $rule, $n>);

        impl<S: crate::signal::VectorSpace> $name<S> {
            /// Begins as if the input had been `x0` for ever.
            pub fn new(params: $params, x0: &S) -> crate::error::Result<Self> {
                crate::elementwise::Elementwise::new(params, x0).map(Self)
            }

            /// Replaces the parameters; the state stays.
            pub fn set_params(&mut self, params: $params) -> crate::error::Result<()> {
                self.0.set_params(params)
            }

            /// The parameters in use.
            pub fn params(&self) -> &$params {
                &self.0.params
            }
        }

        impl<S: crate::signal::VectorSpace> crate::filter::Filter for $name<S> {
            type State = S;
            type Input = S;
            type Output = S;

            fn start(&mut self, x0: &S) -> crate::error::Result<()> {
                self.0.start(x0)
            }

            fn reset(&mut self) {
                self.0.reset();
            }

            #[inline]
            fn output_into(&self, u: &S, y: &mut S) -> crate::error::Result<()> {
                self.0.output_into(u, y)
            }

            #[inline]
            fn prepare(&mut self, u: &S, y: &mut S) -> crate::error::Result<()> {
                self.0.prepare(u, y)
            }

            #[inline]
            fn commit(&mut self) {
                self.0.commit();
            }

            fn blank(&self, u: &S) -> S {
                u.clone()
            }

            fn set_period(&mut self, period: f64) -> crate::error::Result<()> {
                self.0.set_period(period)
            }
        }
    };
}
pub(crate) use elementwise;

/// The static map `$name`: y = `$map`(params, u).
macro_rules! static_map {
    ($(#[$doc:meta])* $name:ident, $params:ident, $map:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<S> {
            params: $params,
            signal: std::marker::PhantomData<S>,
        }

        impl<S: crate::signal::VectorSpace> $name<S> {
            /// With validated parameters.
            pub fn new(params: $params) -> crate::error::Result<Self> {
                params.check()?;
                Ok(Self { params, signal: std::marker::PhantomData })
            }

            /// Replaces the parameters.
            pub fn set_params(&mut self, params: $params) -> crate::error::Result<()> {
                *self = Self::new(params)?;
                Ok(())
            }

            /// The parameters in use.
            pub fn params(&self) -> &$params {
                &self.params
            }
        }

        impl<S: crate::signal::VectorSpace> crate::filter::Filter for $name<S> {
            type State = S;
            type Input = S;
            type Output = S;

            fn start(&mut self, x0: &S) -> crate::error::Result<()> {
                crate::signal::Signal::check(x0, "x0")
            }

            fn reset(&mut self) {}

            #[inline]
            fn output_into(&self, u: &S, y: &mut S) -> crate::error::Result<()> {
                let params = self.params;
                crate::elementwise::map_into(u, y, |u| $map(&params, u))
            }

            #[inline]
            fn prepare(&mut self, u: &S, y: &mut S) -> crate::error::Result<()> {
                self.output_into(u, y)
            }

            fn commit(&mut self) {}

            fn blank(&self, u: &S) -> S {
                u.clone()
            }
        }
    };
}
pub(crate) use static_map;
