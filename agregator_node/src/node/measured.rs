//! The measured pose, which counts when somebody asks for it.

use crate::{Agregator, Note};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{fill, fill_names};
use std::time::{Duration, Instant};

/// An older measurement tells where the robot was.
const FRESH: Duration = Duration::from_millis(500);

/// The newest `joint_states`.
#[derive(Default)]
pub(super) struct Measured {
    name: Vec<String>,
    position: Vec<f64>,
    came: Option<Instant>,
}

impl Measured {
    /// Keeps a message, without taking memory for it anew.
    pub fn keep(&mut self, message: &JointState) {
        fill_names(&mut self.name, message.name.iter().map(String::as_str));
        fill(&mut self.position, &message.position);
        self.came = Some(Instant::now());
    }

    /// Puts the pose there: what was done, or why not.
    pub fn take(&self, agregator: &mut Agregator, note: &mut dyn FnMut(Note<'_>)) -> Result<String, String> {
        let came = self.came.ok_or("no joint_states have come")?;
        if came.elapsed() > FRESH {
            return Err(format!("the last joint_states came {:.1} s ago", came.elapsed().as_secs_f64()));
        }
        let taken = agregator.take_measured(&self.name, &self.position, note).map_err(|e| e.to_string())?;
        if taken == 0 {
            return Err("joint_states has no position of a joint of this robot".into());
        }
        Ok(format!("{taken} of {} joints are where they were measured", agregator.model().joints().len()))
    }
}
