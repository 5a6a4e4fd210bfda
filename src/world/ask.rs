//! Queries to a world.

use crate::geometry::{Aabb, Circle, Point, Ray};
use crate::query::{CastHit, Hits, Neighbor, QueryBuilder};
use crate::tier::DebugShape;
use crate::world::World;

impl World {
    /// Returns a builder with every query and every restriction; see [`QueryBuilder`].
    ///
    /// Queries find the bodies of the last successful step, and the statics as they are now.
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
    pub fn query(&self) -> QueryBuilder<'_> {
        QueryBuilder::of_frame(self.frames.front(), &self.statics, self.config.may_use_threads())
    }

    /// Finds all entities whose boxes overlap `area`; see [`QueryBuilder::query_aabb`].
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [40.0, 0.5]], [0.5, 0.5]))?;
    /// for hit in world.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?) {
    ///     println!("in view: {hit:?}");
    /// }
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_> {
        self.query().query_aabb(area)
    }

    /// Finds all entities whose boxes overlap a circle; see [`QueryBuilder::query_circle`].
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.query_circle(Circle::new([0.0, 1.0], 2.0)?).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_circle(&self, circle: Circle) -> Hits<'_> {
        self.query().query_circle(circle)
    }

    /// Finds the entity nearest to a point; see [`QueryBuilder::nearest`].
    ///
    /// ```
    /// use triphase::{Bodies, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.nearest(Point::new([3.5, 0.0])?).unwrap().distance, 1.0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn nearest(&self, point: Point) -> Option<Neighbor> {
        self.query().nearest(point)
    }

    /// Finds the first entity that a ray hits; see [`QueryBuilder::cast_ray`].
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let ray = Ray::new([0.0, 0.0], [1.0, 0.0], 100.0)?;
    /// assert_eq!(world.cast_ray(ray).unwrap().time_of_impact, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit> {
        self.query().cast_ray(ray)
    }

    /// Visits the parts that the three tiers are made of, for drawing and debugging.
    ///
    /// These are bands with their cells, loose and tight cells, nodes and leaves, as of the last
    /// successful step.
    ///
    /// # Cost
    ///
    /// O(cells + nodes).
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.frames.front().visit_debug_shapes(&self.statics, visitor);
    }
}
