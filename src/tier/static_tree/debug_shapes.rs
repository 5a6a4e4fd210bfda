//! The debug shapes of the tree, and sort keys of points.

use crate::geometry::RawAabb;
use crate::tier::DebugShape;
use crate::tier::static_tree::node::Node;
use crate::tier::static_tree::split::Split;
use crate::tier::static_tree::tree::{Root, StaticTree, TreeData};

/// Bits of each coordinate of a sort key: finer than leaves are.
const KEY_BITS: u32 = 16;

impl StaticTree {
    /// Visits every node and leaf, empty leaves included, for debug drawing.
    ///
    /// A node comes before its descendants.
    ///
    /// # Cost
    ///
    /// O(nodes). Allocates nothing.
    ///
    /// ```
    /// use triphase::{tier::DebugShape, tier::static_tree::StaticTree};
    /// let tree = StaticTree::new(&[[0.0f32, 0.0, 10.0, 1.0], [9.0, 0.0, 10.0, 8.0]])?;
    /// let mut listed = 0;
    /// tree.visit_debug_shapes(|shape| {
    ///     if let DebugShape::Leaf { population, .. } = shape {
    ///         listed += population;
    ///     }
    /// });
    /// assert_eq!(listed, tree.entry_count());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn visit_debug_shapes(&self, mut visitor: impl FnMut(DebugShape)) {
        for part in self.parts() {
            for root in &part.data.roots {
                part.data.visit_below(root.node, root.cell, 0, &mut visitor);
            }
        }
    }

    /// Returns a number that sorts points roughly in the order of the leaves around them.
    ///
    /// First by root, then by the bits of x and y interleaved, as if all splits were quads.
    pub(crate) fn sort_key(&self, point: [f32; 2]) -> u64 {
        let roots = &self.built.roots;
        let contains = |root: &Root| (0..2).all(|k| root.cell[k] <= point[k] && point[k] <= root.cell[k + 2]);
        let root = roots.iter().position(contains);
        // Points in no root come last, sorted as if in the first root, which has most statics.
        let root_key = root.unwrap_or(roots.len()) as u64;
        let cell = roots.get(root.unwrap_or(0)).map_or([0.0; 4], |root| root.cell);
        let [x, y] = [0, 1].map(|axis| interleave(key_between(cell[axis], cell[axis + 2], point[axis])));
        root_key << (2 * KEY_BITS) | x | y << 1
    }
}

impl TreeData {
    fn visit_below(&self, node: Node, aabb: RawAabb, depth: usize, visitor: &mut impl FnMut(DebugShape)) {
        let Some((kind, children)) = node.children() else {
            return visitor(DebugShape::Leaf { aabb, depth, population: node.entries().len() });
        };
        visitor(DebugShape::Node { aabb, depth });
        let split = Split::new(kind, &aabb);
        for (k, &child) in self.siblings[children.get()].0.iter().enumerate() {
            self.visit_below(child, split.child_cell(&aabb, k), depth + 1, visitor);
        }
    }
}

/// Returns where a coordinate lies between two edges, in steps from 0 to `2^KEY_BITS - 1`.
fn key_between(low: f32, high: f32, at: f32) -> u64 {
    let [low, high, at] = [low, high, at].map(f64::from);
    let last = (1u32 << KEY_BITS) - 1;
    // The cast saturates, and maps NaN, for a cell without a side, to 0.
    u64::from(((at - low) / (high - low) * f64::from(last)) as u32).min(u64::from(last))
}

/// Puts a 0 before each bit.
fn interleave(key: u64) -> u64 {
    let key = (key | key << 8) & 0x00ff_00ff;
    let key = (key | key << 4) & 0x0f0f_0f0f;
    let key = (key | key << 2) & 0x3333_3333;
    (key | key << 1) & 0x5555_5555
}
