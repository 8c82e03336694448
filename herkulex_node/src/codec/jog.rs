//! Jogs: one packet that moves many servos.

use super::frame::{Frame, command};

/// The servo's tick: the unit of playtimes, s.
pub const TICK: f64 = 0.0112;
/// The most servos in one I_JOG.
pub const I_JOG_MAX: usize = 43;
/// The most servos in one S_JOG.
pub const S_JOG_MAX: usize = 53;
/// The longest playtime, ticks.
const TICKS_MAX: f64 = 254.0;

/// Bits of a jog's `set` byte. (The LED register orders the colours differently: 1 green, 2 blue, 4 red.)
pub mod flags {
    /// Stop where it is.
    pub const STOP: u8 = 0x01;
    /// Turn for ever; the goal is a speed.
    pub const CONTINUOUS: u8 = 0x02;
    /// Bit of the green LED.
    pub const GREEN: u8 = 0x04;
    /// Bit of the blue LED.
    pub const BLUE: u8 = 0x08;
    /// Bit of the red LED.
    pub const RED: u8 = 0x10;
    /// Change the LED only.
    pub const NO_ACTION: u8 = 0x20;
}

/// Where one servo shall go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jog {
    /// Id of the servo that shall move.
    pub id: u8,
    /// Where to, in calibrated counts.
    pub goal: u16,
    /// Bits of [`flags`].
    pub set: u8,
    /// Ticks; an S_JOG has one for all instead.
    pub playtime: u8,
}

/// A playtime in ticks, rounded. Never 0: that may upset the servo's profile. Not a number is the shortest.
pub fn ticks(seconds: f64) -> u8 {
    let ticks = (seconds / TICK).round();
    if ticks >= 1.0 { ticks.min(TICKS_MAX) as u8 } else { 1 }
}

impl Frame {
    /// As many of `jogs` as one S_JOG holds, with one playtime for all; gives back those that are left.
    pub fn s_jog<'j>(&mut self, id: u8, playtime: u8, jogs: &'j [Jog]) -> &'j [Jog] {
        let (now, later) = jogs.split_at(jogs.len().min(S_JOG_MAX));
        self.begin(id, command::S_JOG);
        self.put(&[playtime]);
        self.put_each(now, |jog| {
            let [lo, hi] = jog.goal.to_le_bytes();
            [lo, hi, jog.set, jog.id]
        });
        self.seal();
        later
    }

    /// As many of `jogs` as one I_JOG holds, each with its playtime; gives back those that are left.
    pub fn i_jog<'j>(&mut self, id: u8, jogs: &'j [Jog]) -> &'j [Jog] {
        let (now, later) = jogs.split_at(jogs.len().min(I_JOG_MAX));
        self.begin(id, command::I_JOG);
        self.put_each(now, |jog| {
            let [lo, hi] = jog.goal.to_le_bytes();
            [lo, hi, jog.set, jog.id, jog.playtime]
        });
        self.seal();
        later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playtimes_round_to_the_nearest_tick_and_stay_in_range() {
        let cases = [(0.0, 1), (-1.0, 1), (f64::NAN, 1), (0.0167, 1), (0.0169, 2), (0.672, 60), (1e9, 254)];
        for (seconds, expected) in cases {
            assert_eq!(ticks(seconds), expected, "{seconds} s");
        }
    }
}
