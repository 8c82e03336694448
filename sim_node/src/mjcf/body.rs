//! Links, joints and what they touch with.

use super::{FOOT, LINK, escape, numbers};
use crate::{Drive, Scene};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use robot_model_lib::ModelConfig;
use std::fmt::Write as _;
use urdf_rs::{Geometry, Joint, JointType, Link, Pose, Robot};

/// The bodies as they are written.
pub(super) struct Bodies<'a> {
    pub robot: &'a Robot,
    pub config: &'a ModelConfig,
    pub drives: &'a [Drive],
    pub scene: &'a Scene,
    pub text: String,
}

/// A step of the way through the tree, which may be deeper than a stack.
enum Step<'a> {
    Enter(&'a Link, Option<&'a Joint>),
    Leave,
}

impl Bodies<'_> {
    /// Writes the tree below a link.
    pub fn write(&mut self, root: &str, free: bool) {
        let robot = self.robot;
        let find = |name: &str| robot.links.iter().find(|link| link.name == name);
        let mut steps: Vec<Step<'_>> = find(root).map(|link| Step::Enter(link, None)).into_iter().collect();
        while let Some(step) = steps.pop() {
            let Step::Enter(link, joint) = step else {
                self.text.push_str("</body>");
                continue;
            };
            self.begin(link, joint, free);
            steps.push(Step::Leave);
            let children = robot.joints.iter().rev().filter(|j| j.parent.link == link.name);
            steps.extend(children.filter_map(|j| Some(Step::Enter(find(&j.child.link)?, Some(j)))));
        }
    }

    fn begin(&mut self, link: &Link, joint: Option<&Joint>, free: bool) {
        let pose = joint.map_or(String::new(), |joint| pose(&joint.origin));
        let _ = write!(self.text, "<body name=\"{LINK}{}\"{pose}>", escape(&link.name));
        match joint {
            None if free => self.text.push_str("<freejoint/>"),
            None => {}
            Some(joint) => self.joint(joint),
        }
        self.inertial(link);
        let imu = &self.scene.imu_link;
        if *imu == link.name || (imu.is_empty() && joint.is_none()) {
            self.text.push_str("<site name=\"imu\"/>");
        }
        let payload = self.scene.payload;
        if joint.is_none() && payload.mass > 0.0 {
            // A ball of 5 cm: small beside a robot, so its own inertia is.
            let inertia = 0.4 * payload.mass * 0.05 * 0.05;
            let (at, inertia) = (numbers(&payload.at), numbers(&[inertia; 3]));
            let _ = write!(
                self.text,
                "<body name=\"payload\" pos=\"{at}\"><inertial pos=\"0 0 0\" mass=\"{}\" diaginertia=\"{inertia}\"/></body>",
                payload.mass
            );
        }
        if !self.feet(link) {
            self.shell(link);
        }
    }

    fn joint(&mut self, joint: &Joint) {
        let kind = match joint.joint_type {
            JointType::Fixed => return,
            JointType::Prismatic => "slide",
            _ => "hinge",
        };
        let axis = numbers(&*joint.axis.xyz);
        let _ = write!(self.text, "<joint name=\"{}\" type=\"{kind}\" axis=\"{axis}\"", escape(&joint.name));
        let limit = &joint.limit;
        if joint.joint_type != JointType::Continuous && limit.lower < limit.upper && joint.mimic.is_none() {
            let _ = write!(self.text, " range=\"{} {}\"", limit.lower, limit.upper);
        }
        let (damping, friction) = joint.dynamics.as_ref().map_or((0.0, 0.0), |d| (d.damping, d.friction));
        let drive = self.drives.iter().find(|drive| drive.joint == joint.name);
        let (armature, damping, friction) = drive.map_or((0.0, damping, friction), |d| {
            (d.armature(), damping + d.damping(), friction + d.friction())
        });
        let _ =
            write!(self.text, " armature=\"{armature}\" damping=\"{damping}\" frictionloss=\"{friction}\"/>");
    }

    fn inertial(&mut self, link: &Link) {
        let (inertial, mass) = (&link.inertial, link.inertial.mass.value);
        if mass <= 0.0 {
            return;
        }
        let i = &inertial.inertia;
        let own = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
        // MuJoCo takes a full tensor in the axes of the body only.
        let turn = rotation(&inertial.origin).to_rotation_matrix();
        let t = turn * own * turn.inverse();
        let at = numbers(&*inertial.origin.xyz);
        let _ = write!(self.text, "<inertial pos=\"{at}\" mass=\"{mass}\"");
        if own == Matrix3::zeros() {
            let _ = write!(self.text, " diaginertia=\"1e-9 1e-9 1e-9\"/>");
        } else {
            let full = [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]];
            let _ = write!(self.text, " fullinertia=\"{}\"/>", numbers(&full));
        }
    }

    /// Spheres at the points of the contacts of the chains that end here; false if none does.
    fn feet(&mut self, link: &Link) -> bool {
        let radius = self.scene.foot_radius;
        let chains = self.config.chains.iter().filter(|chain| chain.last_link == link.name);
        let mut any = false;
        for chain in chains {
            let contact = self.config.contacts.iter().find(|contact| contact.name == chain.default_contact);
            for (i, point) in contact.into_iter().flat_map(|c| c.points.iter().enumerate()) {
                let normal = contact.map_or(Vector3::z(), |c| Vector3::from(c.normal)).normalize();
                let centre = numbers((Vector3::from(*point) - normal * radius).as_slice());
                let name = escape(&format!("{FOOT}{}/{i}", chain.name));
                let _ = write!(
                    self.text,
                    "<geom name=\"{name}\" type=\"sphere\" size=\"{radius}\" pos=\"{centre}\" contype=\"1\" conaffinity=\"2\" \
                     friction=\"{} 0.005 0.0001\"/>",
                    self.scene.friction
                );
                any = true;
            }
        }
        any
    }

    /// What a robot that has fallen lies on.
    fn shell(&mut self, link: &Link) {
        for collision in &link.collision {
            let shape = match &collision.geometry {
                Geometry::Box { size } if size.iter().all(|s| *s > 0.0) => {
                    format!("box\" size=\"{}", numbers(&size.map(|s| s / 2.0)))
                }
                Geometry::Cylinder { radius, length } => {
                    format!("cylinder\" size=\"{radius} {}", length / 2.0)
                }
                Geometry::Capsule { radius, length } => format!("capsule\" size=\"{radius} {}", length / 2.0),
                Geometry::Sphere { radius } => format!("sphere\" size=\"{radius}"),
                // Meshes lie in files that the text of a robot does not bring along.
                _ => continue,
            };
            let _ = write!(
                self.text,
                "<geom type=\"{shape}\"{} contype=\"1\" conaffinity=\"2\" friction=\"{} 0.005 0.0001\"/>",
                pose(&collision.origin),
                self.scene.friction
            );
        }
    }
}

fn rotation(pose: &Pose) -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(pose.rpy[0], pose.rpy[1], pose.rpy[2])
}

fn pose(pose: &Pose) -> String {
    let q = rotation(pose);
    format!(" pos=\"{}\" quat=\"{}\"", numbers(&*pose.xyz), numbers(&[q.w, q.i, q.j, q.k]))
}
