//! Every example runs, and says what mathematics says. (05_new_node needs ROS: `test/foundation/test_examples.py`.)
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::Command;

/// What it prints. `cargo test` compiles examples beside the tests' own folder.
fn run(name: &str) -> String {
    let test: PathBuf = std::env::current_exe().expect("this program");
    let program =
        test.parent().and_then(|deps| deps.parent()).expect("target folder").join("examples").join(name);
    let done = Command::new(&program).output().unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&done.stderr));
    text
}

/// The first number behind a word.
fn number(text: &str, word: &str) -> f64 {
    let behind = text.split(word).nth(1).unwrap_or_else(|| panic!("no \"{word}\" in:\n{text}"));
    behind.split_whitespace().find_map(|word| word.parse().ok()).expect("a number")
}

#[test]
fn a_lag_answers_a_step_as_it_does_on_paper() {
    let text = run("01_filter");
    let after_tau = 1.0 - (-1.0f64).exp();
    for word in ["after tau: ", "still: ", "faster from: "] {
        assert!((number(&text, word) - after_tau).abs() < 1e-6, "{word} {text}");
    }
    assert!((number(&text, "after the new tau: ") - (1.0 - (-2.0f64).exp())).abs() < 1e-6, "{text}");
    assert!(!text.contains("refused: nothing"), "{text}");
}

#[test]
fn inverse_kinematics_stay_on_the_circle() {
    let text = run("02_inverse_kinematics");
    assert!(number(&text, "farthest from the circle: ") < 1e-6, "{text}");
}

#[test]
fn the_pony_walks_as_far_as_it_was_told_to() {
    let text = run("03_walk");
    // 0.05 m/s for 10 s, less the time in which it gets there.
    let way = number(&text, "walked: ");
    assert!(way > 0.45 && way < 0.5 + 1e-3, "{text}");
    assert!(text.contains("stands again"), "{text}");
}

#[test]
fn servos_go_there_and_back() {
    let text = run("04_bus");
    assert!(
        (number(&text, "nothing moved: ") - 0.1).abs() < 0.006,
        "a count of a servo is 0.0057 rad\n{text}"
    );
    for (joint, start) in [("joint1", 0.1), ("joint2", 0.2), ("joint3", 0.3), ("joint4", 0.4)] {
        let line = text.lines().find(|line| line.starts_with(joint)).expect("a line of its own");
        // After two seconds the blend is at its start again; a servo stops within its dead band and a count.
        for word in ["measured ", "shaft is at "] {
            assert!((number(line, word) - start).abs() < 0.02, "{line}");
        }
    }
}
