//! Error and lag of one joint, from sums over the last seconds.

/// The window in parts, which leave one by one.
const PARTS: usize = 8;

/// Slower motion than this tells nothing of a lag, rad/s.
const SLOW: f64 = 0.05;

/// Fewer measurements are no figure.
const FEWEST: u32 = 8;

/// A servo that is later does not follow at all, s.
const LATEST: f64 = 0.3;

/// How a joint follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Root mean square of measured less commanded position, rad.
    pub rms: f64,
    /// How late it is, s; negative: early. None when it hardly moves.
    pub lag: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Which part of time.
    index: i64,
    /// The lag that the errors were taken at, s.
    lag: f64,
    count: u32,
    /// Error as it is, squared.
    squares: f64,
    /// Error at the lag, times velocity.
    error_velocity: f64,
    velocity_squares: f64,
}

/// Sums of one joint.
///
/// A joint that is late by L is off by e = −L·q̇ + L²/2·q̈ − …: by least squares on the velocity, L = −Σ e·q̇/Σ q̇², too short by
/// L²ω²/6 of it for a motion of frequency ω. So errors are taken against where the joint was wanted a lag ago, the one found so far
/// (Gauss–Newton), and what is left over is small.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    parts: [Part; PARTS],
    /// The part that is being filled.
    current: usize,
}

fn index(at_ns: i64, window_ns: i64) -> i64 {
    at_ns.div_euclid((window_ns / PARTS as i64).max(1))
}

impl Sums {
    /// The lag at which a measurement of this time is to be compared, s; a part of time begins when it has to. None for one that is
    /// so late that its part has left the window.
    pub fn assumed_lag(&mut self, at_ns: i64, window_ns: i64) -> Option<f64> {
        let index = index(at_ns, window_ns);
        let place = index.rem_euclid(PARTS as i64) as usize;
        let part = &self.parts[place];
        if part.count == 0 || part.index < index {
            let lag = self.lag(index).unwrap_or(0.0).clamp(0.0, LATEST);
            self.parts[place] = Part { index, lag, ..Part::default() };
        }
        self.current = place;
        let part = &self.parts[place];
        (part.index == index).then_some(part.lag)
    }

    /// A measurement: error as it is and at the assumed lag, and the velocity wanted then.
    pub fn add(&mut self, error: f64, error_at_lag: f64, velocity: f64) {
        let part = &mut self.parts[self.current];
        part.count += 1;
        part.squares += error * error;
        part.error_velocity += error_at_lag * velocity;
        part.velocity_squares += velocity * velocity;
    }

    fn recent(&self, newest: i64) -> impl Iterator<Item = &Part> {
        self.parts
            .iter()
            .filter(move |part| part.count > 0 && newest.saturating_sub(part.index) < PARTS as i64)
    }

    fn lag(&self, newest: i64) -> Option<f64> {
        let sum = |of: fn(&Part) -> f64| self.recent(newest).map(of).sum::<f64>();
        let squares = sum(|part| part.velocity_squares);
        let moves = squares > SLOW * SLOW * sum(|part| f64::from(part.count));
        moves.then(|| sum(|part| part.lag * part.velocity_squares - part.error_velocity) / squares)
    }

    /// How the joint did in the window before a time.
    pub fn figure(&self, at_ns: i64, window_ns: i64) -> Option<Figure> {
        let newest = index(at_ns, window_ns);
        let count: u32 = self.recent(newest).map(|part| part.count).sum();
        let squares: f64 = self.recent(newest).map(|part| part.squares).sum();
        let rms = (squares / f64::from(count)).sqrt();
        (count >= FEWEST).then(|| Figure { rms, lag: self.lag(newest) })
    }
}
