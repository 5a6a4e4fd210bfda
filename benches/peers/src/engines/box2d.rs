//! Box2D 3's dynamic tree, through its C interface.
//!
//! Driven as Box2D drives it: a leaf has a margin, a body that leaves its leaf enlarges it, and what
//! was enlarged is sorted anew, the rest of the tree is kept. Each body queries the tree with its own
//! box, in the order of the leaves, so that queries close in time are close in space; the order of a
//! few frames ago is as good. Statics have a tree of their own.

#![allow(unsafe_code)]

use crate::boxes::{Box4, body_boxes, overlaps};
use crate::engine::{Engine, Found, Frame};
use boxdd_sys::ffi;
use std::ffi::{c_int, c_void};

/// Margin of a leaf, in sides of its box: Box2D's tenth of a meter for bodies of a meter.
const MARGIN: f32 = 0.1;

/// Frames after which the order of the leaves is read again.
const ORDER_FRAMES: u32 = 16;

/// A tree of boxes, each with a number.
pub struct Tree(ffi::b2DynamicTree);

impl Tree {
    /// A tree of these boxes, numbered from 0, and the proxy of each.
    pub fn new(boxes: impl ExactSizeIterator<Item = Box4>) -> (Self, Vec<c_int>) {
        let capacity = c_int::try_from(boxes.len().max(16)).expect("as many boxes as Box2D can count");
        // SAFETY: there is no condition.
        let mut tree = Self(unsafe { ffi::b2DynamicTree_Create(capacity) });
        let proxies = (0u64..)
            .zip(boxes)
            // SAFETY: the tree exists.
            .map(|(number, aabb)| unsafe { ffi::b2DynamicTree_CreateProxy(&mut tree.0, b2_aabb(&aabb), 1, number) })
            .collect();
        tree.rebuild(true);
        (tree, proxies)
    }

    /// Enlarges the box of a proxy to one that it does not contain.
    pub fn enlarge(&mut self, proxy: c_int, aabb: &Box4) {
        // SAFETY: the tree and the proxy exist, and the caller compared the boxes.
        unsafe { ffi::b2DynamicTree_EnlargeProxy(&mut self.0, proxy, b2_aabb(aabb)) }
    }

    /// Sorts the nodes that were enlarged anew, or all.
    pub fn rebuild(&mut self, all: bool) {
        // SAFETY: the tree exists.
        unsafe { ffi::b2DynamicTree_Rebuild(&mut self.0, all) };
    }

    /// Calls `visit` with the number of each box that overlaps an area.
    #[inline(always)]
    pub fn query<F: FnMut(u32)>(&self, area: &Box4, visit: &mut F) {
        unsafe extern "C" fn call<F: FnMut(u32)>(_: c_int, number: u64, context: *mut c_void) -> bool {
            // SAFETY: `query` passes the closure, which nothing else uses during the call.
            unsafe { (*context.cast::<F>())(number as u32) };
            true
        }
        // SAFETY: the tree exists, and the closure lives longer than the call.
        unsafe { ffi::b2DynamicTree_Query(&self.0, b2_aabb(area), 1, Some(call::<F>), (&raw mut *visit).cast()) };
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: the tree exists, and is not used afterwards.
        unsafe { ffi::b2DynamicTree_Destroy(&mut self.0) }
    }
}

fn b2_aabb(&[min_x, min_y, max_x, max_y]: &Box4) -> ffi::b2AABB {
    ffi::b2AABB { lowerBound: ffi::b2Vec2 { x: min_x, y: min_y }, upperBound: ffi::b2Vec2 { x: max_x, y: max_y } }
}

/// The box of a leaf for this box of a body.
fn fat(&[min_x, min_y, max_x, max_y]: &Box4) -> Box4 {
    let margin = MARGIN * (max_x - min_x).min(max_y - min_y);
    [min_x - margin, min_y - margin, max_x + margin, max_y + margin]
}

fn contains(outer: &Box4, inner: &Box4) -> bool {
    outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
}

/// A tree of bodies with margins.
#[derive(Default)]
pub struct Bodies {
    tree: Option<Tree>,
    proxies: Vec<c_int>,
    /// By row.
    boxes: Vec<Box4>,
    leaves: Vec<Box4>,
}

impl Bodies {
    /// Replaces all bodies.
    pub fn set(&mut self, boxes: impl Iterator<Item = Box4>) {
        self.boxes = boxes.collect();
        self.leaves = self.boxes.iter().map(fat).collect();
        let (tree, proxies) = Tree::new(self.leaves.iter().copied());
        (self.tree, self.proxies) = (Some(tree), proxies);
    }

    /// Moves a body.
    pub fn set_box(&mut self, row: usize, aabb: Box4) {
        self.boxes[row] = aabb;
        if !contains(&self.leaves[row], &aabb)
            && let Some(tree) = &mut self.tree
        {
            self.leaves[row] = fat(&aabb);
            tree.enlarge(self.proxies[row], &self.leaves[row]);
        }
    }

    /// Calls `visit` with the row of each body, in the order of the leaves.
    fn for_each_row(&self, mut visit: impl FnMut(u32)) {
        if let Some(tree) = &self.tree {
            tree.query(&[f32::MIN, f32::MIN, f32::MAX, f32::MAX], &mut visit);
        }
    }

    /// Sorts what has moved, before queries.
    pub fn rebuild(&mut self) {
        if let Some(tree) = &mut self.tree {
            tree.rebuild(false);
        }
    }

    /// Calls `visit` with the rows of the bodies whose boxes overlap that of a row, itself included.
    #[inline(always)]
    pub fn query(&self, row: usize, mut visit: impl FnMut(u32)) {
        let Some(tree) = &self.tree else { return };
        let aabb = &self.boxes[row];
        tree.query(aabb, &mut |other| {
            if overlaps(&self.boxes[other as usize], aabb) {
                visit(other);
            }
        });
    }
}

/// Bodies and statics in trees.
#[derive(Default)]
pub struct Box2d {
    frame: u32,
    bodies: Bodies,
    order: Vec<u32>,
    statics: Option<Tree>,
}

impl Engine for Box2d {
    fn name(&self) -> &'static str {
        "box2d"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics = (!statics.is_empty()).then(|| Tree::new(statics.iter().copied()).0);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let Self { frame: number, bodies, order, statics } = self;
        if bodies.boxes.len() == frame.centers.len() {
            body_boxes(frame).enumerate().for_each(|(row, aabb)| bodies.set_box(row, aabb));
            bodies.rebuild();
        } else {
            bodies.set(body_boxes(frame));
            *number = 0;
        }
        if number.is_multiple_of(ORDER_FRAMES) {
            order.clear();
            bodies.for_each_row(|row| order.push(row));
        }
        *number += 1;
        for &row in &*order {
            bodies.query(row as usize, |other| {
                if row < other {
                    found.bodies.push([row, other]);
                }
            });
            if let Some(statics) = statics {
                statics.query(&bodies.boxes[row as usize], &mut |fixed| found.statics.push([row, fixed]));
            }
        }
    }
}
