//! Up to 64 boxes in columns, so that a set of them is a word.

use crate::geometry::RawAabb;

/// Most boxes of a group: the bits of a word.
pub(crate) const GROUP_MAX: usize = u64::BITS as usize;

/// The edges of the boxes of a group: min x, min y, max x and max y, each a column.
pub(crate) type GroupEdges = [[f32; GROUP_MAX]; 4];

/// Some boxes, and a row for each.
pub(crate) struct BoxGroup {
    edges: GroupEdges,
    rows: [u32; GROUP_MAX],
    len: usize,
}

impl BoxGroup {
    pub(crate) fn new() -> Self {
        Self { edges: [[0.0; GROUP_MAX]; 4], rows: [0; GROUP_MAX], len: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds boxes, given as columns like [`GroupEdges`], and their rows.
    ///
    /// # Panics
    ///
    /// If there are more than [`GROUP_MAX`], or columns of different lengths.
    pub(crate) fn extend(&mut self, edges: [&[f32]; 4], rows: &[u32]) {
        let range = self.len..self.len + rows.len();
        for (column, edges) in self.edges.iter_mut().zip(edges) {
            column[range.clone()].copy_from_slice(edges);
        }
        self.rows[range].copy_from_slice(rows);
        self.len += rows.len();
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The columns. What they contain after the boxes never matters.
    pub(crate) fn edges(&self) -> &GroupEdges {
        &self.edges
    }

    #[inline(always)]
    pub(crate) fn aabb(&self, at: usize) -> RawAabb {
        let [min_x, min_y, max_x, max_y] = &self.edges;
        [min_x[at], min_y[at], max_x[at], max_y[at]]
    }

    #[inline(always)]
    pub(crate) fn row(&self, at: usize) -> u32 {
        self.rows[at]
    }

    /// The set of all boxes: bit `k` stands for box `k`.
    pub(crate) fn all(&self) -> u64 {
        if self.len == 0 { 0 } else { u64::MAX >> (GROUP_MAX - self.len) }
    }

    /// The smallest box that covers all boxes; if there are none, one that overlaps nothing.
    pub(crate) fn bounds(&self) -> RawAabb {
        let [min_x, min_y, max_x, max_y] = &self.edges;
        let lowest = |column: &[f32; GROUP_MAX]| {
            column[..self.len].iter().fold(f32::INFINITY, |a, &b| if b < a { b } else { a })
        };
        let highest = |column: &[f32; GROUP_MAX]| {
            column[..self.len].iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
        };
        [lowest(min_x), lowest(min_y), highest(max_x), highest(max_y)]
    }
}
