//! The filters there are, for people.

use crate::convert::declaration;
use filters_lib::chain::{ParamSpec, SignalKind, TypeInfo, Value as FilterValue, known_types};
use param_lib::{Spec, Value};

/// What stands under a chain for each of its filters.
pub(crate) fn templates() -> Vec<Spec> {
    let text = |name: &str, doc: &str| Spec {
        read_only: true,
        ..Spec::new(format!("*.filterN.{name}"), Value::Text(String::new()), doc)
    };
    vec![
        text("name", "Name of the filter, N = 1, 2, … without gaps."),
        text("type", "Which filter it is; see the table of filters."),
        Spec::new("*.filterN.params.…", Value::Text(String::new()), "The parameters of that filter."),
    ]
}

/// For `--help`.
pub(crate) fn help() -> String {
    let mut out = String::from(
        "\nFilters (<chain>.filterN.type) and what stands under their <chain>.filterN.params:\n",
    );
    for (kind, like) in distinct() {
        out.push_str(&format!("  {}{}\n", kind.name, conditions(kind)));
        if let Some(like) = like {
            out.push_str(&format!("      as {like}\n"));
            continue;
        }
        for (spec, rules) in parameters(kind) {
            let rules = if rules.is_empty() { rules } else { format!(" [{rules}]") };
            out.push_str(&format!("      {}{rules}  {}\n", spec.name, spec.description));
        }
    }
    out
}

/// For the README.
pub fn markdown() -> String {
    let mut out = String::from("| filter | parameters |\n|---|---|\n");
    for (kind, like) in distinct() {
        let one = |(spec, rules): (&ParamSpec, String)| {
            let rules = if rules.is_empty() { rules } else { format!(" ({rules})") };
            format!("`{}`{}", spec.name, rules.replace('|', "\\|"))
        };
        let parameters = match like {
            Some(like) => format!("as `{like}`"),
            None => parameters(kind).map(one).collect::<Vec<_>>().join(", "),
        };
        out.push_str(&format!("| `{}`{} | {parameters} |\n", kind.name, conditions(kind)));
    }
    out
}

/// Every filter, and the one before it that has the same parameters.
fn distinct() -> impl Iterator<Item = (&'static TypeInfo, Option<&'static str>)> {
    let all = known_types();
    all.iter().enumerate().map(|(index, kind)| {
        // As text, in which NaN equals itself.
        let same = |other: &&TypeInfo| format!("{:?}", other.params) == format!("{:?}", kind.params);
        (kind, all[..index].iter().find(same).map(|other| other.name))
    })
}

fn conditions(kind: &TypeInfo) -> String {
    let only = kind.only.map(|signal| format!("{signal} only"));
    let curved = kind.fits(SignalKind::Pose).then(|| "pose and orientation too".to_string());
    let period = kind.needs_period().then(|| "needs sampling_frequency".to_string());
    let all: Vec<String> = only.into_iter().chain(curved).chain(period).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

fn parameters(kind: &TypeInfo) -> impl Iterator<Item = (&ParamSpec, String)> {
    kind.params.iter().map(|spec| {
        let default = spec.default_value();
        let declared =
            declaration(spec.name.into(), spec, &default.clone().unwrap_or(FilterValue::Double(0.0)));
        let default = match default {
            None => "required".to_string(),
            Some(_) if spec.takes_nan() => String::new(),
            Some(_) => format!("default {}", declared.default),
        };
        let rules: Vec<String> =
            [declared.rules(), default].into_iter().filter(|part| !part.is_empty()).collect();
        (spec, rules.join(", "))
    })
}
