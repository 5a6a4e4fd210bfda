//! The contacts of a world, and everything derived from them.
//!
//! A step finds its pairs in `next`, apart from those of the last successful step in `found`. When
//! nothing can fail any more, the two are swapped.

use crate::broad_phase::changes::changed_pairs::ChangedPairs;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::pairs::FoundPairs;
use crate::config::WorldConfig;
use crate::contacts::changes::changed_view::ChangedView;
use crate::contacts::changes::kept_pairs::{Derived, KeptPairs};
use crate::contacts::events::tracker::ContactTracker;
use crate::contacts::exclusive::schedules::Schedules;
use crate::contacts::partners::PartnerLists;
use crate::contacts::stream::channel::StepSummary;
use crate::frame::frame::Frame;
use crate::memory::buffers::Buffers;
use crate::memory::page::PagePool;

/// The pairs of two steps, and what is derived from them.
#[derive(Default)]
pub(crate) struct ContactStore {
    pub(crate) pool: PagePool,
    /// Pairs of the last successful step.
    pub(crate) found: FoundPairs,
    /// Pairs of the running step.
    pub(crate) next: FoundPairs,
    /// Schedules of `found`.
    pub(crate) schedules: Schedules,
    /// Present if contacts are tracked.
    pub(crate) events: Option<Box<ContactTracker>>,
    /// Present if partner lists are built.
    pub(crate) partners: Option<Box<PartnerLists>>,
    /// The pairs of steps that are told which rows changed.
    pub(crate) kept: KeptPairs,
    /// Which pairs have a changed row.
    pub(crate) changed_view: ChangedView,
}

impl ContactStore {
    pub(crate) fn new(config: &WorldConfig) -> Self {
        Self {
            events: config.contact_tracking.then(Box::default),
            partners: config.partner_lists.then(Box::default),
            ..Self::default()
        }
    }

    /// The rows that changed in the last successful step, if it was told.
    pub(crate) fn last_changed(&self) -> Option<&ChangedSet> {
        self.changed_view.are_rows_known().then_some(&self.kept.last_changed)
    }

    /// The running step succeeded: its pairs become the present ones.
    ///
    /// Afterwards there are pages for a second step like it, and as many spare ones (PAGE-1).
    pub(crate) fn advance(&mut self, spare_pages: usize) {
        std::mem::swap(&mut self.found, &mut self.next);
        self.schedules.invalidate();
        // A step may be built on either side, so both get the same capacity.
        self.next.reserve_like(&self.found);
        let (present, previous) = (self.found.page_count(), self.next.page_count());
        self.pool.provide(present + previous, present.saturating_sub(previous) + spare_pages);
    }

    /// The running step, which was told what changed, is about to succeed: its pairs are edited
    /// into the kept ones, and become those of the step.
    pub(crate) fn apply_changes(
        &mut self,
        changed: &ChangedSet,
        found: &mut ChangedPairs,
        frame: &Frame,
        parallel: bool,
    ) {
        self.found.clear(&self.pool);
        self.next.clear(&self.pool);
        let derived = Derived { edits: self.events.is_some(), lists: self.partners.is_some() };
        self.kept.apply(changed, found, frame, derived, parallel);
        self.take_kept();
    }

    /// The pairs of the running step become the kept ones.
    fn take_kept(&mut self) {
        let Self { pool, next, kept: KeptPairs { bodies, statics, .. }, .. } = self;
        next.push_pairs(pool, bodies.active_pairs(), statics.active_pairs());
        next.set_reused(&bodies.pages, &statics.pages);
    }

    /// Keeps the pairs of the running step, in which these rows `changed`, so that the next can be
    /// told what changed.
    pub(crate) fn keep(&mut self, changed: &ChangedSet, frame: &Frame, margin: f32, parallel: bool) {
        self.found.clear(&self.pool);
        self.kept.fill(&self.next, changed, frame.row_count, self.partners.as_deref(), parallel);
        self.kept.stamp = frame.moved.stamp;
        // Without a margin, no contact persists without its pair.
        if let Some(tracker) = self.events.as_mut().filter(|_| margin > 0.0) {
            tracker.note_lingering(&self.kept);
        }
        self.next.clear(&self.pool);
        self.take_kept();
    }

    /// The running step failed: the present pairs stay.
    pub(crate) fn discard(&mut self) {
        self.found.reserve_like(&self.next);
    }

    /// Removes the static pairs, because the static set was replaced.
    pub(crate) fn clear_statics(&mut self) {
        self.found.clear_statics(&self.pool);
        self.changed_view.clear_statics();
        self.kept.clear_statics();
        self.schedules.invalidate_statics();
        if let Some(partners) = &mut self.partners {
            partners.clear_statics();
        }
    }

    /// Whether the present pairs are the kept ones.
    pub(crate) fn kept_are_present(&self) -> bool {
        self.found.has_reused(&self.kept.bodies.pages)
    }

    /// Counts of the present step.
    pub(crate) fn summary(&self, step_number: u64) -> StepSummary {
        StepSummary {
            step_number,
            body_page_count: self.found.body_pages().len(),
            static_page_count: self.found.static_pages().len(),
            body_pair_count: self.found.body_pair_count(),
            static_pair_count: self.found.static_pair_count(),
        }
    }

    /// Bytes held, without reused pages.
    pub(crate) fn bytes(&self) -> usize {
        self.pool.bytes()
            + self.found.bytes()
            + self.next.bytes()
            + self.schedules.bytes()
            + self.events.bytes()
            + self.partners.bytes()
            + self.kept.bytes()
            + self.changed_view.bytes()
    }

    /// Number of parts for [`shrink_part`](Self::shrink_part).
    pub(crate) const PART_COUNT: usize = 4;

    /// Gives back what one part holds beyond the present contacts.
    pub(crate) fn shrink_part(&mut self, part: usize) {
        match part {
            0 => {
                self.events.shrink_to_fit();
                self.changed_view.shrink_to_fit();
                if self.kept_are_present() {
                    // Pages that others have do not shrink.
                    self.found.forget_reused();
                    self.kept.shrink_to_fit();
                    self.found.set_reused(&self.kept.bodies.pages, &self.kept.statics.pages);
                } else {
                    // The rows are also known of a step that was told but stepped all.
                    let last_changed = std::mem::take(&mut self.kept.last_changed);
                    self.kept = KeptPairs { last_changed, ..KeptPairs::default() };
                }
            }
            1 => self.partners.shrink_to_fit(),
            2 => self.schedules.shrink_to_fit(),
            _ => {
                self.next.clear(&self.pool);
                self.next = FoundPairs::default();
                self.found.shrink_to_fit();
                // Enough for another step with as many pairs.
                self.pool.shrink(self.found.page_count());
            }
        }
    }
}
