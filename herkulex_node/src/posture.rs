//! Joints that are read one after another, brought to one moment.
//!
//! A round through all servos takes tens of milliseconds, in which a swinging leg turns by degrees. Positions of different
//! times side by side are a pose that the robot never had, and no stamp makes it one: odometry from such poses was off by
//! up to half of the way. Between two readings of a joint the moment can be met.

use crate::bus::Measured;

/// Readings kept of each joint: some servos may be read more often than others in a round.
const KEPT: usize = 6;
/// A joint that was not read while most others were so often does not hold them back, nor one that was not read in as many readings
/// as all joints take for it: most may be gone. Not a time: after a silence of the whole bus the first joint that is read again
/// would stand beside all others as they were before it.
const PATIENCE: usize = 3;
/// A joint that was not read for so long is not known, ns.
const FORGOTTEN: i64 = 1_000_000_000;

/// One joint at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSample {
    /// Position of the joint, rad.
    pub position: f64,
    /// Velocity of the joint, rad/s.
    pub velocity: f64,
    /// N·m; NaN when it is not known.
    pub effort: f64,
}

/// The last readings of every joint.
#[derive(Clone, Debug)]
pub struct Posture {
    joints: Vec<History>,
    moment: i64,
    /// Readings so far, of all joints.
    taken: u64,
    /// Room to sort times in.
    times: Vec<i64>,
}

/// Readings of one joint, the newest first.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    readings: [Option<(i64, JointSample)>; KEPT],
    /// Which of the readings of all joints the newest is.
    number: u64,
}

impl Posture {
    /// For so many joints.
    pub fn new(joints: usize) -> Posture {
        let times = Vec::with_capacity(joints);
        Posture { joints: vec![History::default(); joints], moment: i64::MIN, taken: 0, times }
    }

    /// A joint was read at a time, ns.
    pub fn reading(&mut self, joint: usize, measured: &Measured, at: i64) {
        let sample =
            JointSample { position: measured.position, velocity: measured.velocity, effort: measured.effort };
        if let Some(history) = self.joints.get_mut(joint) {
            if history.newest().is_some_and(|newest| newest > at) {
                // The clock was set back: what was before is of another time.
                *history = History::default();
            }
            self.taken += 1;
            history.number = self.taken;
            history.readings.rotate_right(1);
            history.readings[0] = Some((at, sample));
        }
    }

    /// The newest moment at which every joint is known: that of the joint that was read longest ago. It never goes back,
    /// but with the clock. None while no joint is known.
    pub fn meet(&mut self, now: i64) -> Option<i64> {
        // The clock was set back: these were read in another time, and may never be again.
        let is_ahead = |joint: &&mut History| joint.newest().is_some_and(|at| at > now);
        self.joints.iter_mut().filter(is_ahead).for_each(|joint| *joint = History::default());
        let passed = self.passed(now);
        let silent = self.taken.saturating_sub((PATIENCE * self.joints.len()) as u64);
        let present = self.joints.iter().filter(|joint| joint.number >= silent);
        let newest = present.filter_map(|joint| joint.known(now));
        let waited_for = newest.filter(|at| *at >= passed).min()?;
        let last = if self.moment > now { i64::MIN } else { self.moment };
        self.moment = waited_for.max(last);
        Some(self.moment)
    }

    /// Since when most joints that are known were read [`PATIENCE`] times.
    fn passed(&mut self, now: i64) -> i64 {
        self.times.clear();
        let known = self.joints.iter().filter(|joint| joint.known(now).is_some());
        self.times.extend(known.filter_map(|joint| Some(joint.readings[PATIENCE - 1]?.0)));
        if self.times.is_empty() {
            return i64::MIN;
        }
        let middle = self.times.len() / 2;
        *self.times.select_nth_unstable(middle).1
    }

    /// A joint at that moment: on the line between its readings before and after, or as it was read last. None when it
    /// was not read for a second.
    pub fn at_moment(&self, joint: usize, now: i64) -> Option<JointSample> {
        let history = self.joints.get(joint)?;
        history.known(now)?;
        history.at(self.moment)
    }
}

impl History {
    fn newest(&self) -> Option<i64> {
        self.readings[0].map(|(at, _)| at)
    }

    /// When it was read last; None when that is too long ago.
    fn known(&self, now: i64) -> Option<i64> {
        self.newest().filter(|at| now - at < FORGOTTEN)
    }

    fn at(&self, moment: i64) -> Option<JointSample> {
        let mut later: Option<(i64, JointSample)> = None;
        for &(at, sample) in self.readings.iter().flatten() {
            if at <= moment {
                let Some((end, after)) = later else { return Some(sample) };
                let share = (moment - at) as f64 / (end - at) as f64;
                let between = |a: f64, b: f64| a + (b - a) * share;
                return Some(JointSample {
                    position: between(sample.position, after.position),
                    velocity: between(sample.velocity, after.velocity),
                    effort: if sample.effort.is_finite() {
                        between(sample.effort, after.effort)
                    } else {
                        after.effort
                    },
                });
            }
            later = Some((at, sample));
        }
        later.map(|(_, sample)| sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measured(position: f64, velocity: f64) -> Measured {
        Measured { position, velocity, effort: f64::NAN, counts: 0, absolute: 0, at: 0, uncertainty: 0 }
    }

    proptest! {
        /// Joints that turn evenly are met exactly, whenever each of them was read.
        #[test]
        fn even_motion_is_met_exactly(
            joints in proptest::collection::vec((-1.0..1.0_f64, -5.0..5.0_f64, 0_i64..25_000_000), 1..8),
        ) {
            let mut posture = Posture::new(joints.len());
            let round = 26_000_000;
            for number in 0..4 {
                for (joint, (start, rate, offset)) in joints.iter().enumerate() {
                    let at = number * round + offset;
                    posture.reading(joint, &measured(start + rate * at as f64 * 1e-9, *rate), at);
                }
            }
            let now = 4 * round;
            let moment = posture.meet(now).unwrap();
            let oldest = joints.iter().map(|(_, _, offset)| 3 * round + offset).min().unwrap();
            prop_assert_eq!(moment, oldest);
            for (joint, (start, rate, _)) in joints.iter().enumerate() {
                let sample = posture.at_moment(joint, now).unwrap();
                prop_assert!((sample.position - (start + rate * moment as f64 * 1e-9)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_servo_that_falls_silent_holds_nobody_back_and_is_left_out_after_a_second() {
        let mut posture = Posture::new(2);
        let ms = 1_000_000;
        posture.reading(0, &measured(0.5, 0.0), 0);
        for at in 0..200 {
            posture.reading(1, &measured(at as f64, 0.0), at * 10 * ms);
            let moment = posture.meet(at * 10 * ms).unwrap();
            assert!(at * 10 * ms - moment < 30 * ms, "{at}: {moment}");
            let silent = posture.at_moment(0, at * 10 * ms);
            assert_eq!(silent.map(|sample| sample.position), (at < 100).then_some(0.5));
        }
    }

    /// The machine or the line is away for a while, and joints are read again one after another: none stands beside those of before.
    #[test]
    fn after_a_silence_of_the_whole_bus_no_pose_is_of_two_times() {
        const JOINTS: usize = 31;
        let ms = 1_000_000;
        for silence in [30, 90, 150, 400, 900] {
            let mut posture = Posture::new(JOINTS);
            let mut last = i64::MIN;
            for reading in 0..20 * JOINTS {
                let away = if reading >= 10 * JOINTS + 7 { silence * ms } else { 0 };
                let at = reading as i64 * ms + away;
                posture.reading(reading % JOINTS, &measured(at as f64 * 1e-9, 1.0), at);
                let moment = posture.meet(at).unwrap();
                assert!(moment >= last);
                last = moment;
                for joint in 0..JOINTS.min(reading + 1) {
                    let sample = posture.at_moment(joint, at).unwrap();
                    let off = sample.position - moment as f64 * 1e-9;
                    assert!(reading < 2 * JOINTS || off.abs() < 1e-9, "{silence}, {reading}, {joint}: {off}");
                }
            }
        }
    }

    /// A plug comes off, and with it most of a chain of servos: the others are not held up until those are forgotten, nor by one
    /// more that falls silent long after.
    #[test]
    fn servos_that_are_left_when_most_fall_silent_are_shown_as_they_are() {
        let ms = 1_000_000;
        for (joints, left) in [(3, 1), (31, 15), (31, 2), (31, 1)] {
            let mut posture = Posture::new(joints);
            let mut now = 0;
            let mut rounds = |posture: &mut Posture, alive: usize, times: usize| {
                for reading in 0..times {
                    now += ms;
                    posture.reading(reading % alive, &measured(now as f64 * 1e-9, 1.0), now);
                    posture.meet(now);
                }
                now - posture.moment
            };
            rounds(&mut posture, joints, 10 * joints);
            let lag = rounds(&mut posture, left, (PATIENCE + 1) * joints);
            assert!(lag <= left as i64 * ms, "{left} of {joints}: {lag}");
            // Those that went are forgotten by then.
            rounds(&mut posture, left, 2000);
            if left > 1 {
                let lag = rounds(&mut posture, left - 1, (PATIENCE + 1) * left);
                assert!(lag <= left as i64 * ms, "{left} of {joints}, one less: {lag}");
            }
        }
    }

    /// A servo that was read before the clock was set back, and never again, is of another time.
    #[test]
    fn a_clock_that_is_set_back_leaves_no_stamp_in_the_future() {
        const HOUR: i64 = 3_600_000_000_000;
        let ms = 1_000_000;
        for joints in [2, 3, 31] {
            for back in [10 * ms, 100 * ms, 1000 * ms, HOUR] {
                let mut posture = Posture::new(joints);
                let mut now = 2 * HOUR;
                for reading in 0..10 * joints {
                    now += ms;
                    posture.reading(reading % joints, &measured(0.1, 0.0), now);
                    posture.meet(now);
                }
                now -= back;
                for reading in 0..2000 {
                    // The last one is unplugged by now.
                    posture.reading(reading % (joints - 1), &measured(0.2, 0.0), now);
                    let moment = posture.meet(now).unwrap();
                    assert!(moment <= now, "{joints}, {back}, {reading}: {moment}");
                    assert!(reading < 5 * joints || now - moment <= joints as i64 * ms);
                    let gone = posture.at_moment(joints - 1, now);
                    assert!(reading <= 1000 || gone.is_none(), "{joints}, {back}, {reading}: {gone:?}");
                    now += ms;
                }
            }
        }
    }

    #[test]
    fn the_moment_goes_back_with_the_clock_only() {
        let mut posture = Posture::new(2);
        posture.reading(0, &measured(0.0, 0.0), 2_000_000_000);
        assert_eq!(posture.meet(2_000_000_000), Some(2_000_000_000));
        // A joint that joins late with an older reading does not pull it back.
        posture.reading(1, &measured(1.0, 0.0), 1_990_000_000);
        assert_eq!(posture.meet(2_000_000_000), Some(2_000_000_000));
        posture.reading(0, &measured(0.3, 0.0), 5_000_000);
        posture.reading(1, &measured(0.4, 0.0), 6_000_000);
        assert_eq!(posture.meet(7_000_000), Some(5_000_000));
        assert_eq!(posture.at_moment(0, 7_000_000).map(|sample| sample.position), Some(0.3));
        assert_eq!(Posture::new(3).meet(0), None);
    }
}
