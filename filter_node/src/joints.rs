//! Joint states: every joint has filters of its own, one chain for each kind of number.

use crate::running::{RunningChain, Stamps};
use filters_lib::chain::{ParamInfo, TypeInfo, Value};
use filters_lib::{ChainError, Error};
use robot_model_lib::{Field, JointReader, MOST_JOINTS, MessageError};
use std::collections::HashMap;

/// Position, velocity, effort: their words in the parameter `fields`.
pub(crate) const JOINT_FIELDS: [&str; 3] = ["position", "velocity", "effort"];
const POSITION: usize = 0;
const VELOCITY: usize = 1;

/// The arrays of a joint state, filtered in place: position, velocity, effort. An empty one is absent, and so is a NaN.
pub type JointArrays<'a> = [&'a mut Vec<f64>; 3];

/// Why a message was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointFault {
    /// Names and arrays that do not belong together, or numbers that cannot be.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// Too many joints over all messages.
    #[error("more than {MOST_JOINTS} joints have been named")]
    Full,
}

/// Where one array of the result comes from.
#[derive(Clone, Debug)]
struct Path {
    source: usize,
    /// Numbers of the filters on the way.
    filters: Vec<usize>,
}

impl Path {
    /// Goes back from the array `field` of the result. A differentiator makes velocity of position, an integrator
    /// position of velocity; any other filter works on each of `fields` by itself.
    fn to(mut field: usize, types: &[&str], fields: [bool; 3]) -> Path {
        let mut filters = vec![];
        for (index, kind) in types.iter().enumerate().rev() {
            let on_the_way = match *kind {
                "Differentiator" => field == VELOCITY,
                "Integrator" => field == POSITION,
                _ => fields[field],
            };
            if on_the_way {
                filters.push(index + 1);
            }
            field = match *kind {
                "Differentiator" if on_the_way => POSITION,
                "Integrator" if on_the_way => VELOCITY,
                _ => field,
            };
        }
        filters.reverse();
        Path { source: field, filters }
    }

    /// The parameters of the filters on the way, numbered anew.
    fn params(&self, all: &[(String, Value)]) -> Vec<(String, Value)> {
        let own = |(name, value): &(String, Value)| {
            let (number, rest) = name.strip_prefix("filter")?.split_once('.')?;
            let place = self.filters.iter().position(|filter| filter.to_string() == number)?;
            Some((format!("filter{}.{rest}", place + 1), value.clone()))
        };
        all.iter().filter_map(own).collect()
    }
}

type Chains = [RunningChain<f64>; 3];

/// The chains of all joints that have been named.
#[derive(Clone, Debug)]
pub struct JointChains {
    /// All filters in one, by which changes are judged.
    whole: RunningChain<f64>,
    paths: [Path; 3],
    fresh: Chains,
    joints: Vec<(String, Chains)>,
    places: HashMap<String, usize>,
    reader: JointReader<Option<usize>>,
    /// The message as it came.
    came: [Vec<f64>; 3],
    stamps: Stamps,
}

impl JointChains {
    /// From the parameters `filterN.…`; of `fields` (position, velocity, effort) the others pass as they are, but for
    /// what a differentiator or an integrator makes.
    pub fn build(
        params: &[(String, Value)],
        period: f64,
        fields: &[String],
    ) -> Result<Self, Vec<ChainError>> {
        let whole = RunningChain::build(params, period, &0.0)?;
        let fields = JOINT_FIELDS.map(|field| fields.iter().any(|name| name == field));
        let infos = whole.describe();
        let types = infos.iter().filter_map(|info| match &info.value {
            Value::Text(kind) if info.spec.name == "type" => TypeInfo::find(kind).map(|kind| kind.name),
            _ => None,
        });
        let types: Vec<&str> = types.collect();
        let paths = [0, 1, 2].map(|field| Path::to(field, &types, fields));
        let build = |path: &Path| RunningChain::build(&path.params(params), period, &0.0);
        let [position, velocity, effort] = &paths;
        let fresh = [build(position)?, build(velocity)?, build(effort)?];
        Ok(JointChains {
            whole,
            paths,
            fresh,
            joints: vec![],
            places: HashMap::new(),
            reader: JointReader::new(),
            came: Default::default(),
            stamps: Stamps::default(),
        })
    }

    /// Filters a message in place; true when time was set back and all joints began anew. `overflow` is called for
    /// joints whose filter broke down: their number becomes NaN.
    pub fn take(
        &mut self,
        stamp_ns: i64,
        names: &[String],
        arrays: JointArrays<'_>,
        mut overflow: impl FnMut(&str, Error),
    ) -> Result<bool, JointFault> {
        let source = self.read(names, &arrays)?;
        let jumped = self.stamps.jumps(stamp_ns);
        self.stamps.took(stamp_ns);
        if jumped {
            self.restart();
        }
        self.came.iter_mut().zip(&arrays).for_each(|(came, array)| came.clone_from(array));
        for (field, array) in arrays.into_iter().enumerate() {
            let came = &self.came[self.paths[field].source];
            array.clone_from(came);
            for (number, place) in array.iter_mut().zip(self.reader.found(source)) {
                let (Some(place), false) = (*place, number.is_nan()) else { continue };
                let (name, chains) = &mut self.joints[place];
                *number = chains[field].take(number).copied().unwrap_or_else(|error| {
                    overflow(name, error);
                    f64::NAN
                });
            }
        }
        Ok(jumped)
    }

    /// All joints begin anew.
    pub fn restart(&mut self) {
        self.joints.iter_mut().flat_map(|(_, chains)| chains).for_each(RunningChain::restart);
    }

    /// Changes parameters, all or none.
    pub fn set(&mut self, changes: &[(String, Value)], period: f64) -> Result<(), ChainError> {
        self.whole.set(changes, period)?;
        let own = self.paths.each_ref().map(|path| path.params(changes));
        let all = self.joints.iter_mut().map(|(_, chains)| chains).chain([&mut self.fresh]);
        for chains in all {
            chains.iter_mut().zip(&own).try_for_each(|(chain, own)| chain.set(own, period))?;
        }
        Ok(())
    }

    /// Every parameter of the filters.
    pub(crate) fn describe(&self) -> Vec<ParamInfo> {
        self.whole.describe()
    }

    /// How many joints have been named.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Checks a message and finds its joints; new ones get filters.
    fn read(&mut self, names: &[String], arrays: &JointArrays<'_>) -> Result<usize, JointFault> {
        let [position, velocity, effort] = arrays;
        let field = |name, array| Field::new(name, array).or_empty().or_nan();
        let fields = [field("position", position), field("velocity", velocity), field("effort", effort)];
        let Self { joints, places, fresh, reader, .. } = self;
        // A refused message leaves no trace: either there is room for all that are new, or none is added.
        let unknown = || names.iter().filter(|name| !places.contains_key(*name)).count();
        let room = joints.len() + names.len() <= MOST_JOINTS || joints.len() + unknown() <= MOST_JOINTS;
        let source = reader.read(names, &fields, |name| {
            if let Some(place) = places.get(name) {
                return Some(*place);
            }
            room.then(|| {
                joints.push((name.to_owned(), fresh.clone()));
                places.insert(name.to_owned(), joints.len() - 1);
                joints.len() - 1
            })
        })?;
        if reader.found(source).iter().any(Option::is_none) { Err(JointFault::Full) } else { Ok(source) }
    }
}
