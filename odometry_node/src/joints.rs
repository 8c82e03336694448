//! Joint messages: names in any order, checked, turned into the model's order.

use robot_model_lib::{JointSlot, RobotModel};

use crate::Refused;

/// Joints that a message may carry and nobody here needs.
const IGNORED: usize = usize::MAX;

/// Takes joint messages; what it holds is always complete and finite.
#[derive(Debug, Clone)]
pub struct JointIntake {
    names: Vec<String>,
    slots: Vec<(String, usize)>,
    /// The names of the last message, and where their joints go: a message carries the same ones every time.
    last_names: Vec<String>,
    places: Vec<usize>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// Where the next message is put together, so that a bad one changes nothing.
    next: Vec<f64>,
    next_velocity: Vec<f64>,
    mean_rates: bool,
    filled: bool,
}

impl JointIntake {
    /// For the joints of a robot.
    pub fn new(model: &RobotModel) -> Self {
        let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
        let place = |name: &String| match model.find_joint(name) {
            JointSlot::Joint { index, .. } => (name.clone(), index),
            _ => (name.clone(), IGNORED),
        };
        let mut slots: Vec<_> = names.iter().map(place).collect();
        slots.sort();
        let zeros = vec![0.0; names.len()];
        Self {
            slots,
            last_names: vec![],
            places: vec![],
            position: zeros.clone(),
            velocity: zeros.clone(),
            next: zeros.clone(),
            next_velocity: zeros,
            names,
            mean_rates: false,
            filled: false,
        }
    }

    /// Takes a message. Velocities that are absent (no array, or NaN) are differences over `dt`, the time since the last
    /// message, s; None when that message is of no account.
    pub fn take<S: AsRef<str>>(
        &mut self,
        names: &[S],
        position: &[f64],
        velocity: &[f64],
        dt: Option<f64>,
    ) -> Result<(), Refused> {
        lengths("position", position.len(), names.len())?;
        if !velocity.is_empty() {
            lengths("velocity", velocity.len(), names.len())?;
        }
        let same = |(last, name): (&String, &S)| last == name.as_ref();
        if names.len() != self.last_names.len() || !self.last_names.iter().zip(names).all(same) {
            self.check(names)?;
            self.places = names.iter().map(|name| self.place(name.as_ref())).collect();
            self.last_names = names.iter().map(|name| name.as_ref().to_owned()).collect();
        }
        self.next_velocity.fill(f64::NAN);
        for (at, (&place, &value)) in self.places.iter().zip(position).enumerate() {
            if place == IGNORED {
                continue;
            }
            let rate = velocity.get(at).copied().unwrap_or(f64::NAN);
            if !value.is_finite() || rate.is_infinite() {
                let what = if value.is_finite() { "velocity" } else { "position" };
                return Err(Refused::NotFinite { name: names[at].as_ref().into(), what });
            }
            self.next[place] = value;
            self.next_velocity[place] = rate;
        }
        let dt = dt.filter(|_| self.filled);
        self.mean_rates = false;
        for (place, rate) in self.next_velocity.iter_mut().enumerate().filter(|(_, rate)| rate.is_nan()) {
            self.mean_rates = true;
            *rate = match dt {
                Some(dt) if dt > 0.0 => (self.next[place] - self.position[place]) / dt,
                Some(_) => self.velocity[place],
                None => 0.0,
            };
        }
        std::mem::swap(&mut self.position, &mut self.next);
        std::mem::swap(&mut self.velocity, &mut self.next_velocity);
        self.filled = true;
        Ok(())
    }

    /// Positions, sorted order.
    pub fn position(&self) -> &[f64] {
        &self.position
    }

    /// Velocities, sorted order.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Whether any velocity is a difference.
    pub fn mean_rates(&self) -> bool {
        self.mean_rates
    }

    fn place(&self, name: &str) -> usize {
        let slots = &self.slots;
        slots.binary_search_by(|(known, _)| known.as_str().cmp(name)).map_or(IGNORED, |at| slots[at].1)
    }

    /// A new set of names: each joint of the robot once.
    fn check<S: AsRef<str>>(&self, names: &[S]) -> Result<(), Refused> {
        let mut sorted: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refused::Twice { name: pair[0].into() });
        }
        let absent = || self.names.iter().filter(|name| sorted.binary_search(&name.as_str()).is_err());
        match absent().next() {
            Some(name) => Err(Refused::Missing {
                name: name.clone(),
                missing: absent().count(),
                joints: self.names.len(),
            }),
            None => Ok(()),
        }
    }
}

/// Refuses an array that has not one value per name.
pub(crate) fn lengths(what: &'static str, found: usize, names: usize) -> Result<(), Refused> {
    if found == names { Ok(()) } else { Err(Refused::Lengths { what, found, names }) }
}
