//! The full names of topics, as rcl finds them: namespace, `~`, and the remappings of the command line.

/// Resolves the names of one node's topics, so that nodes of one process find each other.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// `/ns/node`.
    full_name: String,
    /// From and to, of rules that apply to the node.
    remaps: Vec<(String, String)>,
}

impl Names {
    pub(crate) fn new(full_name: &str, args: &[String]) -> Names {
        let node = full_name.rsplit('/').next().unwrap_or_default();
        let mut names = Names { full_name: full_name.into(), remaps: vec![] };
        let mut in_ros = false;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--ros-args" => in_ros = true,
                "--" => in_ros = false,
                "-r" | "--remap" if in_ros => {
                    let rule = args.next().and_then(|rule| rule.split_once(":="));
                    let Some((from, to)) = rule else { continue };
                    let from = match from.split_once(':') {
                        Some((of, from)) if of == node => from,
                        Some(_) => continue,
                        None => from,
                    };
                    if !from.starts_with("__") {
                        let rule = (names.expand(from), names.expand(to));
                        names.remaps.push(rule);
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn expand(&self, topic: &str) -> String {
        let topic = topic.strip_prefix("rostopic://").unwrap_or(topic);
        let namespace = self.full_name.rsplit_once('/').map_or("", |(namespace, _)| namespace);
        match topic.strip_prefix('~') {
            Some(rest) => format!("{}/{}", self.full_name, rest.trim_start_matches('/')),
            None if topic.starts_with('/') => topic.into(),
            None => format!("{namespace}/{topic}"),
        }
    }

    /// The name under which the rest of the world knows a topic of the node.
    pub(crate) fn resolve(&self, topic: &str) -> String {
        let full = self.expand(topic);
        // The first rule that fits is the one, as in rcl.
        self.remaps.iter().find(|(from, _)| *from == full).map_or(full.clone(), |(_, to)| to.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(full_name: &str, args: &str) -> Names {
        Names::new(full_name, &args.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_relative_private_or_absolute() {
        let names = names("/robot1/gait_node", "");
        let resolved = ["joints", "~/play", "/tf"].map(|topic| names.resolve(topic));
        assert_eq!(resolved, ["/robot1/joints", "/robot1/gait_node/play", "/tf"]);
        assert_eq!(Names::new("/gait_node", &[]).resolve("joints"), "/joints");
    }

    #[test]
    fn remappings_apply_to_all_nodes_or_to_one() {
        let args = "x -r no:=matter --ros-args -r joints:=joint_states -r gait_node:sync:=/beat -r other:tf:=x \
                    --remap joints:=late -r __node:=y -- -r goals:=z";
        let resolved =
            |node: &str| ["joints", "sync", "goals", "tf", "no"].map(|t| names(node, args).resolve(t));
        assert_eq!(resolved("/a/gait_node"), ["/a/joint_states", "/beat", "/a/goals", "/a/tf", "/a/no"]);
        assert_eq!(resolved("/other"), ["/joint_states", "/sync", "/goals", "/x", "/no"]);
    }
}
