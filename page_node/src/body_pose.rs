//! The body's pose above its feet, as people ask for it: shifts and angles.

/// What is taken at the most, m and rad; gait_node, which knows the legs, has the last word.
const SHIFT: f64 = 0.3;
const ANGLE: f64 = 0.7;

/// x y z, m; roll about x, then pitch about y, then yaw about z, rad. None where something is no number.
pub fn within_reason(pose: [f64; 6]) -> Option<[f64; 6]> {
    let limit = |k: usize| if k < 3 { SHIFT } else { ANGLE };
    let bounded = std::array::from_fn(|k| pose[k].clamp(-limit(k), limit(k)));
    pose.iter().all(|x| x.is_finite()).then_some(bounded)
}

/// The quaternion, x y z w, of roll, pitch and yaw.
pub fn quaternion([roll, pitch, yaw]: [f64; 3]) -> [f64; 4] {
    let [(sr, cr), (sp, cp), (sy, cy)] = [roll, pitch, yaw].map(|angle| (angle / 2.0).sin_cos());
    [
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ]
}

/// Roll, pitch and yaw of a quaternion, x y z w, of any length but zero.
pub fn angles([x, y, z, w]: [f64; 4]) -> [f64; 3] {
    let square = x * x + y * y + z * z + w * w;
    let sine = (2.0 * (w * y - z * x) / square).clamp(-1.0, 1.0);
    [
        (2.0 * (w * x + y * z)).atan2(w * w - x * x - y * y + z * z),
        sine.asin(),
        (2.0 * (w * z + x * y)).atan2(w * w + x * x - y * y - z * z),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_angle_turns_about_its_own_axis() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for axis in 0..3 {
            let turn = std::array::from_fn(|k| if k == axis { std::f64::consts::FRAC_PI_2 } else { 0.0 });
            let found = quaternion(turn);
            for k in 0..4 {
                let wanted = if k == axis || k == 3 { half } else { 0.0 };
                assert!((found[k] - wanted).abs() < 1e-15, "{axis}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn angles_survive_the_way_there_and_back(asked in prop::array::uniform3(-0.7..0.7f64), length in 0.1..10.0f64) {
            let found = angles(quaternion(asked).map(|part| part * length));
            for k in 0..3 {
                prop_assert!((found[k] - asked[k]).abs() < 1e-12, "{:?} {:?}", found, asked);
            }
        }

        #[test]
        fn nobody_is_asked_for_more_than_is_reasonable(pose in prop::array::uniform6(prop::num::f64::ANY)) {
            match within_reason(pose) {
                Some(bounded) => prop_assert!(bounded[..3].iter().all(|x| x.abs() <= SHIFT) && bounded[3..].iter().all(|x| x.abs() <= ANGLE)),
                None => prop_assert!(pose.iter().any(|x| !x.is_finite())),
            }
        }
    }
}
