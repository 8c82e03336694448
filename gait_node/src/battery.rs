//! When the battery is low.

/// It is low when it stays so for this long, s: steps make it sag.
const STAYS: f64 = 2.0;

/// Watches the voltage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Battery {
    /// The last one that was told, V.
    voltage: Option<f64>,
    /// For how long it has been low, s.
    low: f64,
    /// Whether that was said.
    said: bool,
}

impl Battery {
    /// A voltage was measured; what is no voltage is left aside.
    pub fn take(&mut self, voltage: f64) {
        if voltage.is_finite() && voltage > 0.0 {
            self.voltage = Some(voltage);
        }
    }

    /// Time passes; gives the voltage when it has stayed below `threshold` (V; 0 for never), until that was said.
    pub fn step(&mut self, threshold: f64, time: f64) -> Option<f64> {
        let voltage = self.voltage?;
        if voltage >= threshold {
            (self.low, self.said) = (0.0, false);
            return None;
        }
        self.low += time;
        (self.low > STAYS && !self.said).then_some(voltage)
    }

    /// Somebody acted on it: it is not said again until the battery was charged.
    pub fn say(&mut self) {
        self.said = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_low_when_it_stays_low_and_that_is_said_once() {
        let mut battery = Battery::default();
        let mut said = |voltage: f64, seconds: usize| {
            battery.take(voltage);
            let mut look = || battery.step(7.0, 0.01).inspect(|_| battery.say());
            (0..100 * seconds).filter_map(|_| look()).collect::<Vec<_>>()
        };
        assert!(said(f64::NAN, 10).is_empty(), "not known");
        assert!(said(6.5, 1).is_empty() && said(7.1, 1).is_empty() && said(6.5, 1).is_empty(), "it sags");
        assert_eq!((said(6.4, 60), said(6.3, 60)), (vec![6.4], vec![]));
        assert_eq!((said(7.4, 1), said(6.4, 3)), (vec![], vec![6.4]), "charged, and low again");
        let mut never = Battery::default();
        never.take(1.0);
        assert!((0..1000).all(|_| never.step(0.0, 1.0).is_none()));
    }
}
