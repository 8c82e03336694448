//! From the parameters of a chain to its filters, and all that can be wrong on the way.

use crate::convert::{declaration, to_filter};
use crate::joints::FIELDS;
use crate::params::{ChainParams, ChainType, Common, Reliability};
use filters_lib::chain::ParamInfo;
use filters_lib::{BodyTwist, Chain, ChainError, Wrench};
use param_lib::{Field, Override, ParamError, Params, Spec, Table, Value};

/// What every chain has besides its filters.
pub(crate) fn head(chain: &str) -> Vec<Spec> {
    let fixed = |name: &str, default: Value, doc: &str| Spec {
        read_only: true,
        ..Spec::new(format!("{chain}.{name}"), default, doc)
    };
    let text = |name, default: &str, doc| fixed(name, Value::Text(default.into()), doc);
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    vec![
        Spec { choices: words(ChainType::WORDS), ..text("type", "", "What the chain carries.") },
        text("input", "", "Topic that it listens to."),
        text("output", "", "Topic that it publishes on."),
        Spec {
            choices: words(Reliability::WORDS),
            ..text(
                "input_qos",
                "reliable",
                "Whether every message counts, or whether publishers that may lose some will do.",
            )
        },
        Spec {
            range: Some((0.0, 1e6)),
            unit: "Hz".into(),
            ..Spec::new(
                format!("{chain}.sampling_frequency"),
                Value::Float(0.0),
                "Rate of the input, for filters that have no parameter for it; 0 = not said.",
            )
        },
        Spec {
            choices: words(&FIELDS),
            ..fixed(
                "fields",
                Value::Texts(words(&FIELDS)),
                "What is filtered of a joint_state; the rest passes as it is.",
            )
        },
    ]
}

/// The parameters of all chains, or a line for everything that is wrong.
pub(crate) fn specs(chains: &[String], overrides: &[Override]) -> Result<Vec<Spec>, Vec<String>> {
    let (mut specs, mut lines, mut faults) = (vec![], vec![], bad_names(chains));
    for (index, chain) in chains.iter().enumerate() {
        if chain.is_empty() || chains[..index].contains(chain) {
            continue;
        }
        if let Some((line, own)) = one(chain, overrides, &mut faults) {
            lines.push(line);
            specs.extend(own);
        }
    }
    faults.extend(bad_topics(&lines));
    if faults.is_empty() { Ok(specs) } else { Err(faults) }
}

/// One chain as the declared parameters have it.
pub(crate) fn chain(table: &Table, name: &str) -> Result<ChainParams, ParamError> {
    let prefix = format!("{name}.");
    let filters = table.entries().filter_map(|(spec, value)| {
        let rest = spec.name.strip_prefix(&prefix)?;
        rest.starts_with("filter").then(|| (rest.to_string(), to_filter(value)))
    });
    let at = |parameter| format!("{prefix}{parameter}");
    let kind = ChainType::read(table, &at("type"))?;
    Ok(ChainParams {
        name: name.into(),
        kind,
        input: String::read(table, &at("input"))?,
        output: String::read(table, &at("output"))?,
        reliability: Reliability::read(table, &at("input_qos"))?,
        sampling_frequency: f64::read(table, &at("sampling_frequency"))?,
        fields: if kind == ChainType::JointState { Vec::read(table, &at("fields"))? } else { vec![] },
        filters: filters.collect(),
    })
}

/// One chain with its declarations, as far as they can be known; what is wrong is added to `faults`.
fn one(name: &str, overrides: &[Override], faults: &mut Vec<String>) -> Option<(ChainParams, Vec<Spec>)> {
    let table = Table::declare_all(head(name), overrides)
        .map_err(|error| {
            faults.extend(error.to_string().lines().map(|line| format!("chain \"{name}\": {line}")))
        })
        .ok()?;
    for parameter in ["type", "input", "output"].map(|parameter| format!("{name}.{parameter}")) {
        if table.get(&parameter) == Some(&Value::Text(String::new())) {
            faults.push(format!("chain \"{name}\": parameter `{parameter}` is missing"));
        }
    }
    // Without a type the rest cannot be judged.
    let mut line = chain(&table, name).ok()?;
    let mut specs = head(name);
    if line.kind != ChainType::JointState {
        specs.retain(|spec| !spec.name.ends_with(".fields"));
    }
    let prefix = format!("{name}.");
    for given in overrides {
        let Some(rest) = given.name.strip_prefix(&prefix) else { continue };
        if rest.starts_with("filter") {
            line.filters.retain(|(filter, _)| filter != rest);
            line.filters.push((rest.to_string(), to_filter(&given.value)));
        } else if !specs.iter().any(|spec| spec.name == given.name) {
            faults.push(format!("chain \"{name}\": {}", table.unknown(&given.name)));
        }
    }
    if line.filters.is_empty() {
        faults
            .push(format!("chain \"{name}\": it has no filter: parameter `{name}.filter1.name` is missing"));
    }
    faults.extend(line.missing_frequency());
    match describe(&line) {
        Ok(infos) => {
            let declared =
                |info: ParamInfo| declaration(format!("{prefix}{}", info.name), &info.spec, &info.value);
            specs.extend(infos.into_iter().map(declared));
        }
        Err(more) => faults.extend(more.into_iter().map(|fault| line.blame(fault))),
    }
    Some((line, specs))
}

fn describe(line: &ChainParams) -> Result<Vec<ParamInfo>, Vec<ChainError>> {
    let (filters, period) = (&line.filters, line.period());
    match line.kind {
        ChainType::Float64 | ChainType::JointState => {
            Chain::build(filters, period, &0.0).map(|c| c.describe())
        }
        ChainType::Wrench => Chain::build(filters, period, &Wrench::default()).map(|c| c.describe()),
        ChainType::Twist => Chain::build(filters, period, &BodyTwist::default()).map(|c| c.describe()),
    }
}

fn bad_names(chains: &[String]) -> Vec<String> {
    let taken: Vec<String> = Common::specs().into_iter().map(|spec| spec.name).collect();
    let fault = |(index, name): (usize, &String)| {
        let reason = if name.is_empty() {
            "a chain must have a name"
        } else if name.contains('.') {
            "a chain's name must have no dot"
        } else if taken.contains(name) || name == "use_sim_time" {
            "the node has a parameter of that name"
        } else if chains[..index].contains(name) {
            "that chain stands twice"
        } else {
            return None;
        };
        Some(format!("parameter `chains`, \"{name}\": {reason}"))
    };
    chains.iter().enumerate().filter_map(fault).collect()
}

/// No two chains on one output, and no way from an output back to the chain's own input.
fn bad_topics(lines: &[ChainParams]) -> Vec<String> {
    let mut faults = vec![];
    let lines: Vec<_> =
        lines.iter().filter(|line| !line.input.is_empty() && !line.output.is_empty()).collect();
    for (index, &line) in lines.iter().enumerate() {
        let place = format!("chain \"{0}\": parameter `{0}.output` = \"{1}\"", line.name, line.output);
        if let Some(other) = lines[..index].iter().find(|other| other.output == line.output) {
            faults.push(format!("{place} is also the output of chain \"{}\"", other.name));
        }
        let mut reached = vec![line];
        let mut next = 0;
        while let Some(&from) = reached.get(next) {
            if from.output == line.input {
                faults.push(format!("{place} comes back to its input \"{}\": an endless loop", line.input));
                break;
            }
            for to in lines.iter().filter(|to| to.input == from.output) {
                if !reached.iter().any(|known| known.name == to.name) {
                    reached.push(to);
                }
            }
            next += 1;
        }
    }
    faults
}
