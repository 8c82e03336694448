//! Which hooves stand on the ground, by geometry alone.

use robot_model_lib::ContactPose;

/// The most legs that are searched through: 65 519 combinations.
pub const MAX_LEGS: usize = 16;

/// How exactly hooves must lie on their common plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Of a centre from the plane, m.
    pub position: f64,
    /// Of a normal from the plane's, rad, below π/2.
    pub angle: f64,
}

/// Sum of normals and of centres.
type Sum = [f64; 6];

/// Tries combinations of legs as supports; a bit per leg, the first leg lowest.
///
/// Sums over every combination of the lower half of the legs, and of the upper half, are made first: then the plane of
/// any combination is one addition away.
#[derive(Debug, Clone)]
pub struct Search {
    hooves: Vec<Sum>,
    lower: Vec<Sum>,
    upper: Vec<Sum>,
    half: usize,
}

impl Search {
    /// For so many legs, [`MAX_LEGS`] at the most.
    pub fn new(legs: usize) -> Self {
        let legs = legs.min(MAX_LEGS);
        let half = legs / 2;
        Self {
            hooves: vec![[0.0; 6]; legs],
            lower: vec![[0.0; 6]; 1 << half],
            upper: vec![[0.0; 6]; 1 << (legs - half)],
            half,
        }
    }

    /// The combination of two or more legs that stands on one plane: every normal and every centre within the
    /// tolerances of the mean ones, and every free hoof above (a free hoof may reach as deep as the tolerance). Of several
    /// the one with the most legs, then with the least deviation. `likely` were down before; it only saves time.
    pub fn contacts(&mut self, hooves: &[ContactPose], tolerances: &Tolerances, likely: u32) -> Option<u32> {
        let legs = self.hooves.len();
        if legs < 2 {
            return None;
        }
        for (sum, hoof) in self.hooves.iter_mut().zip(hooves) {
            let (n, c) = (&hoof.normal, &hoof.centre);
            *sum = [n.x, n.y, n.z, c.x, c.y, c.z];
        }
        fill(&mut self.lower, &self.hooves[..self.half]);
        fill(&mut self.upper, &self.hooves[self.half..]);
        let rules = Rules::new(tolerances);
        for count in (2..=legs as u32).rev() {
            let mut best: Option<(f64, u32)> = None;
            let mut set = (1_u32 << count) - 1;
            while set < 1 << legs {
                if let Some(deviation) = self.deviation(set, count, likely, &rules)
                    && best.is_none_or(|(least, _)| deviation < least)
                {
                    best = Some((deviation, set));
                }
                set = next_of_same_size(set);
            }
            if let Some((_, set)) = best {
                return Some(set);
            }
        }
        None
    }

    /// How far a combination is from a plane, in squares of tolerances; None when it is none.
    #[inline]
    fn deviation(&self, set: u32, count: u32, likely: u32, rules: &Rules) -> Option<f64> {
        let (low, high) =
            (&self.lower[set as usize & ((1 << self.half) - 1)], &self.upper[set as usize >> self.half]);
        let sum: Sum = std::array::from_fn(|i| low[i] + high[i]);
        let square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
        let share = 1.0 / f64::from(count);
        let depth_of_plane = (sum[0] * sum[3] + sum[1] * sum[4] + sum[2] * sum[5]) * share;
        // Both are multiples of the length of the summed normal, which saves its root.
        let cosine = |h: &Sum| h[0] * sum[0] + h[1] * sum[1] + h[2] * sum[2];
        let depth = |h: &Sum| h[3] * sum[0] + h[4] * sum[1] + h[5] * sum[2] - depth_of_plane;
        let mut deviation = 0.0;
        // A hoof that was in the air is the likeliest to fail.
        for group in [set & !likely, set & likely] {
            let mut rest = group;
            while rest != 0 {
                let hoof = &self.hooves[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                let (cosine, depth) = (cosine(hoof), depth(hoof));
                if !(cosine > 0.0
                    && cosine * cosine >= rules.cosine_square * square
                    && depth * depth <= rules.position_square * square)
                {
                    return None;
                }
                deviation += depth * depth * rules.per_position
                    + (square - cosine * cosine).max(0.0) * rules.per_angle;
            }
        }
        let mut free = ((1_u32 << self.hooves.len()) - 1) & !set;
        while free != 0 {
            let depth = depth(&self.hooves[free.trailing_zeros() as usize]);
            free &= free - 1;
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

/// Sums over every combination of the hooves; the combination is the index.
fn fill(sums: &mut [Sum], hooves: &[Sum]) {
    for (number, hoof) in hooves.iter().enumerate() {
        let bit = 1 << number;
        for set in bit..2 * bit {
            let rest = sums[set - bit];
            sums[set] = std::array::from_fn(|i| rest[i] + hoof[i]);
        }
    }
}

/// The next larger number with as many bits set (Gosper's hack).
fn next_of_same_size(set: u32) -> u32 {
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    (((ripple ^ set) >> 2) / lowest) | ripple
}
