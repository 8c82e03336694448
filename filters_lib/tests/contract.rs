//! The contract that every filter keeps: `update` ≡ `output` + state step, buffered form, refusal without damage.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::*;
use zoo::{Draw, Random, Shorten, Specimen, Visit};

struct Contract {
    cases: usize,
}

impl Visit for Contract {
    fn filter<F: Specimen>(&mut self, name: &str, filter: F, r: &mut Random) {
        let (mut whole, mut split) = (filter.clone(), filter.clone());
        let mut buffered = Buffered::new(filter, &F::Input::draw(r));
        assert_eq!(buffered.update(), Err(Error::NoInput), "{name}");
        for _ in 0..12 {
            let u = F::Input::draw(r);
            let y = split.output(&u).unwrap();
            assert_eq!(split.output(&u).unwrap(), y, "{name}: output changed the state");
            split.step(&u).unwrap();
            assert_eq!(whole.update(&u).unwrap(), y, "{name}: update differs from output");
            assert_eq!(buffered.output(&u).unwrap(), y, "{name}: the buffered form differs");
            buffered.update().unwrap();
            self.cases += 1;
        }
    }
}

#[test]
fn update_is_output_and_state_step_for_every_filter_and_type() {
    let mut contract = Contract { cases: 0 };
    let mut random = Random(7);
    for _ in 0..60 {
        zoo::visit_all(&mut contract, &mut random);
    }
    assert!(contract.cases > 100_000, "{} cases", contract.cases);
}

fn refuses<F: Specimen>(name: &str, mut filter: F, r: &mut Random) {
    for _ in 0..5 {
        filter.update(&F::Input::draw(r)).unwrap();
    }
    let untouched = filter.clone();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut u = F::Input::draw(r);
        u.spoil(bad, r);
        let refusal = filter.output(&u);
        assert!(matches!(refusal, Err(Error::NotFinite { .. })), "{name}: {bad} gave {refusal:?}");
        assert!(filter.update(&u).is_err() && filter.step(&u).is_err(), "{name}");
    }
    let mut untouched = untouched;
    for _ in 0..5 {
        let u = F::Input::draw(r);
        assert_eq!(
            filter.update(&u).unwrap(),
            untouched.update(&u).unwrap(),
            "{name}: the state was touched"
        );
    }
}

struct Refusals;

impl Visit for Refusals {
    fn filter<F: Specimen>(&mut self, name: &str, filter: F, r: &mut Random) {
        refuses(name, filter, r);
    }
}

#[test]
fn not_finite_inputs_are_refused_by_every_filter_and_leave_the_state() {
    let mut random = Random(3);
    for _ in 0..10 {
        zoo::visit_all(&mut Refusals, &mut random);
    }
}

struct Lengths {
    refused: usize,
}

impl Visit for Lengths {
    fn filter<F: Specimen>(&mut self, name: &str, mut filter: F, r: &mut Random) {
        for _ in 0..5 {
            filter.update(&F::Input::draw(r)).unwrap();
        }
        let mut untouched = filter.clone();
        let u = F::Input::draw(r);
        let (mut y, mut short_y) = (filter.blank(&u), filter.blank(&u));
        let (mut short, mut x0) = (u.clone(), F::State::draw(r));
        let mut refused = |result: Result<()>, what: &str| {
            assert!(matches!(result, Err(Error::Length { .. })), "{name}: a short {what} gave {result:?}");
            self.refused += 1;
        };
        if short.shorten(r) {
            refused(filter.output_into(&short, &mut y), "input of output");
            refused(filter.update_into(&short, &mut y), "input of update");
            // Without state and without a second array there is no length to compare with.
            if !name.starts_with("DeadZone") && !name.starts_with("Saturation") {
                refused(filter.step(&short), "input of step");
            }
        }
        if short_y.shorten(r) {
            refused(filter.output_into(&u, &mut short_y), "output of output");
            refused(filter.update_into(&u, &mut short_y), "output of update");
        }
        if x0.shorten(r) {
            refused(filter.start(&x0), "x0");
        }
        for _ in 0..5 {
            let u = F::Input::draw(r);
            assert_eq!(filter.update(&u).unwrap(), untouched.update(&u).unwrap(), "{name}: state touched");
        }
    }
}

#[test]
fn wrong_lengths_are_refused_by_every_filter_and_leave_the_state() {
    let mut random = Random(5);
    let mut lengths = Lengths { refused: 0 };
    for _ in 0..20 {
        zoo::visit_all(&mut lengths, &mut random);
    }
    assert!(lengths.refused > 4000, "{}", lengths.refused);
}
