//! Stances that the legs reach, as near to those that are asked for as can be.

use crate::body_pose::BodyPose;
use crate::foot::Foot;
use crate::legs::Legs;
use crate::posture::Base;
use nalgebra::{Isometry2, Vector2};

/// A foot can be put so far aside and lifted as high, m: at the very end of its reach a robot stands and cannot step.
const STEP: f64 = 0.02;
/// Shares of the way to what is asked for, by halves.
const HALVINGS: usize = 8;
/// Stances that are tried where the one with all joints at zero is out of reach: so many, each narrower and lower by as much as the first.
const TRIES: i32 = 10;
const LOWER: f64 = 0.03;

/// Where the body is above feet at their homes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stance {
    /// The body.
    pub body: BodyPose,
    /// The feet, seen from the point below it.
    pub homes: Vec<Isometry2<f64>>,
}

/// Legs that try stances, from joints at `zero`.
pub struct Stances<'a> {
    /// The legs.
    pub legs: &'a mut Legs,
    /// Where they begin.
    pub zero: &'a [f64],
}

impl Stances<'_> {
    /// Whether all feet reach their homes, level, and, to `step`, places around and above them.
    pub fn reach(&mut self, stance: &Stance, step: bool) -> bool {
        let (base, mut q) = (Base::rest(stance.body), self.zero.to_vec());
        let aside =
            [(0.0, 0.0, 0.0), (STEP, 0.0, 0.0), (0.0, STEP, 0.0), (-STEP, 0.0, 0.0), (0.0, -STEP, 0.0)];
        aside.into_iter().chain([(0.0, 0.0, STEP)]).take(if step { 6 } else { 1 }).all(|(x, y, height)| {
            let by = Vector2::new(x, y);
            let place = |home: &Isometry2<f64>| {
                Isometry2::from_parts((home.translation.vector + by).into(), home.rotation)
            };
            let mut feet: Vec<Foot> = stance.homes.iter().map(|home| Foot::standing(place(home))).collect();
            feet.iter_mut().for_each(|foot| foot.height.0 = height);
            let mut is_there = true;
            self.legs.place(&base, &feet, &mut q, |reach| is_there &= reach.is_level);
            is_there
        })
    }

    /// The stance that is asked for, or the nearest to it on the way from one with joints near zero. As it is asked for where no leg reaches anything.
    pub fn nearest(&mut self, asked: Stance) -> Stance {
        if self.reach(&asked, true) {
            return asked;
        }
        let Some(middle) = self.middle(&asked.homes) else { return asked };
        let share = self.share(&middle, &asked.body, true);
        Stance { body: middle.body.toward(&asked.body, share), ..middle }
    }

    /// How much of the way from a stance in reach to another pose of the body the legs reach; to `step` as well.
    pub fn share(&mut self, stance: &Stance, asked: &BodyPose, step: bool) -> f64 {
        let at = |share| Stance { body: stance.body.toward(asked, share), homes: stance.homes.clone() };
        if self.reach(&at(1.0), step) {
            return 1.0;
        }
        let mut share = 0.0;
        for halving in 1..=HALVINGS {
            let more = share + 0.5_f64.powi(halving as i32);
            share = if self.reach(&at(more), step) { more } else { share };
        }
        share
    }

    /// A stance in reach: as wide as asked for, with the body as high as with all joints at zero, or less of both.
    fn middle(&mut self, homes: &[Isometry2<f64>]) -> Option<Stance> {
        let bare = self.legs.homes().to_vec();
        let lengths = (0..=TRIES).flat_map(|narrower| (0..=TRIES).map(move |lower| (narrower, lower)));
        let stances = lengths.map(|(narrower, lower)| {
            let narrow = f64::from(narrower) / f64::from(TRIES);
            let home = |(home, bare): (&Isometry2<f64>, &Isometry2<f64>)| {
                let place = home.translation.vector.lerp(&bare.translation.vector, narrow);
                Isometry2::from_parts(place.into(), home.rotation)
            };
            let z = self.legs.height() * (1.0 - LOWER * f64::from(lower));
            let body = BodyPose { z, ..BodyPose::default() };
            Stance { body, homes: homes.iter().zip(&bare).map(home).collect() }
        });
        let stances: Vec<Stance> = stances.collect();
        stances.into_iter().find(|stance| self.reach(stance, true))
    }
}
