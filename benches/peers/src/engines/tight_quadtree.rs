//! A tight quadtree: an element is in every leaf that it touches.
//!
//! A node takes 8 bytes and contains no box: boxes are derived from that of the root during the
//! descent. Four children are contiguous.
//!
//! TIGHTTREE-2: on each axis, a box belongs to the lower side if its lower edge is at most the
//! middle, and to the upper side if its upper edge is above it. Two boxes that overlap share a
//! point, so both are in the leaf that contains that point, inside the extent or outside. An
//! element is found again by the box that it was inserted with.
//!
//! A leaf is a list of references, linked by index through one array. Freed references
//! are reused.
//!
//! TIGHTTREE-4: a leaf with more than `SPLIT` elements becomes a branch, down to the maximum depth.
//! Once a step, branches of four empty leaves become leaves again, one level at a time.
//!
//! TIGHTTREE-5: an element that moved is removed and inserted again, unless it touches the same
//! leaves as before. (If it is always removed, `crowd` takes 1.3 times as long at 100,000 and at a
//! million bodies.)
//!
//! TIGHTTREE-6: nodes are squares, so that a long extent does not make leaves thinner than boxes.
//!
//! Cost: two descents for each element, to its old and its new leaves, and one to search.

use super::original::{Bounds, Element, NONE, Original, Structure, depth, extent, near_in_space, overlaps, take_four};

/// Most elements of a leaf.
///
/// Nanoseconds per body of `crowd`, 100,000 bodies, fastest of four alternating runs on a busy
/// machine: 319 with 8, 363 with 6, 360 with 12, 364 with 16.
const SPLIT: u32 = 8;
/// Smallest width of a leaf, in mean sides: a depth of 7 for `crowd` with 100,000 bodies.
///
/// In the same runs: 502 with 1.0, one level deeper.
const LEAF_SIDES: f32 = 2.0;
/// The `count` of a branch.
const BRANCH: u32 = u32::MAX;

/// A branch with its first child, or a leaf with the head of its list.
#[derive(Clone, Copy)]
struct Node {
    first: u32,
    count: u32,
}

const _: () = assert!(size_of::<Node>() == 8);

/// An entry of a leaf's list.
#[derive(Clone, Copy)]
struct Reference {
    element: u32,
    next: u32,
}

/// A node of a descent.
#[derive(Clone, Copy)]
struct Visit {
    node: u32,
    depth: u32,
    mid: [f32; 2],
    half: [f32; 2],
}

/// A tight quadtree.
#[derive(Default)]
pub(crate) struct Tree {
    /// The extent, extended to a square (TIGHTTREE-6).
    root: Bounds,
    depth_max: u32,
    nodes: Vec<Node>,
    /// First freed group of four nodes; it contains the index of the next group.
    free_nodes: u32,
    references: Vec<Reference>,
    free_reference: u32,
    elements: Vec<Element>,
    /// For each element, the last search that visited it.
    met_by: Vec<u32>,
    searches: u32,
    stack: Vec<Visit>,
    leaves: Vec<Visit>,
    /// The leaves in which an element was before.
    left: Vec<Visit>,
}

pub(crate) type TightQuadtree = Original<Tree>;

impl Structure for Tree {
    const NAME: &'static str = "tight_quadtree";

    fn build(&mut self, boxes: &[Bounds]) {
        self.root = extent(boxes);
        self.depth_max = depth(&self.root, boxes, LEAF_SIDES);
        self.nodes.clear();
        self.nodes.push(EMPTY);
        self.free_nodes = NONE;
        self.references.clear();
        self.free_reference = NONE;
        self.met_by.clear();
        self.met_by.resize(boxes.len(), 0);
        self.searches = 0;
        self.elements = near_in_space(boxes, &self.root);
        for element in 0..boxes.len() as u32 {
            self.insert(self.root(), element);
        }
    }

    fn update(&mut self, boxes: &[Bounds]) {
        for element in 0..boxes.len() as u32 {
            let Element { bounds, row } = self.elements[element as usize];
            let moved = boxes[row as usize];
            if moved != bounds {
                self.elements[element as usize].bounds = moved;
                self.move_between(element, &bounds, &moved);
            }
        }
        self.refit();
    }

    fn gather(&mut self, order: &mut Vec<Element>) {
        order.clear();
        let search = self.next_search();
        self.stack.clear();
        self.stack.push(self.root());
        while let Some(visit) = self.stack.pop() {
            let Node { first, count } = self.nodes[visit.node as usize];
            if count == BRANCH {
                self.stack.extend((first..first + 4).rev().map(|node| Visit { node, ..visit }));
                continue;
            }
            let mut reference = first;
            while reference != NONE {
                let Reference { element, next } = self.references[reference as usize];
                reference = next;
                if std::mem::replace(&mut self.met_by[element as usize], search) != search {
                    order.push(self.elements[element as usize]);
                }
            }
        }
    }

    fn search(&mut self, bounds: Bounds, first: u32, mut visit: impl FnMut(u32)) {
        let search = self.next_search();
        self.find_leaves(self.root(), &bounds);
        for leaf in &self.leaves {
            let mut reference = self.nodes[leaf.node as usize].first;
            while reference != NONE {
                let Reference { element, next } = self.references[reference as usize];
                reference = next;
                let other = &self.elements[element as usize];
                // Few elements overlap, so few have to be marked.
                if (other.row >= first) & overlaps(&bounds, &other.bounds)
                    && std::mem::replace(&mut self.met_by[element as usize], search) != search
                {
                    visit(other.row);
                }
            }
        }
    }
}

const EMPTY: Node = Node { first: NONE, count: 0 };

impl Tree {
    fn root(&self) -> Visit {
        let [left, low, right, high] = self.root;
        let mid = [0.5 * left + 0.5 * right, 0.5 * low + 0.5 * high];
        Visit { node: 0, depth: 0, mid, half: [0.5 * (right - left).max(high - low); 2] }
    }

    /// A number for a search that no element is marked with.
    fn next_search(&mut self) -> u32 {
        if self.searches == u32::MAX {
            self.met_by.fill(0);
            self.searches = 0;
        }
        self.searches += 1;
        self.searches
    }

    /// Replaces `leaves` by the leaves at and below `from` that the box touches (TIGHTTREE-2).
    #[inline]
    fn find_leaves(&mut self, from: Visit, bounds: &Bounds) {
        self.leaves.clear();
        self.stack.clear();
        let mut at = from;
        loop {
            let Node { first, count } = self.nodes[at.node as usize];
            if count != BRANCH {
                self.leaves.push(at);
                match self.stack.pop() {
                    Some(next) => at = next,
                    None => return,
                }
                continue;
            }
            let half = at.half.map(|half| 0.5 * half);
            let child = |right: bool, upper: bool| Visit {
                node: first + u32::from(right) + 2 * u32::from(upper),
                depth: at.depth + 1,
                mid: [
                    if right { at.mid[0] + half[0] } else { at.mid[0] - half[0] },
                    if upper { at.mid[1] + half[1] } else { at.mid[1] - half[1] },
                ],
                half,
            };
            let (left, right) = (bounds[0] <= at.mid[0], bounds[2] > at.mid[0]);
            let (lower, upper) = (bounds[1] <= at.mid[1], bounds[3] > at.mid[1]);
            // Continues with one child and pushes the others.
            if left & right {
                self.stack.push(child(true, upper));
            }
            if lower & upper {
                self.stack.push(child(!left, false));
            }
            if left & right & lower & upper {
                self.stack.push(child(true, false));
            }
            at = child(!left, upper);
        }
    }

    fn insert(&mut self, from: Visit, element: u32) {
        let bounds = self.elements[element as usize].bounds;
        self.find_leaves(from, &bounds);
        self.link_found(element);
    }

    /// Moves an element from the leaves of one box to those of another, unless they are the same
    /// (TIGHTTREE-5).
    fn move_between(&mut self, element: u32, from: &Bounds, to: &Bounds) {
        self.find_leaves(self.root(), from);
        std::mem::swap(&mut self.leaves, &mut self.left);
        self.find_leaves(self.root(), to);
        let same = |(a, b): (&Visit, &Visit)| a.node == b.node;
        if self.leaves.len() == self.left.len() && self.leaves.iter().zip(&self.left).all(same) {
            return;
        }
        for k in 0..self.left.len() {
            self.unlink(self.left[k].node, element);
        }
        self.link_found(element);
    }

    /// Inserts an element into the leaves that were found last.
    fn link_found(&mut self, element: u32) {
        // A split replaces the leaves found.
        let leaves = std::mem::take(&mut self.leaves);
        for &leaf in &leaves {
            self.link(leaf.node, element);
            if self.nodes[leaf.node as usize].count > SPLIT && leaf.depth < self.depth_max {
                self.split(leaf);
            }
        }
        self.leaves = leaves;
    }

    fn link(&mut self, leaf: u32, element: u32) {
        let node = &mut self.nodes[leaf as usize];
        let new = Reference { element, next: node.first };
        node.count += 1;
        if self.free_reference == NONE {
            node.first = self.references.len() as u32;
            self.references.push(new);
        } else {
            node.first = self.free_reference;
            let slot = &mut self.references[node.first as usize];
            self.free_reference = slot.next;
            *slot = new;
        }
    }

    fn unlink(&mut self, leaf: u32, element: u32) {
        let node = &mut self.nodes[leaf as usize];
        let (mut before, mut at) = (NONE, node.first);
        while self.references[at as usize].element != element {
            (before, at) = (at, self.references[at as usize].next);
        }
        let after = std::mem::replace(&mut self.references[at as usize].next, self.free_reference);
        self.free_reference = at;
        node.count -= 1;
        match before {
            NONE => node.first = after,
            _ => self.references[before as usize].next = after,
        }
    }

    /// Splits a leaf and distributes its elements (TIGHTTREE-4).
    fn split(&mut self, leaf: Visit) {
        let children = take_four(&mut self.nodes, &mut self.free_nodes, EMPTY, |node| node.first);
        let old = std::mem::replace(&mut self.nodes[leaf.node as usize], Node { first: children, count: BRANCH });
        let mut reference = old.first;
        while reference != NONE {
            let Reference { element, next } = self.references[reference as usize];
            self.references[reference as usize].next = self.free_reference;
            self.free_reference = reference;
            reference = next;
            self.insert(leaf, element);
        }
    }

    /// Replaces branches of four empty leaves by a leaf (TIGHTTREE-4).
    fn refit(&mut self) {
        self.stack.clear();
        self.stack.push(self.root());
        while let Some(visit) = self.stack.pop() {
            let Node { first, count } = self.nodes[visit.node as usize];
            if count != BRANCH {
                continue;
            }
            let children = first as usize..first as usize + 4;
            if self.nodes[children.clone()].iter().all(|child| child.count == 0) {
                self.nodes[first as usize].first = self.free_nodes;
                self.free_nodes = first;
                self.nodes[visit.node as usize] = EMPTY;
            } else {
                let branches = (first..).zip(&self.nodes[children]).filter(|(_, child)| child.count == BRANCH);
                self.stack.extend(branches.map(|(node, _)| Visit { node, ..visit }));
            }
        }
    }
}
