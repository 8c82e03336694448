//! The parser against whatever may come: a hundred million bytes, checked against a second, plain scanner.

#![allow(clippy::panic, clippy::unwrap_used)]

use herkulex_node::codec::{Frame, MAX_PACKET, Parser, ParserEvent, Status};
use proptest::prelude::*;

/// A generator of noise, so that the test needs nothing and repeats itself exactly.
struct Noise(u64);
impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

type Found = (u8, u8, Vec<u8>);

/// What a stream holds, by the rules of the protocol and with the whole stream in view: (start, end, packet).
fn scan(stream: &[u8]) -> Vec<(usize, usize, Found)> {
    let (mut found, mut at) = (vec![], 0);
    while at + 7 <= stream.len() {
        let size = usize::from(stream[at + 2]);
        let reply = stream[at + 4] & 0x40 != 0;
        let fits = stream[at..at + 2] == [0xFF, 0xFF]
            && (if reply { 9 } else { 7 }..=MAX_PACKET).contains(&size)
            && stream[at + 3] != 0xFF
            && at + size <= stream.len();
        if fits {
            let packet = &stream[at..at + size];
            let mut cs1 = packet[2] ^ packet[3] ^ packet[4];
            packet[7..].iter().for_each(|b| cs1 ^= b);
            cs1 &= 0xFE;
            if packet[5] == cs1 && packet[6] == !cs1 & 0xFE {
                found.push((at, at + size, (packet[3], packet[4], packet[7..].to_vec())));
                at += size;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// What the parser finds when the stream comes in pieces, with a pause at the end.
fn hear(stream: &[u8], mut piece: impl FnMut() -> usize) -> Vec<Found> {
    let (mut parser, mut found, mut rest) = (Parser::default(), vec![], stream);
    let mut keep = |heard: ParserEvent<'_>| {
        if let ParserEvent::Packet(p) = heard {
            found.push((p.id, p.command, p.data.to_vec()));
        }
    };
    while !rest.is_empty() {
        let (mut now, later) = rest.split_at(piece().clamp(1, rest.len()));
        rest = later;
        while let Some(heard) = parser.next(&mut now) {
            keep(heard);
        }
    }
    while let Some(heard) = parser.idle() {
        keep(heard);
    }
    assert!(!parser.is_waiting());
    found
}

fn noise_burst(noise: &mut Noise, stream: &mut Vec<u8>) {
    // Half of the bursts are full of header bytes and small sizes: the nastiest kind.
    let nasty = noise.below(2) == 0;
    for _ in 0..noise.below(60) {
        stream.push(match (nasty, noise.below(4)) {
            (true, 0 | 1) => 0xFF,
            (true, 2) => noise.below(32) as u8,
            _ => noise.next() as u8,
        });
    }
}

/// Packets in noise, some broken: the stream, and (start, end) of every packet put in whole.
fn stream(noise: &mut Noise, len: usize) -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut stream, mut whole, mut frame) = (Vec::with_capacity(len + 300), vec![], Frame::default());
    while stream.len() < len {
        noise_burst(noise, &mut stream);
        let data: Vec<u8> = (0..noise.below(24)).map(|_| noise.next() as u8).collect();
        let (id, command) = (noise.below(255) as u8, 1 + noise.below(9) as u8);
        let packet = match noise.below(2) {
            0 => frame.packet(id, command, &data).unwrap(),
            _ => frame.reply(id, command, &data, Status { error: 0, detail: 0x40 }).unwrap(),
        };
        let start = stream.len();
        match noise.below(4) {
            0 => {
                let mut broken = packet.to_vec();
                let at = 2 + noise.below(broken.len() as u64 - 2) as usize;
                broken[at] ^= 0xFE & (noise.next() as u8 | 2);
                stream.extend(broken);
            }
            1 => stream.extend(&packet[..noise.below(packet.len() as u64) as usize]),
            _ => {
                stream.extend(packet);
                whole.push((start, stream.len()));
            }
        }
    }
    (stream, whole)
}

#[test]
fn a_hundred_million_bytes_give_exactly_the_packets_that_are_in_them() {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    let (mut total, mut packets, mut shadowed) = (0usize, 0usize, 0usize);
    while total < 100_000_000 {
        let (stream, whole) = stream(&mut noise, 100_000);
        let expected = scan(&stream);
        // Each packet put in is found, unless noise in front of it happened to make a packet with a good checksum that runs
        // into it: then no receiver could tell.
        for (start, end) in &whole {
            let own = expected.iter().any(|(s, e, _)| s == start && e == end);
            let over = expected.iter().any(|(s, e, _)| s < start && e > start);
            assert!(own || over);
            shadowed += usize::from(!own);
        }
        let mut pieces = Noise(noise.next() | 1);
        let heard = hear(&stream, || pieces.below(200) as usize);
        assert!(heard.iter().eq(expected.iter().map(|(_, _, found)| found)));
        total += stream.len();
        packets += heard.len();
    }
    println!("{total} bytes, {packets} packets, {shadowed} hidden behind accidental ones");
    assert!(packets > 500_000 && shadowed * 1000 < packets);
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_give_what_a_plain_scan_gives(
        bytes in prop::collection::vec(prop_oneof![3 => Just(0xFFu8), 2 => 0u8..12, 5 => any::<u8>()], 0..600),
        piece in 1usize..50,
    ) {
        let expected: Vec<Found> = scan(&bytes).into_iter().map(|(_, _, found)| found).collect();
        prop_assert_eq!(hear(&bytes, || piece), expected);
    }

    #[test]
    fn a_packet_behind_a_shifted_header_is_found(extra in 1usize..4, id in 0u8..0xFE) {
        let mut frame = Frame::default();
        let mut bytes = vec![0xFF; extra];
        bytes.extend(frame.stat(id));
        prop_assert_eq!(hear(&bytes, || 1), vec![(id, 7, vec![])]);
    }
}
