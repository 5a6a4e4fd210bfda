//! What can be asked of the tree, and its parts for people to look at.

use crate::geometry::{Impact, PreparedCast, RawAabb};
use crate::query::{Part, QueryBuilder, Search};
use crate::tier::static_tree::box_query::Tested;
use crate::tier::static_tree::node::{CHILD_COUNT, Node};
use crate::tier::static_tree::split::Split;
use crate::tier::static_tree::{Root, StaticTree};

impl Search for &StaticTree {
    type Hit = u32;

    #[inline]
    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = u32> {
        Tested::new(self, area, test)
    }

    #[inline]
    fn visit_near(self, point: [f32; 2], _: usize, within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        self.walk_near(point, within, visit)
    }

    #[inline]
    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        self.walk_met(cast, until, visit)
    }

    /// The order of leaves, were all splits quads: that of the roots, then x and y of the root's cell, bit by bit.
    fn place(self, point: [f32; 2]) -> u64 {
        let holds = |root: &Root| (0..2).all(|k| root.cell[k] <= point[k] && point[k] <= root.cell[k + 2]);
        let home = self.built.roots.iter().position(holds);
        // What no root holds comes last, as it lies to the first, which has most.
        let number = home.unwrap_or(self.built.roots.len()) as u64;
        let cell = self.built.roots.get(home.unwrap_or(0)).map_or([0.0; 4], |root| root.cell);
        let [x, y] = [0, 1].map(|axis| spread(step(cell[axis], cell[axis + 2], point[axis])));
        number << (2 * STEP_BITS) | x | y << 1
    }
}

/// Bits of a coordinate of a place: steps finer than leaves are.
const STEP_BITS: u32 = 16;

/// How far a coordinate lies between two others, in steps; at the ends what lies beyond, and all where there is nothing
/// between: casts saturate, and NaN becomes 0.
fn step(low: f32, high: f32, at: f32) -> u64 {
    let [low, high, at] = [low, high, at].map(f64::from);
    let end = (1u32 << STEP_BITS) - 1;
    u64::from(((at - low) / (high - low) * f64::from(end)) as u32).min(u64::from(end))
}

/// A zero between any two bits.
fn spread(step: u64) -> u64 {
    let step = (step | step << 8) & 0x00ff_00ff;
    let step = (step | step << 4) & 0x0f0f_0f0f;
    let step = (step | step << 2) & 0x3333_3333;
    (step | step << 1) & 0x5555_5555
}

impl StaticTree {
    /// Queries to the statics: what lies in an area, what is nearest, what a ray meets. Hits are rows. What is disabled
    /// is not found.
    ///
    /// ```
    /// use triphase::{Circle, Point, Ray, tier::static_tree::StaticTree};
    /// let walls = [[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0], [40.0, 40.0, 41.0, 48.0]];
    /// let mut tree = StaticTree::new(&walls)?;
    /// assert_eq!(tree.query().query_circle(Circle::new([5.0, 5.0], 4.0)?).collect::<Vec<_>>(), [0, 1]);
    /// assert_eq!(tree.query().nearest(Point::new([38.0, 44.0])?).map(|found| found.hit), Some(2));
    ///
    /// let ray = Ray::new([5.0, 5.0], [1.0, 0.0], 100.0)?;
    /// let hit = tree.query().cast_ray(ray).unwrap();
    /// assert_eq!((hit.hit, hit.distance), (1, 4.0));
    /// tree.set_enabled(1, false)?;
    /// assert!(!tree.query().cast_ray_any(ray));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<&Self> {
        QueryBuilder::new(self)
    }

    /// Visits every node and leaf, empty leaves included, in the order of searches: a node before what is below it.
    ///
    /// # Cost
    ///
    /// O(nodes); nothing is allocated.
    ///
    /// ```
    /// use triphase::{query::Part, tier::static_tree::StaticTree};
    /// let tree = StaticTree::new(&[[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0]])?;
    /// let mut listed = 0;
    /// tree.visit_debug_shapes(|part| {
    ///     if let Part::Leaf { population, .. } = part {
    ///         listed += population;
    ///     }
    /// });
    /// assert_eq!(listed, tree.entry_count());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(Part)) {
        for root in &self.built.roots {
            self.visit_below(root.node, root.cell, 0, &mut visitor);
        }
    }

    /// Recursion as deep as the tree.
    fn visit_below(&self, node: Node, aabb: RawAabb, depth: usize, visitor: &mut impl FnMut(Part)) {
        let Some((kind, group)) = node.children() else {
            return visitor(Part::Leaf { aabb, depth, population: node.entries().len() });
        };
        visitor(Part::Node { aabb, depth });
        let split = Split::new(kind, &aabb);
        for k in 0..CHILD_COUNT {
            self.visit_below(self.built.groups[group.get()].0[k], split.child(&aabb, k as u32), depth + 1, visitor);
        }
    }
}
