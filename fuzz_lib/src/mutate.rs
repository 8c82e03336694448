//! Inputs made from others by small damages.

use test_lib::Dice;

/// Where sums, products and casts go wrong.
const EDGES: [u64; 14] = [
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    1 << 40,
    0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000,
    u64::MAX,
];
/// No input grows beyond this: time is better spent on many.
const LONGEST: usize = 1 << 16;

/// Makes inputs from a corpus.
#[derive(Clone, Debug)]
pub struct Mutator {
    corpus: Vec<Vec<u8>>,
    /// Words of the format, put in as they are.
    words: Vec<Vec<u8>>,
    dice: Dice,
}

impl Mutator {
    /// Of files and words.
    pub fn new(corpus: Vec<Vec<u8>>, words: &[&str], seed: u64) -> Self {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Self { corpus, words, dice: Dice(seed) }
    }

    /// The next input, in place of what `into` holds.
    pub fn fill(&mut self, into: &mut Vec<u8>) {
        let from = self.dice.below(self.corpus.len());
        into.clear();
        into.extend(self.corpus.get(from).into_iter().flatten());
        for _ in 0..=self.dice.below(8) {
            self.damage(into);
        }
        into.truncate(LONGEST);
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.dice.below(bytes.len());
        let few = 1 + self.dice.below(16);
        let length = if self.dice.below(4) == 0 { self.dice.below(bytes.len() + 1) } else { few };
        let end = (at + length).min(bytes.len());
        match self.dice.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.dice.below(8),
            1 if at < bytes.len() => bytes[at] = self.dice.bits() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                self.insert(bytes, at, &piece);
            }
            5 => self.edge(bytes, at),
            6 => {
                let word = self.dice.below(self.words.len());
                let word = self.words.get(word).cloned().unwrap_or_default();
                self.insert(bytes, at, &word);
            }
            7 => {
                let other = self.dice.below(self.corpus.len());
                let other = self.corpus.get(other).cloned().unwrap_or_default();
                let from = self.dice.below(other.len());
                let piece = &other[from..other.len().min(from + length)];
                self.insert(bytes, at, piece);
            }
            8 => {
                let random: Vec<u8> = (0..few).map(|_| self.dice.bits() as u8).collect();
                self.insert(bytes, at, &random);
            }
            _ => {
                let (to, room) = (self.dice.below(bytes.len()), bytes.len());
                let piece = bytes[at..end].to_vec();
                let fits = piece.len().min(room - to);
                bytes[to..to + fits].copy_from_slice(&piece[..fits]);
            }
        }
    }

    fn insert(&mut self, bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
        if bytes.len() + piece.len() <= LONGEST {
            bytes.splice(at..at, piece.iter().copied());
        }
    }

    /// Writes a number at its limit over some bytes, or one that is off by one.
    fn edge(&mut self, bytes: &mut [u8], at: usize) {
        let value =
            EDGES[self.dice.below(EDGES.len())].wrapping_add((self.dice.below(3) as u64).wrapping_sub(1));
        let size = [1, 2, 4, 8][self.dice.below(4)];
        let Some(room) = bytes.get_mut(at..at + size) else { return };
        match self.dice.below(2) {
            0 => room.copy_from_slice(&value.to_le_bytes()[..size]),
            _ => room.copy_from_slice(&value.to_be_bytes()[8 - size..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_none_is_too_long() {
        let corpus = vec![vec![7; 300], vec![], (0..=255).collect()];
        let mut pair = [(); 2].map(|()| Mutator::new(corpus.clone(), &["word"], 5));
        let (mut a, mut b, mut differ) = (vec![], vec![], 0);
        for _ in 0..20_000 {
            pair[0].fill(&mut a);
            pair[1].fill(&mut b);
            assert_eq!(a, b);
            assert!(a.len() <= LONGEST);
            differ += usize::from(!corpus.contains(&a));
        }
        assert!(differ > 15_000, "{differ} of 20 000 are new");
        let mut none = Mutator::new(vec![], &[], 5);
        (0..1000).for_each(|_| none.fill(&mut a));
    }
}
