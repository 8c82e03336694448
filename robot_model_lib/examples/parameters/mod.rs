//! Reads `chains` and `contacts` from a ROS node's parameter YAML.

use std::error::Error;

use robot_model_lib::{ChainConfig, ContactConfig, ModelConfig};
use saphyr_parser::{Event, Parser};

/// A level of the document that is being read: a mapping waits for a key, then for its value.
enum Level {
    Mapping(Option<String>),
    Sequence,
}

/// A parameter's keys joined by dots, and its scalars.
type Leaf = (String, Vec<String>);

/// The model's config from the text of a parameter file; chains keep the order of the file.
pub fn model_config(text: &str) -> Result<ModelConfig, Box<dyn Error>> {
    let mut config = ModelConfig::default();
    for (path, values) in leaves(text)? {
        let Some((_, name)) = path.split_once(".ros__parameters.") else { continue };
        if let Some((chain, field)) = name.strip_prefix("chains.").and_then(|rest| rest.rsplit_once('.')) {
            let at = place(
                &mut config.chains,
                |known| known.name == chain,
                || ChainConfig { name: chain.to_owned(), ..ChainConfig::default() },
            );
            let value = values.concat();
            match field {
                "first_link" => at.first_link = value,
                "last_link" => at.last_link = value,
                "default_contact" => at.default_contact = value,
                _ => return Err(format!("parameter {name} is unknown").into()),
            }
        }
        if let Some((contact, field)) = name.strip_prefix("contacts.").and_then(|rest| rest.rsplit_once('.'))
        {
            let at = place(
                &mut config.contacts,
                |known| known.name == contact,
                || ContactConfig { name: contact.to_owned(), ..ContactConfig::default() },
            );
            let numbers = values
                .iter()
                .map(|value| {
                    value.parse::<f64>().map_err(|_| format!("parameter {name}: {value} is no number"))
                })
                .collect::<Result<Vec<_>, _>>()?;
            let (triples, rest) = numbers.as_chunks::<3>();
            match (field, triples, rest) {
                ("points", points, []) => at.points = points.to_vec(),
                ("normal", [normal], []) => at.normal = *normal,
                ("points" | "normal", ..) => return Err(format!("parameter {name}: wants x y z").into()),
                _ => return Err(format!("parameter {name} is unknown").into()),
            }
        }
    }
    Ok(config)
}

/// The entry that is there already, or a new one at the end.
fn place<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = list.iter().position(is).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    });
    &mut list[at]
}

/// Every parameter of the file.
fn leaves(text: &str) -> Result<Vec<Leaf>, Box<dyn Error>> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    for event in Parser::new_from_str(text) {
        match event?.0 {
            Event::Scalar(value, ..) => match levels.last_mut() {
                Some(Level::Mapping(key @ None)) => *key = Some(value.into_owned()),
                Some(Level::Mapping(_)) => {
                    leaves.push((path(&levels), vec![value.into_owned()]));
                    finish_value(&mut levels);
                }
                Some(Level::Sequence) => {
                    if let Some((_, values)) = leaves.last_mut() {
                        values.push(value.into_owned());
                    }
                }
                None => return Err("the file holds no mapping".into()),
            },
            Event::SequenceStart(..) => {
                leaves.push((path(&levels), Vec::new()));
                levels.push(Level::Sequence);
            }
            Event::MappingStart(..) => levels.push(Level::Mapping(None)),
            Event::SequenceEnd | Event::MappingEnd => {
                levels.pop();
                finish_value(&mut levels);
            }
            Event::Alias(_) => return Err("aliases are not supported".into()),
            _ => {}
        }
    }
    Ok(leaves)
}

fn finish_value(levels: &mut [Level]) {
    if let Some(Level::Mapping(key)) = levels.last_mut() {
        *key = None;
    }
}

fn path(levels: &[Level]) -> String {
    let keys = levels.iter().filter_map(|level| match level {
        Level::Mapping(key) => key.as_deref(),
        Level::Sequence => None,
    });
    keys.collect::<Vec<_>>().join(".")
}
