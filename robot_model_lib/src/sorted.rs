//! The sorted order of the joints: chain by chain, then every other one as the URDF has it.

use crate::mimic::Follow;
use crate::tree::{Motion, Tree, unique};
use crate::{Chain, ChainConfig, Contact, ModelConfig, ModelError};

/// A joint's index in the sorted order, and its chain with its place there.
pub(crate) type Place = (usize, Option<(usize, usize)>);

pub(crate) struct Sorted {
    /// URDF numbers of the independent joints, sorted.
    pub order: Vec<usize>,
    /// For each URDF joint its place; `None` for fixed and mimic joints.
    pub place: Vec<Option<Place>>,
    pub chains: Vec<Chain>,
}

pub(crate) fn sort(
    robot: &urdf_rs::Robot,
    tree: &Tree,
    follows: &[Option<Follow>],
    config: &ModelConfig,
    contacts: &[Contact],
) -> Result<Sorted, ModelError> {
    unique("chain", config.chains.iter().map(|chain| chain.name.as_str()))?;
    let independent = |number: usize| follows[number].is_some_and(|follow| follow.master == number);
    let mut sorted = Sorted { order: Vec::new(), place: vec![None; robot.joints.len()], chains: Vec::new() };
    let mut owner: Vec<Option<usize>> = vec![None; robot.joints.len()];
    for (number, chain) in config.chains.iter().enumerate() {
        let path = ChainPath::new(chain, tree)?;
        let start = sorted.order.len();
        let joints = path.links.iter().filter_map(|&link| tree.links[link].joint.as_ref());
        for joint in joints.filter(|joint| joint.motion != Motion::Fixed) {
            if let Some(first) = owner[joint.urdf].replace(number) {
                return Err(ModelError::JointInTwoChains {
                    joint: robot.joints[joint.urdf].name.clone(),
                    first: config.chains[first].name.clone(),
                    second: chain.name.clone(),
                });
            }
            if independent(joint.urdf) {
                sorted.put(joint.urdf, Some((number, sorted.order.len() - start)));
            }
        }
        if sorted.order.len() == start {
            return Err(ModelError::NoJointsInChain {
                chain: chain.name.clone(),
                first: chain.first_link.clone(),
                last: chain.last_link.clone(),
            });
        }
        sorted.chains.push(Chain {
            name: chain.name.clone(),
            first_link: path.first,
            last_link: path.last,
            joints: start..sorted.order.len(),
            default_contact: default_contact(chain, contacts)?,
        });
    }
    for number in (0..robot.joints.len()).filter(|&number| independent(number)) {
        if sorted.place[number].is_none() {
            sorted.put(number, None);
        }
    }
    if sorted.order.is_empty() { Err(ModelError::NoJoints) } else { Ok(sorted) }
}

impl Sorted {
    fn put(&mut self, number: usize, chain: Option<(usize, usize)>) {
        self.place[number] = Some((self.order.len(), chain));
        self.order.push(number);
    }
}

/// The links of a chain.
struct ChainPath {
    first: usize,
    last: usize,
    links: Vec<usize>,
}

impl ChainPath {
    fn new(chain: &ChainConfig, tree: &Tree) -> Result<Self, ModelError> {
        let find = |name: &String| {
            tree.find(name)
                .ok_or_else(|| ModelError::UnknownLink { chain: chain.name.clone(), link: name.clone() })
        };
        let (first, last) = (find(&chain.first_link)?, find(&chain.last_link)?);
        match tree.path(first, last) {
            Some(links) if !links.is_empty() => Ok(Self { first, last, links }),
            _ => Err(ModelError::NotAPath {
                chain: chain.name.clone(),
                last: chain.last_link.clone(),
                first: chain.first_link.clone(),
            }),
        }
    }
}

fn default_contact(chain: &ChainConfig, contacts: &[Contact]) -> Result<Option<usize>, ModelError> {
    if chain.default_contact.is_empty() {
        return Ok(None);
    }
    let found = contacts.iter().position(|contact| contact.name == chain.default_contact);
    found.map(Some).ok_or_else(|| ModelError::UnknownContact {
        chain: chain.name.clone(),
        contact: chain.default_contact.clone(),
    })
}
