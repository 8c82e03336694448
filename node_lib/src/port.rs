//! A topic on which a node publishes.

use crate::bus::Outlet;
use crate::log::{Log, Throttle};
use r2r::{Publisher, WrappedTypesupport};

/// Publishes on a topic: at once over DDS when the node runs alone, to the neighbours in its process first when composed.
pub struct Port<M: WrappedTypesupport> {
    path: Path<M>,
    log: Log,
    topic: String,
    unsent: Throttle,
}

enum Path<M: WrappedTypesupport> {
    Direct { publisher: Publisher<M>, message: M },
    Composed(Outlet<M>),
}

impl<M: WrappedTypesupport + 'static> Port<M> {
    pub(crate) fn direct(topic: &str, publisher: Publisher<M>, log: Log) -> Port<M> {
        Port::new(topic, Path::Direct { publisher, message: M::default() }, log)
    }

    pub(crate) fn composed(topic: &str, outlet: Outlet<M>, log: Log) -> Port<M> {
        Port::new(topic, Path::Composed(outlet), log)
    }

    fn new(topic: &str, path: Path<M>, log: Log) -> Port<M> {
        Port { path, log, topic: topic.into(), unsent: Throttle::seconds(5) }
    }

    /// Counts those who listen over DDS.
    pub fn listeners(&self) -> Box<dyn Fn() -> usize> {
        match &self.path {
            Path::Composed(_) => Box::new(|| 0),
            Path::Direct { publisher, .. } => {
                let publisher = publisher.clone();
                Box::new(move || publisher.get_inter_process_subscription_count().unwrap_or(0))
            }
        }
    }

    /// Finds room for messages as large as the one that `fill` makes, before the first is sent. Where all are of one size there
    /// is no need for it.
    pub fn reserve(&mut self, fill: impl FnOnce(&mut M)) {
        match &mut self.path {
            Path::Composed(outlet) => outlet.reserve(fill),
            Path::Direct { message, .. } => fill(message),
        }
    }

    /// Sends what `fill` makes of a message. It is one that was sent before, kept for its buffers: every field is to be set.
    pub fn send(&mut self, fill: impl FnOnce(&mut M)) {
        match &mut self.path {
            Path::Composed(outlet) => outlet.send(fill),
            Path::Direct { publisher, message } => {
                fill(message);
                if let Err(e) = publisher.publish(message) {
                    let topic = &self.topic;
                    self.log.error_throttled(&self.unsent, || format!("could not publish {topic}: {e}"));
                }
            }
        }
    }
}

/// Makes `array` equal to `values`, without an allocation once it has been as long.
pub fn fill<T: Clone>(array: &mut Vec<T>, values: &[T]) {
    array.clear();
    array.extend_from_slice(values);
}

/// Makes `names` equal to `wanted`; names that are right already are left alone, so that nothing is allocated.
pub fn fill_names<'a>(names: &mut Vec<String>, wanted: impl IntoIterator<Item = &'a str>) {
    let mut count = 0;
    for name in wanted {
        match names.get_mut(count) {
            None => names.push(name.into()),
            Some(own) if own != name => {
                own.clear();
                own.push_str(name);
            }
            Some(_) => {}
        }
        count += 1;
    }
    names.truncate(count);
}
