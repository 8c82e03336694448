//! What the gait says of itself from time to time.

use super::GaitNode;
use crate::{Activity, GaitLimits};
use node_lib::{Level, Report, Throttle};

static NO_ROBOT: Throttle = Throttle::seconds(60);

impl GaitNode {
    pub(super) fn tell_unknown(&mut self) {
        let Some(walker) = &self.walker else {
            let why = "waiting for robot_description (or give the parameter robot_description)";
            self.log.warn_throttled(&NO_ROBOT, || why);
            return;
        };
        if matches!(walker.activity(), Activity::Waiting | Activity::Limp) {
            self.log.warn(format!("not moving: {}", walker.waits_for()));
        }
    }

    pub(super) fn report(&mut self, report: &mut Report) {
        let Some(walker) = &self.walker else {
            report.say(Level::Error, "no robot description");
            return;
        };
        let velocity = walker.velocity();
        report.value("activity", walker.activity()).value("gait", &self.params.gait);
        report.value("forward, m/s", format!("{:.3}", velocity.forward));
        report.value("left, m/s", format!("{:.3}", velocity.left));
        report.value("turn, rad/s", format!("{:.3}", velocity.turn));
        let GaitLimits { forward, left, turn, lift, .. } = walker.gait_limits();
        report.value(
            "fastest ahead, to the side, turning",
            format!("{forward:.3} m/s, {left:.3} m/s, {turn:.3} rad/s"),
        );
        report.value("lift, m", format!("{lift:.4}"));
        self.notes.report(report);
        if let Some(motion) = walker.progress() {
            report.value("motion", motion.name);
        }
        match walker.activity() {
            Activity::Waiting => report.say(Level::Warn, "waiting for the pose of the joints"),
            Activity::Limp => report.say(Level::Warn, "without torque"),
            _ => report,
        };
    }
}
