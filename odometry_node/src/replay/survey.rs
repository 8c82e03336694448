//! What has to be known of a bag before it is replayed.

use std::cell::RefCell;

use anyhow::bail;
use thiserror::Error;

use super::bag::Bag;
use super::limits;
use super::topics::{Role, Topics};
use bag_lib::Reader;

/// Ends the reading of a bag when enough is known.
#[derive(Debug, Error)]
#[error("enough was read")]
struct Enough;

/// The robot's URDF, from the first message of its topic.
pub fn description(bag: &Bag, topics: &Topics) -> anyhow::Result<Option<String>> {
    let mut topics = topics.only(Role::Description);
    let found = RefCell::new(None);
    let read = bag.read(&mut topics, &mut |message| {
        let mut room = vec![];
        let text = Reader::new(limits::message(message.data, &mut room)?)?.text()?.to_owned();
        *found.borrow_mut() = Some(text);
        bail!(Enough)
    });
    match read {
        Err(e) if !e.is::<Enough>() && e.root_cause().downcast_ref::<Enough>().is_none() => Err(e),
        _ => Ok(found.into_inner()),
    }
}

/// The topic of the joints; reads all of the bag.
pub(crate) fn joints_topic(bag: &Bag, topics: &Topics) -> anyhow::Result<Option<String>> {
    let mut topics = topics.only(Role::Joints);
    bag.read(&mut topics, &mut |_| Ok(()))?;
    Ok(topics.found(Role::Joints).map(str::to_owned))
}
