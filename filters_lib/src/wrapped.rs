//! A documented struct of its own for each filter that shares its workings with others.

/// The filter `$name` with the workings `$inner`, from a signal to the same signal.
macro_rules! wrapped {
    ($(#[$doc:meta])* $name:ident, $params:ident, $inner:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<S>($inner);

        impl<S: crate::signal::VectorSpace> $name<S> {
            /// Begins as if the input had been `x0` for ever.
            pub fn new(params: $params, x0: &S) -> crate::error::Result<Self> {
                <$inner>::new(params, x0).map(Self)
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

            fn interval(&self) -> crate::filter::Interval {
                self.0.interval()
            }
        }
    };
}
pub(crate) use wrapped;
