//! The odometry of a recorded bag, as fast as it can be read.

mod bag;
mod compare;
mod encode;
mod limits;
mod mcap_file;
mod mcap_records;
mod messages;
mod metadata;
mod output;
mod panel;
mod plot;
mod relay;
mod run;
mod scratch;
mod sink;
mod sqlite_file;
mod summary;
mod survey;
mod target;
mod topics;
mod trajectory;

pub use bag::{Bag, Channel, Recorded, Visit};
pub use bag_lib::{CdrError, Reader, Writer};
pub use compare::{Comparison, compare};
pub use messages::{BodyMessage, ImuMessage, JointReader, SupportMessage, SyncMessage};
pub use plot::draw;
pub use run::{Replay, Window, replay};
pub use summary::{Sample, Stance, Summary};
pub use survey::description;
pub use target::{check_targets, write_new};
pub use topics::{Role, Topics, Wanted};
pub use trajectory::Trajectory;
