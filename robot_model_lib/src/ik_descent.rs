//! How inverse kinematics gets from a start to the nearest place it can.

use crate::IkGoal;
use crate::ik::ChainIk;
use crate::ik_goal::Miss;
use crate::ik_step::{ROWS, damped, prioritised};

/// Damping of the first step, and where it stops to fall or to rise (units of m²).
const DAMPING: (f64, f64, f64) = (1e-4, 1e-13, 1e3);
/// A descent that gains less than this share of what is missing, several times over, has arrived.
const STALL: f64 = 1e-4;
const STALLS: usize = 4;

impl ChainIk {
    /// From the joints in `self.q` to a place where nothing improves.
    pub(crate) fn descend(&mut self, goal: &IkGoal) -> Miss {
        if let IkGoal::Position(_) = goal {
            return self.fall(goal, 0.0);
        }
        let miss = self.fall(goal, self.options.arm);
        if self.close(&miss) {
            return miss;
        }
        // The whole goal is out of reach from here: the position comes first.
        let miss = self.fall(goal, 0.0);
        self.turn_in_place(goal, miss)
    }

    /// Damped least squares (Levenberg–Marquardt) on position and, weighted by `arm`, orientation.
    fn fall(&mut self, goal: &IkGoal, arm: f64) -> Miss {
        let (mut damping, least, most) = DAMPING;
        let mut miss = self.look(goal);
        let mut stalls = 0;
        for _ in 0..self.options.max_iterations {
            if self.arrived(&miss, arm) {
                break;
            }
            self.weigh(goal, arm);
            let error = weighted(&miss, arm);
            if !self.release(&error) {
                break;
            }
            self.kept.copy_from_slice(&self.q[self.joints.clone()]);
            let before = cost(&miss, arm);
            loop {
                let solved = damped(&self.columns, &self.free, &error, damping, &mut self.step);
                self.advance();
                let trial = self.look(goal);
                if solved && cost(&trial, arm) < before {
                    damping = (damping * 0.1).max(least);
                    miss = trial;
                    break;
                }
                self.q[self.joints.clone()].copy_from_slice(&self.kept);
                damping *= 10.0;
                if damping > most {
                    return self.look(goal);
                }
            }
            stalls = if cost(&miss, arm) > (1.0 - STALL) * before { stalls + 1 } else { 0 };
            if stalls >= STALLS {
                break;
            }
        }
        miss
    }

    /// Holds the position that was found and turns towards the goal as far as that goes.
    fn turn_in_place(&mut self, goal: &IkGoal, mut miss: Miss) -> Miss {
        let slack = miss.position.norm().max(self.options.position_tolerance) * (1.0 + 1e-9);
        let mut damping = 1e-4;
        for _ in 0..self.options.max_iterations {
            self.weigh(goal, 1.0);
            // What the position lacks is mended by `fall`; here it shall only stay.
            let mut error = weighted(&miss, 1.0);
            error[..3].fill(0.0);
            self.anchor.copy_from_slice(&self.q[self.joints.clone()]);
            self.kept.copy_from_slice(&self.anchor);
            self.free.fill(true);
            // A joint that would leave its limits is held, and the others are asked again.
            for _ in 0..self.free.len() {
                if !prioritised(&self.columns, &self.free, &error, damping, &mut self.step) || !self.hold() {
                    break;
                }
            }
            self.advance();
            let trial = self.fall(goal, 0.0);
            let gain = miss.angle.norm() - trial.angle.norm();
            if trial.position.norm() <= slack && gain > 0.0 {
                miss = trial;
                damping = (damping * 0.2).max(1e-12);
                if gain < 1e-11 || self.close(&miss) {
                    break;
                }
            } else {
                self.q[self.joints.clone()].copy_from_slice(&self.anchor);
                damping *= 10.0;
                if damping > 1e4 {
                    break;
                }
            }
        }
        self.look(goal)
    }

    /// Computes the kinematics and what is missing.
    fn look(&mut self, goal: &IkGoal) -> Miss {
        self.evaluations += 1;
        self.kinematics.update(&self.q);
        let normal = self.kinematics.contact(self.chain).normal;
        goal.miss(&self.kinematics.contact_frame(self.chain), &normal)
    }

    /// The Jacobian with its angular rows weighted; a turn about the normal counts for nothing when
    /// only the normal is asked for.
    fn weigh(&mut self, goal: &IkGoal, arm: f64) {
        let normal = self.kinematics.contact(self.chain).normal;
        let ours = self.kinematics.jacobian_columns(self.chain);
        for (column, jacobian) in self.columns.iter_mut().zip(ours) {
            *column = *jacobian;
            if let IkGoal::Normal(..) = goal {
                let along = (0..3).map(|i| column[3 + i] * normal[i]).sum::<f64>();
                (0..3).for_each(|i| column[3 + i] -= along * normal[i]);
            }
            column[3..].iter_mut().for_each(|row| *row *= arm);
        }
    }

    /// Frees the joints that the error does not press against a limit; `false` when none would move.
    fn release(&mut self, error: &[f64; ROWS]) -> bool {
        let mut moves = false;
        let values = &self.q[self.joints.clone()];
        for (((free, column), value), limits) in
            self.free.iter_mut().zip(&self.columns).zip(values).zip(&self.limits)
        {
            let push: f64 = (0..ROWS).map(|row| column[row] * error[row]).sum();
            *free = !(*value <= limits.lower && push < 0.0 || *value >= limits.upper && push > 0.0);
            moves |= *free && push.abs() > 1e-22;
        }
        moves
    }

    /// Holds the joints whose step leads out of their limits; whether any was held.
    fn hold(&mut self) -> bool {
        let mut held = false;
        let values = self.kept.iter().zip(&self.step).zip(&self.limits);
        for (free, ((value, step), limits)) in self.free.iter_mut().zip(values) {
            let out = *value <= limits.lower && *step < 0.0 || *value >= limits.upper && *step > 0.0;
            held |= *free && out;
            *free &= !out;
        }
        held
    }

    /// From the kept joints by the step, but no further than the limits.
    fn advance(&mut self) {
        let moved = self.kept.iter().zip(&self.step).zip(&self.limits);
        for (value, ((kept, step), limits)) in self.q[self.joints.clone()].iter_mut().zip(moved) {
            *value = limits.clamp(kept + step);
        }
    }

    fn arrived(&self, miss: &Miss, arm: f64) -> bool {
        miss.position.norm() <= self.options.position_tolerance && (arm <= 0.0 || self.close(miss))
    }

    fn close(&self, miss: &Miss) -> bool {
        miss.position.norm() <= self.options.position_tolerance
            && miss.angle.norm() <= self.options.angle_tolerance
    }
}

fn weighted(miss: &Miss, arm: f64) -> [f64; ROWS] {
    let (p, a) = (miss.position, miss.angle * arm);
    [p.x, p.y, p.z, a.x, a.y, a.z]
}

fn cost(miss: &Miss, arm: f64) -> f64 {
    miss.position.norm_squared() + arm * arm * miss.angle.norm_squared()
}
