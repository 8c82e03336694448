//! Bytes read as choices: what a message holds. Zeros mean something ordinary, and so does the end of the bytes.

/// Takes choices off the front of an input.
#[derive(Clone, Debug)]
pub struct Choices<'a>(&'a [u8]);

/// What no sensor measures and every parser lets through.
const ODD: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -0.0,
    1e10,
    -1e10,
    1e-9,
    1e18,
    9.3e18,
    -1e100,
    1e154,
    3.0e38,
];
/// A selector at or above this means something odd: one in sixteen.
const RARE: u8 = 240;

impl<'a> Choices<'a> {
    /// Of an input.
    pub fn new(input: &'a [u8]) -> Self {
        Self(input)
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// A byte; 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Whether something odd is wanted.
    pub fn rarely(&mut self) -> bool {
        self.byte() >= RARE
    }

    /// Any eight bytes.
    pub fn bits(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.byte()))
    }

    /// An ordinary number from -4 to 4.
    pub fn ordinary(&mut self) -> f64 {
        f64::from(i16::from_le_bytes([self.byte(), self.byte()])) / 8192.0
    }

    /// A number that may be any.
    pub fn number(&mut self) -> f64 {
        match self.byte() {
            RARE..248 => ODD[usize::from(self.byte() % 16)],
            248.. => f64::from_bits(self.bits()),
            _ => self.ordinary(),
        }
    }

    /// A stamp some cycles of 10 ms after another, or any.
    pub fn stamp(&mut self, last: i64) -> i64 {
        match self.byte() {
            RARE..248 => {
                [0, 1, -1, i64::MIN, i64::MAX, last, last - 50_000_000][usize::from(self.byte() % 7)]
            }
            248.. => self.bits().cast_signed(),
            ahead => last.saturating_add(10_000_000 * i64::from(ahead % 4)),
        }
    }

    /// A period, mostly 10 ms.
    pub fn period(&mut self) -> f64 {
        if self.rarely() { self.number() } else { 0.01 }
    }

    /// Names: mostly all that are known, else some of them, twice the same, or strange ones.
    pub fn names(&mut self, known: &[String]) -> Vec<String> {
        match self.byte() {
            RARE.. => (0..self.byte() % 12).map(|_| self.name(known)).collect(),
            200..RARE => {
                let (from, to) = (usize::from(self.byte()), usize::from(self.byte()));
                let known = known.iter().skip(from % known.len().max(1)).take(1 + to % 8);
                known.cloned().collect()
            }
            _ => known.to_vec(),
        }
    }

    fn name(&mut self, known: &[String]) -> String {
        match self.byte() {
            0..160 => known.get(usize::from(self.byte()) % known.len().max(1)).cloned().unwrap_or_default(),
            160..180 => String::new(),
            180..200 => "nul\0inside".into(),
            200..220 => "x".repeat(300 * usize::from(self.byte())),
            _ => format!("unknown{}", self.byte()),
        }
    }

    /// An array for so many: mostly as long and ordinary, sometimes empty, of another length, or with odd numbers in it.
    pub fn array(&mut self, count: usize) -> Vec<f64> {
        let kind = self.byte();
        let length = match kind {
            RARE.. => usize::from(self.byte()),
            200..RARE => 0,
            _ => count,
        };
        let mut array: Vec<f64> = (0..length).map(|_| 0.25 * self.ordinary()).collect();
        if (180..200).contains(&kind) && !array.is_empty() {
            let at = usize::from(self.byte()) % array.len();
            array[at] = self.number();
        }
        array
    }
}
