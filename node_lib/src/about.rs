//! What a node says of itself: `--help`.

use param_lib::{Overrides, Params, Table};

/// A topic, service or action of a node.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// Name of the topic or service, relative to the namespace.
    pub name: &'static str,
    /// Interface type, `package/Name`.
    pub kind: &'static str,
    /// `in`, `out`, `service` or `action`.
    pub role: &'static str,
    /// What it carries.
    pub doc: &'static str,
}

/// A topic that a node listens to.
pub const fn input(name: &'static str, kind: &'static str, doc: &'static str) -> Endpoint {
    Endpoint { name, kind, role: "in", doc }
}

/// A topic that a node publishes.
pub const fn output(name: &'static str, kind: &'static str, doc: &'static str) -> Endpoint {
    Endpoint { name, kind, role: "out", doc }
}

/// A service that a node offers.
pub const fn service(name: &'static str, kind: &'static str, doc: &'static str) -> Endpoint {
    Endpoint { name, kind, role: "service", doc }
}

/// An action that a node offers.
pub const fn action(name: &'static str, kind: &'static str, doc: &'static str) -> Endpoint {
    Endpoint { name, kind, role: "action", doc }
}

/// Name, purpose and endpoints of a node; its parameters come from the parameter struct.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Name of the node unless `__node` is remapped.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub purpose: &'static str,
    /// Its topics and services.
    pub endpoints: &'static [Endpoint],
}

impl About {
    /// The text of `--help`.
    pub fn help<P: Params>(&self) -> String {
        let mut out = format!("{}\n\n{}\n", self.name, self.purpose);
        let usage = "[--help] [--print-params] [--ros-args -p NAME:=VALUE --params-file FILE -r FROM:=TO …]";
        out.push_str(&format!("\nUsage: {} {usage}\n\nTopics, services, actions:\n", self.name));
        for p in self.endpoints {
            out.push_str(&format!("  {:<8} {:<18} {:<32} {}\n", p.role, p.name, p.kind, p.doc));
        }
        out.push_str("\nParameters:\n");
        for s in P::specs() {
            let rules = s.rules();
            let rules = if rules.is_empty() { rules } else { format!(" [{rules}]") };
            out.push_str(&format!("  {} = {}{rules}\n      {}\n", s.name, s.default, s.doc));
        }
        out.push_str(&P::notes());
        out
    }

    /// The text of `--print-params`: a parameter file with every default, or what the arguments say.
    pub fn print_params<P: Params>(&self, args: &[String]) -> anyhow::Result<String> {
        let overrides = Overrides::from_args(args)?.for_node(&format!("/{}", self.name));
        Ok(Table::declare_all(P::specs_for(&overrides)?, &overrides)?.to_yaml(self.name))
    }
}
