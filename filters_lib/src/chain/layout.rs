//! From the flat list of parameters to filters, and back.

use super::catalog::{self, TypeInfo};
use super::error::ChainError;
use super::spec::{ParamInfo, ParamSpec, Preset, Settings};
use super::stage::{ChainSignal, FrameNames, Stage};
use super::value::Value;
use crate::error::Error;

type Result<T> = std::result::Result<T, ChainError>;

const NAME: ParamSpec = ParamSpec::text("name", Preset::Required, &[], "the filter's name").fixed();
const TYPE: ParamSpec = ParamSpec::text("type", Preset::Required, &[], "the filter's type").fixed();

/// One filter of a chain with the values it was built from.
#[derive(Debug)]
pub(crate) struct Slot<S> {
    number: usize,
    name: String,
    type_name: String,
    settings: Settings,
    pub(crate) stage: Box<dyn Stage<S>>,
}

impl<S> Clone for Slot<S> {
    fn clone(&self) -> Self {
        Self {
            number: self.number,
            name: self.name.clone(),
            type_name: self.type_name.clone(),
            settings: self.settings.clone(),
            stage: self.stage.clone(),
        }
    }
}

impl<S: ChainSignal> Slot<S> {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn configure(&mut self, period: f64) -> Result<()> {
        self.retime(period).map_err(|e| refused(self.number, &self.settings, e))
    }

    /// The same settings with another period of the chain.
    pub(crate) fn retime(&mut self, period: f64) -> crate::error::Result<()> {
        self.stage.configure(&self.settings, period)
    }

    pub(crate) fn frames(&self) -> Option<FrameNames<'_>> {
        let [world, sensor, output] =
            ["world_frame", "sensor_frame", "output_frame"].map(|name| self.settings.text(name));
        (!world.is_empty()).then_some(FrameNames { world, sensor, output })
    }

    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        let number = self.number;
        let head = [(NAME, &self.name), (TYPE, &self.type_name)].map(|(spec, text)| ParamInfo {
            name: format!("filter{number}.{}", spec.name),
            spec,
            value: Value::Text(text.clone()),
        });
        let own = self.settings.specs.iter().zip(&self.settings.values).map(|(spec, value)| ParamInfo {
            name: format!("filter{number}.params.{}", spec.name),
            spec: *spec,
            value: value.clone(),
        });
        head.into_iter().chain(own).collect()
    }
}

/// What filters call parameters that have another name in chains; `a0` is the first element of `a`.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("a0", "a"),
    ("low", "frequency"),
    ("high", "frequency_high"),
    ("u_min", "u_clamp_min"),
    ("u_max", "u_clamp_max"),
    ("i_min", "i_clamp_min"),
    ("i_max", "i_clamp_max"),
    ("max_first_derivative", "max_first_derivative_pos"),
    ("min_first_derivative", "min_first_derivative_neg"),
    ("period", "sampling_interval"),
    ("window", "number_of_observations"),
];

/// The filter's refusal with the full name of the parameter at fault, and its names as the chain has them.
fn refused(number: usize, settings: &Settings, mut source: Error) -> ChainError {
    let known = |name: &str| settings.specs.iter().map(|spec| spec.name).find(|known| *known == name);
    let here = |name: &str| {
        let other =
            || OTHER_NAMES.iter().find(|(theirs, _)| *theirs == name).and_then(|(_, ours)| known(ours));
        known(name).or_else(other)
    };
    let rename = |theirs: &mut &'static str| {
        let ours = here(theirs);
        // Of a list it is an element that is at fault.
        if *theirs != "a0" {
            *theirs = ours.unwrap_or(theirs);
        }
        ours
    };
    let name = match &mut source {
        Error::OutOfBounds { name, .. } | Error::Empty { name } => rename(name),
        Error::Order { low_name, high_name, .. } => {
            let (low, high) = (rename(low_name), rename(high_name));
            // A lower limit that is not set mirrors the upper one, which then is the one at fault.
            low.filter(|low| !settings.number(low).is_nan()).or(high)
        }
        Error::NotFinite { what, .. } | Error::Length { what, .. } => here(what),
        _ => None,
    };
    let parameter = match name {
        Some(name) => format!("filter{number}.params.{name}"),
        None => format!("filter{number}.params"),
    };
    ChainError::Refused { parameter, source }
}

/// `filterN.rest` → (N, rest). N is written without leading zeros.
fn split(parameter: &str) -> Option<(usize, &str)> {
    let (number, rest) = parameter.strip_prefix("filter")?.split_once('.')?;
    let parsed: usize = number.parse().ok()?;
    (parsed > 0 && parsed.to_string() == number).then_some((parsed, rest))
}

fn unknown(parameter: &str, expected: impl Into<String>) -> ChainError {
    ChainError::Unknown { parameter: parameter.to_owned(), expected: expected.into() }
}

/// The parameters of one filter: (full name, name below `filterN.`, value).
type Group<'a> = Vec<(&'a str, &'a str, &'a Value)>;

/// Builds every filter of the list, or says all that is wrong with it.
pub(crate) fn build<S: ChainSignal, N: AsRef<str>>(
    params: &[(N, Value)],
    period: f64,
    like: &S,
) -> std::result::Result<Vec<Slot<S>>, Vec<ChainError>> {
    let mut faults = Vec::new();
    let mut numbered = Vec::with_capacity(params.len());
    for (index, (parameter, value)) in params.iter().enumerate() {
        let parameter = parameter.as_ref();
        if params[..index].iter().any(|(other, _)| other.as_ref() == parameter) {
            faults.push(ChainError::Twice { parameter: parameter.to_owned() });
        } else if let Some((number, rest)) = split(parameter) {
            numbered.push((number, parameter, rest, value));
        } else {
            faults.push(unknown(parameter, "expected filterN.name, .type or .params.*, N from 1"));
        }
    }
    let mut numbers: Vec<usize> = numbered.iter().map(|entry| entry.0).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let (mut slots, mut names) = (Vec::new(), Vec::new());
    let mut expected = 1;
    for number in numbers {
        if number > expected {
            faults.push(ChainError::Gap { parameter: format!("filter{expected}.name"), later: number });
        }
        expected = number.saturating_add(1);
        let group: Group<'_> = numbered
            .iter()
            .filter(|entry| entry.0 == number)
            .map(|entry| (entry.1, entry.2, entry.3))
            .collect();
        if let Ok(name) = text(number, &NAME, &group) {
            if names.contains(&name) {
                let parameter = format!("filter{number}.name");
                faults.push(ChainError::DuplicateName { parameter, name: name.clone() });
            }
            names.push(name);
        }
        slots.extend(build_slot(number, &group, period, like, &mut faults));
    }
    if faults.is_empty() { Ok(slots) } else { Err(faults) }
}

fn text(number: usize, spec: &ParamSpec, group: &Group<'_>) -> Result<String> {
    let parameter = format!("filter{number}.{}", spec.name);
    let Some((_, _, value)) = group.iter().find(|(_, rest, _)| *rest == spec.name) else {
        return Err(ChainError::Missing { parameter });
    };
    match spec.accept(&parameter, (*value).clone())? {
        Value::Text(text) if !text.is_empty() => Ok(text),
        _ => Err(ChainError::Missing { parameter }),
    }
}

/// One filter, or nothing and at least one fault more.
fn build_slot<S: ChainSignal>(
    number: usize,
    group: &Group<'_>,
    period: f64,
    like: &S,
    faults: &mut Vec<ChainError>,
) -> Option<Slot<S>> {
    let mut note = |fault| faults.push(fault);
    let name = text(number, &NAME, group).map_err(&mut note).ok();
    let type_name = text(number, &TYPE, group).map_err(&mut note).ok()?;
    let kind = kind_for::<S>(number, &type_name).map_err(&mut note).ok()?;
    let mut values: Vec<Option<Value>> = kind.params.iter().map(ParamSpec::default_value).collect();
    let mut known = true;
    for (full, rest, value) in group {
        if *rest == NAME.name || *rest == TYPE.name {
            continue;
        }
        let accepted = find(full, rest, kind.params).and_then(|index| {
            // A value that is refused is not missing besides.
            values[index] = Some((*value).clone());
            values[index] = Some(kind.params[index].accept(full, (*value).clone())?);
            Ok(())
        });
        known &= accepted.map_err(&mut note).is_ok();
    }
    for (spec, value) in kind.params.iter().zip(&values) {
        if value.is_none() {
            known = false;
            note(ChainError::Missing { parameter: format!("filter{number}.params.{}", spec.name) });
        }
    }
    if !known {
        return None;
    }
    let settings = Settings { specs: kind.params, values: values.into_iter().flatten().collect() };
    let built = S::stage(kind.make, &settings, period, like).map_err(|e| refused(number, &settings, e));
    let stage = built.map_err(note).ok()?;
    Some(Slot { number, name: name?, type_name, settings, stage })
}

/// The type of that name, if it fits the signal.
fn kind_for<S: ChainSignal>(number: usize, type_name: &str) -> Result<&'static TypeInfo> {
    let parameter = || format!("filter{number}.type");
    let kind = TypeInfo::find(type_name).ok_or_else(|| {
        let fits = catalog::known_types().iter().filter(|entry| entry.fits(S::KIND));
        let known: Vec<&str> = fits.map(|entry| entry.name).collect();
        ChainError::UnknownType {
            parameter: parameter(),
            found: type_name.to_owned(),
            known: known.join(", "),
        }
    })?;
    if !kind.fits(S::KIND) {
        let found = type_name.to_owned();
        return Err(ChainError::WrongSignal { parameter: parameter(), found, signal: S::KIND });
    }
    Ok(kind)
}

fn find(full: &str, rest: &str, specs: &[ParamSpec]) -> Result<usize> {
    let name = rest.strip_prefix("params.");
    specs.iter().position(|spec| Some(spec.name) == name).ok_or_else(|| {
        let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        unknown(full, format!("this filter has params.{{{}}}", known.join(", ")))
    })
}

/// Applies changes to a copy of the filters; on an error the copy is worthless.
pub(crate) fn change<S: ChainSignal, N: AsRef<str>>(
    slots: &mut [Slot<S>],
    changes: &[(N, Value)],
    period: f64,
) -> Result<()> {
    for (parameter, value) in changes {
        let parameter = parameter.as_ref();
        let found = split(parameter).and_then(|(number, rest)| Some((slots.get_mut(number - 1)?, rest)));
        let (slot, rest) = found.ok_or_else(|| unknown(parameter, "no filter of that number"))?;
        let head = slot.describe().into_iter().take(2).find(|info| info.name == parameter);
        if let Some(info) = head {
            if info.value == *value {
                continue;
            }
            return Err(ChainError::ReadOnly { parameter: parameter.to_owned() });
        }
        let index = find(parameter, rest, slot.settings.specs)?;
        let spec = &slot.settings.specs[index];
        let value = spec.accept(parameter, value.clone())?;
        if spec.read_only && value != slot.settings.values[index] {
            return Err(ChainError::ReadOnly { parameter: parameter.to_owned() });
        }
        slot.settings.values[index] = value;
    }
    slots.iter_mut().try_for_each(|slot| slot.configure(period))
}
