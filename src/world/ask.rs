//! Queries to a world.
//!
//! [`World::query`] has all of them; what is asked without any restriction is a method of the world too.

use crate::geometry::{Aabb, AabbCast, Circle, Point, Ray};
use crate::pair::Hit;
use crate::query::frame::Searched;
use crate::query::{CastHit, Hits, Inner, Neighbor, QueryBuilder};
use crate::tier::DebugShape;
use crate::world::World;

impl World {
    /// Queries to the bodies of the last good step, and to the statics as they are now: to all of them, or restricted by
    /// tier, row, layer or predicate. See [`QueryBuilder`].
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Hit, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [4.0, 0.5]], [0.5, 0.5]))?;
    /// let others = world.query().only_bodies().exclude_bodies(&[0]);
    /// let area = Aabb::new([0.0, 0.0], [9.0, 9.0])?;
    /// assert!(others.query_aabb(area).eq([Hit::Body { row: 1, id: None }]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<Searched<'_>> {
        QueryBuilder::new(self.searched())
    }

    /// Everything whose closed box overlaps `area`, each once; see [`QueryBuilder::query_aabb`].
    ///
    /// # Determinism
    ///
    /// In the order in which boxes are filed: common bodies, oversized ones, statics.
    ///
    /// # Cost
    ///
    /// O(rows of cells, loose cells and leaves that the area touches + what is filed there); nothing is allocated.
    pub fn query_aabb(&self, area: Aabb) -> Hits<impl Iterator<Item = Hit>> {
        self.query().query_aabb(area)
    }

    /// Everything that lies wholly in `area`; see [`QueryBuilder::query_contained_in`].
    pub fn query_contained_in(&self, area: Aabb) -> Hits<impl Iterator<Item = Hit>> {
        self.query().query_contained_in(area)
    }

    /// Everything that wholly holds a point or a box; see [`QueryBuilder::query_containing`].
    pub fn query_containing(&self, inner: impl Into<Inner>) -> Hits<impl Iterator<Item = Hit>> {
        self.query().query_containing(inner)
    }

    /// Everything filed where `area` is, untested; see [`QueryBuilder::query_candidates`].
    pub fn query_candidates(&self, area: Aabb) -> Hits<impl Iterator<Item = Hit>> {
        self.query().query_candidates(area)
    }

    /// Everything that a disc meets; see [`QueryBuilder::query_circle`].
    pub fn query_circle(&self, circle: Circle) -> Hits<impl Iterator<Item = Hit>> {
        self.query().query_circle(circle)
    }

    /// The nearest; see [`QueryBuilder::nearest`], and [`QueryBuilder::nearest_within`] with a maximal distance.
    pub fn nearest(&self, to: Point) -> Option<Neighbor<Hit>> {
        self.query().nearest(to)
    }

    /// The `k` nearest; see [`QueryBuilder::k_nearest`], and [`QueryBuilder::k_nearest_within`] with a maximal distance.
    pub fn k_nearest(&self, to: Point, k: usize, found: &mut Vec<Neighbor<Hit>>) {
        self.query().k_nearest(to, k, found);
    }

    /// Everything that a disc meets with its distance, nearest first; see [`QueryBuilder::within`].
    pub fn within(&self, circle: Circle, found: &mut Vec<Neighbor<Hit>>) {
        self.query().within(circle, found);
    }

    /// The first that a ray hits; see [`QueryBuilder::cast_ray`], and there for all hits and for line of sight.
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit<Hit>> {
        self.query().cast_ray(ray)
    }

    /// The first that a box in motion meets; see [`QueryBuilder::cast_aabb`].
    pub fn cast_aabb(&self, sweep: AabbCast) -> Option<CastHit<Hit>> {
        self.query().cast_aabb(sweep)
    }

    /// Visits what the three tiers are made of, as of the last good step, for drawing and debugging: bands with their cells,
    /// loose and tight cells, nodes and leaves.
    ///
    /// # Cost
    ///
    /// O(cells + nodes).
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.searched().visit_debug_shapes(visitor);
    }
}
