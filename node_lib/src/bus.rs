//! Topics inside a process: what one node sends the others read on the same thread, and a second thread publishes.
//!
//! Messages live in boxes that go round: filled, read by the neighbours, handed to the outside, and back. A ring of fixed
//! size lies between the threads, so that neither waits for the other; when the outside is behind, it misses messages. After a stall
//! of the machine more may come in one cycle than a topic keeps: the newest count.

use crate::outside::Echo;
use r2r::WrappedTypesupport;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Messages of one topic that may be on their way to the outside, and as many of one cycle.
const IN_FLIGHT: usize = 64;
/// Boxes of a topic: those of a cycle, those on their way out, and some that are just being filled, read or published.
const STOCK: usize = 2 * IN_FLIGHT + HANDS;
const HANDS: usize = 4;

/// The two ends of the way to the outside.
pub(crate) struct Exit<M> {
    /// Messages to be published.
    pub(crate) sent: rtrb::Consumer<Box<M>>,
    /// Their boxes, back for others.
    pub(crate) used: rtrb::Producer<Box<M>>,
}

struct Entry<M> {
    sent: rtrb::Producer<Box<M>>,
    used: rtrb::Consumer<Box<M>>,
}

/// A topic between the nodes of a process.
pub(crate) struct Channel<M> {
    /// Messages that not everybody may have read yet. One that is just being read leaves its place empty.
    waiting: VecDeque<Option<Box<M>>>,
    /// Sequence number of the first of them.
    first: u64,
    /// Boxes for messages to come, used in turn: messages that grow later than their first have stretched all of them soon, and a stall that needs
    /// them all at once finds none that is short.
    spare: VecDeque<Box<M>>,
    /// Whether there are as many boxes as can be needed.
    is_stocked: bool,
    entry: Option<Entry<M>>,
    /// What was published lately, where this process also listens to the outside, and how many of its nodes do.
    echo: Option<Echo<M>>,
    own_listeners: usize,
}

impl<M: Default> Channel<M> {
    fn new() -> Channel<M> {
        let waiting = VecDeque::with_capacity(IN_FLIGHT);
        Channel {
            waiting,
            first: 0,
            spare: VecDeque::with_capacity(STOCK + IN_FLIGHT),
            is_stocked: false,
            entry: None,
            echo: None,
            own_listeners: 0,
        }
    }

    fn take_box(&mut self) -> Box<M> {
        while let Some(back) = self.entry.as_mut().and_then(|entry| entry.used.pop().ok()) {
            self.keep_box(Some(back));
        }
        self.spare.pop_front().unwrap_or_default()
    }

    /// The place of a message, by its sequence number, while it waits.
    fn slot(&mut self, number: u64) -> Option<&mut Option<Box<M>>> {
        let place = number.checked_sub(self.first)?;
        self.waiting.get_mut(place as usize)
    }

    fn keep_box(&mut self, message: Option<Box<M>>) {
        if self.spare.len() < self.spare.capacity() {
            self.spare.extend(message);
        }
    }

    fn add(&mut self, message: Box<M>) {
        if self.waiting.len() == IN_FLIGHT {
            let oldest = self.waiting.pop_front().flatten();
            self.first += 1;
            self.keep_box(oldest);
        }
        self.waiting.push_back(Some(message));
    }
}

impl<M: Clone> Channel<M> {
    /// Has as many boxes as can be needed, all like this one; once.
    fn stock(&mut self, like: &M) {
        if !std::mem::replace(&mut self.is_stocked, true) {
            self.spare.extend((0..STOCK).map(|_| Box::new(like.clone())));
        }
    }
}

/// What the executor does with a topic when a cycle is over.
pub(crate) trait Flush {
    /// Hands everything to the outside; gives whether there was anything.
    fn flush(&self) -> bool;
}

impl<M: Default> Flush for RefCell<Channel<M>> {
    fn flush(&self) -> bool {
        let channel = &mut *self.borrow_mut();
        let any = !channel.waiting.is_empty();
        while let Some(message) = channel.waiting.pop_front() {
            channel.first += 1;
            let rest = match (&mut channel.entry, message) {
                (Some(entry), Some(message)) => {
                    entry.sent.push(message).err().map(|rtrb::PushError::Full(m)| m)
                }
                (_, message) => message,
            };
            channel.keep_box(rest);
        }
        any
    }
}

/// The publishing end.
pub(crate) struct Outlet<M>(Rc<RefCell<Channel<M>>>);

impl<M: Default + Clone> Outlet<M> {
    /// Makes all boxes like one that `fill` made, for messages that differ in size.
    pub(crate) fn reserve(&mut self, fill: impl FnOnce(&mut M)) {
        let channel = &mut *self.0.borrow_mut();
        let mut message = channel.take_box();
        fill(&mut message);
        channel.stock(&message);
        channel.keep_box(Some(message));
    }

    pub(crate) fn send(&mut self, fill: impl FnOnce(&mut M)) {
        let mut message = self.0.borrow_mut().take_box();
        fill(&mut message);
        let channel = &mut *self.0.borrow_mut();
        // Made like the first one, so that later ones find room in them, however slow the outside is.
        channel.stock(&message);
        channel.add(message);
    }
}

/// The reading end.
pub(crate) struct Inlet<M> {
    channel: Rc<RefCell<Channel<M>>>,
    next: u64,
}

impl<M: Default> Inlet<M> {
    /// Shows what is new to `read`, all of it or only the newest; gives whether there was anything. The topic is free
    /// meanwhile: a reader may publish on it.
    pub(crate) fn read(&mut self, newest: bool, mut read: impl FnMut(&M)) -> bool {
        let mut any = false;
        // What is sent meanwhile is for the next time: a reader that answers itself must come to an end.
        let end = {
            let channel = self.channel.borrow();
            self.next = self.next.max(channel.first);
            channel.first + channel.waiting.len() as u64
        };
        if newest {
            self.next = self.next.max(end.saturating_sub(1));
        }
        while self.next < end {
            let number = self.next;
            let message = self.channel.borrow_mut().slot(number).and_then(Option::take);
            self.next += 1;
            any = true;
            if let Some(message) = message {
                read(&message);
                let channel = &mut *self.channel.borrow_mut();
                match channel.slot(number) {
                    Some(slot) => *slot = Some(message),
                    None => channel.keep_box(Some(message)),
                }
            }
        }
        any
    }
}

/// All topics of a process, by their resolved names.
#[derive(Default)]
pub(crate) struct Bus {
    topics: RefCell<HashMap<String, Topic>>,
}

struct Topic {
    /// `Rc<RefCell<Channel<M>>>`.
    channel: Rc<dyn Any>,
    flush: Rc<dyn Flush>,
    is_published: Cell<bool>,
}

impl Bus {
    fn channel<M: WrappedTypesupport + 'static>(
        &self,
        topic: &str,
    ) -> anyhow::Result<Rc<RefCell<Channel<M>>>> {
        let mut topics = self.topics.borrow_mut();
        let entry = topics.entry(topic.into()).or_insert_with(|| {
            let channel = Rc::new(RefCell::new(Channel::<M>::new()));
            Topic { channel: channel.clone(), flush: channel, is_published: Cell::new(false) }
        });
        entry
            .channel
            .clone()
            .downcast()
            .map_err(|_| anyhow::anyhow!("topic \"{topic}\" has two types in this process"))
    }

    /// A node publishes on a topic. The first one gets the way to the outside, which its own publisher serves.
    pub(crate) fn outlet<M: WrappedTypesupport + 'static>(
        &self,
        topic: &str,
    ) -> anyhow::Result<(Outlet<M>, Option<Exit<M>>)> {
        let channel = self.channel::<M>(topic)?;
        let is_first = self.topics.borrow().get(topic).is_some_and(|t| !t.is_published.replace(true));
        let exit = is_first.then(|| {
            let ((sent, exit_sent), (exit_used, used)) =
                (rtrb::RingBuffer::new(IN_FLIGHT), rtrb::RingBuffer::new(STOCK + HANDS));
            channel.borrow_mut().entry = Some(Entry { sent, used });
            Exit { sent: exit_sent, used: exit_used }
        });
        Ok((Outlet(channel), exit))
    }

    /// A node listens to a topic.
    pub(crate) fn inlet<M: WrappedTypesupport + 'static>(&self, topic: &str) -> anyhow::Result<Inlet<M>> {
        Ok(Inlet { channel: self.channel(topic)?, next: 0 })
    }

    /// Whether a node of this process publishes on a topic.
    pub(crate) fn is_published(&self, topic: &str) -> bool {
        self.topics.borrow().get(topic).is_some_and(|t| t.is_published.get())
    }

    /// One more node of this process listens to the outside on a topic on which another one publishes.
    pub(crate) fn listen_to_echo<M: WrappedTypesupport + 'static>(
        &self,
        topic: &str,
    ) -> anyhow::Result<Echo<M>> {
        let channel = self.channel::<M>(topic)?;
        let mut channel = channel.borrow_mut();
        channel.own_listeners += 1;
        Ok(channel.echo.get_or_insert_default().clone())
    }

    /// How many nodes of this process listen to the outside on a topic, and how they know its echo.
    pub(crate) fn echo<M: WrappedTypesupport + 'static>(
        &self,
        topic: &str,
    ) -> anyhow::Result<(usize, Option<Echo<M>>)> {
        let channel = self.channel::<M>(topic)?;
        let channel = channel.borrow();
        Ok((channel.own_listeners, channel.echo.clone()))
    }

    /// All topics, for the end of a cycle.
    pub(crate) fn flushes(&self) -> Vec<Rc<dyn Flush>> {
        self.topics.borrow().values().map(|topic| topic.flush.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use r2r::std_msgs::msg::Int64;

    fn read(inlet: &mut Inlet<Int64>, newest: bool) -> Vec<i64> {
        let mut seen = vec![];
        inlet.read(newest, |m| seen.push(m.data));
        seen
    }

    #[test]
    fn everybody_reads_everything_once_and_the_newest_only_where_that_is_asked_for() {
        let bus = Bus::default();
        let (mut a, mut b) = (bus.inlet::<Int64>("/x").unwrap(), bus.inlet::<Int64>("/x").unwrap());
        let (mut outlet, exit) = bus.outlet::<Int64>("/x").unwrap();
        let mut exit = exit.unwrap();
        (1..=3).for_each(|i| outlet.send(|m| m.data = i));
        assert_eq!((read(&mut a, false), read(&mut b, true)), (vec![1, 2, 3], vec![3]));
        assert_eq!((read(&mut a, false), read(&mut b, true)), (vec![], vec![]));
        bus.flushes().iter().for_each(|topic| assert!(topic.flush()));
        let published: Vec<i64> = std::iter::from_fn(|| exit.sent.pop().ok()).map(|m| m.data).collect();
        assert_eq!(published, [1, 2, 3]);
    }

    #[test]
    fn an_outside_that_does_not_come_along_misses_messages_and_delays_nobody() {
        let bus = Bus::default();
        let mut inlet = bus.inlet::<Int64>("/x").unwrap();
        let (mut outlet, exit) = bus.outlet::<Int64>("/x").unwrap();
        let mut exit = exit.unwrap();
        for i in 0..1000 {
            outlet.send(|m| m.data = i);
            assert_eq!(read(&mut inlet, false), [i]);
            bus.flushes()[0].flush();
        }
        let published: Vec<i64> = std::iter::from_fn(|| exit.sent.pop().ok()).map(|m| m.data).collect();
        assert_eq!(published, (0..IN_FLIGHT as i64).collect::<Vec<_>>());
    }

    /// Whether the outside comes along or is away, and however much comes in a cycle: nobody makes a new box.
    #[test]
    fn every_box_has_the_room_that_was_asked_for() {
        let bus = Bus::default();
        let (mut outlet, exit) = bus.outlet::<r2r::std_msgs::msg::String>("/x").unwrap();
        let mut exit = exit.unwrap();
        outlet.reserve(|m| m.data.push_str("the longest name that will come"));
        for cycle in 0..2000 {
            let is_away = cycle % 500 > 400;
            for _ in 0..if is_away || cycle % 5 == 0 { 3 * IN_FLIGHT } else { 1 + cycle % 3 } {
                outlet.send(|m| {
                    assert!(m.data.capacity() >= 31, "cycle {cycle}: {}", m.data.capacity());
                    m.data.clear();
                });
            }
            // The outside may be there before the cycle is over, and after it.
            let publish = |exit: &mut Exit<r2r::std_msgs::msg::String>| {
                while let Some(message) = (!is_away).then(|| exit.sent.pop().ok()).flatten() {
                    exit.used.push(message).unwrap();
                }
            };
            publish(&mut exit);
            bus.flushes()[0].flush();
            publish(&mut exit);
        }
    }

    /// A list that is longer than in its first message: when the outside stalls later, no box is short.
    #[test]
    fn messages_that_grow_have_stretched_every_box_soon() {
        let bus = Bus::default();
        let (mut outlet, exit) = bus.outlet::<r2r::std_msgs::msg::String>("/x").unwrap();
        let mut exit = exit.unwrap();
        outlet.send(|_| {});
        for _ in 0..=STOCK {
            outlet.send(|m| m.data.reserve_exact(31));
            bus.flushes()[0].flush();
            while let Ok(message) = exit.sent.pop() {
                exit.used.push(message).unwrap();
            }
        }
        (0..STOCK + IN_FLIGHT).for_each(|i| {
            outlet.send(|m| assert!(m.data.capacity() >= 31, "message {i}"));
            bus.flushes()[0].flush();
        });
    }

    #[test]
    fn of_more_messages_in_a_cycle_than_a_topic_keeps_the_newest_count() {
        let bus = Bus::default();
        let (mut prompt, mut late) = (bus.inlet::<Int64>("/x").unwrap(), bus.inlet::<Int64>("/x").unwrap());
        let (mut outlet, exit) = bus.outlet::<Int64>("/x").unwrap();
        let mut exit = exit.unwrap();
        outlet.send(|m| m.data = -1);
        assert_eq!(read(&mut prompt, false), [-1]);
        (0..1000).for_each(|i| outlet.send(|m| m.data = i));
        let newest: Vec<i64> = (1000 - IN_FLIGHT as i64..1000).collect();
        assert_eq!(read(&mut prompt, false), newest);
        assert_eq!(read(&mut late, false), newest);
        bus.flushes()[0].flush();
        let published: Vec<i64> = std::iter::from_fn(|| exit.sent.pop().ok()).map(|m| m.data).collect();
        assert_eq!(published, newest);
        // One that is read while others push it out.
        outlet.send(|m| m.data = 7);
        prompt.read(false, |_| (0..100).for_each(|i| outlet.send(|m| m.data = i)));
        assert_eq!(read(&mut prompt, false), (100 - IN_FLIGHT as i64..100).collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_may_publish_on_the_topic_that_it_reads() {
        let bus = Bus::default();
        let mut inlet = bus.inlet::<Int64>("/x").unwrap();
        let (mut outlet, _exit) = bus.outlet::<Int64>("/x").unwrap();
        outlet.send(|m| m.data = 3);
        let mut answer = |seen: &mut Vec<i64>| {
            inlet.read(false, |m| {
                seen.push(m.data);
                outlet.send(|next| next.data = m.data - 1);
            })
        };
        let mut seen = vec![];
        // An answer to oneself is for the next time, so that there is an end.
        assert!((0..3).all(|_| answer(&mut seen)));
        assert_eq!(seen, [3, 2, 1]);
    }
}
