//! What the user says about the robot beside its URDF.

use param_lib::choices;

/// Chains and contacts of a robot. The order of the chains gives the order of the joints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelConfig {
    /// The limbs, in the order in which their joints shall appear in every joint vector.
    pub chains: Vec<ChainConfig>,
    /// The contacts that chains (and support messages) refer to by name.
    pub contacts: Vec<ContactConfig>,
}

/// A limb: the path of joints from `first_link` down to `last_link`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChainConfig {
    /// The limb's name, e.g. `leg1`.
    pub name: String,
    /// The link that the limb is attached to; its own joint does not belong to the limb.
    pub first_link: String,
    /// The link at the limb's end, e.g. the hoof.
    pub last_link: String,
    /// The contact that touches the ground unless a message names another; empty for a limb without
    /// one, such as an ear or a tail.
    pub default_contact: String,
}

/// A patch of a chain's last link that can stand on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactConfig {
    /// The contact's name, e.g. `hoof`; several chains may share it.
    pub name: String,
    /// Points of the patch in the last link's frame, m. Their mean is the contact's centre.
    pub points: Vec<[f64; 3]>,
    /// Direction in the last link's frame that points into the ground; any length but zero.
    pub normal: [f64; 3],
    /// Whether it lies on the ground, or touches it in a point.
    pub kind: ContactKind,
}

choices! {
    /// What the ground holds of a contact that stands.
    pub enum ContactKind {
        /// Its place and its orientation: a sole.
        Flat = "flat",
        /// Its place alone: a ball or a tip, about which the leg turns in any direction.
        Point = "point",
    }
}

impl ContactConfig {
    /// The normal when none is configured: the hoof's Oz.
    pub const DEFAULT_NORMAL: [f64; 3] = [0.0, 0.0, 1.0];
}

impl Default for ContactConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            points: Vec::new(),
            normal: Self::DEFAULT_NORMAL,
            kind: ContactKind::Flat,
        }
    }
}
