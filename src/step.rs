//! The phases of a step, in order.
//!
//! A step is built next to the last successful one: its bodies in a spare frame, its pairs in spare
//! pages. They replace those of the last step when the step can no longer fail.

use crate::broad_phase::broad_phase::AsleepMarks;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::StepOutput;
use crate::config::BodyShape;
use crate::contacts::changes::changed_view::KnownChanges;
use crate::contacts::events::margin::TrackedStep;
use crate::contacts::events::tracker::IdState;
use crate::contacts::store::ContactStore;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::frames::{Frames, unshared};
use crate::frame::phases::{Clock, PhaseTimes};
use crate::frame::stored_boxes::StoredBoxes;
use crate::history::StepKind;
use crate::input::bodies::Bodies;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::listener::OnPage;
use crate::memory::usage::StepUsage;
use crate::parallel;
use crate::state::WorldState;
use crate::trace::{Span, span};
use std::sync::Arc;

/// Number of parts in which memory is given back.
const PART_COUNT: usize = 3 + ContactStore::PART_COUNT;

impl WorldState {
    /// Steps one frame. The listener gets each page of pairs as soon as it is full.
    pub(crate) fn step(&mut self, chunks: &[Bodies<'_>], listener: Option<&OnPage<'_>>) -> Result<(), Error> {
        let start = Clock::now();
        let span = span!("step", statics = self.statics.tree.len(); bodies, body_pairs, static_pairs, error);
        let mut next = self.frames.next();
        let mut chunk_starts = std::mem::take(&mut self.broad_phase.chunk_starts);
        let outcome = Chunks::new(chunks, &mut chunk_starts)
            .and_then(|rows| self.build_frame(&rows, AsleepMarks::Use, unshared(&mut next), listener, start));
        self.broad_phase.chunk_starts = chunk_starts;
        if outcome.is_ok() {
            self.contacts.changed_view.set(KnownChanges::None);
            self.history.count_step(StepKind::Full);
        }
        let outcome = self.finish(outcome, next);
        self.record_outcome(&span, &outcome);
        outcome
    }

    /// Records counts of the last successful step, or the error.
    pub(crate) fn record_outcome(&self, span: &Span, outcome: &Result<(), Error>) {
        span.record_error(outcome);
        let found = &self.contacts.found;
        span.record(|| {
            let pairs = [("body_pairs", found.body_pair_count()), ("static_pairs", found.static_pair_count())];
            [("bodies", self.frames.front().row_count), pairs[0], pairs[1]]
        });
    }

    /// Makes a step that succeeded the last one, or discards it.
    pub(crate) fn finish(&mut self, outcome: Result<(), Error>, next: Arc<Frame>) -> Result<(), Error> {
        if outcome.is_ok() {
            self.succeed(Some(next));
        } else {
            let pairs = match outcome {
                // Memory has grown for them, but they are in no contacts.
                Err(Error::TooManyPairs { limit }) => limit,
                _ => self.contacts.next.pair_count(),
            };
            let usage = StepUsage { rows: next.row_count, pairs };
            self.frames.discard(next);
            self.contacts.discard();
            self.finish_buffers(usage);
        }
        outcome
    }

    /// Publishes a step that succeeded. `next` is its frame; `None` if it was made in the frame of
    /// the step before.
    pub(crate) fn succeed(&mut self, next: Option<Arc<Frame>>) {
        if let Some(next) = next {
            self.frames.advance(next);
        }
        self.contacts.advance(self.broad_phase.finder.spare_pages());
        self.finish_buffers(self.last_usage());
    }

    fn finish_buffers(&mut self, usage: StepUsage) {
        self.broad_phase.finder.match_capacity();
        self.count_usage(usage);
    }

    /// What the last successful step used.
    pub(crate) fn last_usage(&self) -> StepUsage {
        StepUsage { rows: self.frames.front().row_count, pairs: self.contacts.found.pair_count() }
    }

    /// Counts what a step used, and gives back a part of what has not been used for long.
    pub(crate) fn count_usage(&mut self, usage: StepUsage) {
        if let Some(part) = self.usage.count(usage, PART_COUNT) {
            self.shrink_part(part);
        }
    }

    /// Gives back all memory that the last successful step does not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        (0..PART_COUNT).for_each(|part| self.shrink_part(part));
        self.contacts.pool.shrink(0);
        self.statics.drop_grid();
        self.usage.reset(self.last_usage());
    }

    /// Gives back what one part of the world holds beyond the last successful step.
    fn shrink_part(&mut self, part: usize) {
        let _span = span!("release_memory", part = part);
        let Self { frames, broad_phase, contacts, .. } = self;
        match part {
            0 => broad_phase.shrink_scratch(frames.front()),
            1 => broad_phase.sleepers.shrink_to_fit(frames.front(), &contacts.pool),
            2 => frames.shrink_to_fit(),
            _ => contacts.shrink_part(part - 3),
        }
    }

    /// Whether circles are tested in a step over these rows. With displacements only boxes are, as
    /// no circle covers a motion.
    pub(crate) fn are_circles(&self, rows: &Chunks<'_, '_>) -> bool {
        self.config.body_shape == BodyShape::Circle && !rows.has_displacements()
    }

    /// Fills the next frame and the next pairs from the rows.
    pub(crate) fn build_frame(
        &mut self,
        rows: &Chunks<'_, '_>,
        marks: AsleepMarks,
        frame: &mut Frame,
        listener: Option<&OnPage<'_>>,
        start: Clock,
    ) -> Result<(), Error> {
        let (are_circles, parallel) = (self.are_circles(rows), self.config.is_parallel(rows.len()));
        let Self { config, simd, statics, frames, broad_phase, contacts, history, .. } = self;
        let mut phases = PhaseTimes::default();
        parallel::with_team(parallel, rows.len(), || -> Result<(), Error> {
            history.thread_count = parallel::worker_count(parallel);
            frame.begin(rows.len());
            statics.update_grid();
            let step = StepContext::new(config, *simd, parallel, statics, are_circles, &contacts.pool);
            let step = StepContext { listener, uses_static_grid: true, ..step };
            let mut out = StepOutput { frame, found: &mut contacts.next, phases: &mut phases };
            broad_phase.find_pairs(step, rows, marks, &mut out)?;

            let mut ids = IdState::Unknown;
            if let Some(tracker) = &mut contacts.events {
                let (_span, mut clock) = (span!("track_contacts"), Clock::now());
                let tracked = TrackedStep { rows, statics, margin: config.margin, are_circles, parallel };
                ids = tracker.advance(tracked, &contacts.next, frame)?;
                phases.track_contacts = clock.lap();
            }
            fill_ids(frames, frame, rows, (contacts, ids), parallel);
            // The step can no longer fail, not even by a panic of the caller's function for ids.
            if let Some(partners) = &mut contacts.partners {
                let _span = span!("list_partners");
                partners.rebuild(&contacts.next, rows.len(), parallel);
            }
            frame.statics.copy_from(statics);
            frame.step = frames.front().step + 1;
            Ok(())
        })?;
        // On the thread that started the clock: in a browser, those of two have different origins.
        phases.total = start.elapsed();
        frame.phases = phases;
        Ok(())
    }

    /// Subtracts `by` from all stored coordinates, and files the bodies again (SHIFT-1).
    ///
    /// No pairs are searched for: contacts refer to rows, which do not depend on the origin.
    pub(crate) fn shift_origin(&mut self, by: [f32; 2]) -> Result<(), Error> {
        let Self { config, simd, statics, frames, broad_phase, contacts, .. } = self;
        let _span = span!("shift_origin", bodies = frames.front().row_count, statics = statics.tree.len());
        let parallel = config.may_use_threads();
        let shifted = statics.shifted(by, parallel)?;
        let front = frames.front();
        let in_frame = front.statics.shifted_beside(statics, &shifted, by, parallel);
        // Readers get the present set if the one of the step does not survive.
        let in_frame = in_frame.unwrap_or_else(|_| shifted.in_place_of(&front.statics));
        let boxes = StoredBoxes::shifted(front, by);
        let parallel = config.is_parallel(front.row_count);
        let step = StepContext::new(config, *simd, parallel, &shifted, false, &contacts.pool);
        let mut next = frames.next();
        let frame = unshared(&mut next);
        frame.cached.clear();
        broad_phase.finder.file_again(step, &boxes, frame);
        broad_phase.sleepers.clear();
        frame.statics.copy_from(&in_frame);
        frame.is_shifted = true;
        frames.copy_step(frame);
        frames.advance(next);
        // The bands of the bodies have changed.
        contacts.schedules.invalidate();
        broad_phase.finder.match_capacity();
        *statics = shifted;
        Ok(())
    }
}

/// Fills the ids of the next frame. If contacts are tracked, which then are those of this step
/// already, the caller's function for ids is not called.
fn fill_ids(
    frames: &mut Frames,
    frame: &mut Frame,
    rows: &Chunks<'_, '_>,
    (contacts, state): (&ContactStore, IdState),
    parallel: bool,
) {
    match state {
        IdState::Copied => {}
        IdState::Unchanged => {
            // A restored world has the ids of its last step, but no frame of it.
            if !(frames.move_ids(frame) && frame.ids.len() == rows.len()) {
                frame.ids.clear();
                frame.ids.extend_from_slice(contacts.events.as_ref().map_or(&[], |tracker| tracker.last_ids()));
            }
        }
        IdState::Unknown => {
            // The memory of the last ids is used again, unless these are still needed if the
            // function panics.
            if !rows.has_id_functions() {
                frames.move_ids(frame);
            }
            rows.copy_ids(&mut frame.ids, parallel);
        }
    }
}
