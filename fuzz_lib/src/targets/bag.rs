//! Bags: the file, and every message in it.

use std::path::PathBuf;

use odometry_node::OdometryParams;
use odometry_node::replay::{
    Bag, BodyMessage, ImuMessage, JointReader, Role, SupportMessage, SyncMessage, Topics, Trajectory,
    description,
};

use super::{Give, Target};
use crate::corpus;

pub(crate) const TARGET: Target = Target {
    name: "bag",
    words: &[
        "\u{89}MCAP0\r\n",
        "zstd",
        "lz4",
        "cdr",
        "/joints",
        "sensor_msgs/msg/JointState",
        "SQLite format 3\0",
        "(\u{b5}/\u{fd}",
    ],
    corpus: || corpus("bag", &[]),
    build,
};

/// A folder that is gone when nobody needs it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn build() -> anyhow::Result<Give> {
    let folder = Folder(std::env::temp_dir().join(format!("gaitway_fuzz_{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let params = OdometryParams::default();
    let mut joints = JointReader::default();
    Ok(Box::new(move |bytes| {
        // As its first byte says, not its name: a mutation may make anything of anything.
        let name = match bytes {
            [b'S', ..] => "bag.db3",
            [0x28, 0xb5, 0x2f, 0xfd, ..] if bytes.len() % 2 == 0 => "bag.db3.zstd",
            [0x28, 0xb5, 0x2f, 0xfd, ..] => "bag.mcap.zstd",
            _ => "bag.mcap",
        };
        let path = folder.0.join(name);
        let Ok(()) = std::fs::write(&path, bytes) else { return };
        let Ok(bag) = Bag::open(&path) else { return };
        let _ = bag.read(&mut Topics::default(), &mut |message| {
            let data = message.data;
            match message.channel.wanted.role {
                Some(Role::Joints) => drop(joints.read(data)),
                Some(Role::Support) => drop(SupportMessage::read(data)),
                Some(Role::Body) => {
                    if let Ok(body) = BodyMessage::read(data) {
                        let _ = body.body(&params);
                    }
                }
                Some(Role::Sync) => drop(SyncMessage::read(data)),
                Some(Role::Imu) => drop(ImuMessage::read(data)),
                Some(Role::Truth | Role::Description) | None => {}
            }
            Ok(())
        });
        let _ = description(&bag, &Topics::default());
        let _ = Trajectory::read(&bag, None, true, &params);
    }))
}
