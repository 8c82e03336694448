//! Which hooves stand on the ground, by geometry alone.

use nalgebra::Vector3;
use robot_model_lib::ContactPose;

/// The most legs that are searched through: 65 519 combinations.
pub const MAX_LEGS: usize = 16;

/// Room for rounding where combinations are only sorted out, not judged.
const SLACK: f64 = 1e-9;

/// How exactly hooves must lie on their common plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Of a centre from the plane, m.
    pub position: f64,
    /// Of a normal from the plane's, rad, below π/2.
    pub angle: f64,
}

/// Searches for the legs that stand; a bit per leg, the first leg lowest.
///
/// Most combinations need not be tried: two hooves that cannot both stand are in none. Combinations are grown leg by leg
/// from legs that can stand with all those chosen before, the largest size first.
#[derive(Debug, Clone)]
pub struct Search {
    hooves: Vec<Hoof>,
    /// Of each leg, those with which it could stand on one plane.
    partners: [u32; MAX_LEGS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Hoof {
    normal: Vector3<f64>,
    centre: Vector3<f64>,
}

/// Legs chosen so far, with their sums.
#[derive(Clone, Copy, Default)]
struct Chosen {
    set: u32,
    sum: Hoof,
}

impl Search {
    /// For so many legs, [`MAX_LEGS`] at the most.
    pub fn new(legs: usize) -> Self {
        Self { hooves: vec![Hoof::default(); legs.min(MAX_LEGS)], partners: [0; MAX_LEGS] }
    }

    /// The combination of two or more legs that stands on one plane: every normal and every centre within the
    /// tolerances of the mean ones, and every free hoof above (a free hoof may reach as deep as the tolerance). Of several
    /// the one with the most legs, then with the least deviation.
    pub fn contacts(&mut self, hooves: &[ContactPose], tolerances: &Tolerances) -> Option<u32> {
        for (own, hoof) in self.hooves.iter_mut().zip(hooves) {
            *own = Hoof { normal: hoof.normal.into_inner(), centre: hoof.centre.coords };
        }
        self.pair_up(tolerances);
        let rules = Rules::new(tolerances);
        for count in (2..=self.hooves.len() as u32).rev() {
            let social =
                |(leg, partners): (usize, &u32)| u32::from(partners.count_ones() + 1 >= count) << leg;
            let able: u32 = self.partners.iter().enumerate().map(social).sum();
            let mut best = None;
            self.grow(Chosen::default(), able, count, &rules, &mut best);
            if let Some((_, set)) = best {
                return Some(set);
            }
        }
        None
    }

    /// Finds out who can stand with whom. Normals that are both within `angle` of their mean are within twice that of
    /// each other. Then the plane's normal m lies no farther from a hoof's n than its partners' do (nor than `angle`), so
    /// two centres that are within `position` of the plane differ along n by no more than 2·position + |Δc|·|m − n|.
    fn pair_up(&mut self, tolerances: &Tolerances) {
        let legs = self.hooves.len();
        let parallel = (2.0 * tolerances.angle).cos() - SLACK;
        let most = 2.0 * (tolerances.angle / 2.0).sin();
        self.partners = [0; MAX_LEGS];
        let mut spread = [0.0_f64; MAX_LEGS];
        for i in 0..legs {
            for j in 0..i {
                let cosine = self.hooves[i].normal.dot(&self.hooves[j].normal);
                if cosine >= parallel {
                    self.partners[i] |= 1 << j;
                    self.partners[j] |= 1 << i;
                    let square = 2.0 * (1.0 - cosine).max(0.0);
                    spread[i] = spread[i].max(square);
                    spread[j] = spread[j].max(square);
                }
            }
        }
        for (i, (hoof, spread)) in self.hooves.iter().zip(spread).enumerate() {
            let lean = spread.sqrt().min(most) + SLACK;
            for j in bits(self.partners[i]) {
                let apart = hoof.centre - self.hooves[j].centre;
                let room = 2.0 * tolerances.position + apart.norm() * lean + SLACK;
                // A NaN parts them too.
                let together = hoof.normal.dot(&apart).abs() <= room;
                if !together {
                    self.partners[i] &= !(1 << j);
                    self.partners[j] &= !(1 << i);
                }
            }
        }
    }

    /// Tries every way to choose `missing` more of the `able` legs, each a partner of all the others.
    fn grow(&self, chosen: Chosen, able: u32, missing: u32, rules: &Rules, best: &mut Option<(f64, u32)>) {
        if missing == 0 {
            if let Some(deviation) = self.deviation(&chosen, rules)
                && best.is_none_or(|(least, _)| deviation < least)
            {
                *best = Some((deviation, chosen.set));
            }
            return;
        }
        let mut rest = able;
        while rest.count_ones() >= missing {
            let leg = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let hoof = &self.hooves[leg];
            let sum =
                Hoof { normal: chosen.sum.normal + hoof.normal, centre: chosen.sum.centre + hoof.centre };
            let more = Chosen { set: chosen.set | 1 << leg, sum };
            self.grow(more, rest & self.partners[leg], missing - 1, rules, best);
        }
    }

    /// How far a combination is from a plane, in squares of tolerances; None when it is none.
    fn deviation(&self, chosen: &Chosen, rules: &Rules) -> Option<f64> {
        let Hoof { normal, centre } = &chosen.sum;
        let square = normal.norm_squared();
        let depth_of_plane = normal.dot(centre) / f64::from(chosen.set.count_ones());
        // Multiples of the length of the summed normal, which saves its root.
        let depth = |hoof: &Hoof| hoof.centre.dot(normal) - depth_of_plane;
        let mut deviation = 0.0;
        for leg in bits(chosen.set) {
            let hoof = &self.hooves[leg];
            let (cosine, depth) = (hoof.normal.dot(normal), depth(hoof));
            if !(cosine > 0.0
                && cosine * cosine >= rules.cosine_square * square
                && depth * depth <= rules.position_square * square)
            {
                return None;
            }
            deviation +=
                depth * depth * rules.per_position + (square - cosine * cosine).max(0.0) * rules.per_angle;
        }
        let all = ((1_u64 << self.hooves.len()) - 1) as u32;
        for leg in bits(all & !chosen.set) {
            let depth = depth(&self.hooves[leg]);
            if depth > 0.0 && depth * depth > rules.position_square * square {
                return None;
            }
        }
        Some(deviation / square)
    }
}

/// The tolerances in the form in which they are compared.
struct Rules {
    cosine_square: f64,
    position_square: f64,
    per_position: f64,
    per_angle: f64,
}

impl Rules {
    fn new(tolerances: &Tolerances) -> Self {
        let (position, angle) = (tolerances.position, tolerances.angle);
        Self {
            cosine_square: angle.cos().powi(2),
            position_square: position * position,
            per_position: 1.0 / (position * position),
            per_angle: 1.0 / angle.sin().powi(2),
        }
    }
}

/// The places of the bits that are set.
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}
