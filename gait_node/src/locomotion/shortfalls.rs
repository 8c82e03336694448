//! What became of a posture that the legs do not reach.

use super::Locomotion;
use crate::body_pose::BodyPose;
use crate::note::Note;
use crate::stride::Stride;

/// The parameters of a pose: forward, left, height, roll, pitch, yaw.
const STANDING: [&str; 6] = ["body_x", "body_y", "height", "body_roll", "body_pitch", "body_yaw"];
const SITTING: [&str; 6] = [
    "postures.sit.x",
    "postures.sit.y",
    "postures.sit.height",
    "postures.sit.roll",
    "postures.sit.pitch",
    "postures.sit.yaw",
];
const STANCE: [&str; 6] = ["stance_length", "stance_width", "", "", "", ""];

/// Rounding is no difference, m or rad.
const SAME: f64 = 1e-9;

impl Locomotion {
    /// What is less of a posture than was asked for.
    pub fn shortfalls(&self) -> impl Iterator<Item = Note<'_>> {
        let asked = self.question.as_ref();
        let body = asked.map(|asked| (STANDING, self.body, asked.body));
        let sit = asked.and_then(|asked| Some((SITTING, self.sit?, asked.sit?)));
        let spread = asked.map(|asked| (STANCE, self.spread(&self.stride), self.spread(&asked.asked)));
        body.into_iter().chain(sit).chain(spread).flat_map(|(names, is, wanted)| {
            let parts = names.into_iter().zip(is.parts()).zip(wanted.parts());
            parts
                .filter(|((_, is), wanted)| (is - wanted).abs() > SAME)
                .map(|((name, is), wanted)| Note::Nearer { name, is, wanted })
        })
    }

    /// How much further out than with all joints at zero the first foot stands.
    fn spread(&self, stride: &Stride) -> BodyPose {
        let Some((home, own)) = self.legs.homes().iter().zip(&stride.homes).next() else {
            return BodyPose::default();
        };
        let home = home.translation.vector;
        let more = (own.translation.vector - home).component_mul(&home.map(f64::signum));
        BodyPose { x: more.x, y: more.y, ..BodyPose::default() }
    }
}
