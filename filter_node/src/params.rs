//! What the filter node can be told.

use filters_lib::ChainError;
use filters_lib::chain::{TypeInfo, Value as FilterValue};
use param_lib::{Override, ParamError, Params, Spec, Table, choices, params};

use crate::{catalog, read};

choices! {
    /// What a chain carries.
    pub enum ChainType {
        Float64 = "float64", Vector3 = "vector3", Twist = "twist", Pose = "pose", Wrench = "wrench", Imu = "imu",
        JointState = "joint_state"
    }
}
choices! {
    /// How a chain's input travels.
    pub enum Reliability { Reliable = "reliable", BestEffort = "best_effort" }
}

params! {
    /// The parameters that do not belong to a chain.
    pub(crate) struct Common {
        /// Names of the chains; each has parameters under its name.
        chains: Vec<String> = vec![], read_only true;
        /// How long a message waits for the transforms of its time before it is dropped.
        tf_timeout: f64 = 0.1, unit "s", range 0.0..=10.0;
        /// How long moving frames are remembered.
        tf_history: f64 = 10.0, unit "s", range 0.1..=600.0, read_only true;
        /// How many messages of a chain may wait for transforms at once; then the oldest is dropped.
        queue_size: i64 = 1000, range 1..=100000, read_only true;
    }
}

/// Parameters of one chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainParams {
    /// Name in `chains`, which its parameters begin with.
    pub name: String,
    /// What it carries.
    pub kind: ChainType,
    /// Topic that it listens to.
    pub input: String,
    /// Topic that it publishes on.
    pub output: String,
    /// How the input travels.
    pub reliability: Reliability,
    /// Rate of the input, Hz; 0 when no filter needs it.
    pub sampling_frequency: f64,
    /// What is filtered of a joint state or an imu.
    pub fields: Vec<String>,
    /// `filterN.name`, `filterN.type`, `filterN.params.*` with their values.
    pub filters: Vec<(String, FilterValue)>,
}

impl ChainParams {
    /// The period of filters that have none of their own, s.
    pub fn period(&self) -> f64 {
        // No filter looks at it where the frequency is not said.
        if self.sampling_frequency > 0.0 { 1.0 / self.sampling_frequency } else { 1e-6 }
    }

    /// A fault of the chain's filters as a line that names chain, filter and parameter.
    pub fn blame(&self, fault: ChainError) -> String {
        let fault = fault.under(&format!("{}.", self.name)).to_string();
        let number =
            fault.split_once(&format!("`{}.filter", self.name)).and_then(|(_, rest)| rest.split_once('.'));
        let name = number.and_then(|(number, _)| self.text(&format!("filter{number}.name")));
        let filter = name.map(|name| format!(", filter \"{name}\"")).unwrap_or_default();
        format!("chain \"{}\"{filter}: {fault}", self.name)
    }

    /// The filter that cannot do without the sampling frequency, if there is one and the frequency is not said.
    pub(crate) fn missing_frequency(&self) -> Option<String> {
        let needs = |(name, value): &&(String, FilterValue)| {
            let kind = match value {
                FilterValue::Text(kind) if name.ends_with(".type") => TypeInfo::find(kind),
                _ => None,
            };
            kind.is_some_and(TypeInfo::needs_period)
        };
        let (parameter, _) = self.filters.iter().find(needs).filter(|_| self.sampling_frequency <= 0.0)?;
        let number = parameter.trim_end_matches(".type");
        let name = self.text(&format!("{number}.name")).unwrap_or(number);
        Some(format!(
            "chain \"{chain}\", filter \"{name}\": parameter `{chain}.sampling_frequency` is missing: this filter needs it",
            chain = self.name
        ))
    }

    fn text(&self, parameter: &str) -> Option<&str> {
        self.filters.iter().find_map(|(name, value)| match value {
            FilterValue::Text(text) if name == parameter => Some(text.as_str()),
            _ => None,
        })
    }
}

/// Parameters of `filter_node`. Which there are depends on the chains.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterParams {
    /// How long a message waits for its transforms, s.
    pub tf_timeout: f64,
    /// How long moving frames are remembered, s.
    pub tf_history: f64,
    /// How many messages of a chain may wait at once.
    pub queue_size: i64,
    /// The chains, in the order of their list.
    pub chains: Vec<ChainParams>,
}

impl Default for FilterParams {
    fn default() -> Self {
        FilterParams::new(Common::default(), vec![])
    }
}

impl FilterParams {
    fn new(common: Common, chains: Vec<ChainParams>) -> Self {
        let Common { tf_timeout, tf_history, queue_size, .. } = common;
        FilterParams { tf_timeout, tf_history, queue_size, chains }
    }
}

impl Params for FilterParams {
    fn specs() -> Vec<Spec> {
        Common::specs().into_iter().chain(read::template()).chain(catalog::templates()).collect()
    }

    fn specs_for(overrides: &[Override]) -> Result<Vec<Spec>, ParamError> {
        let mut specs = Common::specs();
        let table = Table::declare_all(specs.clone(), overrides)?;
        let chains = Common::read(&table)?.chains;
        specs.extend(read::specs(&chains, overrides).map_err(ParamError::Several)?);
        Ok(specs)
    }

    fn read_at(table: &Table, prefix: &str) -> Result<Self, ParamError> {
        let common = Common::read_at(table, prefix)?;
        let chains = common.chains.iter().map(|chain| read::chain(table, chain)).collect::<Result<_, _>>()?;
        Ok(FilterParams::new(common, chains))
    }

    fn validate(&self) -> Result<(), ParamError> {
        if self.chains.is_empty() {
            return Err(ParamError::unfit("chains", "it must name at least one chain"));
        }
        let missing: Vec<String> = self.chains.iter().filter_map(ChainParams::missing_frequency).collect();
        if missing.is_empty() { Ok(()) } else { Err(ParamError::Several(missing)) }
    }

    fn notes() -> String {
        catalog::help()
    }
}
