//! What one assumed delay of the goals makes of the motion: alphas, and how well they explain it.

use super::delay::Instruments;
use super::rls::{Rls, dot};

/// All that is learnt from the rows (φ, y) of the model equation under one assumption.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The alphas, with forgetting.
    pub rls: Rls,
    /// For the delay.
    pub instruments: Instruments,
    rows: u64,
    voltage: f64,
    yy: f64,
    ry: [f64; 4],
    rr: [[f64; 4]; 4],
}

impl Fit {
    /// Starts from a guess.
    pub fn new(alpha: [f64; 4]) -> Fit {
        Fit {
            rls: Rls::new(alpha),
            instruments: Instruments::default(),
            rows: 0,
            voltage: 0.0,
            yy: 0.0,
            ry: [0.0; 4],
            rr: [[0.0; 4]; 4],
        }
    }

    /// One window: its row and right side, the setpoint's derivatives, the supply.
    pub fn add(&mut self, row: [f64; 4], y: f64, setpoint: [f64; 3], voltage: f64, forgetting: f64) {
        self.rls.update(row, y, forgetting);
        self.instruments.add(row, y, setpoint);
        self.rows += 1;
        self.voltage += voltage;
        self.yy += y * y;
        for (i, r) in row.iter().enumerate() {
            self.ry[i] += r * y;
            for (sum, s) in self.rr[i].iter_mut().zip(row) {
                *sum += r * s;
            }
        }
    }

    /// How many windows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Mean of the supply, V.
    pub fn mean_voltage(&self) -> f64 {
        self.voltage / self.rows.max(1) as f64
    }

    /// Mean square of y − φ·alpha over all rows.
    pub fn mean_square(&self, alpha: &[f64; 4]) -> f64 {
        let product: [f64; 4] = std::array::from_fn(|i| dot(&self.rr[i], alpha));
        let squares = self.yy - 2.0 * dot(&self.ry, alpha) + dot(&product, alpha);
        squares.max(0.0) / self.rows.max(1) as f64
    }
}
