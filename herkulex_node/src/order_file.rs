//! The file that remembers orders until they have reached their servos: a few lines of text, one file per port.
//!
//! ```text
//! herkulex_node orders 1
//! off 3 7
//! brake 20
//! end
//! ```

use crate::bus::Undelivered;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FIRST: &str = "herkulex_node orders 1";
/// Longer names of ports are cut and told apart by a number.
const LONGEST: usize = 80;

/// Where the file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFile {
    path: PathBuf,
}

/// The folder if none is told: `$ROS_HOME`, `$XDG_STATE_HOME` or `~/.ros`, and there `herkulex_node`.
pub fn default_directory(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").map(|home| home.join(".ros"));
    Some(set("ROS_HOME").or_else(|| set("XDG_STATE_HOME")).or_else(home)?.join("herkulex_node"))
}

impl OrderFile {
    /// For a port, in a folder that need not exist yet.
    pub fn new(directory: &Path, port: &str) -> OrderFile {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let mut name: String = port.trim_start_matches('/').chars().map(plain).collect();
        if name.len() > LONGEST {
            // FNV-1a: the same in every build, as a name of a file must be.
            let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            let hash = port.bytes().fold(0xCBF2_9CE4_8422_2325, step);
            name = format!("{}_{hash:016x}", &name[name.len() - LONGEST..]);
        }
        OrderFile { path: directory.join(format!("{name}.orders")) }
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; no file is no orders.
    pub fn read(&self) -> io::Result<Undelivered> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => parse(&text).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Undelivered::default()),
            Err(e) => Err(e),
        }
    }

    /// Replaces what it holds, as a whole or not at all; nothing to remember is no file.
    pub fn write(&self, orders: &Undelivered) -> io::Result<()> {
        if orders.is_empty() {
            return match std::fs::remove_file(&self.path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => Ok(()),
            };
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let new = self.path.with_extension("new");
        let mut file = std::fs::File::create(&new)?;
        file.write_all(text(orders).as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)
    }
}

fn text(orders: &Undelivered) -> String {
    let mut text = format!("{FIRST}\n");
    if orders.stop {
        text.push_str("stop\n");
    }
    for (word, ids) in [("off", &orders.off), ("brake", &orders.brake)] {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.iter().map(u8::to_string).collect();
            text += &format!("{word} {}\n", ids.join(" "));
        }
    }
    text + "end\n"
}

/// The orders in a text, or what is wrong with it: it is believed as a whole or not at all.
fn parse(text: &str) -> Result<Undelivered, String> {
    let rest = text.strip_prefix(FIRST).and_then(|rest| rest.strip_prefix('\n'));
    let rest = rest.ok_or_else(|| format!("it does not begin with \"{FIRST}\""))?;
    let rest = rest.strip_suffix("end\n").ok_or("it has no end")?;
    let mut orders = Undelivered::default();
    for line in rest.lines() {
        let mut words = line.split(' ');
        let ids = match words.next() {
            Some("off") => &mut orders.off,
            Some("brake") => &mut orders.brake,
            _ if line == "stop" => {
                orders.stop = true;
                continue;
            }
            _ => return Err(format!("{line:?} is no order")),
        };
        for word in words {
            ids.push(word.parse().map_err(|_| format!("{word:?} is no id"))?);
        }
    }
    Ok(orders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_folder_is_that_of_ros_or_of_the_user() {
        let of = |set: &[(&str, &str)]| {
            let found = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            default_directory(found).map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(
            of(&[("HOME", "/u"), ("XDG_STATE_HOME", "/s"), ("ROS_HOME", "/r")]).unwrap(),
            "/r/herkulex_node"
        );
        assert_eq!(
            of(&[("HOME", "/u"), ("XDG_STATE_HOME", "/s"), ("ROS_HOME", "")]).unwrap(),
            "/s/herkulex_node"
        );
        assert_eq!(of(&[("HOME", "/u")]).unwrap(), "/u/.ros/herkulex_node");
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn each_port_has_a_file_of_its_own() {
        let name = |port: &str| OrderFile::new(Path::new("/s"), port).path().to_string_lossy().into_owned();
        assert_eq!(name("/dev/ttyUSB0"), "/s/dev_ttyUSB0.orders");
        let long = |end: &str| name(&format!("/dev/{}{end}", "é/".repeat(300)));
        assert!(long("a").len() < 120 && long("a") != long("b") && long("/../x").matches('/').count() == 2);
        assert_ne!(name(&format!("/a{}", "x".repeat(200))), name(&format!("/b{}", "x".repeat(200))));
    }

    #[test]
    fn what_is_damaged_is_not_believed() {
        let whole = text(&Undelivered { stop: true, off: vec![3, 253], brake: vec![0] });
        assert_eq!(whole, "herkulex_node orders 1\nstop\noff 3 253\nbrake 0\nend\n");
        for cut in 0..whole.len() {
            assert!(parse(&whole[..cut]).is_err(), "{cut}");
        }
        for bad in ["herkulex_node orders 1\noff 256\nend\n", "herkulex_node orders 1\nof 3\nend\n", "\0\0\0"]
        {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(stop: bool, off: Vec<u8>, brake: Vec<u8>) {
            let orders = Undelivered { stop, off, brake };
            prop_assert_eq!(parse(&text(&orders)), Ok(orders));
        }

        #[test]
        fn no_text_is_too_bad(text in "(herkulex_node orders 1\n)?[a-z0-9 \n]{0,40}(end\n)?") {
            let _ = parse(&text);
        }
    }
}
