//! The walk to what is nearest to a point.
//!
//! D1: a static is visited in the leaf of its root whose cell (half-open and without outer edges, Q3) holds `c`, the point
//!     of the static's box that is nearest to the point asked for: on each axis the latter, clamped to the box, which no
//!     rounding touches. The leaf that `c` descends to lists the box (T2, with `c` for the area); so each static is visited
//!     once, without a memory of what was.
//! D2: of who got to a leaf the minimum is at or below the upper edge of the leaf's cell, and the maximum above the lower
//!     one (T1). So `c` is above the lower edge where the minimum or the point asked for is, and not above the upper one
//!     where the maximum or the point asked for is not.
//! D3: on each axis a child lies as far from the point as its parent, or as far as a cut between both if that is
//!     farther: the squares' sum is G3 of the child's cell without its outer edges, bit for bit. That cell covers `c`, so
//!     no static that is visited below is nearer, roundings included (G3 is monotone); what is skipped is farther than
//!     what is asked for, never as far.
//! D4: the walk goes down to where the point itself is first, and asks how far other children lie on its way back, when
//!     something near is known already; so the stack has one frame a level, at most `DEPTH_MAX`.
//!
//! Cost: O(depth + entries of the leaves that are as near as what is found), a few leaves more at most.

use crate::geometry::{RawAabb, distance_squared};
use crate::tier::static_tree::box_query::unbounded;
use crate::tier::static_tree::node::{CHILD_COUNT, GroupIndex, Node};
use crate::tier::static_tree::split::{Kind, Split};
use crate::tier::static_tree::subtree::DEPTH_MAX;
use crate::tier::static_tree::territory::ROOT_COUNT_MAX;
use crate::tier::static_tree::{Root, StaticTree};
use smallvec::SmallVec;

/// An inner node on the way down (D4).
#[derive(Clone, Copy, Debug)]
struct Frame {
    cell: RawAabb,
    /// How far the cell lies from the point on each axis (D3).
    apart: [f64; 2],
    group: GroupIndex,
    kind: Kind,
    /// How many children were seen, nearest first.
    seen: u8,
}

/// A node to be walked.
#[derive(Clone, Copy, Debug)]
struct Site {
    node: Node,
    cell: RawAabb,
    apart: [f64; 2],
}

/// Which statics of a leaf are visited there.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// D2: what minima have to be above, and maxima not above.
    above: [f32; 2],
    up_to: [f32; 2],
}

impl Owner {
    #[inline(always)]
    fn new(cell: &RawAabb, root: &RawAabb, point: [f32; 2]) -> Self {
        let cell = unbounded(cell, root);
        let above = |k: usize| if point[k] > cell[k] { f32::NEG_INFINITY } else { cell[k] };
        let up_to = |k: usize| if point[k] <= cell[k + 2] { f32::INFINITY } else { cell[k + 2] };
        Self { above: [above(0), above(1)], up_to: [up_to(0), up_to(1)] }
    }

    #[inline(always)]
    fn owns(&self, b: &RawAabb) -> bool {
        (b[0] > self.above[0]) & (b[1] > self.above[1]) & (b[2] <= self.up_to[0]) & (b[3] <= self.up_to[1])
    }
}

/// Four children, nearest first, and how far each lies on each axis.
type Order = [(usize, [f64; 2]); CHILD_COUNT];

impl Split {
    /// The child that a point descends to.
    #[inline(always)]
    fn home(&self, [x, y]: [f32; 2]) -> usize {
        self.reach(&[x, y, x, y]).trailing_zeros() as usize & 3
    }

    /// D3, of a node that lies `apart` from the point.
    #[inline(always)]
    fn order(&self, point: [f32; 2], apart: [f64; 2]) -> Order {
        match self.kind {
            Kind::Quad => self.order_quad(point, apart),
            Kind::SlabsX => self.order_slabs(point[0], apart[0]).map(|(k, x)| (k, [x, apart[1]])),
            Kind::SlabsY => self.order_slabs(point[1], apart[1]).map(|(k, y)| (k, [apart[0], y])),
        }
    }

    #[inline(always)]
    fn order_quad(&self, point: [f32; 2], apart: [f64; 2]) -> Order {
        let home = self.home(point);
        let beyond = |axis: usize| apart[axis].max((f64::from(self.at[axis]) - f64::from(point[axis])).abs());
        let both = [beyond(0), beyond(1)];
        let (x, y) = ((home ^ 1, [both[0], apart[1]]), (home ^ 2, [apart[0], both[1]]));
        let (second, third) = if square_sum(x.1) <= square_sum(y.1) { (x, y) } else { (y, x) };
        [(home, apart), second, third, (home ^ 3, both)]
    }

    fn order_slabs(&self, point: f32, apart: f64) -> [(usize, f64); CHILD_COUNT] {
        let [first, second, third] = self.at.map(|cut| f64::from(cut) - f64::from(point));
        let mut order =
            [(0, -first), (1, first.max(-second)), (2, second.max(-third)), (3, third)].map(|(k, d)| (k, d.max(apart)));
        // Stable, and the child that the point descends to is as near as the parent; another may be, at a cut.
        let home = usize::from(first < 0.0) + usize::from(second < 0.0) + usize::from(third < 0.0);
        order[..=home].reverse();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        order
    }
}

#[inline(always)]
fn square_sum([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}

/// The walk below one root.
struct Near<'t> {
    tree: &'t StaticTree,
    root: &'t Root,
    point: [f32; 2],
    stack: SmallVec<[Frame; DEPTH_MAX]>,
}

impl Near<'_> {
    fn walk(mut self, mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut next = Some(Site { node: self.root.node, cell: self.root.cell, apart: [0.0; 2] });
        while let Some(site) = next {
            let (leaf, cell) = self.descend(site);
            within = self.leaf(leaf, &cell, within, visit);
            next = self.ascend(within);
        }
        within
    }

    /// To the leaf that the point descends to.
    #[inline(always)]
    fn descend(&mut self, Site { mut node, mut cell, apart }: Site) -> (Node, RawAabb) {
        while let Some((kind, group)) = node.children() {
            debug_assert!(self.stack.len() < DEPTH_MAX, "D4");
            self.stack.push(Frame { cell, apart, group, kind, seen: 1 });
            let split = Split::new(kind, &cell);
            let k = split.home(self.point);
            (node, cell) = (self.tree.built.groups[group.get()].0[k], split.child(&cell, k as u32));
        }
        (node, cell)
    }

    /// Back up to the next child that is near enough.
    #[inline(always)]
    fn ascend(&mut self, within: f64) -> Option<Site> {
        loop {
            let frame = self.stack.last_mut()?;
            let split = Split::new(frame.kind, &frame.cell);
            let (k, apart) = split.order(self.point, frame.apart)[frame.seen as usize & 3];
            // NaN is no distance to go on within.
            let is_near = square_sum(apart) <= within;
            let (node, cell) = (self.tree.built.groups[frame.group.get()].0[k & 3], frame.cell);
            frame.seen += 1;
            if !is_near || frame.seen as usize == CHILD_COUNT {
                self.stack.pop();
            }
            if is_near && !node.is_empty() {
                return Some(Site { node, cell: split.child(&cell, k as u32 & 3), apart });
            }
        }
    }

    /// The statics that are visited here (D1).
    #[inline(always)]
    fn leaf(&self, leaf: Node, cell: &RawAabb, mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let owner = Owner::new(cell, &self.root.cell, self.point);
        let rows = &self.tree.built.entries[leaf.entries()];
        for (&row, aabb) in rows.iter().zip(&self.tree.built.listed[leaf.entries()]) {
            let distance = distance_squared(aabb, self.point);
            if (distance <= within) & owner.owns(aabb) && !self.tree.disabled.contains(row) {
                within = visit(row, distance);
            }
        }
        within
    }
}

impl StaticTree {
    /// Visits statics whose squared distance from a point is at most `within`, each once, nearer ones first by and by. `visit`
    /// is given the row and the squared distance, and returns what the distance has to be within from then on; what it is
    /// in the end is returned.
    pub(crate) fn walk_near(&self, point: [f32; 2], mut within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        let mut roots: SmallVec<[(f64, &Root); ROOT_COUNT_MAX]> = SmallVec::new();
        roots.extend(self.built.roots.iter().map(|root| (distance_squared(&root.bounds, point), root)));
        roots.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (distance, root) in roots {
            if distance <= within {
                within = Near { tree: self, root, point, stack: SmallVec::new() }.walk(within, visit);
            }
        }
        within
    }
}
