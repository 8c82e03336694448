//! Texts and packets.

use gait_node::{GaitParams, Motion, MotionRules, read_motion};
use herkulex_node::codec::{Parser, ParserEvent};
use odometry_node::OdometryParams;
use param_lib::{Overrides, Params as _, Table, read_file, read_value};
use robot_model_lib::{Kinematics, ModelConfig, RobotModel, WholeBody};

use super::robot::{config, params, pony};
use super::{Give, Target};
use crate::corpus;

pub(crate) const TARGETS: [Target; 4] = [
    Target { name: "packet", words: &["\u{7f}"], corpus: || corpus("packet", &[]), build: packet },
    Target {
        name: "urdf",
        words: &[
            "<joint name=\"a\" type=\"revolute\">",
            "<parent link=\"base_link\"/>",
            "<child link=\"a\"/>",
            "<mimic joint=\"a\"/>",
            "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>",
            "<link name=\"a\">",
            "</link>",
            "</joint>",
            "1e308",
            "nan",
            "-0",
            "continuous",
            "prismatic",
            "floating",
            "planar",
            "<!--",
            "<![CDATA[",
            "&amp;",
            "<axis xyz=\"0 0 0\"/>",
        ],
        corpus: || {
            corpus(
                "urdf",
                &["robot_model_lib/tests/urdf/skew.urdf", "robot_model_lib/tests/urdf/telescope.urdf"],
            )
        },
        build: urdf,
    },
    Target {
        name: "params",
        words: &[
            "ros__parameters:",
            "/**:",
            "- ",
            ": ",
            "!!str ",
            "&a ",
            "*a",
            "[",
            "{",
            "'",
            "\"",
            ".nan",
            "-.inf",
            "0x",
            "1e999",
            "|\n",
            "---\n",
        ],
        corpus: || {
            corpus(
                "params",
                &["config/robot.yaml", "config/gaits.yaml", "config/odometry.yaml", "config/filter.yaml"],
            )
        },
        build: yaml,
    },
    Target {
        name: "motion",
        words: &[
            "joint_names:",
            "points:",
            "time_from_start:",
            "positions:",
            "velocities:",
            "support/leg1",
            "1e308",
            ".nan",
            "\0",
            "neck_yaw",
            "[",
            "{",
            "sec: 1",
        ],
        corpus: || corpus("motion", &["config/motions/bow.yaml", "config/motions/nod.json"]),
        build: motion,
    },
];

/// A stream in pieces whose lengths are its own bytes.
fn packet() -> anyhow::Result<Give> {
    let mut parser = Parser::default();
    Ok(Box::new(move |stream| {
        let (mut rest, mut packets) = (stream, 0);
        let mut hear = |event: ParserEvent<'_>| {
            if let ParserEvent::Packet(packet) = event {
                packets += 7 + packet.data.len();
                let _ = packet.reply().map(|reply| (reply.id, reply.memory().is_some()));
            }
        };
        while let Some(first) = rest.first() {
            let (mut now, later) = rest.split_at((1 + usize::from(*first) % 40).min(rest.len()));
            rest = later;
            while let Some(event) = parser.next(&mut now) {
                hear(event);
            }
            if *first == 0 {
                while let Some(event) = parser.idle() {
                    hear(event);
                }
            }
        }
        while let Some(event) = parser.idle() {
            hear(event);
        }
        assert!(!parser.is_waiting(), "quiet lines leave nothing");
        assert!(packets as u64 + parser.skipped() <= stream.len() as u64, "no byte counts twice");
        parser.reset_skipped();
    }))
}

fn urdf() -> anyhow::Result<Give> {
    let configs = [ModelConfig::default(), config()?];
    Ok(Box::new(move |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        for config in &configs {
            let Ok(model) = RobotModel::from_urdf(text, config) else { continue };
            let q: Vec<f64> = model.joints().iter().map(|joint| joint.limits.clamp(0.0)).collect();
            let mut kinematics = Kinematics::new(&model);
            kinematics.update(&q);
            for chain in 0..model.chains().len() {
                let _ = kinematics.contact(chain);
            }
            let _ = WholeBody::new(&model).map(|body| body.mass());
        }
    }))
}

fn yaml() -> anyhow::Result<Give> {
    Ok(Box::new(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let _ = (read_file(text).map(|sections| sections.len()), read_value(text).is_ok());
        let Ok(overrides) = Overrides::from_text(text) else { return };
        for node in ["/odometry_node", "/ns/gait_node"] {
            let overrides = overrides.for_node(node);
            if let Ok(table) = Table::declare_all(OdometryParams::specs(), &overrides) {
                let _ = OdometryParams::read(&table).is_ok();
            }
            if let Ok(table) = Table::declare_all(GaitParams::specs(), &overrides) {
                let _ = GaitParams::read(&table).is_ok();
            }
        }
    }))
}

fn motion() -> anyhow::Result<Give> {
    let model = pony()?;
    let rules =
        MotionRules::from(&params::<GaitParams>("/gait_node", include_str!("../../../config/gait.yaml"))?);
    Ok(Box::new(move |bytes| {
        let Ok(score) = read_motion(bytes) else { return };
        let Ok(motion) = Motion::new(&score, &model, &rules) else { return };
        let (entry, duration) = (motion.entry_time(), motion.duration());
        assert!(entry.is_finite() && duration.is_finite() && duration >= 0.0, "{entry} … {duration} s");
    }))
}
