//! Inputs that nobody should send, parameters changed at every phase: no panic, no NaN, no trace of what was refused, and
//! after a reset nothing of it all is left.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod zoo;

use filters_lib::chain::{ChainSignal, Kind, Value, known_types};
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use zoo::Dice;

/// Numbers at the edges of what there is.
const EDGES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -5e-324,
    5e-324,
    1e300,
    -1e300,
    1e-300,
    0.1,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];
const PERIODS: [f64; 7] = [1e-300, 1e-9, 1e-3, 0.01, 1.0, 1e6, 1e300];

fn pick<T: Copy>(r: &mut Dice, list: &[T]) -> T {
    list[r.count(0, list.len() - 1)]
}

/// A signal of the worst numbers.
trait Worst: ChainSignal {
    fn worst(r: &mut Dice) -> Self;
    fn is_finite(&self) -> bool;
}

impl Worst for f64 {
    fn worst(r: &mut Dice) -> f64 {
        pick(r, &EDGES)
    }

    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }
}

impl Worst for JointArray {
    /// Now and then of another length, or empty.
    fn worst(r: &mut Dice) -> JointArray {
        let length = if r.unit() < 0.1 { r.count(0, 3) } else { 2 };
        (0..length).map(|_| pick(r, &EDGES)).collect()
    }

    fn is_finite(&self) -> bool {
        self.iter().all(|x| x.is_finite())
    }
}

impl Worst for Wrench {
    fn worst(r: &mut Dice) -> Wrench {
        let mut part = || Vector3::new(pick(r, &EDGES), pick(r, &EDGES), 1.0);
        Wrench::new(part(), part())
    }

    fn is_finite(&self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }
}

impl Worst for UnitQuaternion<f64> {
    /// Half turns, whose axis is anybody's guess, tiny ones, and what is no rotation.
    fn worst(r: &mut Dice) -> Self {
        let [w, x, y] = [(); 3].map(|()| pick(r, &[0.0, 1.0, -1.0, 5e-324, 1e-160, f64::NAN, f64::MAX]));
        let raw = nalgebra::Quaternion::new(w, x, y, 0.0);
        if r.unit() < 0.1 { Self::new_unchecked(raw) } else { Self::new_normalize(raw) }
    }

    fn is_finite(&self) -> bool {
        self.coords.iter().all(|x| x.is_finite()) && (self.norm() - 1.0).abs() < 1e-6
    }
}

impl Worst for Isometry3<f64> {
    fn worst(r: &mut Dice) -> Self {
        let at = Vector3::new(pick(r, &EDGES), pick(r, &EDGES), 0.0);
        Isometry3::from_parts(at.into(), Worst::worst(r))
    }

    fn is_finite(&self) -> bool {
        self.translation.vector.iter().all(|x| x.is_finite()) && Worst::is_finite(&self.rotation)
    }
}

/// Parameters of one filter, at the edges of their ranges and within.
fn drawn(
    r: &mut Dice,
    info: &chain::TypeInfo,
    only: impl Fn(&chain::ParamSpec) -> bool,
) -> Vec<(String, Value)> {
    let mut list = vec![];
    for spec in info.params.iter().filter(|spec| !spec.read_only && only(spec)) {
        let number = match r.count(0, 4) {
            0 if spec.min.is_finite() => spec.min,
            1 if spec.max.is_finite() => spec.max,
            2 => pick(r, &EDGES),
            _ => r.within(0.01, 3.0),
        };
        let value = match spec.kind {
            Kind::Text if spec.choices.is_empty() => continue,
            Kind::Text => Value::from(pick(r, spec.choices)),
            Kind::Integer => Value::Integer(r.count(1, 9) as i64),
            Kind::Doubles => Value::from((0..r.count(1, 4)).map(|_| r.within(-1.0, 1.0)).collect::<Vec<_>>()),
            _ => Value::from(number),
        };
        list.push((format!("filter1.params.{}", spec.name), value));
    }
    list
}

fn head(name: &str) -> Vec<(String, Value)> {
    vec![("filter1.name".into(), Value::from("f")), ("filter1.type".into(), Value::from(name))]
}

fn tried<S: Worst>(r: &mut Dice, info: &chain::TypeInfo, like: &S) -> bool {
    let period = pick(r, &PERIODS);
    let rare = r.unit() < 0.3;
    let required = drawn(r, info, |spec| spec.is_required() || rare);
    let Ok(mut chain) = Chain::new(&[head(info.name), required].concat(), period, like) else { return false };
    let mut y = like.clone();
    for _ in 0..60 {
        match r.count(0, 19) {
            0 => chain.reset(),
            1 => drop(chain.start(&S::worst(r))),
            2 => drop(chain.set_period(pick(r, &PERIODS))),
            3 | 4 => drop(chain.set(&one(r, info))),
            _ => {}
        }
        let u = S::worst(r);
        let before = chain.clone();
        let foreseen = before.output(&u);
        match chain.update_into(&u, &mut y) {
            Ok(()) => {
                assert!(y.is_finite(), "{}: {u:?} gives {y:?}; {:?}", info.name, chain.describe());
                assert_eq!(foreseen.as_ref(), Ok(&y), "{}: output says otherwise", info.name);
            }
            Err(_) => {
                let probe = like.clone();
                assert_eq!(chain.output(&probe), before.output(&probe), "{}: {u:?} left a trace", info.name);
            }
        }
    }
    // Nothing is left after a reset.
    let params: Vec<_> = chain.describe().into_iter().map(|info| (info.name, info.value)).collect();
    chain.set_period(0.01).is_ok() && {
        let mut fresh = Chain::new(&params, 0.01, like).unwrap_or_else(|e| panic!("{e}: {params:?}"));
        chain.reset();
        for _ in 0..12 {
            let u = S::worst(r);
            let [left, right] = [chain.update(&u), fresh.update(&u)].map(|y| format!("{y:?}"));
            assert_eq!(left, right, "{}: a reset forgets not all; {params:?}", info.name);
        }
        true
    }
}

/// One parameter, whichever.
fn one(r: &mut Dice, info: &chain::TypeInfo) -> Vec<(String, Value)> {
    let Some(last) = info.params.len().checked_sub(1) else { return vec![] };
    let name = info.params[r.count(0, last)].name;
    drawn(r, info, |spec| spec.name == name)
}

fn all<S: Worst>(seed: u64, like: &S) {
    let mut r = Dice(seed);
    for info in known_types().iter().filter(|info| info.fits(S::KIND) && !info.name.contains("Gravity")) {
        let whole = (0..250).filter(|_| tried(&mut r, info, like)).count();
        assert!(whole > 5, "{}: its parameters are hardly ever good: {whole}", info.name);
    }
}

#[test]
fn numbers() {
    all::<f64>(1, &0.0);
}

/// Parameters that are taken let an ordinary sample through: a filter that refuses everything is a fault of its parameters.
#[test]
fn accepted_parameters_are_usable() {
    let mut r = Dice(7);
    let tame = |value: &Value| match value {
        Value::Double(x) => !x.is_finite() || *x == 0.0 || (1e-6..=1e9).contains(&x.abs()),
        _ => true,
    };
    for info in known_types()
        .iter()
        .filter(|info| info.fits(<f64 as ChainSignal>::KIND) && !info.name.contains("Gravity"))
    {
        for _ in 0..2000 {
            let some = drawn(&mut r, info, |_| true);
            let params: Vec<_> =
                head(info.name).into_iter().chain(some).filter(|(_, value)| tame(value)).collect();
            let Ok(mut chain) = Chain::new(&params, pick(&mut r, &PERIODS[1..6]), &0.0) else { continue };
            for u in [1.0, -1.0, 0.0] {
                let y = chain.update(&u);
                assert!(y.is_ok(), "{}: {u} gives {y:?}; {params:?}", info.name);
            }
        }
    }
}

#[test]
fn arrays_that_change_their_length() {
    all::<JointArray>(2, &vec![0.0; 2]);
    all::<JointArray>(3, &vec![]);
}

#[test]
fn wrenches() {
    all::<Wrench>(4, &Wrench::default());
}

#[test]
fn orientations_and_poses() {
    all::<UnitQuaternion<f64>>(5, &UnitQuaternion::identity());
    all::<Isometry3<f64>>(6, &Isometry3::identity());
}

#[test]
fn a_sample_that_overflows_for_its_time_alone_leaves_no_trace() {
    let params = PidParams { p: 1.0, i: 1.0, d: 1.0, ..Default::default() };
    let pid = Timed::new(Pid::new(params, &0.0).unwrap(), 10.0, &0.0).unwrap();
    let (mut tried, mut untried) = (pid.clone(), pid);
    for (stamp, u) in [(0.0, 1.0), (1.0, 2.0), (2.0, 1.5)] {
        assert_eq!(tried.update(stamp, &u), untried.update(stamp, &u));
        assert_eq!(tried.update(stamp + 1e-12, &1e300), Err(Error::Overflow), "a derivative of 1e312");
    }
    assert_eq!(tried.update(3.0, &1.0), untried.update(3.0, &1.0));
}

#[test]
fn a_rate_limiter_keeps_its_speed_when_higher_limits_come_and_go() {
    let first = RateLimiterParams { period: 0.01, max_first_derivative: 1.0, ..Default::default() };
    let second = RateLimiterParams { max_second_derivative: 2.0, ..first };
    let third = RateLimiterParams { max_third_derivative: 50.0, ..second };
    let mut limiter = RateLimiter::new(first, &0.0).unwrap();
    let mut last = 0.0;
    for k in 0..400 {
        limiter.set_params([first, second, first, third][k / 10 % 4]).unwrap();
        let y = limiter.update(&100.0).unwrap();
        assert!((y - last - 0.01).abs() < 1e-9, "{k}: a ramp at full speed goes on, {last} -> {y}");
        last = y;
    }
}
