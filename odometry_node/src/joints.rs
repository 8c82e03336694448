//! Joint messages: names in any order, checked, turned into the model's order.

use robot_model_lib::{Field, JointReader, JointSlot, MessageError, RobotModel};

use crate::Refused;

/// Joints that a message may carry and nobody here needs.
const IGNORED: usize = usize::MAX;

/// Takes joint messages; what it holds is always complete and finite.
#[derive(Debug, Clone)]
pub struct JointIntake {
    names: Vec<String>,
    slots: Vec<(String, usize)>,
    /// For each joint of a message where it goes.
    reader: JointReader<usize>,
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
            reader: JointReader::new(),
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
        let fields =
            [Field::new("position", position).or_nan(), Field::new("velocity", velocity).or_empty().or_nan()];
        let slots = &self.slots;
        let source = self.reader.read(names, &fields, |name| place(slots, name))?;
        let places = self.reader.found(source);
        self.next.fill(f64::NAN);
        self.next_velocity.fill(f64::NAN);
        for (at, (&place, &value)) in
            places.iter().zip(position).enumerate().filter(|(_, (p, _))| **p != IGNORED)
        {
            if value.is_nan() {
                let joint = names[at].as_ref().into();
                return Err(MessageError::Value { field: "position", joint, value }.into());
            }
            self.next[place] = value;
            self.next_velocity[place] = velocity.get(at).copied().unwrap_or(f64::NAN);
        }
        self.check_complete()?;
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

    /// Each joint of the robot must have a position.
    fn check_complete(&self) -> Result<(), Refused> {
        let absent = || self.names.iter().zip(&self.next).filter(|(_, position)| position.is_nan());
        match absent().next() {
            Some((name, _)) => Err(Refused::Missing {
                name: name.clone(),
                missing: absent().count(),
                joints: self.names.len(),
            }),
            None => Ok(()),
        }
    }
}

fn place(slots: &[(String, usize)], name: &str) -> usize {
    slots.binary_search_by(|(known, _)| known.as_str().cmp(name)).map_or(IGNORED, |at| slots[at].1)
}

/// Refuses an array that has not one value per name.
pub(crate) fn lengths(what: &'static str, found: usize, names: usize) -> Result<(), Refused> {
    if found == names { Ok(()) } else { Err(Refused::Lengths { what, found, names }) }
}
