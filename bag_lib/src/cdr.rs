//! Messages as ROS 2 writes them: CDR, plain (XCDR1), numbers aligned to their size behind a header of four bytes.

use thiserror::Error;

/// What is wrong with the bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CdrError {
    /// The message ends before its content does.
    #[error("the message is cut off")]
    Short,
    /// Its header names another encoding.
    #[error("the message is not plain CDR (representation {0:#06x})")]
    Encoding(u16),
    /// A text is not UTF-8, or has no end.
    #[error("a text of the message is damaged")]
    Text,
}

/// Reads a message field by field.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// What follows the header.
    bytes: &'a [u8],
    at: usize,
    little: bool,
}

impl<'a> Reader<'a> {
    /// Of a whole message.
    pub fn new(message: &'a [u8]) -> Result<Self, CdrError> {
        let (header, bytes) = message.split_first_chunk::<4>().ok_or(CdrError::Short)?;
        match u16::from_be_bytes([header[0], header[1]]) {
            0 => Ok(Self { bytes, at: 0, little: false }),
            1 => Ok(Self { bytes, at: 0, little: true }),
            other => Err(CdrError::Encoding(other)),
        }
    }

    /// Whether its numbers begin with their lowest byte.
    pub fn is_little(&self) -> bool {
        self.little
    }

    /// Steps over bytes, if just these follow (at a number of four bytes); whether they did.
    pub fn skip(&mut self, known: &[u8]) -> bool {
        let at = self.at.next_multiple_of(4);
        let same = self.bytes.get(at..).is_some_and(|rest| rest.starts_with(known));
        if same {
            self.at = at + known.len();
        }
        same
    }

    /// The bytes from here (at a number of four bytes) to where `later` has come.
    pub fn until(&self, later: &Self) -> &'a [u8] {
        self.bytes.get(self.at.next_multiple_of(4)..later.at).unwrap_or(&[])
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], CdrError> {
        self.at = self.at.next_multiple_of(N);
        let rest = self.bytes.get(self.at..).ok_or(CdrError::Short)?;
        let (value, _) = rest.split_first_chunk::<N>().ok_or(CdrError::Short)?;
        self.at += N;
        Ok(*value)
    }

    /// An unsigned number of four bytes.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, CdrError> {
        let bytes = self.take()?;
        Ok(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// Reads a double, 8 bytes.
    #[inline]
    pub fn f64(&mut self) -> Result<f64, CdrError> {
        let bytes = self.take()?;
        Ok(if self.little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    }

    /// An array of a fixed length.
    pub fn array<const N: usize>(&mut self) -> Result<[f64; N], CdrError> {
        let mut all = [0.0; N];
        for number in &mut all {
            *number = self.f64()?;
        }
        Ok(all)
    }

    /// A text, which ends in a zero that its length counts.
    pub fn text(&mut self) -> Result<&'a str, CdrError> {
        let length = self.u32()? as usize;
        let end = self.at.checked_add(length).ok_or(CdrError::Short)?;
        let bytes = self.bytes.get(self.at..end).ok_or(CdrError::Short)?;
        self.at = end;
        // Some writers give an empty text no zero.
        match bytes.split_last() {
            None => Ok(""),
            Some((0, text)) => std::str::from_utf8(text).map_err(|_| CdrError::Text),
            Some(_) => Err(CdrError::Text),
        }
    }

    /// Texts, at the end of `into`.
    pub fn texts(&mut self, into: &mut Vec<&'a str>) -> Result<(), CdrError> {
        for _ in 0..self.u32()? {
            into.push(self.text()?);
        }
        Ok(())
    }

    /// Doubles, at the end of `into`.
    pub fn f64s(&mut self, into: &mut Vec<f64>) -> Result<(), CdrError> {
        let count = self.u32()? as usize;
        if count == 0 {
            return Ok(());
        }
        let start = self.at.next_multiple_of(8);
        let end = count.checked_mul(8).and_then(|size| size.checked_add(start)).ok_or(CdrError::Short)?;
        let (doubles, _) = self.bytes.get(start..end).ok_or(CdrError::Short)?.as_chunks::<8>();
        self.at = end;
        match self.little {
            true => into.extend(doubles.iter().map(|bytes| f64::from_le_bytes(*bytes))),
            false => into.extend(doubles.iter().map(|bytes| f64::from_be_bytes(*bytes))),
        }
        Ok(())
    }

    /// Structs of N doubles each, at the end of `into`.
    pub fn structs<const N: usize>(&mut self, into: &mut Vec<[f64; N]>) -> Result<(), CdrError> {
        for _ in 0..self.u32()? {
            into.push(self.array()?);
        }
        Ok(())
    }

    /// A stamp, in ns.
    pub fn stamp(&mut self) -> Result<i64, CdrError> {
        let seconds = self.u32()?.cast_signed();
        Ok(i64::from(seconds) * 1_000_000_000 + i64::from(self.u32()?))
    }

    /// A header: its stamp, in ns, and its frame.
    pub fn header(&mut self) -> Result<(i64, &'a str), CdrError> {
        Ok((self.stamp()?, self.text()?))
    }
}

/// Writes a message field by field, little-endian.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Begins a message; the room of the last one is used again.
    pub fn begin(&mut self) -> &mut Self {
        self.bytes.clear();
        self.bytes.extend([0, 1, 0, 0]);
        self
    }

    /// The message so far.
    pub fn message(&self) -> &[u8] {
        &self.bytes
    }

    /// To a multiple of `size`, 4 or 8.
    fn align(&mut self, size: usize) {
        // Offsets count from behind the header of four bytes.
        let gap = 4_usize.wrapping_sub(self.bytes.len()) & (size - 1);
        self.bytes.extend_from_slice(&[0; 8][..gap]);
    }

    /// An unsigned number of four bytes.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.align(4);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Writes a text with its length and its final zero.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32 + 1);
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
        self
    }

    /// Doubles, without their number: fields and fixed arrays.
    pub fn f64s(&mut self, values: &[f64]) -> &mut Self {
        self.align(8);
        let at = self.bytes.len();
        self.bytes.resize(at + 8 * values.len(), 0);
        let (room, _) = self.bytes[at..].as_chunks_mut::<8>();
        room.iter_mut().zip(values).for_each(|(room, value)| *room = value.to_le_bytes());
        self
    }

    /// Doubles, and before them how many.
    pub fn f64_array(&mut self, values: &[f64]) -> &mut Self {
        self.u32(values.len() as u32);
        // An empty array ends with its number.
        if values.is_empty() { self } else { self.f64s(values) }
    }

    /// Texts, and before them how many.
    pub fn texts<S: AsRef<str>>(&mut self, texts: &[S]) -> &mut Self {
        self.u32(texts.len() as u32);
        texts.iter().fold(self, |writer, text| writer.text(text.as_ref()))
    }

    /// Writes a `std_msgs/Header`; `stamp` in ns.
    pub fn header(&mut self, stamp: i64, frame: &str) -> &mut Self {
        self.u32((stamp.div_euclid(1_000_000_000) as i32).cast_unsigned());
        self.u32(stamp.rem_euclid(1_000_000_000) as u32).text(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            number: u32, texts in prop::collection::vec(".{0,9}", 0..5),
            values in prop::collection::vec(prop::num::f64::NORMAL, 0..5), stamp in -1_000_000_000_000_i64..1 << 60,
        ) {
            let mut writer = Writer::default();
            writer.begin().header(stamp, "odom").u32(number).u32(texts.len() as u32);
            texts.iter().for_each(|text| { writer.text(text); });
            writer.u32(values.len() as u32);
            if !values.is_empty() {
                writer.f64s(&values);
            }
            let mut reader = Reader::new(writer.message()).unwrap();
            prop_assert_eq!(reader.header().unwrap(), (stamp, "odom"));
            prop_assert_eq!(reader.u32().unwrap(), number);
            let (mut found_texts, mut found) = (vec![], vec![]);
            reader.texts(&mut found_texts).unwrap();
            reader.f64s(&mut found).unwrap();
            prop_assert_eq!(found_texts, texts);
            prop_assert_eq!(found, values);
        }

        #[test]
        fn no_bytes_make_it_panic_or_ask_for_much_memory(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for kind in [[0, 0], [0, 1]] {
                let mut message = vec![kind[0], kind[1], 0, 0];
                message.extend(&bytes);
                let Ok(mut reader) = Reader::new(&message) else { continue };
                let (mut texts, mut numbers) = (vec![], vec![]);
                let _ = reader.header();
                let _ = reader.texts(&mut texts);
                let _ = reader.f64s(&mut numbers);
                prop_assert!(numbers.len() <= bytes.len() && texts.len() <= bytes.len());
            }
        }
    }

    #[test]
    fn other_encodings_and_short_messages_are_refused() {
        assert_eq!(Reader::new(&[0, 7, 0, 0]).unwrap_err(), CdrError::Encoding(7));
        assert_eq!(Reader::new(&[0, 1]).unwrap_err(), CdrError::Short);
    }
}
