//! Support messages, as odometry and dynamics read them.
#![allow(clippy::unwrap_used)]

use robot_model_lib::{StandingContact, SupportError, SupportReader};

fn reader() -> SupportReader {
    SupportReader::new(&test_lib::pony())
}

#[test]
fn a_chain_that_is_absent_is_in_the_air() {
    let mut reader = reader();
    let stands = |contact, support| Some(StandingContact { contact, support });
    let found = reader.read(&["leg2", "leg1", "leg3"], &["toe", "", "hoof"], &[0.5, 1.0, f64::NAN]).unwrap();
    assert_eq!(found[..4], [stands(0, 1.0), stands(1, 0.5), None, None]);
    let found = reader.read::<_, &str>(&["leg1", "tail"], &[], &[0.25, 0.0]).unwrap();
    assert_eq!(found[..4], [stands(0, 0.25), None, None, None]);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let mut reader = reader();
    let none: [&str; 0] = [];
    for bad in [-0.1, 1.1, f64::INFINITY] {
        assert!(matches!(reader.read(&["leg1"], &none, &[bad]), Err(SupportError::Support { .. })));
    }
    assert!(matches!(reader.read(&["leg1"], &none, &[]), Err(SupportError::Lengths { .. })));
    assert!(matches!(reader.read(&["leg1", "leg1"], &none, &[0.0; 2]), Err(SupportError::Names(_))));
    assert!(matches!(reader.read(&["wing"], &none, &[0.0]), Err(SupportError::UnknownChain { .. })));
    assert!(matches!(reader.read(&["tail"], &none, &[1.0]), Err(SupportError::NoLeg { .. })));
    assert!(matches!(reader.read(&["leg1"], &["paw"], &[1.0]), Err(SupportError::UnknownContact { .. })));
}
