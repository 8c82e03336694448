//! Moving average.

use super::check_like;
use crate::check::{same_length, within};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};

/// Parameters of a [`MovingAverage`] or a [`Median`](crate::Median).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowParams {
    /// How many samples, the newest included; 1…10000.
    pub window: usize,
}

impl WindowParams {
    /// Refuses an empty or absurdly long window.
    pub fn check(&self) -> Result<()> {
        within("window", self.window as f64, (1..=10_000).contains(&self.window), "1…10000")
    }
}

/// y\[k\] = (u\[k\] + … + u\[k−N+1\])/N. The sum is formed anew in every step, so that no rounding error accumulates.
///
/// ```
/// # use filters_lib::{Filter, MovingAverage, WindowParams};
/// let mut mean = MovingAverage::new(WindowParams { window: 2 }, &0.0)?;
/// assert_eq!((mean.update(&2.0)?, mean.update(&4.0)?), (1.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MovingAverage<S> {
    params: WindowParams,
    // The last N inputs in a ring; `oldest` is the one that the next input replaces and that no output uses.
    past: Vec<S>,
    oldest: usize,
}

impl<S: VectorSpace> MovingAverage<S> {
    /// Starts as if the input had been `x0` for ever.
    pub fn new(params: WindowParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, past: vec![x0.clone(); params.window], oldest: 0 })
    }

    /// Replaces the window. Past inputs stay; a longer window is filled up with the oldest one.
    pub fn set_params(&mut self, params: WindowParams) -> Result<()> {
        params.check()?;
        self.past.rotate_left(self.oldest);
        self.oldest = 0;
        let (now, wanted) = (self.past.len(), params.window);
        if wanted < now {
            self.past.drain(..now - wanted);
        } else {
            let oldest = self.past[0].clone();
            self.past.splice(..0, std::iter::repeat_n(oldest, wanted - now));
        }
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &WindowParams {
        &self.params
    }

    #[inline]
    fn remember(&mut self, u: &S) {
        self.past[self.oldest].clone_from(u);
        self.oldest = if self.oldest + 1 == self.past.len() { 0 } else { self.oldest + 1 };
    }
}

impl<S: VectorSpace> Filter for MovingAverage<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.past[0].size(), x0)?;
        self.past.iter_mut().for_each(|past| past.clone_from(x0));
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.past[0].size(), u)?;
        same_length("y", u.size(), y.size())?;
        y.clone_from(u);
        let (late, early) = self.past.split_at(self.oldest);
        for past in early[1..].iter().chain(late) {
            for (y, past) in y.elements_mut().iter_mut().zip(past.elements()) {
                *y += past;
            }
        }
        let share = (self.params.window as f64).recip();
        y.elements_mut().iter_mut().for_each(|y| *y *= share);
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.past[0].size(), u)?;
        self.remember(u);
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.remember(u);
        Ok(())
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}
