//! rstar: an R*-tree, bulk-loaded each frame and joined with itself; one thread.
//!
//! Each pair is found twice and dropped once. Statics have a tree of their own. Nodes have the
//! default size, the only one that the join accepts.

use crate::boxes::{Box4, body_boxes};
use crate::engine::{Engine, Found, Frame};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

type Row = GeomWithData<Rectangle<[f32; 2]>, u32>;

/// A tree per frame, and one of all statics.
#[derive(Default)]
pub struct Rstar {
    statics: RTree<Row>,
}

impl Engine for Rstar {
    fn name(&self) -> &'static str {
        "rstar"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics = loaded(statics.iter().copied());
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let bodies = loaded(body_boxes(frame));
        let pairs = bodies.intersection_candidates_with_other_tree(&bodies).map(|(a, b)| [a.data, b.data]);
        found.bodies.extend(pairs.filter(|[a, b]| a < b));
        if self.statics.size() > 0 {
            let pairs = bodies.intersection_candidates_with_other_tree(&self.statics);
            found.statics.extend(pairs.map(|(body, fixed)| [body.data, fixed.data]));
        }
    }
}

fn loaded(boxes: impl Iterator<Item = Box4>) -> RTree<Row> {
    let rectangle = |[min_x, min_y, max_x, max_y]: Box4| AABB::from_corners([min_x, min_y], [max_x, max_y]).into();
    RTree::bulk_load(boxes.zip(0..).map(|(aabb, row)| Row::new(rectangle(aabb), row)).collect())
}
