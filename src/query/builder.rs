//! The query builder and its restrictions.

use crate::input::filter::Filter;
use crate::pair::Hit;
use crate::query::source::{Scope, Source};
use std::fmt;

/// A tier of a world: one of the three structures that contain its entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Bodies in the point grids: those of common size.
    Common,
    /// Bodies in the double grid: those that a step found to be larger than every bound, to reach
    /// into too many bands of the point grids, or to have an infinite edge. A body that a step was
    /// [told about](crate::World::step_changed) may be in either tier, whatever its size.
    Oversized,
    /// Statics.
    Static,
}

/// Queries about the boxes of a world, a snapshot or a tier, with restrictions.
///
/// Returned by `query()`. It borrows what it queries and is `Copy`: restrict it once and run any
/// number of queries, from any number of threads. `H` is the type of a hit: [`Hit`] for a
/// [`World`](crate::World) or a [`Snapshot`](crate::Snapshot), a row (`u32`) for a
/// [`StaticTree`](crate::tier::static_tree::StaticTree) or a
/// [`PointGrid`](crate::tier::point_grid::PointGrid), and a handle for a
/// [`LooseGrid`](crate::tier::loose_grid::LooseGrid).
///
/// All boxes are closed: touching is overlap. Shapes are validated when they are created, so
/// queries cannot fail. The only memory that a query allocates is for the buffer that it fills.
///
/// | query | returns |
/// |---|---|
/// | [`query_aabb`](Self::query_aabb), [`query_circle`](Self::query_circle) | boxes that overlap the shape |
/// | [`query_contained_in`](Self::query_contained_in) | boxes inside an area |
/// | [`query_point`](Self::query_point), [`query_containing`](Self::query_containing) | boxes that contain a point or a box |
/// | [`query_candidates`](Self::query_candidates) | boxes near an area, not tested |
/// | [`query_circle_sorted`](Self::query_circle_sorted) | boxes that overlap a circle, nearest first |
/// | [`nearest`](Self::nearest), [`k_nearest`](Self::k_nearest) | nearest boxes; `_within` sets a maximum distance |
/// | [`cast_ray`](Self::cast_ray), [`cast_aabb`](Self::cast_aabb) | first hit of a ray or a moving box; `_all` finds every hit, `_any` whether there is one |
/// | `par_…` | many queries at once, in parallel |
///
/// ```
/// use triphase::{Aabb, Bodies, Circle, Hit, Point, Ray, World};
/// let mut world = World::default();
/// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
/// world.step(Bodies::uniform(&[[2.0f32, 1.0], [4.0, 1.0], [50.0, 1.0]], [0.5, 0.5]))?;
///
/// let bodies = world.query().only_bodies();
/// assert_eq!(bodies.query_aabb(Aabb::new([0.0, 0.0], [10.0, 10.0])?).count(), 2);
/// assert!(!bodies.query_circle(Circle::new([3.0, 1.0], 0.4)?).exists());
/// assert_eq!(bodies.nearest(Point::new([49.0, 1.0])?).unwrap().distance, 0.5);
///
/// let ray = Ray::new([0.0, 1.0], [1.0, 0.0], 100.0)?;
/// let hit = world.query().exclude_bodies(&[0]).cast_ray(ray).unwrap();
/// assert_eq!((hit.target, hit.time_of_impact), (Hit::Body { row: 1, id: None }, 3.5));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use = "a builder does nothing until a query is called"]
pub struct QueryBuilder<'w, H: Copy = Hit> {
    pub(super) source: &'w dyn Source<H>,
    pub(super) scope: Scope<'w, H>,
    /// Whether batches may use other threads.
    pub(super) parallel: bool,
}

impl<'w, H: Copy> QueryBuilder<'w, H> {
    pub(super) fn new(source: &'w dyn Source<H>, scope: Scope<'w, H>, parallel: bool) -> Self {
        Self { source, scope, parallel }
    }

    /// Restricts the query to hits for which `predicate` returns `true`.
    ///
    /// The predicate is called after all other tests, once per hit; casts may call it twice for the
    /// same hit. A search for the nearest boxes, or for the first hit of a cast, also calls it for
    /// hits that turn out to be farther away than others. Iterators call it for some hits before
    /// these are requested.
    ///
    /// Replaces a predicate set before.
    ///
    /// ```
    /// use triphase::{Bodies, Hit, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let hostile = [false, true]; // a column of the game's own
    /// let is_foe = |hit| matches!(hit, Hit::Body { row, .. } if hostile[row as usize]);
    /// let foes = world.query().with_predicate(&is_foe);
    /// assert_eq!(foes.nearest(Point::new([0.0, 0.0])?).unwrap().distance, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn with_predicate(mut self, predicate: &'w (dyn Fn(H) -> bool + Sync)) -> Self {
        self.scope.predicate = Some(predicate);
        self.scope.is_unrestricted = false;
        self
    }
}

/// Restrictions for worlds and snapshots. A hit must satisfy all of them.
impl<'w> QueryBuilder<'w> {
    /// Restricts the query to bodies.
    pub fn only_bodies(self) -> Self {
        self.only_tiers(&[Tier::Common, Tier::Oversized])
    }

    /// Restricts the query to statics.
    pub fn only_statics(self) -> Self {
        self.only_tiers(&[Tier::Static])
    }

    /// Restricts the query to these tiers, in addition to earlier restrictions.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Tier, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::new().with_bound(1.0))?;
    /// world.step(Bodies::new(&[[0.0f32, 0.0], [9.0, 0.0]], &[[0.5f32, 0.5], [4.0, 4.0]]))?;
    /// let area = Aabb::new([0.0, 0.0], [9.0, 9.0])?;
    /// assert_eq!(world.query().only_tiers(&[Tier::Oversized]).query_aabb(area).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn only_tiers(mut self, tiers: &[Tier]) -> Self {
        self.scope.common &= tiers.contains(&Tier::Common);
        self.scope.oversized &= tiers.contains(&Tier::Oversized);
        self.scope.statics = self.scope.statics.filter(|_| tiers.contains(&Tier::Static));
        self
    }

    /// Restricts the query to entities in at least one of these layers.
    ///
    /// This is [`with_filter`](Self::with_filter) with a [`Filter`] that is in all layers and has
    /// `layers` as its mask. So the masks of the entities do not matter, except that an entity with
    /// the mask 0 is never found. Bodies and statics without a filter are in all layers, so they
    /// are found. Replaces a filter set before.
    ///
    /// ```
    /// use triphase::{Bodies, Filter, Point, World};
    /// const ENEMIES: u32 = 1 << 3;
    /// let mut world = World::default();
    /// let filters = [Filter::ALL, Filter::new(1, 1), Filter::new(ENEMIES, 1)];
    /// let bodies = Bodies::uniform(&[[90.0f32, 0.0], [1.0, 0.0], [5.0, 0.0]], [0.5, 0.5]);
    /// world.step(bodies.with_filters(&filters))?;
    /// let nearest = world.query().in_layers(ENEMIES).nearest(Point::new([0.0, 0.0])?);
    /// assert_eq!(nearest.unwrap().distance, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn in_layers(self, layers: u32) -> Self {
        self.with_filter(Filter::new(u32::MAX, layers))
    }

    /// Restricts the query to entities whose filter and this one
    /// [accept each other](Filter::interacts_with), as in a step.
    ///
    /// Bodies have the filters of the step, statics those of the static set. Replaces a filter set
    /// before.
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.scope.filter = Some(filter);
        self.scope.is_unrestricted = false;
        self
    }

    /// Excludes the bodies in these rows, for example the body that makes the query.
    ///
    /// Replaces rows excluded before. Each hit is compared with all of them: for more than a few,
    /// use [`with_predicate`](Self::with_predicate). The query borrows `rows`: to keep it in a
    /// variable, keep the rows in one too.
    ///
    /// ```
    /// use triphase::{Bodies, Hit, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let other = world.query().exclude_bodies(&[0]).nearest(Point::new([1.0, 0.0])?);
    /// assert_eq!(other.unwrap().target, Hit::Body { row: 1, id: None });
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn exclude_bodies(mut self, rows: &'w [u32]) -> Self {
        self.scope.excluded_bodies = rows;
        self.scope.is_unrestricted = false;
        self
    }

    /// Excludes the statics in these rows, like [`exclude_bodies`](Self::exclude_bodies).
    pub fn exclude_statics(mut self, rows: &'w [u32]) -> Self {
        self.scope.excluded_statics = rows;
        self.scope.is_unrestricted = false;
        self
    }
}

impl<H: Copy> fmt::Debug for QueryBuilder<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryBuilder").finish_non_exhaustive()
    }
}
