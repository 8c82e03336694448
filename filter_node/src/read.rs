//! From the parameters of a chain to its filters, and all that can be wrong on the way.

use crate::convert::{declaration, to_filter};
use crate::imu::IMU_FIELDS;
use crate::joints::JOINT_FIELDS;
use crate::params::{ChainParams, ChainType, Common, FilterParams, Reliability};
use crate::pipeline::Pipeline;
use filters_lib::chain::ParamInfo;
use param_lib::{Field, Override, ParamError, Params, Spec, Table, Value};

/// What every chain has besides its filters.
fn head(chain: &str) -> Vec<Spec> {
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
            tuned: Some((0.0, 1000.0)),
            unit: "Hz".into(),
            ..Spec::new(
                format!("{chain}.sampling_frequency"),
                Value::Float(0.0),
                "Rate of the input, for filters that have no parameter for it; 0 = not said.",
            )
        },
    ]
}

/// Which parts of a message are filtered, for messages that have several: the choices and how many of them, from the
/// end, are taken by default.
fn fields_of(kind: ChainType) -> Option<(&'static [&'static str], usize)> {
    match kind {
        ChainType::JointState => Some((&JOINT_FIELDS, 3)),
        // Most filters do not work on orientations.
        ChainType::Imu => Some((&IMU_FIELDS, 2)),
        _ => None,
    }
}

/// The parameter `fields` with these choices, of which the last `taken` are the default.
fn fields(chain: &str, choices: &[&str], taken: usize) -> Spec {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let doc = "What is filtered of a joint_state, or of an imu (default: all but the orientation, which takes filters \
               that blend and follow); the rest passes as it is.";
    let default = Value::Texts(words(&choices[choices.len() - taken..]));
    Spec { choices: words(choices), read_only: true, ..Spec::new(format!("{chain}.fields"), default, doc) }
}

/// The same of any chain, for people.
pub(crate) fn template() -> Vec<Spec> {
    let both = [IMU_FIELDS, JOINT_FIELDS].concat();
    head("*").into_iter().chain([fields("*", &both, 3)]).collect()
}

/// What a chain of this type has besides its filters.
fn head_of(chain: &str, kind: ChainType) -> Vec<Spec> {
    let own = fields_of(kind).map(|(choices, taken)| fields(chain, choices, taken));
    head(chain).into_iter().chain(own).collect()
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
        fields: fields_of(kind).map_or(Ok(vec![]), |_| Vec::read(table, &at("fields")))?,
        filters: filters.collect(),
    })
}

/// One chain with its declarations, as far as they can be known; what is wrong is added to `faults`.
fn one(name: &str, overrides: &[Override], faults: &mut Vec<String>) -> Option<(ChainParams, Vec<Spec>)> {
    let mut declared = |specs| {
        let blame = |error: ParamError| {
            faults.extend(error.to_string().lines().map(|line| format!("chain \"{name}\": {line}")));
        };
        Table::declare_all(specs, overrides).map_err(blame).ok()
    };
    let table = declared(head(name))?;
    let kind = ChainType::read(&table, &format!("{name}.type")).ok();
    let table = match kind {
        Some(kind) => declared(head_of(name, kind))?,
        None => table,
    };
    for parameter in ["type", "input", "output"].map(|parameter| format!("{name}.{parameter}")) {
        if table.get(&parameter) == Some(&Value::Text(String::new())) {
            faults.push(format!("chain \"{name}\": parameter `{parameter}` is missing"));
        }
    }
    // Without a type the rest cannot be judged.
    let mut line = chain(&table, name).ok()?;
    let mut specs = head_of(name, line.kind);
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
    if line.kind == ChainType::Imu && line.fields.is_empty() {
        faults
            .push(format!("chain \"{name}\": parameter `{name}.fields` is empty: nothing would be filtered"));
    }
    faults.extend(line.missing_frequency());
    match Pipeline::build(&line, &FilterParams::default()) {
        Ok(pipeline) => {
            let declared =
                |info: ParamInfo| declaration(format!("{prefix}{}", info.name), &info.spec, &info.value);
            specs.extend(pipeline.describe().into_iter().map(declared));
        }
        Err(more) => faults.extend(more.into_iter().map(|fault| line.blame(fault))),
    }
    Some((line, specs))
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
