//! How much a bag may ask for. A file's own numbers are claims: nothing is reserved by them, and no more is unpacked than these ceilings allow.

use std::io::{self, BufRead, BufReader, Read};

/// No message that is read is longer: a posture of ten thousand joints is a megabyte. Longer ones of other topics are skipped unread.
pub(crate) const LONGEST_MESSAGE: u64 = 64 << 20;
/// What is read at once, and so the most that is reserved before it is known to be there.
pub(crate) const BLOCK: usize = 1 << 18;
/// Zstandard's own default: the memory that a decoder of one stream may take, 2^27 bytes.
const WINDOW_LOG: u32 = 27;
/// Joints of a robot that stands still pack to about a hundredth; a thousandfold is no recording.
const MOST_UNPACKED: u64 = 1000;
/// Small files may hold nothing but one repeated byte.
const ALWAYS_ALLOWED: u64 = 64 << 20;
/// How a zstd frame begins; no CDR message does.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How many bytes so many packed ones may become.
pub(crate) fn allowed(packed: u64) -> u64 {
    packed.saturating_mul(MOST_UNPACKED).saturating_add(ALWAYS_ALLOWED)
}

/// A reader that ends in an error where it would go beyond its ceiling.
pub(crate) struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Bounded<R> {
    pub(crate) fn new(inner: R, most: u64) -> Self {
        Self { inner, left: most }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 && !buffer.is_empty() {
            // At the ceiling: an error unless the end is here as well.
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(format!("it unpacks to more than {MOST_UNPACKED} times its size"))),
            };
        }
        let count = self.inner.read(&mut buffer[..room])?;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Unpacks zstd, `packed` bytes of it.
pub(crate) fn zstd_reader<'a>(from: impl Read + 'a, packed: u64) -> io::Result<impl BufRead + 'a> {
    let mut decoder = zstd::Decoder::new(from)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(BufReader::with_capacity(BLOCK, Bounded::new(decoder, allowed(packed))))
}

/// Reads so many bytes in place of what `into` holds; grows with what is there, not with what was claimed.
pub(crate) fn fill(from: &mut dyn BufRead, count: u64, into: &mut Vec<u8>) -> io::Result<()> {
    if count > LONGEST_MESSAGE {
        return Err(io::Error::other(format!("a record claims {count} bytes")));
    }
    into.clear();
    let count = count as usize;
    while into.len() < count {
        let begin = into.len();
        into.resize(count.min(begin + BLOCK), 0);
        from.read_exact(&mut into[begin..])?;
    }
    Ok(())
}

/// Leaves so many bytes out.
pub(crate) fn skip(from: &mut dyn BufRead, mut count: u64) -> io::Result<()> {
    while count > 0 {
        let have = from.fill_buf()?.len();
        if have == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let step = usize::try_from(count).unwrap_or(usize::MAX).min(have);
        from.consume(step);
        count -= step as u64;
    }
    Ok(())
}

/// A message as it was sent: rosbag2 can pack each one by itself.
pub(crate) fn message<'a>(data: &'a [u8], room: &'a mut Vec<u8>) -> anyhow::Result<&'a [u8]> {
    if !data.starts_with(&ZSTD_MAGIC) {
        return Ok(data);
    }
    room.clear();
    let decoder = zstd::Decoder::with_buffer(data)?;
    let most = allowed(data.len() as u64).min(LONGEST_MESSAGE);
    match Bounded::new(decoder, most).read_to_end(room) {
        Ok(_) => Ok(room),
        Err(e) => anyhow::bail!("the packed message is damaged: {e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_ends_at_the_ceiling_and_what_is_honest_passes_whole() {
        let zeros = vec![0; 200 << 20];
        let bomb = zstd::encode_all(zeros.as_slice(), 3).unwrap();
        assert!(allowed(bomb.len() as u64) < zeros.len() as u64, "{} bytes are a bomb", bomb.len());
        let (mut read, mut block) = (0, vec![0; BLOCK]);
        let mut reader = zstd_reader(bomb.as_slice(), bomb.len() as u64).unwrap();
        let error = loop {
            match reader.read(&mut block) {
                Ok(0) => panic!("it came to its end"),
                Ok(count) => read += count as u64,
                Err(e) => break e,
            }
        };
        assert!(error.to_string().contains("more than 1000 times"), "{error}");
        assert_eq!(read, allowed(bomb.len() as u64));
        assert!(message(&bomb, &mut vec![]).is_err());
        let honest: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let packed = zstd::encode_all(honest.as_slice(), 3).unwrap();
        assert_eq!(message(&packed, &mut vec![]).unwrap(), honest);
    }

    #[test]
    fn a_claim_reserves_no_more_than_a_block() {
        let mut into = vec![];
        assert!(fill(&mut [1_u8; 100].as_slice(), LONGEST_MESSAGE, &mut into).is_err());
        assert!(into.capacity() <= BLOCK);
        assert!(fill(&mut [1_u8; 100].as_slice(), u64::MAX, &mut into).is_err());
        fill(&mut [1_u8; 100].as_slice(), 100, &mut into).unwrap();
        assert_eq!(into, [1; 100]);
        assert!(skip(&mut [1_u8; 100].as_slice(), 101).is_err());
    }
}
