//! A filter: made once, asked every cycle, changed while it runs.
//!
//!     cargo run -p examples --example 01_filter
//!
//! Every filter has the same three operations: `start` sets its state, `output` says what it would give and changes nothing, `update`
//! gives the same and goes one period on. What is not a number is an error, and leaves the state as it was.

use filters_lib::{Filter, Lag, LagParams};
use robot_model_lib::nalgebra::Vector3;

const PERIOD: f64 = 0.01;

fn main() -> anyhow::Result<()> {
    // A step from 0 to 1 through 1/(τs + 1): after τ it has gone 1 − 1/e of the way.
    let slow = LagParams { period: PERIOD, tau: 0.2 };
    let mut lag = Lag::new(slow, &0.0)?;
    for _ in 0..20 {
        lag.update(&1.0)?;
    }
    println!("after tau: {:.6}", lag.output(&1.0)?);

    // A sensor that failed is told by an error, and the filter goes on from where it was.
    match lag.update(&f64::NAN) {
        Ok(_) => println!("refused: nothing"),
        Err(error) => println!("refused: {error}"),
    }
    println!("still: {:.6}", lag.output(&1.0)?);

    // Another time constant, as from a slider: the output does not jump.
    lag.set_params(LagParams { tau: 0.05, ..slow })?;
    println!("faster from: {:.6}", lag.output(&1.0)?);
    for _ in 0..5 {
        lag.update(&1.0)?;
    }
    println!("after the new tau: {:.6}", lag.output(&1.0)?);

    // The same filter on a vector: another type, no other code.
    let mut force = Lag::new(slow, &Vector3::new(0.0, 0.0, 10.0))?;
    println!("force: {:?}", force.update(&Vector3::new(1.0, 2.0, 3.0))?.as_slice());
    Ok(())
}
