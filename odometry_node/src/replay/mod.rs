//! The odometry of a recorded bag, as fast as it can be read.

mod bag;
mod cdr;
mod mcap_file;
mod messages;
mod output;
mod plot;
mod relay;
mod run;
mod schemas;
mod scratch;
mod sqlite_file;
mod summary;
mod topics;

pub use bag::{Bag, Recorded, Visit};
pub use cdr::{CdrError, Reader, Writer};
pub use messages::{BodyMessage, JointReader, SupportMessage, SyncMessage};
pub use plot::draw;
pub use run::{Replay, replay};
pub use summary::{Sample, Stance, Summary};
pub use topics::{Role, Topics};
