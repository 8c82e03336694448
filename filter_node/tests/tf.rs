//! The tf buffer against matrices, against motions that are known by a formula, and against nonsense.
#![allow(clippy::unwrap_used)]

use filter_node::tf::{Fault, Frames, TfBuffer, TfError, Transform, When};
use nalgebra::{Isometry3, Matrix4, Translation3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;

const SECOND: i64 = 1_000_000_000;

fn transform<'a>(parent: &'a str, child: &'a str, stamp: i64, pose: &Isometry3<f64>) -> Transform<'a> {
    let (p, q) = (pose.translation.vector, pose.rotation.coords);
    Transform { parent, child, stamp, translation: [p.x, p.y, p.z], rotation: [q.x, q.y, q.z, q.w] }
}

fn at(x: f64) -> Isometry3<f64> {
    Isometry3::translation(x, 0.0, 0.0)
}

fn buffer() -> TfBuffer {
    TfBuffer::new(10 * SECOND)
}

prop_compose! {
    fn pose()(p in prop::array::uniform3(-10.0..10.0f64), axis in prop::array::uniform3(-1.0..1.0f64), angle in -3.0..3.0f64)
        -> Isometry3<f64>
    {
        let axis = Unit::new_normalize(Vector3::from(axis) + Vector3::new(2.0, 0.0, 0.0));
        Isometry3::from_parts(Translation3::from(p), UnitQuaternion::from_axis_angle(&axis, angle))
    }
}

proptest! {
    /// Any two frames of any tree, some links fixed and some moving, are joined by the product of matrices.
    #[test]
    fn any_two_frames_of_any_tree_are_joined_as_matrices_say(
        links in prop::collection::vec((any::<prop::sample::Index>(), pose(), any::<bool>()), 1..24),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 20),
        reversed in any::<bool>(),
    ) {
        let mut buffer = buffer();
        let mut from_root: Vec<Matrix4<f64>> = vec![Matrix4::identity()];
        let mut inserts = vec![];
        for (child, (parent, pose, fixed)) in links.iter().enumerate().map(|(i, link)| (i + 1, link)) {
            let parent = parent.index(child);
            from_root.push(from_root[parent] * pose.to_homogeneous());
            inserts.push((format!("f{parent}"), format!("f{child}"), *pose, *fixed));
        }
        // Frames may come before what they hang on.
        if reversed {
            inserts.reverse();
        }
        for (parent, child, pose, fixed) in &inserts {
            prop_assert_eq!(buffer.insert(&transform(parent, child, 5 * SECOND, pose), *fixed), Ok(None));
        }
        for (target, source) in pairs {
            let (target, source) = (target.index(from_root.len()), source.index(from_root.len()));
            let expected = from_root[target].try_inverse().unwrap() * from_root[source];
            for when in [When::Latest, When::At(5 * SECOND)] {
                let found = buffer.lookup(&format!("f{target}"), &format!("f{source}"), when).unwrap();
                prop_assert!((found.to_homogeneous() - expected).amax() < 1e-9 * (1.0 + expected.amax()));
            }
        }
    }

    /// A steady motion, sampled at any times in any order, is found again between the samples.
    #[test]
    fn steady_motion_is_exact_between_samples(
        mut stamps in prop::collection::btree_set(0..1_000_000_000i64, 2..40).prop_map(|s| s.into_iter().collect::<Vec<_>>()).prop_shuffle(),
        velocity in prop::array::uniform3(-3.0..3.0f64),
        rate in -3.0..3.0f64,
        share in 0.0..1.0f64,
    ) {
        let (velocity, axis) = (Vector3::from(velocity), Vector3::new(0.6, 0.0, 0.8));
        let moved = |ns: i64| {
            let t = ns as f64 * 1e-9;
            Isometry3::from_parts((velocity * t).into(), UnitQuaternion::new(axis * rate * t))
        };
        let mut buffer = buffer();
        for stamp in &stamps {
            buffer.insert(&transform("world", "hoof", *stamp, &moved(*stamp)), false).unwrap();
        }
        stamps.sort_unstable();
        let (first, last) = (stamps[0], stamps[stamps.len() - 1]);
        let time = first + ((last - first) as f64 * share) as i64;
        let found = buffer.lookup("world", "hoof", When::At(time)).unwrap();
        prop_assert!((found.to_homogeneous() - moved(time).to_homogeneous()).amax() < 1e-9);
        for stamp in [first, last] {
            let found = buffer.lookup("world", "hoof", When::At(stamp)).unwrap();
            prop_assert!((found.to_homogeneous() - moved(stamp).to_homogeneous()).amax() < 1e-14);
        }
    }

    /// No sequence of transforms and questions panics or closes a loop, whatever the numbers and stamps are.
    #[test]
    fn nonsense_is_refused_and_nothing_breaks(
        steps in prop::collection::vec(
            (0..6usize, 0..6usize, any::<i64>(), prop::array::uniform7(prop::num::f64::ANY), any::<bool>(), any::<bool>()), 1..60),
    ) {
        let names = ["", "a", "/b", "c", "d", "e"];
        let mut buffer = buffer();
        for (parent, child, stamp, n, fixed, sane) in steps {
            let rotation = if sane { [0.0, 0.0, 0.0, 1.0] } else { [n[3], n[4], n[5], n[6]] };
            let t = Transform { parent: names[parent], child: names[child], stamp, translation: [n[0], n[1], n[2]], rotation };
            let _ = buffer.insert(&t, fixed);
            for when in [When::Latest, When::At(stamp), When::At(stamp.wrapping_add(1))] {
                let _ = buffer.lookup(names[parent], names[child], when);
                let _ = buffer.lookup("e", names[child], when);
            }
        }
    }
}

#[test]
fn half_way_is_half_the_translation_and_half_the_shortest_turn() {
    let mut buffer = buffer();
    let turned = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    buffer.insert(&transform("world", "arm", SECOND, &Isometry3::identity()), false).unwrap();
    let mut end = transform(
        "world",
        "arm",
        3 * SECOND,
        &Isometry3::from_parts(Translation3::new(2.0, 0.0, 4.0), turned(1.0)),
    );
    // The same rotation, written with the other sign.
    end.rotation = end.rotation.map(|number| -number);
    buffer.insert(&end, false).unwrap();
    let half = buffer.lookup("world", "arm", When::At(2 * SECOND)).unwrap();
    assert!((half.translation.vector - Vector3::new(1.0, 0.0, 2.0)).amax() < 1e-15);
    assert!(half.rotation.angle_to(&turned(0.5)) < 1e-12);
}

#[test]
fn a_half_turn_between_two_samples_is_some_half_turn() {
    let mut buffer = buffer();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    buffer.insert(&transform("a", "b", 0, &Isometry3::identity()), false).unwrap();
    let flipped = Isometry3::from_parts(Translation3::identity(), turn);
    buffer.insert(&transform("a", "b", 2, &flipped), false).unwrap();
    let half = buffer.lookup("a", "b", When::At(1)).unwrap();
    assert!((half.rotation.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
}

#[test]
fn errors_name_the_frames_and_the_times() {
    let mut buffer = buffer();
    buffer.insert(&transform("world", "base", 2 * SECOND, &at(1.0)), false).unwrap();
    buffer.insert(&transform("world", "base", 3 * SECOND, &at(2.0)), false).unwrap();
    buffer.insert(&transform("moon", "crater", 0, &at(1.0)), true).unwrap();
    let error = |target: &str, source: &str, time| buffer.lookup(target, source, When::At(time)).unwrap_err();
    assert_eq!(error("world", "nose", SECOND), TfError::Unknown { frame: "nose".into() });
    assert_eq!(
        error("world", "crater", SECOND).to_string(),
        "frames \"world\" and \"crater\" are not connected"
    );
    let past = error("base", "world", SECOND / 2);
    let text = "\"world\" → \"base\" at 0.500000000 s is too old: it is known from 2.000000000 s on";
    assert_eq!((past.to_string().as_str(), past.may_pass()), (text, false));
    let future = error("world", "base", 3 * SECOND + 1);
    let text = "\"world\" → \"base\" at 3.000000001 s is not there yet: it is known until 3.000000000 s";
    assert_eq!((future.to_string().as_str(), future.may_pass()), (text, true));
    assert_eq!(
        buffer.lookup("nose", "/nose", When::At(7)),
        Ok(Isometry3::identity()),
        "any frame is where it is"
    );
}

#[test]
fn the_latest_time_is_the_latest_that_all_links_share() {
    let mut buffer = buffer();
    for stamp in [1, 2, 3] {
        buffer.insert(&transform("world", "base", stamp * SECOND, &at(stamp as f64)), false).unwrap();
    }
    for stamp in [1, 2] {
        buffer.insert(&transform("base", "arm", stamp * SECOND, &at(10.0 * stamp as f64)), false).unwrap();
    }
    buffer.insert(&transform("arm", "hand", 0, &at(100.0)), true).unwrap();
    let found = buffer.lookup("world", "hand", When::Latest).unwrap();
    assert!((found.translation.x - 122.0).abs() < 1e-12, "both at two seconds: 2 + 20 + 100");
    let fixed = buffer.lookup("arm", "hand", When::At(i64::MAX)).unwrap();
    assert_eq!(fixed.translation.x, 100.0, "what is fixed holds at any time");
}

#[test]
fn ten_seconds_are_remembered_and_no_more() {
    let mut buffer = buffer();
    for stamp in 0..=30 {
        buffer.insert(&transform("world", "base", stamp * SECOND, &at(stamp as f64)), false).unwrap();
    }
    assert_eq!(buffer.lookup("world", "base", When::At(20 * SECOND)).unwrap().translation.x, 20.0);
    let gone = buffer.lookup("world", "base", When::At(20 * SECOND - 1)).unwrap_err();
    assert!(matches!(gone, TfError::Past { oldest, .. } if oldest == 20 * SECOND));
}

#[test]
fn late_transforms_find_their_place_and_clear_nothing() {
    let mut buffer = buffer();
    for (stamp, x) in [(50.0, 1.0), (50.4, 3.0), (50.2, 2.0), (50.2, 77.0)] {
        buffer.insert(&transform("world", "base", (stamp * 1e9) as i64, &at(x)), false).unwrap();
    }
    let middle = buffer.lookup("world", "base", When::At(50_300_000_000)).unwrap();
    assert!(
        (middle.translation.x - 2.5).abs() < 1e-9,
        "between 2 and 3; of two with one stamp the first counts"
    );
    // As tf2 keeps it: one that is 1.004 s late is kept in its place, one that is older than the history is not taken.
    buffer.insert(&transform("world", "base", 49_396_000_000, &at(0.5)), false).unwrap();
    buffer.insert(&transform("world", "base", 10 * SECOND, &at(9.0)), false).unwrap();
    for (time, x) in [(49_396_000_000, 0.5), (50 * SECOND, 1.0), (50_400_000_000, 3.0)] {
        let pose = buffer.lookup("world", "base", When::At(time)).unwrap();
        assert!((pose.translation.x - x).abs() < 1e-9, "{time}");
    }
    assert!(matches!(buffer.lookup("world", "base", When::At(10 * SECOND)), Err(TfError::Past { .. })));
    assert_eq!(buffer.lookup("world", "base", When::Latest).unwrap().translation.x, 3.0);
    buffer.insert(&transform("base", "nose", 0, &at(1.0)), true).unwrap();
    buffer.clear();
    assert!(matches!(buffer.lookup("world", "base", When::Latest), Err(TfError::NotConnected { .. })));
    assert!(buffer.lookup("base", "nose", When::Latest).is_ok(), "what is fixed stays");
}

#[test]
fn a_loop_a_frame_on_itself_and_bad_numbers_are_refused_and_change_nothing() {
    let mut buffer = buffer();
    buffer.insert(&transform("a", "b", 0, &at(1.0)), true).unwrap();
    buffer.insert(&transform("b", "c", 0, &at(1.0)), true).unwrap();
    for (parent, child) in [("c", "a"), ("b", "a"), ("c", "c"), ("x", "x")] {
        let refused = buffer.insert(&transform(parent, child, 0, &at(5.0)), true);
        assert!(matches!(refused, Err(Fault::Loop { .. })), "{parent} {child}");
    }
    let good = transform("a", "b", 0, &at(1.0));
    let nan = Transform { translation: [f64::NAN, 0.0, 0.0], ..good };
    assert!(matches!(buffer.insert(&nan, true), Err(Fault::NotFinite { .. })));
    let infinite = Transform { rotation: [0.0, 0.0, f64::INFINITY, 1.0], ..good };
    assert!(matches!(buffer.insert(&infinite, true), Err(Fault::NotFinite { .. })));
    for rotation in [[0.0; 4], [0.0, 0.0, 0.5, 1.0]] {
        let refused = buffer.insert(&Transform { rotation, ..good }, true);
        assert!(matches!(refused, Err(Fault::NotUnit { .. })), "{rotation:?}");
    }
    assert_eq!(buffer.insert(&Transform { child: "", ..good }, true), Err(Fault::NoName));
    assert_eq!(buffer.lookup("a", "c", When::Latest).unwrap().translation.x, 2.0);
}

#[test]
fn a_frame_may_change_its_parent_and_says_which_it_had() {
    let mut buffer = buffer();
    buffer.insert(&transform("shelf", "cup", 0, &at(1.0)), true).unwrap();
    let moved = buffer.insert(&transform("hand", "cup", SECOND, &at(2.0)), false);
    assert_eq!(moved, Ok(Some("shelf".to_string())));
    assert!(buffer.lookup("shelf", "cup", When::Latest).is_err());
    assert_eq!(buffer.lookup("hand", "cup", When::Latest).unwrap().translation.x, 2.0);
}

#[test]
fn when_messages_say_that_time_was_set_back_only_frames_of_the_former_time_go() {
    let mut buffer = buffer();
    buffer.insert(&transform("world", "old", 104 * SECOND, &at(1.0)), false).unwrap();
    buffer.insert(&transform("world", "new", 104 * SECOND, &at(1.0)), false).unwrap();
    buffer.insert(&transform("world", "new", 100 * SECOND, &at(2.0)), false).unwrap();
    buffer.insert(&transform("world", "fixed", 0, &at(3.0)), true).unwrap();
    buffer.rewind(100 * SECOND);
    let x = |frame| buffer.lookup("world", frame, When::At(100 * SECOND)).map(|pose| pose.translation.x);
    assert_eq!((x("new"), x("fixed")), (Ok(2.0), Ok(3.0)));
    assert!(x("old").unwrap_err().may_pass());
}
