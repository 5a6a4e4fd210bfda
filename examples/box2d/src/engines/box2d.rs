//! Box2D's tree, driven as Box2D's broad phase drives it.
//!
//! A box that left its leaf enlarges it; the part of the tree above is then rebuilt. Each box that
//! is asked for queries the tree, and statics have a tree of their own, which never changes.
//! Differences, all in favor of the tree: there is no set of pairs that are known already, no
//! filter, and the tree is rebuilt before it is queried, not after.

use super::{Question, Replay};
use crate::boxes::{Box4, overlaps};
use crate::engine::Found;
use crate::engines::box2d_tree::Tree;
use crate::recording::{Recording, Step, contains, grown};
use std::ffi::c_int;

/// Steps after which the order of the leaves is read again.
const ORDER_STEPS: usize = 16;

/// A tree of moving boxes and one of statics.
pub struct Box2d {
    question: Question,
    /// The tree and the proxies of its leaves, from the first step on.
    moving: Option<(Tree, Vec<c_int>)>,
    leaves: Vec<Box4>,
    margins: Vec<f32>,
    /// Whether leaves are larger than their boxes, so that boxes are to be tested as well.
    has_margins: bool,
    statics: Option<Tree>,
    is_changed: Vec<bool>,
    step_count: usize,
    /// The rows in the order of the leaves: queries near in time are then near in space.
    order: Vec<u32>,
}

impl Box2d {
    /// An empty tree of moving boxes.
    pub fn new(question: Question, recording: &Recording) -> Self {
        let statics = &recording.statics;
        Self {
            question,
            moving: None,
            leaves: Vec::new(),
            margins: recording.margins.clone(),
            has_margins: recording.margins.iter().any(|&margin| margin > 0.0),
            statics: (!statics.is_empty()).then(|| Tree::new(statics.iter().copied()).0),
            is_changed: vec![false; recording.row_count()],
            step_count: 0,
            order: Vec::new(),
        }
    }

    /// Enlarges the leaves that their boxes left, and rebuilds the tree above them.
    fn update(&mut self, boxes: &[Box4], rows: impl Iterator<Item = u32>) {
        let Some((tree, proxies)) = &mut self.moving else {
            self.leaves = boxes.iter().zip(&self.margins).map(|(aabb, &margin)| grown(aabb, margin)).collect();
            self.moving = Some(Tree::new(self.leaves.iter().copied()));
            return;
        };
        let mut any = false;
        for row in rows {
            let row = row as usize;
            if !contains(&self.leaves[row], &boxes[row]) {
                self.leaves[row] = grown(&boxes[row], self.margins[row]);
                tree.enlarge(proxies[row], &self.leaves[row]);
                any = true;
            }
        }
        if any {
            tree.rebuild(false);
        }
    }

    /// Finds the pairs of a row that `is_reported` takes, given the other row.
    #[inline(always)]
    fn query(&self, boxes: &[Box4], row: u32, found: &mut Found, is_reported: impl Fn(u32) -> bool) {
        let aabb = &boxes[row as usize];
        if let Some((tree, _)) = &self.moving {
            tree.query(aabb, &mut |other| {
                if is_reported(other) && (!self.has_margins || overlaps(&boxes[other as usize], aabb)) {
                    found.bodies.push(if row < other { [row, other] } else { [other, row] });
                }
            });
        }
        if let Some(statics) = &self.statics {
            statics.query(aabb, &mut |fixed| found.statics.push([row, fixed]));
        }
    }

    fn find_all(&mut self, boxes: &[Box4], found: &mut Found) {
        self.update(boxes, 0..boxes.len() as u32);
        if self.step_count.is_multiple_of(ORDER_STEPS)
            && let Some((tree, _)) = &self.moving
        {
            self.order.clear();
            tree.query(&[f32::MIN, f32::MIN, f32::MAX, f32::MAX], &mut |row| self.order.push(row));
        }
        for &row in &self.order {
            self.query(boxes, row, found, |other| row < other);
        }
    }

    fn find_changed(&mut self, step: Step<'_>, found: &mut Found) {
        self.update(step.boxes, step.changed.iter().copied());
        step.changed.iter().for_each(|&row| self.is_changed[row as usize] = true);
        for &row in step.changed {
            // Two rows that both changed find each other; the lower one reports the pair.
            self.query(step.boxes, row, found, |other| {
                row < other || (row != other && !self.is_changed[other as usize])
            });
        }
        step.changed.iter().for_each(|&row| self.is_changed[row as usize] = false);
    }
}

impl Replay for Box2d {
    fn name(&self) -> &'static str {
        "Box2D"
    }

    fn step(&mut self, step: Step<'_>, found: &mut Found) {
        found.clear();
        match self.question {
            Question::All => self.find_all(step.boxes, found),
            Question::Changed => self.find_changed(step, found),
        }
        self.step_count += 1;
    }
}
