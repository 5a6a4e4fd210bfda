//! The statics of a world or of a frame.

use crate::error::Error;
use crate::frame::static_grid::{LazyStaticGrid, PackedStatics, StaticBands, StaticLists};
use crate::frame::statics_version::StaticsVersion;
use crate::geometry::Aabb;
use crate::simd::DetectedSimd;
use crate::tier::static_tree::tree::StaticTree;
use crate::tier::static_tree::unique_ids::check_changed_static_ids;
use crate::trace::span;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Most boxes in the log. A replaced static has two, an inserted, removed, enabled or disabled one
/// has one. With fewer, more steps would have to read all rows; each takes 32 bytes.
const LOG_MAX: usize = 1024;

/// An old or a new box of a static that changed.
#[derive(Clone, Copy, Debug)]
struct LoggedBox {
    /// The state that the change made.
    state: u64,
    row: u32,
    aabb: Aabb,
}

/// The old and the new boxes of the statics that changed last.
#[derive(Clone, Debug, Default)]
struct StaticLog {
    /// Ascending by state.
    boxes: VecDeque<LoggedBox>,
    /// The log may lack boxes of changes up to this state.
    forgotten: u64,
}

impl StaticLog {
    fn add(&mut self, state: u64, row: u32, aabb: Aabb) {
        if self.boxes.len() == LOG_MAX {
            self.forgotten = self.boxes.pop_front().map_or(state, |oldest| oldest.state);
        }
        self.boxes.push_back(LoggedBox { state, row, aabb });
    }

    /// Forgets everything up to a state.
    fn clear(&mut self, state: u64) {
        self.boxes.clear();
        // So that changes allocate nothing later.
        self.boxes.reserve_exact(LOG_MAX);
        self.forgotten = state;
    }
}

/// The statics of a world or of a frame.
#[derive(Clone, Default)]
pub(crate) struct StaticSet {
    pub(crate) tree: StaticTree,
    pub(crate) version: StaticsVersion,
    /// Empty in a frame.
    log: StaticLog,
    /// Empty in a frame.
    grid: LazyStaticGrid,
}

impl StaticSet {
    /// Replaces all statics.
    pub(crate) fn replace(&mut self, tree: StaticTree) {
        self.tree = tree;
        self.version.set += 1;
        self.version.state += 1;
        self.log.clear(self.version.state);
    }

    /// Enables or disables a static, and returns whether it was enabled.
    pub(crate) fn set_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let was_enabled = self.tree.set_enabled(row, enabled)?;
        if was_enabled != enabled {
            self.version.state += 1;
            self.tree.aabb(row).into_iter().for_each(|aabb| self.log.add(self.version.state, row, aabb));
        }
        Ok(was_enabled)
    }

    /// Changes the statics of `rows` by `edit`, which may also add some. Returns the rows of those.
    ///
    /// # Errors
    ///
    /// Those of `edit`, and [`Error::DuplicateStaticId`] if ids have to be unique and are not. Then
    /// nothing has changed.
    pub(crate) fn edit(
        &mut self,
        rows: &[u32],
        must_be_unique: bool,
        edit: impl FnOnce(&mut StaticTree) -> Result<(), Error>,
    ) -> Result<Range<u32>, Error> {
        let span = span!("edit_statics", statics = self.tree.len(); changed);
        let before = self.tree.clone();
        let mut outcome = edit(&mut self.tree);
        let added = before.len() as u32..self.tree.len() as u32;
        let changed = || rows.iter().copied().chain(added.clone());
        if must_be_unique {
            outcome = outcome.and_then(|()| check_changed_static_ids(&self.tree, changed()));
        }
        if let Err(error) = outcome {
            self.tree = before;
            return Err(error);
        }
        span.record(|| [("changed", changed().count())]);
        self.version.state += 1;
        // A row of a set with ids may be another static now.
        self.version.set += u64::from(self.tree.ids().is_some());
        for row in changed() {
            let boxes = [&before, &self.tree].map(|tree| tree.aabb(row));
            boxes.into_iter().flatten().for_each(|aabb| self.log.add(self.version.state, row, aabb));
        }
        Ok(added)
    }

    /// Drops the grid, which a step makes again if it needs it.
    pub(crate) fn drop_grid(&mut self) {
        self.grid = LazyStaticGrid::default();
    }

    /// Brings the grid up to date. Call it before each step that uses it.
    pub(crate) fn update_grid(&mut self) {
        self.grid.update(&self.tree, self.version);
    }

    fn up_to_date_grid(&self) -> &LazyStaticGrid {
        debug_assert!(self.grid.is_up_to_date(&self.tree, self.version), "STATICGRID-2");
        &self.grid
    }

    /// Those of [`LazyStaticGrid::bands`].
    pub(crate) fn bands(&self, level: DetectedSimd) -> Option<&StaticBands> {
        self.up_to_date_grid().bands(&self.tree, level)
    }

    /// Those of [`LazyStaticGrid::packed`].
    pub(crate) fn packed(&self) -> Option<&PackedStatics> {
        self.up_to_date_grid().packed(&self.tree)
    }

    /// Those of [`LazyStaticGrid::lists`].
    pub(crate) fn lists(&self, side: f32, fits: impl FnOnce(f32) -> bool) -> Option<Arc<StaticLists>> {
        self.up_to_date_grid().lists(&self.tree, side, fits)
    }

    /// The rows of the statics that changed since a version, with their old and their new boxes.
    /// `None` if the log lacks some of them.
    pub(crate) fn changes_since(&self, version: StaticsVersion) -> Option<impl Iterator<Item = (u32, Aabb)>> {
        let first = self.log.boxes.partition_point(|logged| logged.state <= version.state);
        (self.log.forgotten <= version.state)
            .then(|| self.log.boxes.range(first..).map(|logged| (logged.row, logged.aabb)))
    }

    /// Bytes of heap memory.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.memory_bytes() + self.grid.bytes() + self.log.boxes.capacity() * size_of::<LoggedBox>()
    }

    /// Becomes a clone of `other`, in its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        if self.version != other.version {
            self.tree.copy_from(&other.tree);
            self.version = other.version;
        }
    }

    /// The same statics with `by` subtracted from their boxes.
    pub(crate) fn shifted(&self, by: [f32; 2], parallel: bool) -> Result<Self, Error> {
        let tree = self.tree.shifted(by, parallel)?;
        // Skips one version for the statics of a frame, if they differ.
        let version = StaticsVersion { state: self.version.state + 2, ..self.version };
        let log = StaticLog { forgotten: version.state, ..StaticLog::default() };
        Ok(Self { tree, version, log, ..Self::default() })
    }

    /// This shifted set for a frame that had the set `of_step`, with a version that differs from
    /// that of the world's set.
    pub(crate) fn in_place_of(&self, of_step: &Self) -> Self {
        Self { tree: self.tree.clone(), version: self.version_before(of_step), ..Self::default() }
    }

    /// The version for a frame whose set was not the world's; `self` is the world's shifted set.
    fn version_before(&self, of_step: &Self) -> StaticsVersion {
        StaticsVersion { state: self.version.state - 1, ..of_step.version }
    }

    /// The [`shifted`](Self::shifted) set of a frame. The world's set was `present` and is now
    /// `present_shifted`, which the frame gets if it had the same set.
    pub(crate) fn shifted_beside(
        &self,
        present: &Self,
        present_shifted: &Self,
        by: [f32; 2],
        parallel: bool,
    ) -> Result<Self, Error> {
        if self.version == present.version {
            return Ok(present_shifted.clone());
        }
        let tree = self.tree.shifted_beside(&present.tree, &present_shifted.tree, by, parallel)?;
        Ok(Self { tree, version: present_shifted.version_before(self), ..Self::default() })
    }
}
