//! A loose quadtree: an element is in one leaf, and the bounds of nodes grow to cover their
//! elements.
//!
//! LOOSETREE-1: an element is in the leaf that contains its center, by the same comparisons in
//! every descent. The outermost leaves have no outer edge.
//!
//! LOOSETREE-2: the bounds of a node cover the boxes of all elements below it. They grow when an
//! element is inserted, and are minimal after the clean-up of each step.
//!
//! A leaf is a list of elements, linked by index. Four children are contiguous.
//!
//! LOOSETREE-4: a leaf with more than `SPLIT` elements becomes a branch, down to the maximum depth.
//! Once a step, branches of four empty leaves become leaves again.
//!
//! Cost: a pass over leaves and their elements; a descent for each element whose center left its
//! leaf; and for each search a descent into every node whose bounds overlap.

use super::original::{
    Bounds, Element, NONE, NOTHING, Original, Structure, depth, extent, middle, near_in_space, overlaps, take_four,
    union,
};

/// Most elements of a leaf.
///
/// Nanoseconds per body of `crowd`, 100,000 bodies, fastest of alternating runs on a busy machine:
/// 284 with 8, 282 with 4, 283 with 6, 330 with 12; in other runs 335 with 16 and 458 with 32.
const SPLIT: u32 = 8;
/// Smallest width of a leaf, in mean sides: a depth of 8 for `crowd` with 100,000 bodies.
///
/// In the same runs: 273 with 0.5, which is within noise; 331 with 2.0.
const LEAF_SIDES: f32 = 1.0;
/// The `count` of a branch.
const BRANCH: u32 = u32::MAX;
/// The extent of the root, without edges (LOOSETREE-1).
const EVERYWHERE: Bounds = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];

/// A branch with its first child, or a leaf with the head of its list.
#[derive(Clone, Copy)]
struct Node {
    bounds: Bounds,
    first: u32,
    count: u32,
}

const _: () = assert!(size_of::<Node>() == 24);

const EMPTY: Node = Node { bounds: NOTHING, first: NONE, count: 0 };

/// The center of a node, and the offset of its children's centers.
#[derive(Clone, Copy)]
struct Place {
    mid: [f32; 2],
    half: [f32; 2],
    depth: u32,
}

/// A loose quadtree.
#[derive(Default)]
pub(crate) struct Tree {
    /// The extent; nodes are squares, as wide as its longer side.
    root: Bounds,
    depth_max: u32,
    nodes: Vec<Node>,
    /// First freed group of four nodes; it contains the index of the next group.
    free_nodes: u32,
    elements: Vec<Element>,
    /// For each element, the next one of its leaf.
    next: Vec<u32>,
    /// Elements that move to another leaf.
    leaving: Vec<u32>,
    stack: Vec<u32>,
}

pub(crate) type LooseQuadtree = Original<Tree>;

impl Structure for Tree {
    const NAME: &'static str = "loose_quadtree";

    fn build(&mut self, boxes: &[Bounds]) {
        self.root = extent(boxes);
        self.depth_max = depth(&self.root, boxes, LEAF_SIDES);
        self.nodes.clear();
        self.nodes.push(EMPTY);
        self.free_nodes = NONE;
        self.elements = near_in_space(boxes, &self.root);
        self.next.clear();
        self.next.resize(boxes.len(), NONE);
        for element in 0..boxes.len() as u32 {
            self.insert(0, self.root(), element);
        }
    }

    fn update(&mut self, boxes: &[Bounds]) {
        self.leaving.clear();
        self.refit(0, self.root(), &EVERYWHERE, boxes);
        for k in 0..self.leaving.len() {
            self.insert(0, self.root(), self.leaving[k]);
        }
    }

    fn gather(&mut self, order: &mut Vec<Element>) {
        order.clear();
        self.stack.clear();
        self.stack.push(0);
        while let Some(node) = self.stack.pop() {
            let Node { first, count, .. } = self.nodes[node as usize];
            if count == BRANCH {
                self.stack.extend((first..first + 4).rev());
                continue;
            }
            let mut element = first;
            while element != NONE {
                order.push(self.elements[element as usize]);
                element = self.next[element as usize];
            }
        }
    }

    fn search(&mut self, bounds: Bounds, first: u32, mut visit: impl FnMut(u32)) {
        self.stack.clear();
        self.stack.push(0);
        while let Some(node) = self.stack.pop() {
            let Node { first: start, count, .. } = self.nodes[node as usize];
            if count == BRANCH {
                let children = &self.nodes[start as usize..start as usize + 4];
                for (node, child) in (start..).zip(children) {
                    if overlaps(&bounds, &child.bounds) {
                        self.stack.push(node);
                    }
                }
                continue;
            }
            let mut element = start;
            while element != NONE {
                let other = &self.elements[element as usize];
                element = self.next[element as usize];
                if (other.row >= first) & overlaps(&bounds, &other.bounds) {
                    visit(other.row);
                }
            }
        }
    }
}

impl Place {
    /// The child that contains a center (LOOSETREE-1).
    fn child_of(&self, middle: [f32; 2]) -> u32 {
        u32::from(middle[0] >= self.mid[0]) + 2 * u32::from(middle[1] >= self.mid[1])
    }

    fn child(&self, child: u32) -> Self {
        let half = self.half.map(|half| 0.5 * half);
        let off = |axis: usize, upper: bool| if upper { half[axis] } else { -half[axis] };
        let mid = [self.mid[0] + off(0, child & 1 != 0), self.mid[1] + off(1, child & 2 != 0)];
        Self { mid, half, depth: self.depth + 1 }
    }

    /// The part of a node's extent that belongs to a child (LOOSETREE-1).
    fn part(&self, extent: &Bounds, child: u32) -> Bounds {
        let mut part = *extent;
        part[if child & 1 == 0 { 2 } else { 0 }] = self.mid[0];
        part[if child & 2 == 0 { 3 } else { 1 }] = self.mid[1];
        part
    }
}

impl Tree {
    fn root(&self) -> Place {
        let [left, low, right, high] = self.root;
        Place { mid: middle(&self.root), half: [0.5 * (right - left).max(high - low); 2], depth: 0 }
    }

    /// Inserts an element and grows every node on the way down (LOOSETREE-2).
    fn insert(&mut self, mut node: u32, mut place: Place, element: u32) {
        let bounds = self.elements[element as usize].bounds;
        let middle = middle(&bounds);
        loop {
            let at = &mut self.nodes[node as usize];
            at.bounds = union(&at.bounds, &bounds);
            if at.count != BRANCH {
                break;
            }
            let child = place.child_of(middle);
            node = at.first + child;
            place = place.child(child);
        }
        let leaf = &mut self.nodes[node as usize];
        self.next[element as usize] = std::mem::replace(&mut leaf.first, element);
        leaf.count += 1;
        if leaf.count > SPLIT && place.depth < self.depth_max {
            self.split(node, place);
        }
    }

    /// Splits a leaf and distributes its elements (LOOSETREE-4).
    fn split(&mut self, node: u32, place: Place) {
        let children = take_four(&mut self.nodes, &mut self.free_nodes, EMPTY, |node| node.first);
        let leaf = &mut self.nodes[node as usize];
        let mut element = std::mem::replace(&mut leaf.first, children);
        leaf.count = BRANCH;
        while element != NONE {
            let next = self.next[element as usize];
            self.insert(node, place, element);
            element = next;
        }
    }

    /// Stores the new boxes of the elements below a node, removes elements whose center left their
    /// leaf, and makes bounds minimal (LOOSETREE-2) and empty branches leaves (LOOSETREE-4).
    fn refit(&mut self, node: u32, place: Place, extent: &Bounds, boxes: &[Bounds]) {
        let Node { first, count, .. } = self.nodes[node as usize];
        if count != BRANCH {
            return self.refit_leaf(node, extent, boxes);
        }
        let mut bounds = NOTHING;
        let mut empty = true;
        for child in 0..4 {
            self.refit(first + child, place.child(child), &place.part(extent, child), boxes);
            let child = &self.nodes[(first + child) as usize];
            bounds = union(&bounds, &child.bounds);
            empty &= child.count == 0;
        }
        self.nodes[node as usize].bounds = bounds;
        if empty {
            self.nodes[first as usize].first = self.free_nodes;
            self.free_nodes = first;
            self.nodes[node as usize] = EMPTY;
        }
    }

    fn refit_leaf(&mut self, node: u32, extent: &Bounds, boxes: &[Bounds]) {
        let leaf = &mut self.nodes[node as usize];
        leaf.bounds = NOTHING;
        let (mut before, mut at) = (NONE, leaf.first);
        while at != NONE {
            let element = &mut self.elements[at as usize];
            element.bounds = boxes[element.row as usize];
            let [x, y] = middle(&element.bounds);
            let after = self.next[at as usize];
            if (x >= extent[0]) & (x < extent[2]) & (y >= extent[1]) & (y < extent[3]) {
                leaf.bounds = union(&leaf.bounds, &element.bounds);
                before = at;
            } else {
                self.leaving.push(at);
                leaf.count -= 1;
                match before {
                    NONE => leaf.first = after,
                    _ => self.next[before as usize] = after,
                }
            }
            at = after;
        }
    }
}
