//! The text of a message type with all types inside it, as a recording carries it for those who open it without ROS.

use std::collections::BTreeSet;
use std::path::Path;

const SEPARATOR: &str = "================================================================================";
/// A type that nests deeper than anything in ROS is a file that was made to keep us busy.
const MOST: usize = 200;

/// A type is known by its package and name.
type Kind = (String, String);

/// The definition of `package/Name` (or `package/msg/Name`), with `read` giving the text of one type; `None` where one of them is not to be had.
pub fn definition(kind: &str, read: impl Fn(&str, &str) -> Option<String>) -> Option<String> {
    let mut parts = kind.split('/');
    let (package, name) = (parts.next()?, parts.next_back()?);
    let text = read(package, name)?;
    let mut seen = BTreeSet::from([(package.to_string(), name.to_string())]);
    let mut waiting: Vec<Kind> = inside(package, &text);
    let mut whole = text;
    while let Some(next) = waiting.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        let (package, name) = &next;
        let text = read(package, name).filter(|_| seen.len() < MOST)?;
        waiting.extend(inside(package, &text));
        whole.push_str(&format!("\n{SEPARATOR}\nMSG: {package}/{name}\n{text}"));
    }
    Some(whole)
}

/// The types of a definition's fields that are messages themselves.
fn inside(package: &str, text: &str) -> Vec<Kind> {
    let field = |line: &str| {
        let word = line.split('#').next()?.split_whitespace().next()?;
        let word = word.split(['[', '<']).next()?;
        match word.split_once('/') {
            Some((package, name)) => Some((package.to_string(), name.rsplit('/').next()?.to_string())),
            // Types of ROS begin with a capital letter, those of numbers and texts do not.
            None if word.starts_with(char::is_uppercase) => Some((package.to_string(), word.to_string())),
            None => None,
        }
    };
    text.lines().filter_map(field).collect()
}

/// Reads a type as it is installed, below one of the `prefixes` (`AMENT_PREFIX_PATH`).
pub fn installed(prefixes: &str, package: &str, name: &str) -> Option<String> {
    let file = |prefix: &str| Path::new(prefix).join(format!("share/{package}/msg/{name}.msg"));
    prefixes
        .split(':')
        .filter(|prefix| !prefix.is_empty())
        .find_map(|prefix| std::fs::read_to_string(file(prefix)).ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(package: &str, name: &str) -> Option<String> {
        let text = match (package, name) {
            ("gait_msgs", "SyncStep") => {
                "# The beat.\nstd_msgs/Header header\nuint32 cycle # 1, 2, …\nfloat64 period\n"
            }
            ("std_msgs", "Header") => "builtin_interfaces/Time stamp\nstring frame_id\n",
            ("builtin_interfaces", "Time") => "int32 sec\nuint32 nanosec\n",
            ("tf2_msgs", "TFMessage") => "geometry_msgs/TransformStamped[] transforms\n",
            ("geometry_msgs", "TransformStamped") => {
                "std_msgs/Header header\nTransform transform\nuint8 OK=0\nstring<=10 s\nHeader[<=3] more"
            }
            ("geometry_msgs", "Transform" | "Header") => "float64[36] x\n",
            ("loop", "A") => "B b\n",
            ("loop", "B") => "A a\n",
            _ => return None,
        };
        Some(text.into())
    }

    #[test]
    fn a_type_carries_every_type_inside_it_once() {
        let text = definition("gait_msgs/SyncStep", read).unwrap();
        assert_eq!(text, definition("gait_msgs/msg/SyncStep", read).unwrap());
        assert!(text.starts_with("# The beat.\n"), "{text}");
        let parts: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("MSG: ")).collect();
        assert_eq!(parts, ["std_msgs/Header", "builtin_interfaces/Time"]);
        let text = definition("tf2_msgs/TFMessage", read).unwrap();
        let mut parts: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("MSG: ")).collect();
        parts.sort_unstable();
        let found = [
            "builtin_interfaces/Time",
            "geometry_msgs/Header",
            "geometry_msgs/Transform",
            "geometry_msgs/TransformStamped",
        ];
        assert_eq!(parts[..4], found);
        assert_eq!(parts[4..], ["std_msgs/Header"]);
    }

    #[test]
    fn what_is_not_to_be_had_gives_nothing_and_a_loop_ends() {
        assert_eq!(definition("gait_msgs/Nothing", read), None);
        assert_eq!(definition("", read), None);
        assert!(definition("loop/A", read).unwrap().ends_with("MSG: loop/B\nA a\n"));
    }
}
