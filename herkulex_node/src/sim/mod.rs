//! A bus of simulated servos in virtual time: bytes and the time in, bytes out. No I/O and no clock, so a minute of bus
//! passes in a moment, and the same bytes at the same times always give the same answer.

mod commands;
mod faults;
mod line;
mod mechanics;
mod plant;
mod profile;
mod servo;

pub use faults::{Faults, Noise};
pub use line::{Settings, SimBus};
pub use mechanics::{Mechanics, Supply};
pub use plant::{FreeShafts, Plant};
pub use profile::Profile;
pub use servo::SimServo;
