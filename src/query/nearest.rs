//! Queries for the nearest boxes.

use crate::geometry::{Circle, Point};
use crate::query::builder::QueryBuilder;
use crate::query::neighbor::{NearestHits, Neighbor};

impl<H: Copy + Ord> QueryBuilder<'_, H> {
    /// Finds the box nearest to a point, at any distance.
    ///
    /// # Determinism
    ///
    /// Among boxes at the same distance, bodies come before statics, and lower rows (in a
    /// `LooseGrid`, lower handles) before higher ones. Distances are compared as squares in `f64`:
    /// two whose roots round to the same [`distance`](Neighbor::distance) may be in another
    /// order.
    ///
    /// # Cost
    ///
    /// About that of [`query_aabb`](Self::query_aabb) for a square around the point that reaches
    /// as far as the result.
    ///
    /// ```
    /// use triphase::{Bodies, Hit, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let found = world.query().nearest(Point::new([3.5, 0.0])?).unwrap();
    /// assert_eq!((found.target, found.distance), (Hit::Body { row: 1, id: None }, 1.0));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn nearest(self, point: Point) -> Option<Neighbor<H>> {
        self.nearest_within(point.into())
    }

    /// Finds the box nearest to the center of a circle among those that overlap the circle.
    ///
    /// This is [`nearest`](Self::nearest) with a maximum distance: the radius.
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// assert!(world.query().nearest_within(Circle::new([9.0, 0.0], 3.0)?).is_none());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn nearest_within(self, circle: Circle) -> Option<Neighbor<H>> {
        let mut hits = NearestHits::one(circle.radius_squared());
        self.source.find_nearest(&self.scope, circle.center(), &mut hits);
        hits.finish()
    }

    /// Replaces the contents of `found` with the `k` boxes nearest to a point, nearest first.
    ///
    /// If there are fewer boxes, finds all of them. Boxes at the same distance are ordered as in
    /// [`nearest`](Self::nearest).
    ///
    /// # Cost
    ///
    /// About that of [`query_aabb`](Self::query_aabb) for a square around the point that reaches
    /// as far as the last result. Allocates only if the capacity of `found` is below `2 * k`.
    ///
    /// ```
    /// use triphase::{Bodies, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0], [7.0, 0.0]], [0.5, 0.5]))?;
    /// let mut found = Vec::new(); // kept from query to query
    /// world.query().k_nearest(Point::new([4.0, 0.0])?, 2, &mut found);
    /// let distances: Vec<f64> = found.iter().map(|near| near.distance).collect();
    /// assert_eq!(distances, [0.5, 2.5]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn k_nearest(self, point: Point, k: usize, found: &mut Vec<Neighbor<H>>) {
        self.k_nearest_within(point.into(), k, found);
    }

    /// Replaces the contents of `found` with the `k` boxes nearest to the center of a circle among
    /// those that overlap the circle, nearest first.
    ///
    /// This is [`k_nearest`](Self::k_nearest) with a maximum distance: the radius.
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0], [7.0, 0.0]], [0.5, 0.5]))?;
    /// let mut found = Vec::new();
    /// world.query().k_nearest_within(Circle::new([6.0, 0.0], 1.0)?, 3, &mut found);
    /// assert_eq!(found.len(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn k_nearest_within(self, circle: Circle, k: usize, found: &mut Vec<Neighbor<H>>) {
        found.clear();
        self.append_k_nearest(circle, k, found);
    }

    /// Replaces the contents of `found` with all boxes that overlap a circle, those nearest to its
    /// center first.
    ///
    /// Finds what [`query_circle`](Self::query_circle) finds, in the order of
    /// [`nearest`](Self::nearest) and with distances.
    ///
    /// # Cost
    ///
    /// That of [`query_circle`](Self::query_circle), and of sorting the hits. Allocates only if
    /// `found` has too little capacity.
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0], [7.0, 0.0]], [0.5, 0.5]))?;
    /// let mut found = Vec::new();
    /// world.query().query_circle_sorted(Circle::new([7.0, 0.0], 2.0)?, &mut found);
    /// let distances: Vec<f64> = found.iter().map(|near| near.distance).collect();
    /// assert_eq!(distances, [0.0, 1.5]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_circle_sorted(self, circle: Circle, found: &mut Vec<Neighbor<H>>) {
        self.k_nearest_within(circle, usize::MAX, found);
    }

    pub(super) fn append_k_nearest(self, circle: Circle, k: usize, found: &mut Vec<Neighbor<H>>) {
        if k > 0 {
            let mut hits = NearestHits::many(circle.radius_squared(), k, found);
            self.source.find_nearest(&self.scope, circle.center(), &mut hits);
            hits.finish();
        }
    }
}
