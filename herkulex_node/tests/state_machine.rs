//! The state machine of one servo alone, against any sequence of inputs.

#![allow(clippy::panic, clippy::unwrap_used)]

use herkulex_node::bus::fsm::{FAULT_BACK_OFF, FAULT_LIMIT, Fsm};
use herkulex_node::bus::phase::{Input, Phase, Request, Verdict};
use herkulex_node::bus::torque::{Demand, Mark, Standing, Torque};
use herkulex_node::bus::{Ns, Refusal};
use herkulex_node::codec::{Status, detail, error};
use proptest::prelude::*;

fn demand(torque: Torque) -> Demand {
    Demand { torque, mark: Some(Mark::of(Standing::as_found(torque))) }
}

fn any_status() -> impl Strategy<Value = Status> {
    let bits = prop_oneof![Just(0), Just(error::INVALID_PACKET), Just(error::OVERLOAD), any::<u8>()];
    (bits, prop_oneof![Just(0), Just(detail::MOTOR_ON)]).prop_map(|(error, detail)| Status { error, detail })
}

fn any_input() -> impl Strategy<Value = Input> {
    let verdict = prop_oneof![
        4 => Just(Verdict::Proved),
        2 => Just(Verdict::Unproved),
        1 => Just(Verdict::Slack),
        1 => Just(Verdict::Refused(Refusal::Seed)),
    ];
    let torque = prop_oneof![2 => Just(Torque::On), 1 => Just(Torque::Free), 1 => Just(Torque::Brake)];
    prop_oneof![
        12 => (verdict, any_status()).prop_map(|(v, s)| Input::Answer(v, s)),
        4 => any_status().prop_map(Input::Status),
        2 => torque.prop_map(|t| Input::Want(demand(t))),
        1 => Just(Input::Stale),
        1 => Just(Input::Confirm),
        1 => Just(Input::Again),
        1 => Just(Input::Clear),
        4 => Just(Input::Time),
        1 => (0u64..1000).prop_map(|ms| Input::Reboot(ms * 1_000_000)),
    ]
}

/// What the order before allows to be written.
fn may_write(fsm: &Fsm, request: Request) -> bool {
    match request {
        Request::Write(demand, _) if demand.torque == Torque::On => {
            fsm.phase == Phase::Engage && fsm.wanted.is_some_and(|w| w.torque == Torque::On)
        }
        Request::Write(..) | Request::Settle | Request::Seed | Request::Clear => fsm.wanted.is_some(),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn torque_is_only_ever_asked_for_at_the_end_of_a_proof(
        inputs in prop::collection::vec((any_input(), 0u64..500_000_000), 0..120),
    ) {
        let (mut fsm, mut now, mut proved) = (Fsm::default(), 0, vec![]);
        for (input, pause) in inputs {
            now += pause;
            let before = fsm;
            (fsm, _) = fsm.next(now, input);
            // The way to torque, step by step; whatever leaves it begins it anew.
            let proof = matches!(input, Input::Answer(Verdict::Proved, _));
            match (before.phase, fsm.phase) {
                (Phase::Inspect, Phase::Settle) if proof => proved = vec![Phase::Inspect],
                (from, to) if from != to && proof => proved.push(from),
                _ => {}
            }
            if fsm.phase == Phase::Ready && before.phase != Phase::Ready {
                let way = [Phase::Inspect, Phase::Settle];
                prop_assert_eq!(&proved[..2], &way[..]);
                prop_assert_eq!(&proved[proved.len() - 3..], &[Phase::Locate, Phase::Seed, Phase::Engage][..]);
            }
            prop_assert!(may_write(&fsm, fsm.request()), "{:?} asks {:?}", fsm, fsm.request());
            prop_assert!(fsm.faults <= FAULT_LIMIT && fsm.due <= now.max(1_000_000_000) + 200_000_000);
            if fsm.is_relaxed() {
                prop_assert!(fsm.wanted.is_some_and(|w| w.torque != Torque::On));
            }
            if fsm.phase == Phase::Ready {
                prop_assert!(fsm.wanted.is_some_and(|w| w.torque == Torque::On));
            }
        }
        // From wherever it is, an order to let go is carried out by a servo that does as it is told.
        let free = Demand { torque: Torque::Free, mark: Some(Mark::STOP) };
        (fsm, _) = fsm.next(now, Input::Want(free));
        let ok = Status::default();
        for _ in 0..4 {
            now = (now + 1_000_000_000).max(fsm.due);
            (fsm, _) = fsm.next(now, Input::Time);
            if let Request::Write(asked, _) = fsm.request() {
                prop_assert_eq!(asked.torque, Torque::Free);
            }
            (fsm, _) = fsm.next(now, Input::Answer(Verdict::Proved, ok));
        }
        prop_assert!(fsm.is_relaxed(), "{:?}", fsm);
    }
}

#[test]
fn a_fault_that_returns_waits_twice_as_long_and_six_lock() {
    let bad = Status { error: error::OVERLOAD, detail: 0 };
    let on = Status { error: 0, detail: detail::MOTOR_ON };
    let (mut fsm, mut now) = (Fsm::default(), 1);
    (fsm, _) = fsm.next(now, Input::Want(demand(Torque::On)));
    let mut waits: Vec<Ns> = vec![];
    loop {
        while fsm.phase != Phase::Ready {
            (fsm, _) = fsm.next(now, Input::Answer(Verdict::Proved, on));
            if fsm.phase == Phase::Waiting {
                (fsm, _) = fsm.next(now, Input::Want(demand(Torque::On)));
            }
        }
        // Twice, for one may be an accident of the line.
        (fsm, _) = fsm.next(now, Input::Status(bad));
        assert_eq!(fsm.phase, Phase::Ready);
        (fsm, _) = fsm.next(now, Input::Status(bad));
        let Phase::Faulted { retry } = fsm.phase else { break };
        waits.push(retry - now);
        assert_eq!(fsm.next(retry - 1, Input::Time).0.phase, fsm.phase);
        now = retry;
        (fsm, _) = fsm.next(now, Input::Time);
    }
    assert_eq!(fsm.phase, Phase::Locked);
    assert_eq!(waits, (0..5).map(|k| FAULT_BACK_OFF << k).collect::<Vec<_>>());
}
