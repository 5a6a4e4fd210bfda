//! A tree over boxes that is built at once, for many searches of boxes that no cells suit.
//!
//! Boxes are sorted by x and cut into slabs, and those of each slab are sorted by y. Sixteen boxes
//! that follow each other are a leaf, sixteen leaves are a node, and sixteen nodes a root. A search
//! tests the bounds of all roots, then those of the nodes of each root that it overlaps, and so on
//! to the boxes of each leaf: sixteen at a time, and without a stack.
//!
//! Cost: O(n log n) to build, about 30 nanoseconds a box. A search takes O(n / 65536 + h) for h
//! leaves that it overlaps.
//!
//! # Source
//!
//! The order of the boxes is "sort-tile-recursive" (Leutenegger, Lopez and Edgington, 1997), with a
//! single level of tiles.

use crate::geometry::{RawAabb, side};
use crate::input::filter::Filter;
use crate::memory::bits::set_bits;
use crate::memory::blocks::{SOA_BLOCK_LEN, SOA_BLOCK_WORDS, set_box};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::columns::SoaColumns;
use crate::memory::radix::{self, by_value, number_of};
use crate::simd::{DetectedSimd, TreeView};
use crate::tier::sweep::axis_sample::{some_of, spread};
use crate::tier::sweep::sorted_columns::{BoxTraits, SortScratch, SortedColumns};
use glam::Vec4;
use smallvec::SmallVec;

// Measured costs, in nanoseconds.

/// Building a tree, by box.
pub(crate) const BUILD_NS: f64 = 30.0;
/// A search for other boxes, and one for later boxes of the tree, with few hits.
pub(crate) const SEARCH_NS: f64 = 80.0;
pub(crate) const OWN_SEARCH_NS: f64 = 45.0;
/// A hit, beyond what it takes in cells.
pub(crate) const HIT_NS: f64 = 1.5;
/// A search without its leaves.
const LOOK_UP_NS: f64 = 25.0;
/// A leaf of a search for other boxes, and of one for later boxes of the tree, however many hits it
/// has.
const LEAF_NS: f64 = 10.0;
const OWN_LEAF_NS: f64 = 6.0;

/// Boxes in the sample of extents.
const SAMPLED: usize = 64;

/// Boxes, sorted so that those of a leaf are near each other, and the bounds of leaves, nodes and
/// roots.
#[derive(Default)]
pub(crate) struct PackedTree {
    pub(super) entries: SortedColumns,
    /// Blocks of bounds.
    leaves: Vec<u32>,
    nodes: Vec<u32>,
    roots: Vec<u32>,
}

buffers!(PackedTree { leveled: entries, leaves, nodes, roots; own: ; plain: ; });

impl PackedTree {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// About how long the searches for some boxes take, in nanoseconds: a sample tells how many
    /// leaves they overlap.
    pub(crate) fn searches_ns(&self, level: DetectedSimd, boxes: &[BodyRecord]) -> f64 {
        LOOK_UP_NS * boxes.len() as f64 + LEAF_NS * self.leaves_near(level, boxes)
    }

    /// About how long it takes if each of its boxes searches for later ones, in nanoseconds.
    pub(crate) fn own_searches_ns(&self, level: DetectedSimd, own: &[BodyRecord]) -> f64 {
        // Half of the leaves near a box are later ones.
        LOOK_UP_NS * own.len() as f64 + OWN_LEAF_NS * 0.5 * self.leaves_near(level, own)
    }

    /// About how many leaves overlap some boxes, each counted for each of them.
    fn leaves_near(&self, level: DetectedSimd, boxes: &[BodyRecord]) -> f64 {
        let sampled = some_of(boxes, SAMPLED);
        let weight = boxes.len() as f64 / sampled.len().max(1) as f64;
        let TreeView { leaves, nodes, .. } = self.view();
        let near = |aabb: &RawAabb| {
            let of_group = |(group, bounds): (usize, &_)| {
                let nodes = set_bits(level.overlap_mask(bounds, aabb)).map(|node| group * SOA_BLOCK_LEN + node);
                nodes.map(|node| level.overlap_mask(&leaves[node], aabb).count_ones()).sum::<u32>()
            };
            nodes.iter().enumerate().map(of_group).sum::<u32>()
        };
        weight * f64::from(sampled.map(|record| near(&record.aabb)).sum::<u32>())
    }

    /// Replaces the contents with some bodies, for searches of some boxes. `filter_of` is the
    /// filter of a row, if bodies have filters.
    pub(crate) fn build(
        &mut self,
        bodies: &SoaColumns<'_>,
        boxes: &[BodyRecord],
        filter_of: Option<impl Fn(u32) -> Filter>,
        SortScratch { keys, spare, records, leaf_bounds }: &mut SortScratch,
    ) {
        let [xs, ys] = [bodies.min_x(), bodies.min_y()].map(|lows| &lows[..bodies.len()]);
        keys.clear();
        keys.extend((0..).zip(xs).map(|(number, &x)| by_value(x, number)));
        radix::sort_by_values(keys, spare);
        for slab in keys.chunks_mut(slab_len(bodies, boxes)) {
            slab.iter_mut().for_each(|key| *key = by_value(ys[number_of(*key) as usize], number_of(*key)));
            slab.sort_unstable();
        }
        records.clear();
        records.extend(keys.iter().map(|&key| bodies.record(number_of(key) as usize)));
        self.fill(records, BoxTraits { filter_of, are_circles: bodies.circles() }, leaf_bounds);
    }

    /// Replaces the contents with boxes whose leaves follow each other. `leaf_bounds` is a buffer.
    pub(super) fn fill(
        &mut self,
        records: &[BodyRecord],
        traits: BoxTraits<impl Fn(u32) -> Filter>,
        leaf_bounds: &mut Vec<RawAabb>,
    ) {
        let Self { entries, leaves, nodes, roots } = self;
        entries.fill(records.iter().copied(), traits);
        leaf_bounds.clear();
        leaf_bounds.extend(records.chunks(SOA_BLOCK_LEN).map(|leaf| covering(leaf.iter().map(|record| record.aabb))));
        fill_bounds(leaves, leaf_bounds.iter().copied());
        let covering_each = |leaves: usize| leaf_bounds.chunks(leaves).map(|leaves| covering(leaves.iter().copied()));
        fill_bounds(nodes, covering_each(SOA_BLOCK_LEN));
        fill_bounds(roots, covering_each(SOA_BLOCK_LEN * SOA_BLOCK_LEN));
    }

    pub(crate) fn view(&self) -> TreeView<'_> {
        let [leaves, nodes, roots] = [&self.leaves, &self.nodes, &self.roots].map(|words| words.as_chunks().0);
        TreeView { entries: self.entries.columns(), leaves, nodes, roots }
    }
}

/// Boxes in a slab, a multiple of the boxes in a leaf.
///
/// Let bodies extend over `x` and `y`, and let `width` and `height` be the mean sides of a body and
/// a box together. With `s` slabs, a box is near enough to a leaf to visit it in an area of about
/// `(x / s + width) * (y * s / leaves + height)`. That is least where `s` is the root of
/// `leaves * (x / width) / (y / height)`.
fn slab_len(bodies: &SoaColumns<'_>, boxes: &[BodyRecord]) -> usize {
    let leaves = bodies.len().div_ceil(SOA_BLOCK_LEN).max(1);
    let sampled = (0..bodies.len()).step_by(bodies.len().div_ceil(SAMPLED).max(1)).map(|at| bodies.aabb(at));
    let bodies: SmallVec<[RawAabb; SAMPLED]> = sampled.collect();
    let boxes: SmallVec<[RawAabb; SAMPLED]> = some_of(boxes, SAMPLED).map(|record| record.aabb).collect();
    let [x, y] = [0, 1].map(|axis| {
        let mut lows: SmallVec<[f32; SAMPLED]> = bodies.iter().map(|aabb| aabb[axis]).collect();
        let extent = spread(&mut lows);
        let sides = mean_side(&bodies, axis, extent) + mean_side(&boxes, axis, extent);
        // Not a number if both are zero: points at one place may be cut anywhere.
        (extent / sides).max(0.5).min(leaves as f64)
    });
    let slabs = (leaves as f64 * x / y).sqrt().round().clamp(1.0, leaves as f64);
    leaves.div_ceil(slabs as usize) * SOA_BLOCK_LEN
}

/// The mean length of some boxes on an axis, of which each counts up to `most`.
fn mean_side(boxes: &[RawAabb], axis: usize, most: f64) -> f64 {
    boxes.iter().map(|aabb| side(aabb, axis).min(most)).sum::<f64>() / boxes.len().max(1) as f64
}

/// The smallest box that covers some boxes.
pub(super) fn covering(boxes: impl Iterator<Item = RawAabb>) -> RawAabb {
    let none = [Vec4::INFINITY, Vec4::NEG_INFINITY];
    let [low, high] = boxes.map(Vec4::from_array).fold(none, |[low, high], aabb| [low.min(aabb), high.max(aabb)]);
    [low.x, low.y, high.z, high.w]
}

/// Replaces the contents of some blocks; bounds after the last are NaN, which overlaps nothing.
fn fill_bounds(words: &mut Vec<u32>, bounds: impl ExactSizeIterator<Item = RawAabb>) {
    words.clear();
    words.resize(bounds.len().div_ceil(SOA_BLOCK_LEN) * SOA_BLOCK_WORDS, f32::NAN.to_bits());
    bounds.enumerate().for_each(|(at, aabb)| set_box(words, at, &aabb));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use crate::memory::columns::{SoaColumnsMut, column_words};
    use crate::memory::pair_sink::found;
    use crate::reference;
    use crate::simd::{DetectedSimd, PairOrder, Probe};
    use triphase_scenes::SplitMix64;

    fn tree_of(boxes: &[RawAabb], filter_of: Option<fn(u32) -> Filter>) -> PackedTree {
        let records = (0..).zip(boxes).map(|(row, &aabb)| BodyRecord { aabb, row });
        let mut words = vec![0; column_words(boxes.len())];
        SoaColumnsMut::of(&mut words, boxes.len()).fill(records);
        let mut tree = PackedTree::default();
        tree.build(&SoaColumns::of(&words, boxes.len()), &[], filter_of, &mut SortScratch::default());
        tree
    }

    /// Few boxes, so that Miri can run it.
    #[test]
    fn searches_find_what_brute_force_finds() {
        let (level, mut random) = (DetectedSimd::default(), SplitMix64::new(2));
        for count in [1, 16, 40, 270] {
            let mut aabb = || {
                let ([x, y], [w, h]) = (random.point(0.0, 20.0), random.point(0.0, 3.0));
                [x, y, x + w, y + h]
            };
            let boxes: Vec<RawAabb> = (0..count).map(|_| aabb()).collect();
            let others: Vec<RawAabb> = (0..5).map(|_| aabb()).collect();
            let tree = tree_of(&boxes, None);
            let own = found(|sink| level.scan_tree_pairs(&tree.view(), 0..count, sink));
            assert!(own.into_iter().map(|[a, b]| (a, b)).eq(reference::self_pairs(&boxes)), "{count}");
            let probe = |(row, &aabb): (u32, &RawAabb)| Probe { aabb, row, filter: Filter::ALL };
            let probes: Vec<Probe> = (0..).zip(&others).map(probe).collect();
            let hits = found(|sink| level.scan_tree(&tree.view(), &probes, PairOrder::EntryFirst, false, sink));
            assert!(hits.into_iter().map(|[a, b]| (a, b)).eq(reference::cross_pairs(&boxes, &others)), "{count}");
        }
    }

    /// The bounds in blocks of these.
    fn bounds(blocks: &[[u32; SOA_BLOCK_WORDS]]) -> Vec<RawAabb> {
        let edges = |block: &[u32; SOA_BLOCK_WORDS], lane: usize| {
            [0, 1, 2, 3].map(|edge| f32::from_bits(block[edge * SOA_BLOCK_LEN + lane]))
        };
        blocks.iter().flat_map(|block| (0..SOA_BLOCK_LEN).map(move |lane| edges(block, lane))).collect()
    }

    fn covers([x, y, right, bottom]: &RawAabb, aabb: &RawAabb) -> bool {
        *x <= aabb[0] && *y <= aabb[1] && *right >= aabb[2] && *bottom >= aabb[3]
    }

    #[test]
    fn each_box_is_in_one_leaf_and_each_leaf_in_one_node() {
        let mut random = SplitMix64::new(3);
        for count in [1, 15, 16, 17, 256, 257, 4096, 5000] {
            let mut aabb = || {
                let ([x, y], side) = (random.point(-1.0, 1.0), random.range(0.0, 0.1));
                let side = if side > 0.095 { f32::INFINITY } else { side };
                [x - side, y, x, y + side]
            };
            let boxes: Vec<RawAabb> = (0..count).map(|_| aabb()).collect();
            let tree = tree_of(&boxes, Some(|row| Filter::new(row, !row)));
            let TreeView { entries, leaves, nodes, roots } = tree.view();
            let mut rows: Vec<u32> = entries.rows()[..count].to_vec();
            assert!((0..count).all(|at| entries.aabb(at) == boxes[rows[at] as usize]));
            assert!((0..count).all(|at| entries.filter(at) == Filter::new(rows[at], !rows[at])));
            let (leaves, nodes, roots) = (bounds(leaves), bounds(nodes), bounds(roots));
            for at in 0..count {
                let [leaf, node, root] = [1, 2, 3].map(|level| at / SOA_BLOCK_LEN.pow(level));
                let [leaf, node, root] = [&leaves[leaf], &nodes[node], &roots[root]];
                assert!(covers(leaf, &entries.aabb(at)) && covers(node, leaf) && covers(root, node), "{count}: {at}");
            }
            let unused = leaves.iter().skip(count.div_ceil(SOA_BLOCK_LEN));
            assert!(unused.flatten().all(|edge| edge.is_nan()));
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..count as u32));
        }
        let mut tree = tree_of(&[[0.0; 4]], None);
        assert!(!tree.is_empty() && PackedTree::default().is_empty());
        tree.clear();
        assert!(tree.is_empty());
    }

    #[test]
    fn a_search_visits_few_leaves() {
        let mut random = SplitMix64::new(4);
        let points = |point: &mut dyn FnMut() -> [f32; 2]| -> f64 {
            let boxes: Vec<RawAabb> = (0..10_000).map(|_| point()).map(|[x, y]| [x, y, x, y]).collect();
            let tree = tree_of(&boxes, None);
            let leaves = bounds(tree.view().leaves);
            let visited: usize =
                boxes.iter().map(|aabb| leaves.iter().filter(|leaf| overlaps(leaf, aabb)).count()).sum();
            visited as f64 / boxes.len() as f64
        };
        let evenly = points(&mut || random.point(0.0, 1000.0));
        // Each level of a cluster is a tenth of the one around it.
        let nested = points(&mut || {
            let scale = 10f32.powi(-(random.range(0.0, 6.0) as i32));
            random.point(0.0, 1000.0).map(|x| x * scale)
        });
        assert!(evenly < 1.1 && nested < 1.3, "{evenly} {nested}");
    }

    #[test]
    fn slabs_are_not_cut_across_wide_boxes() {
        let mut random = SplitMix64::new(5);
        let mut columns = |count: usize, [width, height]: [f32; 2]| {
            let boxes = (0..count).map(|_| random.point(0.0, 100.0)).map(|[x, y]| [x, y, x + width, y + height]);
            let mut sorted = SortedColumns::default();
            let records = (0..).zip(boxes).map(|(row, aabb)| BodyRecord { aabb, row }).collect::<Vec<_>>();
            sorted.fill(records.iter().copied(), BoxTraits::NONE);
            (sorted, records)
        };
        let slabs = |(bodies, _): &(SortedColumns, Vec<BodyRecord>), boxes: &[BodyRecord]| {
            6400usize.div_ceil(slab_len(&bodies.columns(), boxes))
        };
        let [points, wide, tall] = [[0.0, 0.0], [90.0, 0.0], [0.0, 90.0]].map(|sides| columns(6400, sides));
        assert_eq!(slabs(&points, &[]), 20, "the root of 400 leaves");
        assert!(slabs(&wide, &[]) <= 2 && slabs(&tall, &[]) >= 200, "{} {}", slabs(&wide, &[]), slabs(&tall, &[]));
        // Points are cut for the boxes that search for them; tall bodies for wide boxes evenly.
        assert!(slabs(&points, &wide.1) <= 2 && slabs(&points, &tall.1) >= 200);
        assert!((15..=25).contains(&slabs(&tall, &wide.1)), "{}", slabs(&tall, &wide.1));
        // One far away changes nothing.
        let (_, mut records) = wide;
        records[0].aabb = [1e6, 1e6, 1e6 + 90.0, 1e6];
        let mut far = SortedColumns::default();
        far.fill(records.iter().copied(), BoxTraits::NONE);
        assert!(slabs(&(far, vec![]), &[]) <= 2);
    }
}
