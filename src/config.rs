//! Settings of a world.

use crate::error::{Error, SettingValue};
use smallvec::SmallVec;

/// Largest number of [bounds](WorldConfig::with_bounds) of a world.
pub const BOUNDS_MAX: usize = 8;

/// Default of [`WorldConfig::with_pair_limit`]: 2^28, far above what a solver can handle.
const PAIR_LIMIT: usize = 1 << 28;

/// Default of [`WorldConfig::with_parallel_threshold`]: about a tenth of a millisecond of work.
///
/// With less, waking another thread costs what it saves.
const PARALLEL_THRESHOLD: usize = 8000;

/// What a step does with rows that contain NaN, infinity, a negative half-extent or an inverted
/// box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InvalidRows {
    /// Returns an error that names the lowest invalid row. The world keeps its last successful
    /// step.
    #[default]
    Reject,
    /// Steps all other rows, and lists the invalid ones in
    /// [`World::skipped_rows`](crate::World::skipped_rows).
    Skip,
}

/// Instruction set of the inner loops. Results and their order are the same with each.
///
/// [`Portable`](Self::Portable) is on every target. The others each belong to one architecture; the
/// levels of one architecture are in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SimdLevel {
    /// Plain Rust, vectorized by the compiler. Every target.
    ///
    /// Every x86-64 has SSE2, so [`Sse2`](Self::Sse2) takes its place there in release builds.
    Portable,
    /// SSE2, which every x86-64 has.
    Sse2,
    /// x86-64 with AVX2, BMI1, BMI2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, VL, BW and DQ, and all of [`Avx2`](Self::Avx2).
    Avx512,
    /// NEON, which every 64-bit ARM (aarch64) has. Not on big-endian targets.
    Neon,
    /// simd128 of 32-bit WebAssembly, if compiled with it (`-C target-feature=+simd128`): modules
    /// cannot detect it at run time.
    Simd128,
}

/// Shape of the bodies of a world, which determines what counts as a contact pair.
///
/// ```
/// use triphase::{Bodies, BodyShape, World, WorldConfig};
///
/// let side_by_side = [[0.0f32, 0.0], [0.9, 0.0]];
/// let corner_to_corner = [[0.0f32, 0.0], [0.9, 0.9]];
/// let pair_count = |shape, centers| -> Result<usize, triphase::Error> {
///     let mut world = World::new(WorldConfig::new().with_body_shape(shape))?;
///     Ok(world.step(Bodies::uniform(centers, [0.5, 0.5]))?.body_pairs().len())
/// };
/// assert_eq!(pair_count(BodyShape::Aabb, &side_by_side)?, 1);
/// assert_eq!(pair_count(BodyShape::Aabb, &corner_to_corner)?, 1);
/// assert_eq!(pair_count(BodyShape::Circle, &side_by_side)?, 1);
/// assert_eq!(pair_count(BodyShape::Circle, &corner_to_corner)?, 0);
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyShape {
    /// The body's box.
    #[default]
    Aabb,
    /// A circle around the center of the body's box, for crowds and particles.
    ///
    /// Two bodies whose boxes overlap only near a corner, so that their circles do not touch, are
    /// not a pair. Nor are a body and a static if the body's circle does not touch the static. In a
    /// crowd this removes about a fifth of the pairs before a solver sees them.
    ///
    /// The diameter is the longer side of the box, so that a long body keeps the contacts at its
    /// ends. As boxes must overlap too, a body whose box is not square is in effect its circle
    /// clipped to its box. Statics are boxes.
    ///
    /// The circle is computed in f32 from the box `[x0, y0, x1, y1]`, at twice its size: the
    /// doubled center is `(x0 + x1, y0 + y1)`, and the doubled radius is the greater of `x1 - x0`
    /// and `y1 - y0`.
    ///
    /// * Two bodies are a pair if their closed boxes overlap, unless
    ///   `dx * dx + dy * dy > (ra + rb) * (ra + rb)`, where `(dx, dy)` is the difference of the
    ///   doubled centers and `r` the doubled radius. Touching counts.
    /// * A body and a static are a pair if their closed boxes overlap, unless
    ///   `dx * dx + dy * dy > r * r`, where `(dx, dy)` leads from the doubled center to the nearest
    ///   point of the doubled static.
    ///
    /// Each operation rounds to f32. If the squares of both sides overflow or underflow, or an edge
    /// is infinite, the comparison is false, so boxes that overlap are a pair.
    ///
    /// In a step with displacements only the boxes are tested, for all rows, because no circle
    /// covers a motion (see [`Bodies::with_displacements`](crate::Bodies::with_displacements)).
    /// Queries always test boxes. A [margin](WorldConfig::with_margin) enlarges circles like boxes.
    ///
    /// # Determinism
    ///
    /// The pairs are those of [`Aabb`](Self::Aabb) in the same order, without the pairs whose
    /// shapes do not touch.
    Circle,
}

/// Settings of a [`World`](crate::World), all of them optional.
///
/// Each `with_` method returns the settings with one of them changed, and the method without
/// `with_` reads it. Values are validated by [`World::new`](crate::World::new), which returns
/// [`Error::InvalidConfig`] for a value out of range. The settings of a world do not change: for
/// others, make another world, and set its statics again.
///
/// ```
/// use triphase::{InvalidRows, World, WorldConfig};
///
/// let config = WorldConfig::new().with_bounds([0.1, 0.5]).with_invalid_rows(InvalidRows::Skip);
/// assert_eq!(config.bounds(), [0.1, 0.5]);
/// let world = World::new(config)?;
/// assert_eq!(world.config().invalid_rows(), InvalidRows::Skip);
///
/// let error = World::new(WorldConfig::new().with_bound(-1.0)).unwrap_err();
/// assert_eq!(error.to_string(), "bound is -1; must be finite, >= 0, and ascending");
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Memory needs no setting: a world allocates and releases what its steps need; see
/// [`World::step`](crate::World::step).
///
/// With the feature `serde`, settings can be read from a file. A setting that is missing has its
/// default, and an unknown one is an error.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct WorldConfig {
    #[cfg_attr(feature = "serde", serde(with = "bounds"))]
    pub(crate) bounds: SmallVec<[f32; BOUNDS_MAX]>,
    pub(crate) cell_size: Option<f32>,
    pub(crate) pair_limit: usize,
    pub(crate) invalid_rows: InvalidRows,
    pub(crate) parallel_threshold: Option<usize>,
    pub(crate) simd_max: Option<SimdLevel>,
    pub(crate) body_shape: BodyShape,
    pub(crate) contact_tracking: bool,
    pub(crate) margin: f32,
    pub(crate) partner_lists: bool,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            bounds: SmallVec::new(),
            cell_size: None,
            pair_limit: PAIR_LIMIT,
            invalid_rows: InvalidRows::Reject,
            parallel_threshold: Some(PARALLEL_THRESHOLD),
            simd_max: None,
            body_shape: BodyShape::Aabb,
            contact_tracking: false,
            margin: 0.0,
            partner_lists: false,
        }
    }
}

/// Changing settings.
impl WorldConfig {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one bound: the largest half-extent, in world units, of bodies in the point grid. (It is
    /// not the extent of the world, which needs none.)
    ///
    /// Bodies with a larger half-extent on either axis go to the double grid, apart from a few that
    /// [`step_changed`](crate::World::step_changed) moves. A body may exceed the bound by what
    /// rounding adds to boxes: about a ten-millionth of the largest coordinate.
    ///
    /// Without a bound, the world derives one or several from the sizes in each step. See [the
    /// three tiers](crate#three-tiers). Must be finite and at least 0.
    pub fn with_bound(self, half_extent: f32) -> Self {
        self.with_bounds([half_extent])
    }

    /// Sets several [bounds](Self::with_bound) in ascending order, at most [`BOUNDS_MAX`].
    ///
    /// Each bound makes a *size class* with a point grid of its own: bodies up to the first bound,
    /// bodies above it up to the second, and so on. Bodies above the last bound go to the double
    /// grid, and so does a body that would be in too many parts of its point grid. If
    /// `half_extents` is empty, bounds are derived from the sizes in each step.
    pub fn with_bounds(mut self, half_extents: impl IntoIterator<Item = f32>) -> Self {
        // One more than allowed, so that `validate` detects too many.
        self.bounds = half_extents.into_iter().take(BOUNDS_MAX + 1).collect();
        self
    }

    /// Sets the side of the point grids' cells, in world units; `None` to derive it.
    ///
    /// It applies where bodies are evenly distributed; where they cluster, cells adapt to the
    /// clusters. Cells that would be smaller than the largest box of the grid are enlarged. Without
    /// this setting, the side is derived from the density of each part of the world; and where
    /// bodies of very different sizes are mixed, columns of cells may be finer than bodies, which
    /// makes steps faster and queries slower. Must be finite and above 0.
    pub fn with_cell_size(mut self, side: impl Into<Option<f32>>) -> Self {
        self.cell_size = side.into();
        self
    }

    /// Sets the largest number of pairs of a step; 2^28 by default.
    ///
    /// Body pairs and static pairs count together. A step with more returns
    /// [`Error::TooManyPairs`]. A world has memory for the pairs of two steps and a few percent
    /// more: about 18 bytes per pair, so the default admits 5 GB. Set a lower limit in WebAssembly
    /// and on other targets with little memory: a world that finds none left aborts the process.
    pub fn with_pair_limit(mut self, pairs: usize) -> Self {
        self.pair_limit = pairs;
        self
    }

    /// Sets what a step does with invalid rows; [`InvalidRows::Reject`] by default.
    pub fn with_invalid_rows(mut self, policy: InvalidRows) -> Self {
        self.invalid_rows = policy;
        self
    }

    /// Sets the least number of bodies for which a step uses several threads; 8,000 by default.
    ///
    /// In a step that is [told what changed](crate::World::step_changed), only changed rows count.
    /// `None` keeps all work of the world on the calling thread. Results do not depend on this
    /// setting.
    pub fn with_parallel_threshold(mut self, bodies: impl Into<Option<usize>>) -> Self {
        self.parallel_threshold = bodies.into();
        self
    }

    /// Limits the instruction set of the inner loops; `None`, the default, sets no limit.
    ///
    /// The best instruction set that the CPU has, up to this limit, is used. A level of another
    /// architecture is no limit, so saved settings can move between machines. Results do not depend
    /// on this setting.
    pub fn with_simd_max(mut self, level: impl Into<Option<SimdLevel>>) -> Self {
        self.simd_max = level.into();
        self
    }

    /// Sets the shape of bodies; [`BodyShape::Aabb`] by default.
    pub fn with_body_shape(mut self, shape: BodyShape) -> Self {
        self.body_shape = shape;
        self
    }

    /// Tracks contacts between steps, and keeps a `u32` with each; off by default.
    ///
    /// See [`Contacts::events`](crate::Contacts::events). Bodies and statics are identified by
    /// their ids, which must be unique; without ids they are identified by their rows.
    ///
    /// # Cost
    ///
    /// A step takes about 55 % longer if one pair in twelve begins or ends. Memory: 30 bytes per
    /// body and about 50 bytes per contact; 4 of these are for values, and are taken once values
    /// are accessed by [`World::events_mut`](crate::World::events_mut).
    pub fn with_contact_tracking(mut self, enabled: bool) -> Self {
        self.contact_tracking = enabled;
        self
    }

    /// Sets by how much boxes are grown, in world units, to tell whether a tracked contact has
    /// ended; 0 by default.
    ///
    /// A contact begins when the boxes overlap. It ends when the boxes, each grown by `margin` on
    /// all sides, no longer overlap: once they are more than `2 * margin` apart. So contacts do not
    /// flicker: bodies that rest on each other do not begin and end contacts again and again. The
    /// pairs of a step do not change.
    ///
    /// Must be finite and at least 0. A margin above 0 needs
    /// [`with_contact_tracking`](Self::with_contact_tracking); without it, [`World::new`] returns
    /// an error.
    ///
    /// [`World::new`]: crate::World::new
    ///
    /// # Cost
    ///
    /// For each tracked contact that is not a pair of the step, two rows of your columns are read
    /// at random places in memory. In a crowd of a million bodies this takes as long as the step.
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// Lists the partners of each body, the rows that it is a pair with; off by default.
    ///
    /// For steering or densities; see [`Contacts::partners`](crate::Contacts::partners).
    ///
    /// # Cost
    ///
    /// About doubles the time of a step. Memory: about 45 bytes per pair.
    pub fn with_partner_lists(mut self, enabled: bool) -> Self {
        self.partner_lists = enabled;
        self
    }
}

/// Reading settings.
impl WorldConfig {
    /// The bounds that were set; empty if they are derived from each step's bodies.
    pub fn bounds(&self) -> &[f32] {
        &self.bounds
    }

    /// The side of cells that was set; `None` if it is derived.
    pub fn cell_size(&self) -> Option<f32> {
        self.cell_size
    }

    /// The largest number of pairs of a step, body pairs and static pairs together.
    pub fn pair_limit(&self) -> usize {
        self.pair_limit
    }

    /// What a step does with invalid rows.
    pub fn invalid_rows(&self) -> InvalidRows {
        self.invalid_rows
    }

    /// The least number of bodies for which a step uses several threads; `None` if none does.
    pub fn parallel_threshold(&self) -> Option<usize> {
        self.parallel_threshold
    }

    /// The best instruction set that may be used; `None` if it is not limited.
    pub fn simd_max(&self) -> Option<SimdLevel> {
        self.simd_max
    }

    /// The shape of bodies.
    pub fn body_shape(&self) -> BodyShape {
        self.body_shape
    }

    /// Whether contacts are tracked between steps.
    pub fn contact_tracking(&self) -> bool {
        self.contact_tracking
    }

    /// The margin of tracked contacts, in world units.
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// Whether each row gets a list of partners.
    pub fn partner_lists(&self) -> bool {
        self.partner_lists
    }

    /// Whether any work may run on other threads.
    pub(crate) fn may_use_threads(&self) -> bool {
        cfg!(feature = "parallel") && self.parallel_threshold.is_some()
    }

    /// Whether a step of `rows` rows uses several threads.
    pub(crate) fn is_parallel(&self, rows: usize) -> bool {
        cfg!(feature = "parallel") && self.parallel_threshold.is_some_and(|threshold| rows >= threshold)
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.bounds.len() > BOUNDS_MAX {
            const { assert!(BOUNDS_MAX == 8, "the error below names the number") };
            return Err(invalid("number of bounds", self.bounds.len() as u64, "at most 8"));
        }
        let mut below = 0.0;
        for &bound in &self.bounds {
            if !(bound.is_finite() && bound >= below) {
                return Err(invalid("bound", bound, "finite, >= 0, and ascending"));
            }
            below = bound;
        }
        if let Some(side) = self.cell_size
            && !(side.is_finite() && side > 0.0)
        {
            return Err(invalid("cell_size", side, "finite and > 0"));
        }
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            return Err(invalid("margin", self.margin, "finite and >= 0"));
        }
        if self.margin > 0.0 && !self.contact_tracking {
            return Err(invalid("margin", self.margin, "0 unless contact_tracking is on"));
        }
        Ok(())
    }
}

fn invalid(setting: &'static str, value: impl Into<SettingValue>, expected: &'static str) -> Error {
    Error::InvalidConfig { setting, value: value.into(), expected }
}

/// Bounds as a list of any length: `validate` rejects one that is too long.
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
