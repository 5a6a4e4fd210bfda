//! How a world is set up.

use crate::error::Error;
use smallvec::SmallVec;

/// Most bounds a world takes, one point grid each.
pub const BOUNDS_MAX: usize = 8;

/// What happens to rows that hold NaN, infinity, a negative half-extent or an inverted box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InvalidRows {
    /// The step is refused with an error that names the lowest such row; the last good step stands.
    #[default]
    Reject,
    /// The rows are left out of the step as if they were not there, and reported by
    /// [`World::skipped`](crate::World::skipped).
    Skip,
}

/// The instruction set of the inner loops. Results are the same on each, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SimdLevel {
    /// Plain Rust that compilers vectorise: every target.
    Portable,
    /// Every x86-64.
    Sse2,
    /// x86-64 with AVX2, BMI1, BMI2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, VL, BW and DQ, and what AVX2 asks for.
    Avx512,
}

/// What bodies are when a step decides which of them are a pair.
///
/// ```
/// use triphase::{Bodies, BodyShape, World, WorldConfig};
/// // Side by side, and corner to corner.
/// let (beside, askew) = ([[0.0f32, 0.0], [0.9, 0.0]], [[0.0f32, 0.0], [0.9, 0.9]]);
/// let mut pairs = |overlap, centers| -> Result<usize, triphase::Error> {
///     let mut world = World::new(WorldConfig::new().body_shape(overlap))?;
///     Ok(world.step(Bodies::uniform(centers, [0.5, 0.5]))?.body_pairs().len())
/// };
/// assert_eq!([pairs(BodyShape::Aabb, &beside)?, pairs(BodyShape::Aabb, &askew)?], [1, 1]);
/// assert_eq!([pairs(BodyShape::Circle, &beside)?, pairs(BodyShape::Circle, &askew)?], [1, 0]);
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyShape {
    /// Their boxes.
    #[default]
    Aabb,
    /// The circles of their boxes, for crowds and particles.
    ///
    /// Two bodies whose boxes overlap only at their corners are not a pair, nor are a body and a
    /// static that its circle does not reach. In a crowd that is about a fifth of all pairs, which
    /// the narrow phase then never sees. Statics stay boxes.
    ///
    /// The circle of a body has the centre of its box, and the longer side of the box as its
    /// diameter. A body whose box is not square is its circle cut off at its box, so that no
    /// contact at its ends is lost. All of it is computed in f32 from the box `[x0, y0, x1, y1]`,
    /// in whatever form bodies are given, and doubled, which saves halving: the centre is
    /// `x0 + x1` and `y0 + y1`, and the radius `r` is the greater of `x1 - x0` and `y1 - y0`.
    ///
    /// * Two bodies are a pair if their closed boxes overlap, unless
    ///   `dx * dx + dy * dy > (ra + rb) * (ra + rb)`, where `dx` and `dy` lead from one doubled
    ///   centre to the other: touching counts.
    /// * A body and a static are a pair if their closed boxes overlap, unless
    ///   `dx * dx + dy * dy > r * r`, where `dx` and `dy` lead from the doubled centre to the nearest
    ///   point of the doubled static.
    ///
    /// Each operation is rounded to f32. Where both sides of a comparison are infinite or 0, or one
    /// is NaN, because edges are infinite or squares leave the range of f32, the boxes decide.
    ///
    /// A step in which bodies have displacements compares boxes only, for all its rows: its boxes
    /// cover a motion, which no circle does (see
    /// [`Bodies::with_displacements`](crate::Bodies::with_displacements)). Queries always go by
    /// boxes. A [margin](WorldConfig::margin) grows boxes, and circles with them.
    ///
    /// # Determinism
    ///
    /// The pairs are those of [`Aabb`](Self::Aabb) in the same order, without those whose circles do
    /// not touch.
    Circle,
}

/// Settings of a [`World`](crate::World), each optional: a world without any finds what it needs in each step's input.
///
/// ```
/// use triphase::{InvalidRows, World, WorldConfig};
/// let world = World::new(WorldConfig::new().bounds([0.1, 0.5]).invalid_rows(InvalidRows::Skip))?;
/// assert!(World::new(WorldConfig::new().bound(-1.0)).is_err());
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// With the feature `serde` settings can be read from a file: what is not in there is as by default, and values are checked
/// when a world is made.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct WorldConfig {
    #[cfg_attr(feature = "serde", serde(with = "bounds"))]
    pub(crate) bounds: SmallVec<[f32; BOUNDS_MAX]>,
    pub(crate) cell_size: Option<f32>,
    pub(crate) pair_limit: usize,
    pub(crate) invalid_rows: InvalidRows,
    pub(crate) sequential: bool,
    pub(crate) parallel_threshold: usize,
    pub(crate) simd: Option<SimdLevel>,
    pub(crate) body_shape: BodyShape,
    pub(crate) track_contacts: bool,
    pub(crate) margin: f32,
    pub(crate) partner_lists: bool,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            bounds: SmallVec::new(),
            cell_size: None,
            // 2 GiB of pairs: far above what a solver takes, below what would bring a machine down.
            pair_limit: 1 << 28,
            invalid_rows: InvalidRows::Reject,
            sequential: false,
            // A tenth of a millisecond of work: with less, waking another thread costs what it saves.
            parallel_threshold: 8000,
            simd: None,
            body_shape: BodyShape::Aabb,
            track_contacts: false,
            margin: 0.0,
            partner_lists: false,
        }
    }
}

impl WorldConfig {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// One bound: bodies whose half-extent is at most this, in world units, go to the point grid (tier 1), larger
    /// ones to the loose grid (tier 2). Without it the bound is found in each step's input.
    pub fn bound(self, half_extent: f32) -> Self {
        self.bounds([half_extent])
    }

    /// Several bounds, ascending: one point grid each. At most [`BOUNDS_MAX`].
    pub fn bounds(mut self, half_extents: impl IntoIterator<Item = f32>) -> Self {
        // One more than may be, so that validation sees that there were too many.
        self.bounds = half_extents.into_iter().take(BOUNDS_MAX + 1).collect();
        self
    }

    /// Side of the point grids' cells in world units, where bodies lie about evenly. Cells that would be too small to be
    /// exact are made larger, and where bodies cluster cells follow them.
    /// Without it the side is found from the density of each part of the world.
    pub fn cell_size(mut self, side: f32) -> Self {
        self.cell_size = Some(side);
        self
    }

    /// Most pairs a step may report, body and static pairs together; 2^28 unless set. A step with more is refused.
    pub fn pair_limit(mut self, pairs: usize) -> Self {
        self.pair_limit = pairs;
        self
    }

    /// What happens to bad rows.
    pub fn invalid_rows(mut self, policy: InvalidRows) -> Self {
        self.invalid_rows = policy;
        self
    }

    /// Steps run on the calling thread alone. The result is the same.
    pub fn sequential(mut self) -> Self {
        self.sequential = true;
        self
    }

    /// Steps of fewer bodies run on the calling thread alone; 8,000 unless set. The result is the same.
    pub fn parallel_threshold(mut self, bodies: usize) -> Self {
        self.parallel_threshold = bodies;
        self
    }

    /// At most this instruction set; the best that the machine has otherwise. The result is the same.
    pub fn simd_max(mut self, simd: SimdLevel) -> Self {
        self.simd = Some(simd);
        self
    }

    /// What bodies are when a step decides which of them are a pair: boxes unless set.
    pub fn body_shape(mut self, shape: BodyShape) -> Self {
        self.body_shape = shape;
        self
    }

    /// Steps tell which contacts began, go on and ended, and a value follows each:
    /// [`Contacts::started`](crate::Contacts::started) and what is beside it. Bodies are known by their ids then, which have to
    /// be unique.
    ///
    /// # Cost
    ///
    /// Six tenths of the step more, where one pair in twelve begins or ends; some 50 bytes a
    /// contact and 30 a body.
    pub fn track_contacts(mut self) -> Self {
        self.track_contacts = true;
        self
    }

    /// How far both boxes of a contact that is [tracked](Self::track_contacts) are grown on each side, in world units, before it
    /// ends: one that began goes on until its grown boxes do not overlap, so that bodies that rest on each other do not begin and
    /// end in turns. It begins as ever, and pairs are as ever. 0 unless set.
    ///
    /// # Cost
    ///
    /// A test of two rows of the caller's columns for each contact that is no pair any more, which are random accesses: in a
    /// crowd of a million as much as a step.
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// Steps leave the partners of each row side by side, for steering or densities: [`Contacts::partners`](crate::Contacts::partners).
    ///
    /// # Cost
    ///
    /// About what the step costs, once more; some 45 bytes a pair.
    pub fn partner_lists(mut self) -> Self {
        self.partner_lists = true;
        self
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.bounds.len() > BOUNDS_MAX {
            let value = self.bounds.len() as f64;
            return Err(Error::InvalidConfig { setting: "number of bounds", value, expected: "at most 8" });
        }
        let mut below = 0.0;
        for &bound in &self.bounds {
            if !(bound.is_finite() && bound >= below) {
                let expected = "finite numbers of at least 0, ascending";
                return Err(Error::InvalidConfig { setting: "bound", value: f64::from(bound), expected });
            }
            below = bound;
        }
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            let expected = "a finite number of at least 0";
            return Err(Error::InvalidConfig { setting: "margin", value: f64::from(self.margin), expected });
        }
        match self.cell_size {
            Some(side) if !(side.is_finite() && side > 0.0) => {
                let expected = "a finite number above 0";
                Err(Error::InvalidConfig { setting: "cell_size", value: f64::from(side), expected })
            }
            _ => Ok(()),
        }
    }
}

/// Bounds as a list of any length: one that is too long is for validation to refuse.
#[cfg(feature = "serde")]
mod bounds {
    use super::{BOUNDS_MAX, SmallVec};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(bounds: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        bounds.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SmallVec<[f32; BOUNDS_MAX]>, D::Error> {
        let mut bounds = Vec::deserialize(deserializer)?;
        bounds.truncate(BOUNDS_MAX + 1);
        Ok(bounds.into_iter().collect())
    }
}
