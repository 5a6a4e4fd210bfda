//! The origin of coordinates, moved.
//!
//! Far from the origin f32 is coarse, so large worlds move the origin to where the players are.
//!
//! *Why this is not O(1).* An offset that is added when a box is read would leave the old rounding in place, and that is
//! what an origin is moved for: `old - by` is another f32, whose own rounding may close a gap that there was or make boxes
//! touch that did not. So edges are what has to be computed anew, one by one; and bodies are filed by comparing them, in f32,
//! with borders that rounding moves by other amounts, so they have to be filed anew too (A1 in `axis.rs`, T1 in `split.rs`).
//!
//! Z1: what is filed are the edges that the index kept, which are those of the step bit for bit, each less `by` in f32. That
//!     is monotone, so no box is turned over; infinite edges stay so, and a row that the step skipped stays out.
//! Z2: pairs are not looked for. Contacts are of rows, which an origin does not change.

use crate::broad_phase::band_pass::Aim;
use crate::error::{Column, Error, InvalidRow};
use crate::frame::frame::Index;
use crate::frame::frames::Frames;
use crate::geometry::{RawAabb, oriented, translated};
use crate::input::rows::{BoxSource, read_boxes};
use crate::memory::page::PairBudget;
use crate::report::Phases;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::point_grid::plan::Wishes;
use crate::tier::static_tree::tree::StaticTree;
use crate::world::World;
use std::ops::Range;
use std::sync::Arc;

impl World {
    /// Moves the origin of coordinates to `by`: every coordinate that the world holds becomes `old - by`, in f32, edge by edge.
    /// The caller does the same to its own columns before the next step, and to what it asks with from now on.
    ///
    /// Statics keep their rows, ids, filters, and whether they are enabled. Queries, to the world and to
    /// [readers](Self::reader), answer in the new coordinates about the bodies of the last good step; a
    /// [`Snapshot`](crate::Snapshot) that is held stays as it was. Contacts, [`skipped`](Self::skipped) rows and the
    /// [`step_number`](Self::step_number) stay as they are.
    ///
    /// Rounding may differ: boxes that touched before may not after, or the other way round, as may those of the next step.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[100_000.0f32, 0.0, 100_010.0, 1.0]])?;
    /// let mut centers = [[100_004.0f32, 1.25], [100_050.0, 9.0]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    ///
    /// let by = [100_000.0, 0.0];
    /// world.shift_origin(by)?;
    /// assert_eq!(world.query_aabb(Aabb::new([0.0, 0.0], [10.0, 5.0])?).count(), 2);
    ///
    /// for center in &mut centers {
    ///     *center = [center[0] - by[0], center[1] - by[1]];
    /// }
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOrigin`] when `by` is not finite. [`Error::InvalidStatic`] names the lowest row of the statics with an edge that
    /// would not be finite: of the present set, or of the one before it while a [reader](Self::reader) still shows that.
    /// Nothing has changed then. (An edge of a body may become infinite, as it may in a step.)
    ///
    /// # Determinism
    ///
    /// A pure function of the statics and of the boxes of the last good step. What is asked answers in the order of a world
    /// that was given the shifted boxes by [`Bodies::from_aabbs`](crate::Bodies::from_aabbs).
    ///
    /// # Cost
    ///
    /// O(statics log statics), as [`set_statics`](Self::set_statics), and for the bodies the first half of a step, which is what
    /// it takes to file them. Not for every frame: where f32 is too coarse, move by thousands. Allocates 16 bytes a body and 32
    /// a static for as long as it runs.
    pub fn shift_origin(&mut self, by: impl Into<[f32; 2]>) -> Result<(), Error> {
        let by = by.into();
        if let Some(axis) = (0..2).find(|&axis| !by[axis].is_finite()) {
            return Err(Error::InvalidOrigin { axis, value: by[axis] });
        }
        let parallel = self.config.may_use_threads();
        let statics = self.statics.shifted(by, parallel)?;
        let version = self.statics_version + 2;
        let front = self.frames.front();
        let shown = if front.statics_version == self.statics_version {
            (statics.clone(), version)
        } else {
            match front.statics.shifted_beside(&self.statics, &statics, by, parallel) {
                Ok(shown) => (shown, version - 1),
                Err(error) if self.frames.has_readers() => return Err(error),
                // Nobody is shown the replaced set. A reader made before the next step sees the present one.
                Err(_) => (statics.clone(), version),
            }
        };
        self.file_anew(by, (&shown.0, shown.1))?;
        self.statics = statics;
        self.statics_version = version;
        self.sleeping.forget();
        Ok(())
    }

    /// Z1: the bodies of the last good step where they are now, with the statics that the step had, and their version.
    fn file_anew(&mut self, by: [f32; 2], statics: (&StaticTree, u64)) -> Result<(), Error> {
        let rows = Moved::of(self.frames.front(), by);
        let config = &self.config;
        let parallel = config.is_parallel(rows.len());
        self.plan.rebuild(&rows, Wishes { bounds: &config.bounds, oversized: true });
        let mut next = self.frames.next();
        let index = Arc::make_mut(&mut next);
        // All are filed together, and sleepers anew by a later step. Where bodies are filed takes no filters, and those that
        // are there are of an older step, of fewer rows perhaps.
        index.begin();
        index.asleep.clear();
        index.filters.clear();
        // Neither refuses anything: bad rows are skipped, and pairs are not looked for.
        let filed = self.partition.run(&rows, &self.plan, true, self.level, parallel, &mut index.grid.records);
        let filed = filed.map_err(Error::InvalidBody);
        let budget = PairBudget::new(0);
        let filed = filed.and_then(|()| self.find_pairs(parallel, index, Aim::File, &budget, &mut Phases::default()));
        if let Err(error) = filed {
            self.frames.refuse(next);
            return Err(error);
        }
        index.set_statics(statics.0, statics.1);
        self.frames.hand_on(index);
        self.frames.advance(next);
        // Bodies are filed elsewhere: whether someone had asked before shall make no difference.
        self.found.schedules.renew();
        self.workers.level();
        self.note(self.phases);
        Ok(())
    }
}

impl Frames {
    /// What a step keeps beside boxes, for an index of the same rows.
    fn hand_on(&mut self, next: &mut Index) {
        let front = self.front();
        (next.step, next.row_count, next.sequential) = (front.step, front.row_count, front.sequential);
        next.filters.clone_from(&front.filters);
        if !self.hand_on_ids(next) {
            next.ids.clone_from(&self.front().ids);
        }
    }
}

/// The boxes of a step, row by row, seen from elsewhere; NaN where a row was skipped.
struct Moved(Vec<RawAabb>);

impl Moved {
    fn of(index: &Index, by: [f32; 2]) -> Self {
        let mut boxes = vec![[f32::NAN; 4]; index.row_count];
        for (slot, entries) in index.grid.entries() {
            for (row, aabb) in entries {
                boxes[row as usize] = translated(&oriented(aabb, slot.transposed), by);
            }
        }
        for (slot, entries) in index.asleep.grid().into_iter().flat_map(GridIndex::entries) {
            for (row, aabb) in entries.filter(|&(row, _)| index.asleep.stands(row)) {
                boxes[row as usize] = translated(&oriented(aabb, slot.transposed), by);
            }
        }
        for (&row, aabb) in index.oversized_rows.iter().zip(&index.oversized_boxes) {
            boxes[row as usize] = translated(aabb, by);
        }
        Self(boxes)
    }
}

impl BoxSource for Moved {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        let aabb = self.0[row];
        // Edges may be infinite, as those of a step; NaN is a row that is not there.
        if aabb[0].is_nan() { Err(InvalidRow::new(row as u32, Column::Min, 0, aabb[0])) } else { Ok(aabb) }
    }

    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        read_boxes(&self.0[rows], boxes)
    }
}
