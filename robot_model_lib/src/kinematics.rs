//! Contacts, Jacobians and contact velocities of the chains: the kernel of the control cycle.

use nalgebra::{IsometryMatrix3, Matrix3, MatrixSlice6xX, Point3, Rotation3, Translation3, Unit, Vector3};

use crate::lanes::{Lanes, Lanes3, WIDTH, add, combine, cross};
use crate::plan::{Block, Plan};
use crate::sincos::sincos;
use crate::{Contact, RobotModel, Wrench};

/// Where a chain's contact is, in the root link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPose {
    /// Mean of the contact's points, m.
    pub centre: Point3<f64>,
    /// Direction into the ground.
    pub normal: Unit<Vector3<f64>>,
}

/// Velocity of a chain's contact relative to the root link, in the root link's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Velocity of the contact's centre, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

/// A chain's end after an update.
#[derive(Debug, Clone, Copy)]
struct Tip {
    axes: [[f64; 3]; 3],
    place: [f64; 3],
    centre: [f64; 3],
    normal: [f64; 3],
}

/// Forward kinematics of chains: contacts, Jacobians, velocities.
///
/// Built once from a model. [`Kinematics::update`] computes everything for one set of joint
/// positions; the other methods read the result. None of them allocates, locks or searches.
/// Chains are named by their index in [`RobotModel::chains`]; a chain without a contact has its
/// last link's origin for a centre and that link's Oz for a normal.
#[derive(Debug, Clone)]
pub struct Kinematics {
    plan: Plan,
    /// Slot of each chain of the model; one past all slots for a chain that is left out.
    slot: Vec<usize>,
    tips: Vec<Tip>,
    columns: Vec<[f64; 6]>,
    /// Axis and origin of each step's joints, kept until the tip is known.
    axes: Vec<(Lanes3, Lanes3)>,
    joints: usize,
}

impl Kinematics {
    /// For all chains of the model.
    pub fn new(model: &RobotModel) -> Self {
        Self::of_chains(model, 0..model.chains().len())
    }

    /// For the chains that have a contact: the legs, without ears and tail.
    pub fn of_contacts(model: &RobotModel) -> Self {
        let legs = |&chain: &usize| model.chains()[chain].default_contact.is_some();
        Self::of_chains(model, (0..model.chains().len()).filter(legs))
    }

    /// For some chains of the model, given by their indices.
    ///
    /// # Panics
    /// When an index is not below the number of chains.
    pub fn of_chains(model: &RobotModel, chains: impl IntoIterator<Item = usize>) -> Self {
        let chains: Vec<usize> = chains.into_iter().collect();
        let plan = Plan::new(model, &chains);
        let mut slot = vec![chains.len(); model.chains().len()];
        for (number, &chain) in chains.iter().enumerate() {
            slot[chain] = number;
        }
        let longest = plan.blocks.iter().map(|block| block.steps.len()).max().unwrap_or(0);
        let nowhere = Tip { axes: [[0.0; 3]; 3], place: [0.0; 3], centre: [0.0; 3], normal: [0.0; 3] };
        let joints = model.joints().len();
        let mut kinematics = Self {
            slot,
            tips: vec![nowhere; chains.len()],
            columns: vec![[0.0; 6]; plan.columns],
            axes: vec![([Lanes::ZERO; 3], [Lanes::ZERO; 3]); longest],
            plan,
            joints,
        };
        kinematics.update(&vec![0.0; joints]);
        kinematics
    }

    /// Computes contacts and Jacobians for joint positions `q` (sorted order, rad or m).
    ///
    /// # Panics
    /// When `q` has not one value per joint of the model.
    pub fn update(&mut self, q: &[f64]) {
        assert_eq!(q.len(), self.joints, "one position per joint");
        for block in &self.plan.blocks {
            run(block, q, &mut self.axes, &mut self.columns, &mut self.tips);
        }
        if !self.plan.folds.is_empty() {
            self.columns[self.plan.folded.clone()].fill([0.0; 6]);
            for fold in &self.plan.folds {
                for row in 0..6 {
                    self.columns[fold.to][row] += fold.weight * self.columns[fold.from][row];
                }
            }
        }
    }

    /// The chain's default contact.
    pub fn contact(&self, chain: usize) -> ContactPose {
        let tip = self.tip(chain);
        ContactPose { centre: tip.centre.into(), normal: Unit::new_unchecked(tip.normal.into()) }
    }

    /// Another contact of the chain's last link.
    pub fn contact_of(&self, chain: usize, contact: &Contact) -> ContactPose {
        let pose = self.last_link(chain);
        ContactPose { centre: pose * contact.centre, normal: pose.rotation * contact.normal }
    }

    /// Each point of a contact of the chain's last link.
    pub fn contact_points<'a>(
        &self,
        chain: usize,
        contact: &'a Contact,
    ) -> impl ExactSizeIterator<Item = Point3<f64>> + use<'a> {
        let pose = self.last_link(chain);
        contact.points.iter().map(move |point| pose * point)
    }

    /// The default contact's frame: its centre, with the axes of the last link.
    pub fn contact_frame(&self, chain: usize) -> IsometryMatrix3<f64> {
        let centre = Vector3::from(self.tip(chain).centre);
        IsometryMatrix3::from_parts(Translation3::from(centre), self.last_link(chain).rotation)
    }

    /// Pose of the chain's last link.
    pub fn last_link(&self, chain: usize) -> IsometryMatrix3<f64> {
        let tip = self.tip(chain);
        IsometryMatrix3::from_parts(
            Translation3::from(Vector3::from(tip.place)),
            Rotation3::from_matrix_unchecked(Matrix3::from_columns(&tip.axes.map(Vector3::from))),
        )
    }

    /// Jacobian of the default contact's centre: a column per joint of the chain, linear rows first,
    /// in the root link's axes. A mimic joint of the chain counts in its master's column.
    pub fn jacobian(&self, chain: usize) -> MatrixSlice6xX<'_, f64> {
        let columns = self.jacobian_columns(chain);
        MatrixSlice6xX::from_slice(columns.as_flattened(), columns.len())
    }

    /// The same Jacobian as plain columns.
    pub fn jacobian_columns(&self, chain: usize) -> &[[f64; 6]] {
        &self.columns[self.plan.slots[self.slot[chain]].jacobian.clone()]
    }

    /// Velocity of the default contact for joint velocities `qd` (sorted order): of all joints
    /// between the root and the contact, those above the chain and mimic joints included.
    ///
    /// # Panics
    /// When `qd` has not one value per joint of the model.
    pub fn contact_twist(&self, chain: usize, qd: &[f64]) -> Twist {
        assert_eq!(qd.len(), self.joints, "one velocity per joint");
        let slot = &self.plan.slots[self.slot[chain]];
        let mut sum = [0.0; 6];
        for (column, drive) in self.columns[slot.path.clone()].iter().zip(&slot.drives) {
            let speed = drive.gain * qd[drive.joint];
            for row in 0..6 {
                sum[row] += column[row] * speed;
            }
        }
        let [vx, vy, vz, wx, wy, wz] = sum;
        Twist { linear: Vector3::new(vx, vy, vz), angular: Vector3::new(wx, wy, wz) }
    }

    /// Adds Jᵀ · `wrench` to the efforts (model joint order): what a force at the default contact's centre and a moment, in
    /// the root link's axes, do to all joints between the root and the contact, mimic joints included. The transpose of
    /// [`Kinematics::contact_twist`].
    ///
    /// # Panics
    /// When `efforts` has not one value per joint of the model.
    pub fn add_contact_efforts(&self, chain: usize, wrench: &Wrench, efforts: &mut [f64]) {
        assert_eq!(efforts.len(), self.joints, "one effort per joint");
        let slot = &self.plan.slots[self.slot[chain]];
        let (f, m) = (&wrench.force, &wrench.moment);
        for (column, drive) in self.columns[slot.path.clone()].iter().zip(&slot.drives) {
            let [vx, vy, vz, wx, wy, wz] = column;
            let work = vx * f.x + vy * f.y + vz * f.z + wx * m.x + wy * m.y + wz * m.z;
            efforts[drive.joint] += drive.gain * work;
        }
    }

    /// What has to be crossed with an angular velocity to carry a linear one from the default
    /// contact's centre to another contact's: `v' = v + ω × lever`.
    pub fn lever(&self, chain: usize, contact: &Contact) -> Vector3<f64> {
        self.contact_of(chain, contact).centre - Point3::from(self.tip(chain).centre)
    }

    fn tip(&self, chain: usize) -> &Tip {
        &self.tips[self.slot[chain]]
    }
}

impl Twist {
    /// The velocity of the point that lies `lever` away.
    pub fn carried(&self, lever: &Vector3<f64>) -> Self {
        Self { linear: self.linear + self.angular.cross(lever), angular: self.angular }
    }
}

/// Runs the chains of one block.
#[inline]
fn run(block: &Block, q: &[f64], kept: &mut [(Lanes3, Lanes3)], columns: &mut [[f64; 6]], tips: &mut [Tip]) {
    let mut axes = [
        [Lanes::ONE, Lanes::ZERO, Lanes::ZERO],
        [Lanes::ZERO, Lanes::ONE, Lanes::ZERO],
        [Lanes::ZERO, Lanes::ZERO, Lanes::ONE],
    ];
    let mut place = [Lanes::ZERO; 3];
    for (number, (step, kept)) in block.steps.iter().zip(kept.iter_mut()).enumerate() {
        let value = Lanes(step.joint.map(|joint| q[joint]));
        let (sine, cosine) = sincos(value * step.turn_gain + step.turn_offset);
        // The first joint sits on the root, whose axes are the identity.
        let (seat, at) = if number == 0 {
            (step.axes, step.place)
        } else {
            (
                [combine(&axes, &step.axes[0]), combine(&axes, &step.axes[1]), combine(&axes, &step.axes[2])],
                add(&place, &combine(&axes, &step.place)),
            )
        };
        let [x, y, z] = seat;
        place = at;
        if step.slides {
            let shift = value * step.slide_gain + step.slide_offset;
            place = add(&place, &[z[0] * shift, z[1] * shift, z[2] * shift]);
        }
        let turned = |i: usize| (cosine * x[i] + sine * y[i], cosine * y[i] - sine * x[i]);
        let ((x0, y0), (x1, y1), (x2, y2)) = (turned(0), turned(1), turned(2));
        axes = [[x0, x1, x2], [y0, y1, y2], z];
        *kept = (z, place);
    }
    let centre = add(&place, &combine(&axes, &block.centre));
    write_columns(block, kept, &centre, columns);
    write_tips(block, &axes, &place, &centre, tips);
}

/// A turning joint moves the contact's centre by axis × lever, a sliding one along its axis.
#[inline(always)]
fn write_columns(block: &Block, kept: &[(Lanes3, Lanes3)], centre: &Lanes3, columns: &mut [[f64; 6]]) {
    for (step, (axis, origin)) in block.steps.iter().zip(kept) {
        let lever = [centre[0] - origin[0], centre[1] - origin[1], centre[2] - origin[2]];
        let mut linear = cross(axis, &lever);
        let mut angular = *axis;
        if step.slides {
            let turns = step.turns;
            linear = [0, 1, 2].map(|i| linear[i] * turns + axis[i] * (Lanes::ONE - turns));
            angular = angular.map(|row| row * turns);
        }
        for lane in 0..WIDTH {
            columns[step.column[lane]] = [
                linear[0].0[lane],
                linear[1].0[lane],
                linear[2].0[lane],
                angular[0].0[lane],
                angular[1].0[lane],
                angular[2].0[lane],
            ];
        }
    }
}

#[inline(always)]
fn write_tips(block: &Block, axes: &[Lanes3; 3], place: &Lanes3, centre: &Lanes3, tips: &mut [Tip]) {
    let link = block.tip_axes.each_ref().map(|column| combine(axes, column));
    let place = add(place, &combine(axes, &block.tip_place));
    let normal = combine(axes, &block.normal);
    for (lane, slot) in block.slots.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let pick = |vector: &Lanes3| [vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]];
        tips[*slot] = Tip {
            axes: [pick(&link[0]), pick(&link[1]), pick(&link[2])],
            place: pick(&place),
            centre: pick(centre),
            normal: pick(&normal),
        };
    }
}
