//! parry2d's `Bvh`: a bounding volume hierarchy, updated each frame and traversed against itself.
//!
//! There are two forms, since the tree degrades over frames. `parry2d` does what its documentation
//! shows for a physics engine: it updates leaves in place, refits their ancestors and optimizes a
//! part of the tree in each frame. `parry2d_rebuilt` refits, does not optimize, and builds the tree
//! from scratch every few frames; the median of its times leaves those frames out, so compare the
//! mean.
//!
//! In both, leaves that jump, as when a row is given to another body, are inserted again, and if
//! many jump the tree is rebuilt. Statics have a tree of their own.

use crate::boxes::{body_boxes, ordered};
use crate::engine::{Engine, Found, Frame};
use parry2d::bounding_volume::{Aabb, BoundingVolume};
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};

/// Frames from one rebuild to the next.
///
/// Processor time of 128 frames of `crowd`, 50,000 bodies, in seconds, for 1, 2, 4, 8, 16: 1.68,
/// 1.10, 0.82, 0.71, 0.73.
const REBUILD_FRAMES: u32 = 8;

/// The tree is rebuilt if more than one leaf in this many jumps.
const JUMPS_PER_REBUILD: usize = 8;

/// A tree of bodies that is updated or rebuilt, and one of statics.
pub struct Parry {
    name: &'static str,
    rebuilt: bool,
    parallel: bool,
    frame: u32,
    bodies: Bvh,
    statics: Bvh,
    workspace: BvhWorkspace,
    /// Box, row, and the margin of change detection, which is 0.
    updates: Vec<(Aabb, u32, f32)>,
    jumped: Vec<usize>,
    statuses: Vec<BvhLeafUpdateStatus>,
}

impl Parry {
    /// Updates and partly optimizes the tree in each frame.
    pub fn incremental(threads: usize) -> Self {
        Self::new("parry2d", false, threads)
    }

    /// Rebuilds the tree every few frames.
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

    /// Updates the tree to the boxes of a frame.
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
                // Optimizing leaves unused nodes. A rebuild would take their leaves for real
                // ones; a refit drops them.
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

    /// Stores the boxes, and notes those that do not overlap their box of the last frame: it is
    /// faster to insert these again.
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
            // If both trees consist of one leaf, their pair is returned without a test.
            let touch = |body, fixed| Some(self.bodies.leaf_node(body)?.intersects(self.statics.leaf_node(fixed)?));
            let pairs = pairs.enumerate().filter(|&(k, (body, fixed))| k > 0 || touch(body, fixed) == Some(true));
            found.statics.extend(pairs.map(|(_, (body, fixed))| [body, fixed]));
        }
    }
}

fn aabb([min_x, min_y, max_x, max_y]: [f32; 4]) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}
