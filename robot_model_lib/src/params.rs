//! The robot as a node is told of it: parameters `robot_description`, `frame_prefix`, `chains` and `contacts`.

use param_lib::{Group, Overrides, ParamError, Params, Table, params};

use crate::{ChainConfig, ContactConfig, ContactKind, ModelConfig};

params! {
    /// A limb.
    pub struct ChainParams {
        /// Link that the limb is attached to.
        first_link: String = String::new(), read_only true;
        /// Link at the limb's end, e.g. the hoof.
        last_link: String = String::new(), read_only true;
        /// Contact that touches the ground unless a message names another; empty for a limb that never does.
        default_contact: String = String::new(), read_only true;
    }
}

params! {
    /// A patch of a last link that can stand on the ground.
    pub struct ContactParams {
        /// x y z of each point in the last link's frame, one after another.
        points: Vec<f64> = vec![], unit "m", read_only true;
        /// Direction into the ground in the last link's frame.
        normal: [f64; 3] = ContactConfig::DEFAULT_NORMAL, read_only true;
        /// How it stands: flat (a sole that lies on the ground) or point (a ball or tip, about which the leg turns freely).
        kind: ContactKind = ContactKind::Flat, read_only true;
    }
}

params! {
    /// What every node that knows the robot is told. Use it as `robot: Flat<RobotParams>`: nodes share it through one file.
    pub struct RobotParams {
        /// The robot as URDF text; when empty it is taken from the topic robot_description.
        robot_description: String = String::new(), read_only true;
        /// Put in front of every frame's name, e.g. robot1/, as robot_state_publisher does it: for several robots on one /tf.
        frame_prefix: String = String::new(), read_only true;
        /// The limbs; their order gives the order of the joints.
        chains: Group<ChainParams> = Group::default(), read_only true;
        /// The contacts that chains and support messages refer to.
        contacts: Group<ContactParams> = Group::default(), read_only true;
    }
}

impl RobotParams {
    /// The chains and contacts in the form that [`RobotModel`](crate::RobotModel) takes.
    pub fn config(&self) -> Result<ModelConfig, ParamError> {
        let chain = |(name, chain): &(String, ChainParams)| ChainConfig {
            name: name.clone(),
            first_link: chain.first_link.clone(),
            last_link: chain.last_link.clone(),
            default_contact: chain.default_contact.clone(),
        };
        let contact = |(name, contact): &(String, ContactParams)| match contact.points.as_chunks::<3>() {
            (points, []) => Ok(ContactConfig {
                name: name.clone(),
                points: points.to_vec(),
                normal: contact.normal,
                kind: contact.kind,
            }),
            _ => Err(ParamError::unfit(format!("contacts.{name}.points"), "needs x y z for each point")),
        };
        Ok(ModelConfig {
            chains: self.chains.0.iter().map(chain).collect(),
            contacts: self.contacts.0.iter().map(contact).collect::<Result<_, _>>()?,
        })
    }

    /// A frame of a message by the robot's own name for it; one without the prefix is taken as it is.
    pub fn own_frame<'f>(&self, frame: &'f str) -> &'f str {
        frame.strip_prefix(self.frame_prefix.as_str()).unwrap_or(frame)
    }

    /// Chains and contacts from the text of a parameter file, whichever nodes it is for.
    pub fn from_file_text(text: &str) -> Result<Self, ParamError> {
        let overrides = Overrides::from_text(text)?.for_anyone();
        Self::read(&Table::declare_all(Self::specs(), &overrides)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_keep_the_order_of_the_file_and_points_come_in_threes() {
        let text = "/**: {ros__parameters: {chains: {b: {first_link: hip, last_link: hoof, default_contact: c}, a: {first_link: hip}},\
                    contacts: {c: {points: [1, 2, 3, 4, 5, 6]}, tip: {points: [0, 0, 0], kind: point}}}}";
        let config = RobotParams::from_file_text(text).unwrap().config().unwrap();
        assert_eq!(config.chains.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(config.contacts[0].points, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(config.contacts[0].normal, ContactConfig::DEFAULT_NORMAL);
        assert_eq!([0, 1].map(|at| config.contacts[at].kind), [ContactKind::Flat, ContactKind::Point]);
        let odd = RobotParams::from_file_text("n: {ros__parameters: {contacts: {c: {points: [1.0, 2.0]}}}}")
            .unwrap();
        assert!(odd.config().unwrap_err().to_string().contains("contacts.c.points"));
    }
}
