//! Orders that take torque and have not reached their servos: what a node must not forget when it is restarted. What has
//! reached them stands on their LEDs.

use super::machine::{Bus, Event};
use super::torque::Standing;

/// The orders, by ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// All are stopped.
    pub stop: bool,
    /// Shall turn freely.
    pub off: Vec<u8>,
    /// Ids of servos that shall resist.
    pub brake: Vec<u8>,
}

impl Undelivered {
    /// Whether there is nothing to remember.
    pub fn is_empty(&self) -> bool {
        *self == Undelivered::default()
    }
}

impl Bus {
    /// What was ordered and has not reached its servos.
    pub fn undelivered(&self) -> Undelivered {
        let waiting = || self.servos.iter().filter(|s| s.undelivered);
        if self.stopped {
            return Undelivered { stop: waiting().next().is_some(), ..Undelivered::default() };
        }
        let with = |order| waiting().filter(|s| s.order == Some(order)).map(|s| s.id()).collect();
        Undelivered { stop: false, off: with(Standing::Off), brake: with(Standing::Brake) }
    }

    /// Changes whenever [`Bus::undelivered`] may have.
    pub fn orders_version(&self) -> u64 {
        self.orders_version
    }

    /// Before the first connection: what a node before us was told stands, as if it were told now.
    pub fn restore(&mut self, orders: &Undelivered) {
        if orders.stop && !std::mem::replace(&mut self.stopped, true) {
            self.events.push_back(Event::Stopped);
        }
        for servo in &mut self.servos {
            let told = [(&orders.off, Standing::Off), (&orders.brake, Standing::Brake)];
            let order = told.into_iter().find(|(ids, _)| ids.contains(&servo.config.id)).map(|(_, o)| o);
            servo.order = order.or(servo.order);
            servo.undelivered |= orders.stop || order.is_some();
        }
        self.orders_version += 1;
    }

    /// Before the first connection: it is not known what a node before us was told, so nothing gets torque by itself.
    pub fn distrust(&mut self) {
        self.config.torque_at_start = false;
    }
}
