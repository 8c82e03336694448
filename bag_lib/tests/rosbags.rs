//! Bytes of another implementation: a `JointState` as the Python package rosbags 0.11 writes it, in both byte orders.

#![allow(clippy::unwrap_used)]

use bag_lib::{Reader, Writer};

/// Stamp −2 s + 999999999 ns, frame "od", names "a", "bcd", "", "é", positions 1.5 and −2, no velocities, effort 1e308.
const LITTLE: &str = "00010000feffffffffc99a3b030000006f64000004000000020000006100000004000000626364000100000000000000\
     03000000c3a9000002000000000000000000f83f00000000000000c00000000001000000a0c8eb85f3cce17f";
const BIG: &str = "00000000fffffffe3b9ac9ff000000036f64000000000004000000026100000000000004626364000000000100000000\
     00000003c3a90000000000023ff8000000000000c00000000000000000000000000000017fe1ccf385ebc8a0";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn what_rosbags_writes_is_read_in_both_byte_orders() {
    for hex in [LITTLE, BIG] {
        let message = bytes(hex);
        let mut reader = Reader::new(&message).unwrap();
        assert_eq!(reader.header().unwrap(), (-1_000_000_001, "od"));
        let (mut names, mut arrays) = (vec![], [vec![], vec![], vec![]]);
        reader.texts(&mut names).unwrap();
        arrays.iter_mut().for_each(|array| reader.f64s(array).unwrap());
        assert_eq!(names, ["a", "bcd", "", "é"]);
        assert_eq!(arrays, [vec![1.5, -2.0], vec![], vec![1e308]]);
    }
}

#[test]
fn what_is_written_is_byte_for_byte_what_rosbags_writes() {
    let mut writer = Writer::default();
    writer.begin().header(-1_000_000_001, "od").texts(&["a", "bcd", "", "é"]);
    writer.f64_array(&[1.5, -2.0]).f64_array(&[]).f64_array(&[1e308]);
    assert_eq!(writer.message(), bytes(LITTLE));
}

#[test]
fn a_message_that_is_cut_off_anywhere_is_refused() {
    let message = bytes(LITTLE);
    for end in 0..message.len() {
        let read = || {
            let mut reader = Reader::new(&message[..end])?;
            reader.header()?;
            reader.texts(&mut vec![])?;
            (0..3).try_for_each(|_| reader.f64s(&mut vec![]))
        };
        assert!(read().is_err(), "{end} of {} bytes", message.len());
    }
}
