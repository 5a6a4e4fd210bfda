//! The phases of a step that is told which rows changed, in order.
//!
//! The frame of the last step is searched for the pairs of the changed rows, before and now. Once
//! the step can no longer fail, these rows are moved in that frame, or in a copy if readers have
//! it, and the pairs that began and ended are edited into those of the last step. If there is no
//! last step to start from, all rows are filed. If nothing changed in two steps, the last one is
//! repeated.

use crate::broad_phase::broad_phase::{AsleepMarks, BroadPhase};
use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::context::StepContext;
use crate::config::InvalidRows;
use crate::contacts::changes::changed_view::KnownChanges;
use crate::contacts::events::margin::TrackedStep;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::frames::unshared;
use crate::frame::phases::{Clock, PhaseTimer, PhaseTimes};
use crate::history::{RestartCause, StepKind};
use crate::input::bodies::Bodies;
use crate::input::changed_rows::ChangedRows;
use crate::input::chunks::Chunks;
use crate::input::filter::Filter;
use crate::input::rows::BoxSource;
use crate::pair::Hit;
use crate::parallel;
use crate::query::QueryBuilder;
use crate::state::WorldState;
use crate::trace::span;

// Where told steps and full ones take the same time, with two thousand to a million bodies on one
// thread: the last table of "Rows read in batches" in benches/EXPERIMENTS.md. To measure it anew,
// set both to 1, so that steps with more changed rows are not full ones. The documentation of
// `World::step_changed`, the guide, ARCHITECTURE.md and `bindings/bevy` name these numbers.

/// As many rows of `step` cost as much as one active row (CHANGE-3).
const COST_ACTIVE: usize = 6;

/// As many cost as much as one newly changed row.
const COST_NEWLY_CHANGED: usize = 22;

/// Steps with fewer changed rows do not time their phases: eight readings of the clock take as long
/// as one changed row.
const TIMED_ROWS_MIN: usize = 32;

impl WorldState {
    /// Steps one frame of which only some rows changed since the last one.
    pub(crate) fn step_changed(&mut self, chunks: &[Bodies<'_>], changed: ChangedRows<'_>) -> Result<(), Error> {
        let start = Clock::now();
        let mut chunk_starts = std::mem::take(&mut self.broad_phase.chunk_starts);
        let rows = Chunks::new(chunks, &mut chunk_starts);
        let statics = self.statics.tree.len();
        let span = span!("step_changed", statics = statics; bodies, changed, body_pairs, static_pairs, error);
        let outcome = rows.and_then(|rows| self.step_changed_rows(&rows, changed, start));
        self.broad_phase.chunk_starts = chunk_starts;
        if let &Ok(changed) = &outcome {
            span.record(|| [("changed", changed)]);
        }
        let outcome = outcome.map(drop);
        self.record_outcome(&span, &outcome);
        outcome
    }

    /// Returns how many changed rows exist.
    fn step_changed_rows(
        &mut self,
        rows: &Chunks<'_, '_>,
        changed: ChangedRows<'_>,
        start: Clock,
    ) -> Result<usize, Error> {
        let last_count = self.frames.front().row_count;
        self.broad_phase.changed.read(changed, rows.len(), last_count)?;
        #[cfg(debug_assertions)]
        self.assert_unchanged(rows);
        let statics_are_known = self.add_rows_at_changed_statics(rows.len());
        let changed_count = self.broad_phase.changed.rows().len();
        let plan = self.plan(rows, last_count, statics_are_known);
        if plan != StepKind::Told {
            self.step_all_changed(rows, plan, statics_are_known, start)?;
        } else if self.is_idle() {
            self.repeat_step(start);
        } else {
            self.update(rows, start)?;
        }
        self.history.count_step(plan);
        Ok(changed_count)
    }

    /// How to step: which rows changed has been read.
    fn plan(&self, rows: &Chunks<'_, '_>, last_count: usize, statics_are_known: bool) -> StepKind {
        if last_count == 0 {
            StepKind::First
        } else if !self.are_few_changed(rows.len().max(last_count)) {
            StepKind::ToldMany(self.broad_phase.changed.len())
        } else {
            self.restart_cause(rows, statics_are_known).map_or(StepKind::Told, StepKind::Restarted)
        }
    }

    /// Steps all rows, as `plan` says.
    fn step_all_changed(
        &mut self,
        rows: &Chunks<'_, '_>,
        plan: StepKind,
        statics_are_known: bool,
        start: Clock,
    ) -> Result<(), Error> {
        // Where all rows are new, or any pair with a static is, all pairs may have changed.
        let changes_are_known = plan != StepKind::First && statics_are_known;
        let many = matches!(plan, StepKind::ToldMany(_));
        let mut next = self.frames.next();
        let frame = unshared(&mut next);
        let outcome = if many {
            self.build_frame(rows, AsleepMarks::Use, frame, None, start)
        } else {
            // The next step probably changes few rows, after the first step too.
            self.build_kept_frame(rows, changes_are_known, frame, start)
        };
        if outcome.is_ok() {
            let known = if !changes_are_known {
                KnownChanges::None
            } else if many {
                let are_all = self.broad_phase.changed.rows().len() == rows.len();
                self.remember_changed();
                if are_all { KnownChanges::AllRows } else { KnownChanges::Rows }
            } else {
                KnownChanges::Pairs
            };
            self.contacts.changed_view.set(known);
        }
        self.finish(outcome, next)
    }

    /// Whether a step over the changed rows is estimated to be faster than one over all rows.
    fn are_few_changed(&self, row_count: usize) -> bool {
        let changed = &self.broad_phase.changed;
        if changed.len() > row_count / COST_ACTIVE {
            return false;
        }
        let most = changed.len() * COST_NEWLY_CHANGED;
        let again = || self.contacts.last_changed().map_or(0, |last| changed.count_common(last));
        most <= row_count || most - again() * (COST_NEWLY_CHANGED - COST_ACTIVE) <= row_count
    }

    /// Why the last step cannot be updated; `None` if it can.
    fn restart_cause(&self, rows: &Chunks<'_, '_>, statics_are_known: bool) -> Option<RestartCause> {
        let front = self.frames.front();
        let skips = || self.config.invalid_rows == InvalidRows::Skip && self.has_invalid(rows);
        let has_same_columns = || {
            front.had_circles == self.are_circles(rows)
                && front.filters.is_empty() != rows.has_filters()
                && front.ids.is_empty() != rows.has_ids()
        };
        if front.is_shifted {
            Some(RestartCause::ShiftedOrigin)
        } else if !statics_are_known {
            Some(RestartCause::Statics)
        } else if !front.skipped.is_empty() || skips() {
            Some(RestartCause::SkippedRow)
        } else if !(self.broad_phase.row_index.is_of(front) && self.contacts.kept.are_of(front.moved.stamp)) {
            Some(RestartCause::FullStep)
        } else {
            (!has_same_columns()).then_some(RestartCause::Columns)
        }
    }

    /// Adds the bodies whose boxes of the last step touch the old or the new box of a static that
    /// changed since, so that their static pairs are searched for. Returns `false` if it is not
    /// known which statics changed.
    fn add_rows_at_changed_statics(&mut self, row_count: usize) -> bool {
        let Self { statics, frames, broad_phase, .. } = self;
        let front = frames.front();
        if front.statics.version == statics.version {
            return true;
        }
        let Some(changes) = statics.changes_since(front.statics.version) else {
            return false;
        };
        let bodies = QueryBuilder::of_frame(front, &statics.tree, false).only_bodies();
        let rows = changes.flat_map(|(_, aabb)| bodies.query_aabb(aabb)).filter_map(|hit| match hit {
            Hit::Body { row, .. } => Some(row),
            Hit::Static { .. } => None,
        });
        broad_phase.changed.add(rows, row_count);
        true
    }

    fn has_invalid(&self, rows: &Chunks<'_, '_>) -> bool {
        self.broad_phase.changed.rows().iter().any(|&row| rows.checked_box(row as usize).is_err())
    }

    /// Files all rows, and keeps what the next step needs to update them. Unless
    /// `changes_are_known`, all rows count as changed, and none is remembered.
    fn build_kept_frame(
        &mut self,
        rows: &Chunks<'_, '_>,
        changes_are_known: bool,
        frame: &mut Frame,
        start: Clock,
    ) -> Result<(), Error> {
        self.build_frame(rows, AsleepMarks::Ignore, frame, None, start)?;
        let are_circles = self.are_circles(rows);
        let Self { broad_phase, contacts, config, .. } = self;
        // A row that was skipped is nowhere, and would have to be looked at in each step.
        if frame.skipped.is_empty() {
            frame.had_circles = are_circles;
            broad_phase.row_index.begin(frame);
            frame.ids_stamp = frame.moved.stamp;
        }
        if !changes_are_known {
            broad_phase.changed.clear();
        }
        // Also if rows were skipped, so that pairs are ascending after every restart.
        let parallel = config.is_parallel(rows.len());
        contacts.keep(&broad_phase.changed, frame, config.margin, parallel);
        self.remember_changed();
        frame.phases.total = start.elapsed();
        Ok(())
    }

    /// Whether this step is the last one again: no row and no static changed in either, and the
    /// last frame may become the present one, as no reader has it.
    ///
    /// Not if contacts are tracked, as those that began in the last step persist in this one, nor
    /// if it is time to file all rows anew: that must not depend on readers.
    fn is_idle(&mut self) -> bool {
        let Self { statics, frames, broad_phase, contacts, .. } = self;
        broad_phase.changed.len() + contacts.kept.last_changed.len() == 0
            && frames.front().statics.version == statics.version
            && contacts.events.is_none()
            && contacts.kept_are_present()
            && !broad_phase.row_index.is_worn()
            && !frames.front_is_shared()
    }

    /// Repeats the last step: only its number and its stamps change.
    fn repeat_step(&mut self, start: Clock) {
        let Self { frames, broad_phase, contacts, .. } = self;
        let frame = frames.front_mut();
        frame.step += 1;
        broad_phase.row_index.count_update(frame);
        let kept_stamp = std::mem::replace(&mut contacts.kept.stamp, frame.moved.stamp);
        broad_phase.changed_pairs.neighbor_lists.restamp(kept_stamp, frame.moved.stamp);
        contacts.changed_view.set(KnownChanges::Pairs);
        frame.phases = PhaseTimes { total: start.elapsed(), ..PhaseTimes::default() };
        self.count_usage(self.last_usage());
    }

    /// Updates the last step.
    fn update(&mut self, rows: &Chunks<'_, '_>, start: Clock) -> Result<(), Error> {
        let changed_count = self.broad_phase.changed.len();
        let parallel = self.config.is_parallel(changed_count);
        let timer = PhaseTimer::new(start, changed_count >= TIMED_ROWS_MIN);
        let mut update =
            Update { are_circles: self.are_circles(rows), parallel, phases: PhaseTimes::default(), start, timer };
        // An active row takes as long as some rows of a full step.
        parallel::with_team(parallel, changed_count.saturating_mul(COST_ACTIVE), || {
            self.find_update(rows, &mut update)?;
            self.apply_update(rows, update);
            Ok(())
        })
    }

    /// Reads the changed rows and finds their pairs; the last step stays as it is.
    fn find_update(&mut self, rows: &Chunks<'_, '_>, update: &mut Update) -> Result<(), Error> {
        let &mut Update { are_circles, parallel, ref mut phases, ref mut timer, .. } = update;
        let Self { config, simd, statics, frames, broad_phase, contacts, .. } = self;
        let front = frames.front();
        let span = span!("read_changed");
        if broad_phase.changed.is_dense() {
            contacts.kept.last_changed.set().prefetch();
            front.moved.prefetch_outdated();
        }
        broad_phase.changed_bodies.read(rows, &broad_phase.changed, parallel)?;
        drop(span);
        phases.plan = timer.lap();
        let step = StepContext::new(config, *simd, parallel, statics, are_circles, &contacts.pool);
        let span = span!("find_changed_pairs");
        broad_phase.find_changed_pairs(step, front, &contacts.kept.last_changed, rows.len())?;
        drop(span);
        let BroadPhase { changed, changed_pairs, .. } = broad_phase;
        if contacts.kept.plan_edits(changed, changed_pairs) > config.pair_limit {
            return Err(Error::TooManyPairs { limit: config.pair_limit });
        }
        phases.find_pairs = timer.lap();
        if let Some(tracker) = &mut contacts.events {
            tracker.identify_changed(rows.len(), &broad_phase.changed_bodies.by_row)?;
            phases.track_contacts = timer.lap();
        }
        Ok(())
    }

    /// Moves the changed rows and edits the pairs of the last step. This cannot fail.
    fn apply_update(&mut self, rows: &Chunks<'_, '_>, update: Update) {
        let Update { are_circles, parallel, mut phases, start, mut timer } = update;
        let Self { config, simd, statics, frames, broad_phase, contacts, .. } = self;
        let step_number = frames.front().step + 1;
        // The last frame becomes the next, or a copy of it does if readers have it.
        let mut copy = frames.front_is_shared().then(|| frames.next());
        if let Some(copy) = &mut copy {
            broad_phase.row_index.catch_up(unshared(copy), frames.front());
            phases.layout = timer.lap();
        }
        let frame = match &mut copy {
            Some(copy) => unshared(copy),
            None => frames.front_mut(),
        };
        let step = StepContext::new(config, *simd, parallel, statics, are_circles, &contacts.pool);
        let span = span!("move_rows");
        broad_phase.update(step, &contacts.kept.last_changed, frame);
        drop(span);
        frame.begin_update(rows.len());
        (frame.step, frame.had_circles) = (step_number, are_circles);
        write_columns(&broad_phase.changed_bodies.by_row, rows, frame);
        frame.ids_stamp = frame.moved.stamp;
        frame.statics.copy_from(statics);
        phases.partition = timer.lap();
        let span = span!("edit_pairs");
        let BroadPhase { changed, changed_pairs, .. } = broad_phase;
        contacts.apply_changes(changed, changed_pairs, frame, parallel);
        drop(span);
        phases.gather = timer.lap();
        if let Some(tracker) = &mut contacts.events {
            let _span = span!("track_contacts");
            let tracked = TrackedStep { rows, statics, margin: config.margin, are_circles, parallel };
            tracker.edit(tracked, &contacts.kept, broad_phase.changed.set(), frame);
            phases.track_contacts += timer.lap();
        }
        contacts.changed_view.set(KnownChanges::Pairs);
        phases.total = start.elapsed();
        frame.phases = phases;
        self.remember_changed();
        self.succeed(copy);
    }

    /// The changed rows of this step become those of the last one.
    fn remember_changed(&mut self) {
        std::mem::swap(&mut self.broad_phase.changed, &mut self.contacts.kept.last_changed);
    }

    /// Checks that the rows which did not change are those of the last step, as far as that has
    /// what was given for all rows.
    #[cfg(debug_assertions)]
    fn assert_unchanged(&mut self, rows: &Chunks<'_, '_>) {
        let (front, are_circles) = (self.frames.front(), self.are_circles(rows));
        // In a world of circles, whether there are displacements changes what is read of all rows.
        let may_differ = self.config.body_shape == crate::config::BodyShape::Circle
            && !(self.broad_phase.row_index.is_of(front) && front.had_circles == are_circles);
        if front.is_shifted || !front.skipped.is_empty() || may_differ {
            return;
        }
        let has_ids = rows.has_ids() && !front.ids.is_empty();
        let has_filters = rows.has_filters() && !front.filters.is_empty();
        let boxes = &mut self.broad_phase.stored_boxes.0;
        front.write_boxes(boxes);
        let changed = self.broad_phase.changed.set();
        for (row, before) in (0u32..).zip(boxes).take(rows.len()).filter(|&(row, _)| !changed.contains(row)) {
            assert!(rows.checked_box(row as usize) == Ok(*before), "row {row} changed, but is not in `changed`");
            let has_same = (!has_filters || rows.filter(row) == front.filter(row))
                && (!has_ids || front.ids.get(row as usize).is_none_or(|&id| id == rows.id(row)));
            assert!(has_same, "the filter or the id of row {row} changed, but the row is not in `changed`");
        }
    }
}

/// An update of the last step.
struct Update {
    are_circles: bool,
    parallel: bool,
    phases: PhaseTimes,
    start: Clock,
    timer: PhaseTimer,
}

/// Writes the filters and the ids of the changed rows to the frame of the step.
fn write_columns(changed: &[ChangedBody], rows: &Chunks<'_, '_>, frame: &mut Frame) {
    let present = || changed.iter().filter(|body| body.exists());
    if rows.has_filters() {
        frame.filters.resize(rows.len(), Filter::ALL);
        present().for_each(|body| frame.filters[body.row as usize] = body.filter);
    }
    if rows.has_ids() {
        frame.ids.resize(rows.len(), 0);
        present().for_each(|body| frame.ids[body.row as usize] = body.id);
    }
}
