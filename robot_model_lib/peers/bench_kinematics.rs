//! A child of `bench/kinematics/run`: `bench_kinematics ours|links|k URDF POSES`.
//!
//! POSES holds a line of joint names and lines of positions. The legs are the chains `leg1`… from
//! `base_link` to `leg1_hoof`…, with their contact 5 cm along the hoof's Oz. Commands, one a line:
//! `check` prints the sum of all contact centres and Jacobians over all poses; `run N` computes N
//! poses and prints the nanoseconds and a sum that keeps the work from being left out.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::hint::black_box;
use std::io::BufRead;
use std::time::Instant;

use robot_model_lib::nalgebra::{Matrix6xX, Vector3};
use robot_model_lib::{
    ChainConfig, ContactConfig, JointSlot, Kinematics, LinkPoses, ModelConfig, RobotModel,
};

const CENTRE: [f64; 3] = [0.0, 0.0, 0.05];

/// Something that computes contacts and Jacobians of all legs.
trait Peer {
    fn update(&mut self, q: &[f64]);
    fn legs(&self) -> usize;
    /// Sum of a leg's contact centre and Jacobian.
    fn whole(&self, leg: usize) -> f64;
    /// Two numbers that depend on everything.
    fn sample(&self, leg: usize) -> f64;
}

struct Ours {
    kinematics: Kinematics,
    links: Option<LinkPoses>,
    legs: usize,
}

impl Peer for Ours {
    fn update(&mut self, q: &[f64]) {
        self.kinematics.update(q);
        if let Some(links) = &mut self.links {
            links.update(q);
            black_box(links);
        }
    }

    fn legs(&self) -> usize {
        self.legs
    }

    fn whole(&self, leg: usize) -> f64 {
        self.kinematics.jacobian(leg).sum() + self.kinematics.contact(leg).centre.coords.sum()
    }

    fn sample(&self, leg: usize) -> f64 {
        self.kinematics.jacobian_columns(leg)[0][2] + self.kinematics.contact(leg).centre.z
    }
}

struct Theirs {
    tree: k::Chain<f64>,
    /// Place of each of k's joints in our order.
    order: Vec<usize>,
    legs: Vec<k::SerialChain<f64>>,
    positions: Vec<f64>,
    found: Vec<(Vector3<f64>, Matrix6xX<f64>)>,
}

impl Peer for Theirs {
    fn update(&mut self, q: &[f64]) {
        for (position, &place) in self.positions.iter_mut().zip(&self.order) {
            *position = q[place];
        }
        self.tree.set_joint_positions_unchecked(&self.positions);
        self.tree.update_transforms();
        for (leg, (centre, jacobian)) in self.legs.iter().zip(&mut self.found) {
            let columns = k::jacobian(leg);
            let end = leg.end_transform();
            let lever = end.rotation * Vector3::from(CENTRE);
            *centre = end.translation.vector + lever;
            for (mut ours, theirs) in jacobian.column_iter_mut().zip(columns.column_iter()) {
                let angular = theirs.fixed_rows::<3>(3);
                ours.fixed_rows_mut::<3>(0).copy_from(&(theirs.fixed_rows::<3>(0) + angular.cross(&lever)));
                ours.fixed_rows_mut::<3>(3).copy_from(&angular);
            }
        }
    }

    fn legs(&self) -> usize {
        self.legs.len()
    }

    fn whole(&self, leg: usize) -> f64 {
        self.found[leg].0.sum() + self.found[leg].1.sum()
    }

    fn sample(&self, leg: usize) -> f64 {
        self.found[leg].1[(2, 0)] + self.found[leg].0.z
    }
}

fn model(text: &str) -> RobotModel {
    let legs = (1..).take_while(|leg| text.contains(&format!("\"leg{leg}_hoof\"")));
    let chains = legs.map(|leg| ChainConfig {
        name: format!("leg{leg}"),
        first_link: "base_link".into(),
        last_link: format!("leg{leg}_hoof"),
        default_contact: "sole".into(),
    });
    let sole = ContactConfig { name: "sole".into(), points: vec![CENTRE], ..ContactConfig::default() };
    RobotModel::from_urdf(text, &ModelConfig { chains: chains.collect(), contacts: vec![sole] })
        .expect("URDF")
}

fn peer(kind: &str, model: &RobotModel) -> Box<dyn Peer> {
    let legs = model.chains().len();
    if kind != "k" {
        let links = (kind == "links").then(|| LinkPoses::new(model));
        return Box::new(Ours { kinematics: Kinematics::of_contacts(model), links, legs });
    }
    let tree = model.to_k().expect("a shallow tree");
    let place = |name: &str| match model.find_joint(name) {
        JointSlot::Joint { index, .. } => index,
        _ => unreachable!("no mimics here"),
    };
    let order = tree.iter_joints().map(|joint| place(&joint.name)).collect::<Vec<_>>();
    let end = |leg: usize| k::SerialChain::from_end(tree.find_link(&format!("leg{}_hoof", leg + 1)).unwrap());
    let legs: Vec<_> = (0..legs).map(end).collect();
    let found = legs.iter().map(|leg| (Vector3::zeros(), Matrix6xX::zeros(leg.dof()))).collect();
    Box::new(Theirs { positions: vec![0.0; order.len()], order, legs, tree, found })
}

fn poses(text: &str, model: &RobotModel) -> Vec<Vec<f64>> {
    let mut lines = text.lines();
    let names: Vec<_> =
        lines.next().expect("names").split_whitespace().map(|n| model.find_joint(n)).collect();
    lines
        .map(|line| {
            let mut q = vec![0.0; model.joints().len()];
            for (slot, value) in names.iter().zip(line.split_whitespace()) {
                if let JointSlot::Joint { index, .. } = slot {
                    q[*index] = value.parse().expect("a number");
                }
            }
            q
        })
        .collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, urdf, file] = arguments.as_slice() else {
        eprintln!("usage: bench_kinematics ours|links|k URDF POSES");
        std::process::exit(2);
    };
    let model = model(&std::fs::read_to_string(urdf).expect("URDF"));
    let poses = poses(&std::fs::read_to_string(file).expect("poses"), &model);
    let mut peer = peer(kind, &model);
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        let mut sum = 0.0;
        if let Some(count) = line.strip_prefix("run ") {
            let count: usize = count.parse().expect("a number");
            let start = Instant::now();
            for q in poses.iter().cycle().take(count) {
                peer.update(black_box(q));
                sum += (0..peer.legs()).map(|leg| peer.sample(leg)).sum::<f64>();
            }
            println!("{} {sum:.17e}", start.elapsed().as_nanos());
        } else {
            for q in &poses {
                peer.update(q);
                sum += (0..peer.legs()).map(|leg| peer.whole(leg)).sum::<f64>();
            }
            println!("0 {sum:.17e}");
        }
    }
}
