//! broccoli: a tree whose nodes are sorted for sweep and prune, rebuilt each frame; with more than
//! one thread through its companion broccoli-rayon.
//!
//! Statics are in the same tree as bodies, and their pairs with each other are dropped. Its calls
//! for two sets do not fit: `find_colliding_pairs_with` finds boxes inside of boxes,
//! `find_all_intersect_rect` leaves out boxes that only touch, and neither has a parallel form.
//! `find_colliding_pairs` treats boxes as closed, as required. Querying the tree of bodies for each
//! static, grown by one ulp, and filtering the results was no faster on one thread: 6.0 times the
//! time of triphase against 5.9 (`castles`, 100,000 bodies).

use crate::boxes::{body_boxes, ordered};
use crate::engine::{Engine, Found, Frame};
use broccoli::aabb::BBox;
use broccoli::aabb::pin::AabbPin;
use broccoli::{Tree, bbox, rect};
use broccoli_rayon::prelude::{RayonBuildPar, RayonQueryPar};

/// The bit that marks rows of statics.
const STATIC: u32 = 1 << 31;

type Row = BBox<f32, u32>;

/// A tree per frame.
pub struct Broccoli {
    parallel: bool,
    boxes: Vec<Row>,
    statics: Vec<Row>,
}

impl Broccoli {
    /// Creates the engine for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { parallel: threads > 1, boxes: Vec::new(), statics: Vec::new() }
    }
}

impl Engine for Broccoli {
    fn name(&self) -> &'static str {
        "broccoli"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics = rows(statics.iter().copied(), STATIC).collect();
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        self.boxes.clear();
        self.boxes.extend(rows(body_boxes(frame), 0));
        self.boxes.extend_from_slice(&self.statics);
        if self.parallel {
            let mut tree = Tree::par_new(&mut self.boxes);
            let whole = std::mem::take(found);
            *found = tree.par_find_colliding_pairs_acc_closure(whole, |_| Found::default(), append, push);
        } else {
            Tree::new(&mut self.boxes).find_colliding_pairs(|a, b| push(found, a, b));
        }
    }
}

fn rows(boxes: impl Iterator<Item = [f32; 4]>, mark: u32) -> impl Iterator<Item = Row> {
    boxes.zip(0u32..).map(move |([min_x, min_y, max_x, max_y], row)| bbox(rect(min_x, max_x, min_y, max_y), row | mark))
}

fn push(found: &mut Found, a: AabbPin<&mut Row>, b: AabbPin<&mut Row>) {
    let [low, high] = ordered(*a.unpack_inner(), *b.unpack_inner());
    if high < STATIC {
        found.bodies.push([low, high]);
    } else if low < STATIC {
        found.statics.push([low, high - STATIC]);
    }
}

fn append(found: &mut Found, part: Found) {
    found.bodies.extend_from_slice(&part.bodies);
    found.statics.extend_from_slice(&part.statics);
}
