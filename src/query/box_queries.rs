//! Queries for the boxes in an area.

use crate::geometry::{Aabb, Circle, Point};
use crate::query::builder::QueryBuilder;
use crate::query::hits::Hits;
use crate::tier::box_test::BoxTest;

impl<'w, H: Copy> QueryBuilder<'w, H> {
    /// Finds boxes that overlap `area`; touching is overlap.
    ///
    /// # Determinism
    ///
    /// Hits have the order in which the boxes are stored. In a world, common bodies come first,
    /// then oversized bodies, then statics. The order within these does not depend on the number
    /// of threads or the SIMD level, and may change between versions of this crate. After
    /// [`step_changed`](crate::World::step_changed) and with
    /// [`with_asleep`](crate::Bodies::with_asleep), it also depends on earlier steps.
    ///
    /// # Cost
    ///
    /// O(rows of cells and leaves that `area` touches + boxes that are stored there).
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Hit, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [50.0, 0.5]], [0.5, 0.5]))?;
    /// let hits = world.query().query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?);
    /// assert!(hits.eq([Hit::Body { row: 0, id: None }, Hit::Static { row: 0, id: None }]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_aabb(self, area: Aabb) -> Hits<'w, H> {
        Hits::new(self.source, self.scope, area.to_array(), BoxTest::Overlap)
    }

    /// Finds boxes that are entirely inside `area`, edges included.
    ///
    /// Order and cost are those of [`query_aabb`](Self::query_aabb) for `area`.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// let selection = Aabb::new([0.0, 0.0], [4.0, 2.0])?;
    /// assert_eq!(world.query().query_contained_in(selection).count(), 1); // not the other
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_contained_in(self, area: Aabb) -> Hits<'w, H> {
        let area = area.to_array();
        Hits::new(self.source, self.scope, area, BoxTest::ContainedIn(area))
    }

    /// Finds boxes that contain `point`, edges included.
    ///
    /// Order and cost are those of [`query_aabb`](Self::query_aabb) for the point.
    ///
    /// ```
    /// use triphase::{Bodies, Hit, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// let clicked = world.query().query_point(Point::new([4.2, 0.8])?).first();
    /// assert_eq!(clicked, Some(Hit::Body { row: 1, id: None }));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_point(self, point: Point) -> Hits<'w, H> {
        let [x, y] = point.to_array();
        Hits::new(self.source, self.scope, [x, y, x, y], BoxTest::Overlap)
    }

    /// Finds boxes that contain all of `aabb`, edges included.
    ///
    /// Order and cost are those of [`query_aabb`](Self::query_aabb) for a single point.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [1.0, 1.0]))?;
    /// let item = Aabb::new([0.5, 0.5], [1.5, 1.5])?;
    /// assert_eq!(world.query().query_containing(item).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_containing(self, aabb: Aabb) -> Hits<'w, H> {
        let aabb = aabb.to_array();
        // A box that contains `aabb` contains its lower corner.
        let [x, y, ..] = aabb;
        Hits::new(self.source, self.scope, [x, y, x, y], BoxTest::Containing(aabb))
    }

    /// Finds candidates for an area, without testing their boxes. The cheapest query.
    ///
    /// Candidates are boxes stored in the cells and leaves that the area touches, each once: every
    /// box that overlaps the area, and some that are only nearby.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// let area = Aabb::new([0.0, 0.0], [2.0, 2.0])?;
    /// assert!((1..=2).contains(&world.query().query_candidates(area).count()));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_candidates(self, area: Aabb) -> Hits<'w, H> {
        Hits::new(self.source, self.scope, area.to_array(), BoxTest::Untested)
    }

    /// Finds boxes that overlap a closed circle.
    ///
    /// A box overlaps it if the square of its [distance](Aabb::distance_squared) from the center is
    /// at most the square of the radius. Order and cost are those of
    /// [`query_aabb`](Self::query_aabb) for the circle's bounding box. To get distances, nearest
    /// first, use [`query_circle_sorted`](Self::query_circle_sorted).
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// let blast = Circle::new([0.0, 1.0], 2.0)?;
    /// assert_eq!(world.query().query_circle(blast).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_circle(self, circle: Circle) -> Hits<'w, H> {
        let test = BoxTest::Circle { center: circle.center(), radius_squared: circle.radius_squared() };
        Hits::new(self.source, self.scope, circle.bounds(), test)
    }
}
