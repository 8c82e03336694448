//! What a replay has to tell: in figures, and as what the plot is drawn from.

use std::fmt;

use super::compare::compare;
use super::trajectory::Trajectory;
use crate::{Estimate, Method};

/// As many points as a plot can show; beyond that every other one is dropped, again and again.
const MOST_SAMPLES: usize = 2048;

/// The body at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Since the first joints, s.
    pub time: f64,
    /// m.
    pub place: [f64; 3],
    /// Without jumps at ±π, rad.
    pub heading: f64,
    /// Covariance of x and y: xx, xy, yy, m².
    pub covariance: [f64; 3],
}

/// A leg on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stance {
    /// Number of the leg.
    pub leg: usize,
    /// From, s.
    pub from: f64,
    /// To, s.
    pub to: f64,
    /// Where, m.
    pub place: [f64; 2],
    /// How far the contact was from its anchor in the end, m.
    pub slip: f64,
}

/// Everything that is counted along the way.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Names of the legs.
    pub legs: Vec<String>,
    /// Joint messages used.
    pub cycles: u64,
    /// Length of the way seen from above, m.
    pub distance: f64,
    /// The way, thinned out.
    pub samples: Vec<Sample>,
    /// All steps that have ended, and at the end those that have not.
    pub stances: Vec<Stance>,
    /// Cycles in which the pose came from the velocity.
    pub integrated: u64,
    /// Cycles whose support legs could not be determined, or were fewer than two.
    pub warned: u64,
    /// Messages that were refused, and why the first of them was.
    pub refused: u64,
    /// The first reason.
    pub first_refusal: Option<String>,
    /// Times that the odometry began anew because time was set back.
    pub resets: u64,
    /// The way, to compare.
    pub path: Trajectory,
    /// The true one, when the bag has it.
    pub truth: Trajectory,
    cycles_down: Vec<u64>,
    open: Vec<Option<Stance>>,
    first_stamp: i64,
    last: Option<Sample>,
    stride: u64,
}

impl Summary {
    /// For legs of these names.
    pub fn new(legs: Vec<String>) -> Self {
        Self {
            cycles_down: vec![0; legs.len()],
            open: vec![None; legs.len()],
            legs,
            stride: 1,
            ..Self::default()
        }
    }

    /// Counts a message that was refused.
    pub fn refuse(&mut self, what: &str, reason: impl fmt::Display) {
        self.refused += 1;
        self.first_refusal.get_or_insert_with(|| format!("{what}: {reason}"));
    }

    /// Counts a cycle.
    pub fn add(&mut self, estimate: &Estimate) {
        if self.cycles == 0 {
            self.first_stamp = estimate.stamp;
        }
        let time = (estimate.stamp - self.first_stamp) as f64 * 1e-9;
        let place: [f64; 3] = estimate.pose.translation.vector.into();
        let mut heading = estimate.heading();
        if let Some(last) = self.last {
            heading += ((last.heading - heading) / std::f64::consts::TAU).round() * std::f64::consts::TAU;
            if estimate.method != Method::Start {
                self.distance += (place[0] - last.place[0]).hypot(place[1] - last.place[1]);
            }
        }
        let of = &estimate.pose_covariance;
        let sample = Sample { time, place, heading, covariance: [of[(0, 0)], of[(0, 1)], of[(1, 1)]] };
        self.path.push(estimate.stamp, estimate.pose);
        if self.cycles.is_multiple_of(self.stride) {
            self.samples.push(sample);
            if self.samples.len() >= MOST_SAMPLES {
                let mut keep = [false, true].iter().cycle();
                self.samples.retain(|_| *keep.next().unwrap_or(&true));
                self.stride *= 2;
            }
        }
        self.last = Some(sample);
        self.cycles += 1;
        self.integrated += u64::from(estimate.method == Method::Integrated);
        self.warned += u64::from(estimate.warning.is_some());
        self.step(estimate, time);
    }

    fn step(&mut self, estimate: &Estimate, time: f64) {
        for (number, leg) in estimate.legs.iter().enumerate() {
            let open = &mut self.open[number];
            let Some(anchor) = leg.anchor.filter(|_| leg.support() > 0.0) else {
                self.stances.extend(open.take());
                continue;
            };
            self.cycles_down[number] += 1;
            let place = [anchor.centre.x, anchor.centre.y];
            let slip = leg.slip(&estimate.pose);
            match open {
                Some(stance) if time >= stance.to => (stance.to, stance.slip) = (time, slip),
                _ => {
                    self.stances.extend(open.take());
                    *open = Some(Stance { leg: number, from: time, to: time, place, slip });
                }
            }
        }
    }

    /// Ends the steps that are still open.
    pub fn finish(&mut self) {
        for open in &mut self.open {
            self.stances.extend(open.take());
        }
    }

    /// Duration, s.
    pub fn duration(&self) -> f64 {
        self.last.map_or(0.0, |last| last.time)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.samples.first(), self.last) else {
            return writeln!(f, "no joints were used");
        };
        let shift = (last.place[0] - first.place[0]).hypot(last.place[1] - first.place[1]);
        let turn = (last.heading - first.heading).to_degrees();
        writeln!(f, "{} cycles in {:.2} s", self.cycles, self.duration())?;
        writeln!(f, "distance {:.3} m, from start to end {shift:.3} m, heading {turn:+.1}°", self.distance)?;
        writeln!(f, "end at x {:.4} y {:.4} z {:.4} m", last.place[0], last.place[1], last.place[2])?;
        for (number, name) in self.legs.iter().enumerate() {
            let steps: Vec<&Stance> = self.stances.iter().filter(|stance| stance.leg == number).collect();
            let mean = steps.iter().map(|step| step.slip).sum::<f64>() / steps.len().max(1) as f64;
            let most = steps.iter().map(|step| step.slip).fold(0.0, f64::max);
            let share = 100.0 * self.cycles_down[number] as f64 / self.cycles as f64;
            writeln!(
                f,
                "{name:>8}: {:5} steps, down {share:5.1} % of the time, slip per step {:.1} mm (most {:.1} mm)",
                steps.len(),
                1e3 * mean,
                1e3 * most
            )?;
        }
        let share = |count: u64| 100.0 * count as f64 / self.cycles as f64;
        writeln!(f, "{} cycles ({:.1} %) by velocity alone", self.integrated, share(self.integrated))?;
        writeln!(f, "{} cycles ({:.1} %) without two support legs", self.warned, share(self.warned))?;
        if self.resets > 0 {
            writeln!(f, "time was set back {} times", self.resets)?;
        }
        if let Some(reason) = &self.first_refusal {
            writeln!(f, "{} messages refused; the first was {reason}", self.refused)?;
        }
        if let Some(comparison) = compare(&self.path, &self.truth) {
            write!(f, "{comparison}")?;
        }
        Ok(())
    }
}
