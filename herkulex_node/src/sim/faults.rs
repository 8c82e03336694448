//! What can be made to go wrong.

/// Faults of the line, as probabilities per packet, and of servos, by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// A packet is lost, on its way to the servos or back.
    pub drop: f64,
    /// A byte of a packet changes. Only in ways that the checksum shows: bit 0 of a byte is outside of it.
    pub corrupt: f64,
    /// A servo answers late.
    pub delay: f64,
    /// How late at the most, s.
    pub delay_time: f64,
    /// A packet comes twice.
    pub duplicate: f64,
    /// The host receives its own packet, as with an adapter that ties both lines together.
    pub echo: f64,
    /// Noise in front of a packet.
    pub garbage: f64,
    /// Servos that report that they are too hot.
    pub hot: Vec<u8>,
    /// Servos that neither receive nor answer; they stay where they are.
    pub dead: Vec<u8>,
    /// Servos whose shaft is held: full drive, and in the end an overload.
    pub blocked: Vec<u8>,
    /// Servos whose motor driver has failed: an error that no clearing takes away.
    pub broken: Vec<u8>,
    /// Servos that take no jogs: their goals stay what they were.
    pub deaf: Vec<u8>,
    /// Servos that have torque and keep it, whatever is ordered.
    pub stubborn: Vec<u8>,
    /// Volts taken from the supply.
    pub voltage_drop: f64,
}

/// A generator of random numbers that repeats itself exactly (xorshift, Marsaglia 2003).
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Noise {
        // The state must not be 0, and seeds that are close together should not give sequences that are.
        let mut noise = Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        noise.next();
        noise
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// 0 … 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// 0 … n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// True with a probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }
}

impl Faults {
    /// What a packet becomes on the line: what comes instead of it, possibly nothing. `delay` and `echo` are the line's.
    pub(super) fn distort(&self, packet: &[u8], noise: &mut Noise, out: &mut Vec<u8>) {
        out.clear();
        if noise.happens(self.garbage) {
            for _ in 0..1 + noise.below(20) {
                out.push(noise.next() as u8);
            }
        }
        if noise.happens(self.drop) {
            return;
        }
        let start = out.len();
        out.extend_from_slice(packet);
        if noise.happens(self.corrupt) && !packet.is_empty() {
            let at = start + noise.below(packet.len());
            out[at] ^= (noise.next() as u8 & 0xFE) | 0x02;
        }
        if noise.happens(self.duplicate) {
            out.extend_from_within(start..);
        }
    }
}
