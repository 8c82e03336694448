//! How well the servos follow: measured positions beside commanded ones, each at the time at which it was measured.

mod commanded;
mod sums;

use crate::joints::Joints;
use commanded::Commanded;
pub use sums::Figure;
use sums::Sums;

/// Measured against commanded positions of all joints, over the last seconds. All of its memory is there once the joints are
/// known.
#[derive(Clone, Debug)]
pub struct Tracking {
    window_ns: i64,
    joints: Joints,
    commanded: Commanded,
    sums: Vec<Sums>,
    /// What was measured after the newest pose, and waits for the next.
    waiting: Vec<Option<(i64, f64)>>,
    /// The place that should be read next: a bus is read in turn.
    next: usize,
}

/// All joints together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many joints were measured.
    pub measured: usize,
    /// How many of them move.
    pub moving: usize,
    /// Root mean square error of those that move, rad.
    pub rms: f64,
    /// The middle one of their lags, s.
    pub median_lag: Option<f64>,
    /// The joint with the greatest error, by its place.
    pub worst: Option<(usize, Figure)>,
}

impl Tracking {
    /// Over so many seconds.
    pub fn new(window: f64) -> Tracking {
        Tracking {
            window_ns: (window * 1e9) as i64,
            joints: Joints::default(),
            commanded: Commanded::default(),
            sums: vec![],
            waiting: vec![],
            next: 0,
        }
    }

    /// Another time to look back; what was seen is forgotten when it differs.
    pub fn set_window(&mut self, window: f64) {
        let window_ns = (window * 1e9) as i64;
        if window_ns != self.window_ns {
            self.window_ns = window_ns;
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.commanded.resize(self.joints.names().len());
        self.sums.fill(Sums::default());
        self.waiting.fill(None);
    }

    /// The pose of a time: a position for each name. Anything else is no pose and changes nothing.
    pub fn commanded(&mut self, at_ns: i64, names: &[String], position: &[f64]) {
        if names.is_empty() || position.len() != names.len() {
            return;
        }
        if self.joints.names() != names {
            self.joints.adopt(names);
            self.sums.resize(names.len(), Sums::default());
            self.waiting.resize(names.len(), None);
            self.forget();
        }
        if !self.commanded.push(at_ns, position) {
            self.forget();
            self.commanded.push(at_ns, position);
        }
        for joint in 0..self.waiting.len() {
            if let Some((at_ns, position)) = self.waiting[joint].filter(|(at_ns, _)| self.is_known(*at_ns)) {
                self.waiting[joint] = None;
                self.compare(joint, at_ns, position);
            }
        }
    }

    /// A joint's position at the time at which it was read, in any order of times. One that nobody commands is of no interest.
    pub fn measured(&mut self, at_ns: i64, name: &str, position: f64) {
        let is_next = self.joints.names().get(self.next).is_some_and(|next| next == name);
        let Some(joint) = is_next.then_some(self.next).or_else(|| self.joints.find(name)) else { return };
        self.next = if joint + 1 < self.sums.len() { joint + 1 } else { 0 };
        if !position.is_finite() {
            return;
        }
        if self.is_known(at_ns) {
            self.compare(joint, at_ns, position);
        } else if let Some(waiting) = self.waiting.get_mut(joint) {
            *waiting = Some((at_ns, position));
        }
    }

    /// Whether the pose of a time has come.
    fn is_known(&self, at_ns: i64) -> bool {
        self.commanded.newest_ns().is_some_and(|newest| at_ns <= newest)
    }

    fn compare(&mut self, joint: usize, at_ns: i64, position: f64) {
        let sums = &mut self.sums[joint];
        let Some(lag) = sums.assumed_lag(at_ns, self.window_ns) else { return };
        let now = self.commanded.at(joint, at_ns);
        let then = self.commanded.at(joint, at_ns.saturating_sub((lag * 1e9) as i64));
        if let (Some((wanted, _)), Some((was_wanted, velocity))) = (now, then) {
            sums.add(position - wanted, position - was_wanted, velocity);
        }
    }

    /// The joints, in the order of the poses.
    pub fn joints(&self) -> &[String] {
        self.joints.names()
    }

    /// How a joint does, by its place; none when it was not measured in the window.
    pub fn figure(&self, joint: usize) -> Option<Figure> {
        self.sums.get(joint)?.figure(self.commanded.newest_ns()?, self.window_ns)
    }

    /// How all do.
    pub fn summary(&self) -> Summary {
        let figures = || (0..self.sums.len()).filter_map(|joint| Some((joint, self.figure(joint)?)));
        let moving = || figures().filter_map(|(_, figure)| Some((figure.rms, figure.lag?)));
        let mut lags: Vec<f64> = moving().map(|(_, lag)| lag).collect();
        lags.sort_unstable_by(f64::total_cmp);
        let squares: f64 = moving().map(|(rms, _)| rms * rms).sum();
        Summary {
            measured: figures().count(),
            moving: lags.len(),
            rms: (squares / lags.len().max(1) as f64).sqrt(),
            median_lag: lags.get(lags.len() / 2).copied(),
            worst: figures().max_by(|a, b| a.1.rms.total_cmp(&b.1.rms)),
        }
    }
}
