//! What filters share that treat each number of a signal alone. A filter is a struct of its own; its file holds its
//! parameters, its coefficients, where it rests and its difference equation.

use crate::check::same_length;
use crate::error::{Error, Result};
use crate::filter::Interval;
use crate::signal::{Signal, VectorSpace, accept, accept_start, all_finite, no_overflow};
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

    /// All elements at once, from the memory that `from` makes of theirs. A rule of several equations chooses here.
    #[inline]
    fn all<const M: usize>(
        coefficients: &Self::Coefficients,
        elements: Elements<'_, N, M>,
        from: impl Fn(f64, [f64; N]) -> [f64; N],
    ) {
        let coefficients = *coefficients;
        elements.run(|u, x| Self::step(&coefficients, u, from(u, x)));
    }

    /// The memory as the new coefficients need it: the same, but for numbers that the old ones had no use for.
    fn retuned(_before: &Self::Coefficients, x: [f64; N]) -> [f64; N] {
        x
    }

    /// Whether x\[k+1\] is finite whenever u\[k\], x\[k\] and y\[k\] are: when it is made of them, or lies between them.
    const STATE_IS_BOUNDED: bool = false;

    /// Whether the period is the time to the next sample, over which this one is held.
    const LOOKS_AHEAD: bool = false;

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
        let coefficients = R::coefficients(&params)?;
        for e in 0..self.size() {
            let x = R::retuned(&self.coefficients, self.x.each_ref().map(|x| x.elements()[e]));
            self.x.iter_mut().zip(x).for_each(|(place, x)| place.elements_mut()[e] = x);
        }
        (self.coefficients, self.params) = (coefficients, params);
        Ok(())
    }

    pub(crate) fn set_period(&mut self, period: f64) -> Result<()> {
        R::with_period(&self.params, period).map_or(Ok(()), |params| self.set_params(params))
    }

    pub(crate) fn interval(&self) -> Interval {
        match R::with_period(&self.params, 1.0) {
            None => Interval::None,
            Some(_) if R::LOOKS_AHEAD => Interval::After,
            Some(_) => Interval::Before,
        }
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
        let (c, x) = (&self.coefficients, self.x.each_ref().map(S::elements));
        run::<R, N, 0>(c, self.is_empty, Elements { u: u.elements(), x, y: y.elements_mut(), next: [] });
        no_overflow(y.elements())
    }

    #[inline]
    pub(crate) fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size(), u, self.size(), y.size())?;
        let (c, x) = (&self.coefficients, self.x.each_ref().map(S::elements));
        let next = self.next.each_mut().map(S::elements_mut);
        run::<R, N, N>(c, self.is_empty, Elements { u: u.elements(), x, y: y.elements_mut(), next });
        let mut ok = all_finite(y.elements());
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

/// One step of all elements, from where they are or, with an empty memory, from rest.
#[inline]
fn run<R: Rule<N>, const N: usize, const M: usize>(
    coefficients: &R::Coefficients,
    is_empty: bool,
    elements: Elements<'_, N, M>,
) {
    let c = *coefficients;
    if is_empty {
        R::all(&c, elements, |u, _| R::rest(&c, u));
    } else {
        R::all(&c, elements, |_, x| x);
    }
}

/// The numbers of one step. Without a `next` (M = 0) it is thrown away.
pub(crate) struct Elements<'a, const N: usize, const M: usize> {
    u: &'a [f64],
    x: [&'a [f64]; N],
    y: &'a mut [f64],
    next: [&'a mut [f64]; M],
}

impl<const N: usize, const M: usize> Elements<'_, N, M> {
    /// (y, next) = f(u, x) for each element. Of the memory only the first K numbers are written.
    #[inline]
    pub(crate) fn run<const K: usize>(self, f: impl Fn(f64, [f64; N]) -> (f64, [f64; K])) {
        // All have one length; cut to it they need no check of their bounds.
        let (u, n) = (self.u, self.u.len());
        let (x, y) = (self.x.map(|x| &x[..n]), &mut self.y[..n]);
        let mut next = self.next.map(|next| &mut next[..n]);
        // With three arrays to write the compiler does not ask whether they overlap and goes one by one. So all of a
        // block is read before any of it is written.
        let blocks = u.as_chunks::<BLOCK>().0;
        let count = if K > 1 && K == N { blocks.len() } else { 0 };
        if count > 0 {
            let x = x.map(|x| &x.as_chunks::<BLOCK>().0[..count]);
            let y = &mut y.as_chunks_mut::<BLOCK>().0[..count];
            let mut next = next.each_mut().map(|next| &mut next.as_chunks_mut::<BLOCK>().0[..count]);
            for c in 0..count {
                let (u, x) = (blocks[c], x.map(|x| x[c]));
                let (mut values, mut after) = ([0.0; BLOCK], [[0.0; BLOCK]; K]);
                for i in 0..BLOCK {
                    let (value, memory) = f(u[i], x.map(|x| x[i]));
                    values[i] = value;
                    for k in 0..K {
                        after[k][i] = memory[k];
                    }
                }
                y[c] = values;
                next.iter_mut().zip(after).for_each(|(next, after)| next[c] = after);
            }
        }
        for e in count * BLOCK..n {
            let (value, after) = f(u[e], x.map(|x| x[e]));
            y[e] = value;
            next.iter_mut().zip(after).for_each(|(next, after)| next[e] = after);
        }
    }
}

/// So many elements are computed at once.
const BLOCK: usize = 4;

/// y = f(u), element by element, for static maps.
#[inline]
pub(crate) fn map_into<V: VectorSpace>(u: &V, y: &mut V, f: impl Fn(f64) -> f64) -> Result<()> {
    same_length("y", u.size(), y.size())?;
    u.check("u")?;
    y.elements_mut().iter_mut().zip(u.elements()).for_each(|(y, u)| *y = f(*u));
    no_overflow(y.elements())
}

/// min(max(u, low), high) for numbers: plain selects, where those of `f64` look for NaN too.
#[inline]
pub(crate) fn clip(u: f64, low: f64, high: f64) -> f64 {
    let above = if u > low { u } else { low };
    if above < high { above } else { high }
}

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
