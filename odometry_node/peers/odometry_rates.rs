//! Walks of a pony at several rates, with joints as servos measure them: error, and NEES of (x, y, heading), 3 when the
//! covariance is that of the error. `odometry_rates [WALKS [SECONDS [fit|filter]]]`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::monte_carlo::{Case, RESOLUTION, Sensor, means, walk};
use odometry_node::Estimator;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: f64| arguments.get(at).map_or(default, |text| text.parse().expect("a number"));
    let (walks, seconds) = (number(0, 10.0) as u64, number(1, 20.0));
    let method = arguments.get(2).and_then(|word| Estimator::from_word(word)).unwrap_or(Estimator::Filter);
    let sensors = [
        (Sensor::White(0.002), "white 0.002 rad"),
        (Sensor::Steps(RESOLUTION), "steps of 0.163°"),
        (Sensor::Exact, "exact"),
    ];
    let all: Vec<_> =
        sensors.iter().flat_map(|&(sensor, name)| [(sensor, name, true), (sensor, name, false)]).collect();
    let cases: Vec<_> = all.iter().map(|&(sensor, _, given)| Case::new(sensor, given, method)).collect();
    println!("{walks} trots of {seconds} s, method {}", method.word());
    println!("   Hz  sensor            contacts    NEES  error, %  heading, °  claimed, °");
    for rate in [50, 100, 200, 1000] {
        let ends: Vec<_> = (0..walks).map(|seed| walk(seed, rate, seconds, &cases)).collect();
        for (at, (_, name, given)) in all.iter().enumerate() {
            let [nees, error, heading, claimed] = means(ends.iter().map(|ends| ends[at]));
            let contacts = if *given { "given" } else { "searched" };
            println!(
                "{rate:5}  {name:<17} {contacts:<8} {nees:7.2} {:9.2} {:11.2} {:11.2}",
                100.0 * error,
                heading.to_degrees(),
                claimed.to_degrees()
            );
        }
    }
}
