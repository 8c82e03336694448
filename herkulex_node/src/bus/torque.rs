//! What a motor shall do, who said so, and how the servo itself remembers it.
//!
//! The LED register of each servo carries the standing order in its colours. It lies in working memory: it outlives the
//! node, not the servo's power. So a node that starts finds on the bus what the one before it was told, and a bus without a
//! colour was never ours since its power came on. A colour that somebody else left only means that nothing is given torque
//! before it is asked for: the safe side.

use crate::codec::{flags, torque};

/// What a motor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Torque {
    /// Goes to its goal.
    On,
    /// The shaft resists.
    Brake,
    /// The shaft turns freely.
    Free,
}

impl Torque {
    /// The register's value.
    pub fn register(self) -> u8 {
        match self {
            Torque::On => torque::ON,
            Torque::Brake => torque::BRAKE,
            Torque::Free => torque::FREE,
        }
    }

    /// What the register's value means; whatever is neither on nor brake turns freely.
    pub fn from_register(value: u8) -> Torque {
        match value {
            torque::ON => Torque::On,
            torque::BRAKE => Torque::Brake,
            _ => Torque::Free,
        }
    }
}

/// The order that stands for one servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Have torque and follow goals.
    On,
    /// Shafts turn freely.
    Off,
    /// Shafts resist, without goals.
    Brake,
}

impl Standing {
    /// Name of the service that orders it.
    pub fn name(self) -> &'static str {
        match self {
            Standing::On => "torque_on",
            Standing::Off => "torque_off",
            Standing::Brake => "brake",
        }
    }

    /// What the motor does by this order.
    pub fn torque(self) -> Torque {
        match self {
            Standing::On => Torque::On,
            Standing::Off => Torque::Free,
            Standing::Brake => Torque::Brake,
        }
    }

    /// The order that leaves a servo as it is.
    pub fn as_found(torque: Torque) -> Standing {
        match torque {
            Torque::On => Standing::On,
            Torque::Free => Standing::Off,
            Torque::Brake => Standing::Brake,
        }
    }
}

/// The colours of the LED register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark(pub u8);

impl Mark {
    /// Not ours, or handed back.
    pub const NONE: Mark = Mark(0);
    /// Stopped by order: red.
    pub const STOP: Mark = Mark(4);

    /// Green to follow, blue for off, both for brake.
    pub fn of(order: Standing) -> Mark {
        match order {
            Standing::On => Mark(1),
            Standing::Off => Mark(2),
            Standing::Brake => Mark(3),
        }
    }

    /// The same colours as a jog carries them: a jog sets the LED, too.
    pub fn jog(self) -> u8 {
        let bit = |mask: u8, flag: u8| if self.0 & mask != 0 { flag } else { 0 };
        bit(1, flags::GREEN) | bit(2, flags::BLUE) | bit(4, flags::RED)
    }
}

/// What a servo shall do, and the mark that says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Of its motor.
    pub torque: Torque,
    /// On its LED; `None` leaves that alone: a mark that was not read yet may be a stop.
    pub mark: Option<Mark>,
}

impl Demand {
    /// The colours that a jog carries.
    pub fn jog_flags(&self) -> u8 {
        self.mark.map_or(0, Mark::jog)
    }
}

/// What was found on a servo before anybody gave an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Of its motor.
    pub torque: Torque,
    /// On its LED, if it is ours.
    pub mark: Mark,
}

impl Found {
    /// Whether a node before us has left it.
    pub fn is_ours(&self) -> bool {
        self.mark != Mark::NONE
    }

    /// The order that a servo gets at the start. One that bears our mark keeps what it was told, and nothing is given that
    /// it has lost; one without a mark gets torque only if the whole bus was never ours either.
    pub fn adopt(&self, bus_was_ours: bool, torque_at_start: bool) -> Standing {
        let told = [Standing::Off, Standing::Brake].into_iter().find(|order| Mark::of(*order) == self.mark);
        match told {
            Some(order) => order,
            None if !bus_was_ours && !self.is_ours() && torque_at_start => Standing::On,
            None => Standing::as_found(self.torque),
        }
    }
}
