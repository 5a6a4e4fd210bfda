//! parry2d's `Bvh`: leaves are updated in place, ancestors refitted, a part of the tree optimised each frame, and the tree
//! traversed against itself; statics have a tree of their own.
//!
//! Left at that it ages, so there are two: `parry2d` does what its documentation shows for a physics engine;
//! `parry2d_rebuilt` builds the tree from scratch every few frames and does not optimise between. The median
//! of its times leaves those frames out: look at the mean. In both, leaves that jump, as when a row was given to another body,
//! are inserted anew, and where many do the tree is rebuilt.

use crate::boxes::{body_boxes, ordered};
use crate::engine::{Engine, Found, Frame};
use parry2d::bounding_volume::{Aabb, BoundingVolume};
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};

/// Frames from one rebuild to the next. Processor time of a run of 128 frames of `crowd`, 50,000 bodies, in seconds, for 1, 2,
/// 4, 8, 16: 1.68, 1.10, 0.82, 0.71, 0.73.
const REBUILD_FRAMES: u32 = 8;

/// If more than one leaf in so many jumps, all are rebuilt.
const JUMPS_PER_REBUILD: usize = 8;

/// Incremental, or rebuilt now and then.
pub struct Parry {
    name: &'static str,
    rebuilt: bool,
    parallel: bool,
    frame: u32,
    bodies: Bvh,
    statics: Bvh,
    workspace: BvhWorkspace,
    /// Box, row, and the margin of change detection, which is none.
    updates: Vec<(Aabb, u32, f32)>,
    jumped: Vec<usize>,
    statuses: Vec<BvhLeafUpdateStatus>,
}

impl Parry {
    /// Updated and optimised a little each frame.
    pub fn incremental(threads: usize) -> Self {
        Self::new("parry2d", false, threads)
    }

    /// Built anew every few frames.
    pub fn rebuilt(threads: usize) -> Self {
        Self::new("parry2d_rebuilt", true, threads)
    }

    fn new(name: &'static str, rebuilt: bool, threads: usize) -> Self {
        Self {
            name,
            rebuilt,
            parallel: threads > 1,
            frame: 0,
            bodies: Bvh::new(),
            statics: Bvh::new(),
            workspace: BvhWorkspace::default(),
            updates: Vec::new(),
            jumped: Vec::new(),
            statuses: Vec::new(),
        }
    }

    /// Brings the tree to where the bodies are.
    fn update(&mut self, frame: Frame<'_>) {
        let due = self.rebuilt && self.frame.is_multiple_of(REBUILD_FRAMES);
        self.frame += 1;
        if self.updates.len() != frame.centers.len() {
            return self.begin(frame);
        }
        self.note_moves(frame);
        let due = due || self.jumped.len() * JUMPS_PER_REBUILD > self.updates.len();
        if !due {
            for &row in &self.jumped {
                let (aabb, row, margin) = self.updates[row];
                self.bodies.reinsert_or_update_with_change_detection(aabb, row, margin);
            }
        }
        if self.parallel {
            self.bodies.insert_or_update_batch_partially_parallel(&self.updates, &mut self.statuses);
        } else {
            for &(aabb, row, margin) in &self.updates {
                self.bodies.insert_or_update_partially(aabb, row, margin);
            }
        }
        if due {
            if !self.rebuilt {
                // Optimising leaves nodes behind; a rebuild would take their leaves for true ones, a refit drops them.
                self.bodies.refit(&mut self.workspace);
            }
            self.bodies.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
        } else {
            self.refit();
        }
    }

    fn begin(&mut self, frame: Frame<'_>) {
        self.updates = body_boxes(frame).zip(0..).map(|(edges, row)| (aabb(edges), row, 0.0)).collect();
        let leaves: Vec<Aabb> = self.updates.iter().map(|update| update.0).collect();
        self.bodies = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    }

    /// Takes over the boxes, and notes which are nowhere near where they were: those are better inserted anew.
    fn note_moves(&mut self, frame: Frame<'_>) {
        self.jumped.clear();
        for (row, (edges, update)) in body_boxes(frame).zip(&mut self.updates).enumerate() {
            let aabb = aabb(edges);
            if !aabb.intersects(&update.0) {
                self.jumped.push(row);
            }
            update.0 = aabb;
        }
    }

    fn refit(&mut self) {
        if self.parallel {
            self.bodies.refit_parallel(&mut self.workspace);
        } else {
            self.bodies.refit(&mut self.workspace);
        }
        if !self.rebuilt {
            self.bodies.optimize_incremental(&mut self.workspace);
        }
    }
}

impl Engine for Parry {
    fn name(&self) -> &'static str {
        self.name
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        let leaves: Vec<Aabb> = statics.iter().copied().map(aabb).collect();
        self.statics = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        self.update(frame);
        if self.parallel {
            let pairs = self.bodies.traverse_bvtt_single_tree_parallel::<false>();
            found.bodies.extend(pairs.into_iter().map(|(a, b)| ordered(a, b)));
        } else {
            let mut push = |a, b| found.bodies.push(ordered(a, b));
            self.bodies.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut push);
        }
        if !self.statics.is_empty() {
            let pairs = self.bodies.leaf_pairs(&self.statics, |body, fixed| body.intersects(fixed));
            // The first pair comes unasked where both trees begin with a leaf.
            let touch = |body, fixed| Some(self.bodies.leaf_node(body)?.intersects(self.statics.leaf_node(fixed)?));
            let pairs = pairs.enumerate().filter(|&(k, (body, fixed))| k > 0 || touch(body, fixed) == Some(true));
            found.statics.extend(pairs.map(|(_, (body, fixed))| [body, fixed]));
        }
    }
}

fn aabb([min_x, min_y, max_x, max_y]: [f32; 4]) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}
