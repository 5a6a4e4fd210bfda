//! The neighbors of active rows, listed so that rows that keep moving need not be searched for in
//! each step.
//!
//! An active row gets a fat AABB: where it will be in the next steps if it moves on as it did. All
//! bodies that overlap it and do not change are listed, with their boxes. As long as the row stays
//! inside, its partners among unchanged bodies are on its list: that is read from one place of
//! memory, in the order of rows. These are Verlet's neighbor lists ("Computer 'Experiments' on
//! Classical Fluids", 1967), with a prediction of where a body goes.
//!
//! - LIST-1: a list that was made in a step has each body that was unchanged in it and whose box
//!   overlapped the fat AABB, with that box.
//! - LIST-2: a listed body that changes in the running step is skipped: pairs of two changed rows
//!   are found by other means.
//! - LIST-3: where a body was when it changed, and where it is when it no longer changes, is noted
//!   in [`DirtyCells`]. A list is used only if nothing was noted, after it was made, in a cell that
//!   its fat AABB touches. So it has all unchanged bodies there, and no stale box (DIRTY-1).
//!
//! Lists save time and decide nothing: the pairs and their order are the same without them.
//!
//! Cost: a list takes a search of a larger area than that of the row alone, and 160 bytes for each
//! eight bodies.

use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::dirty_cells::{DirtyCells, DirtyRect};
use crate::frame::frame::Frame;
use crate::frame::moved::FrameStamp;
use crate::geometry::{NO_BOX, RawAabb, contains, is_no_box};
use crate::memory::bits::set_bits;
use crate::memory::body_record::BodyRecord;
use crate::memory::box_octet::BoxOctet;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::prefetch::prefetch;
use crate::simd::DetectedSimd;
use std::ops::Range;

/// Steps ahead for which a fat AABB is made.
const STEPS_AHEAD: f32 = 16.0;

/// The part of the last motion by which a fat AABB is larger on all sides, for rows that turn.
const TURN_MARGIN: f32 = 1.0;

/// A fat AABB reaches at most this far beyond the box, in longer sides of the box: farther away are
/// too many bodies.
const REACH_MAX: f32 = 2.0;

/// A list is not worth making for a row that leaves its fat AABB in fewer steps.
const STEPS_MIN: f32 = 3.0;

/// Most bodies of a list. Rows with more are searched for, and their number fits a byte.
pub(super) const LIST_MAX: usize = 64;

const _: () = assert!(LIST_MAX < u8::MAX as usize);

/// The first list of a row is made after fewer steps than this, which depend on the row. Otherwise
/// rows that begin to move in one step would all get lists in one step, and again in a later one.
const FIRST_WAITS: u32 = 8;

/// Steps without a list after one that was not used; twice as many for each further one.
const PAUSE_MIN: u8 = 2;
const PAUSE_MAX: u8 = 128;

/// Octets that were appended since all were put in the order of rows; with more than these and half
/// of all octets, they are put in that order again.
const APPENDED_MAX: usize = 256;

/// The lists of the rows that changed in the last step.
#[derive(Default)]
pub(crate) struct NeighborLists {
    /// One for each changed row that exists, in the order of rows.
    slots: Vec<Slot>,
    octets: Vec<BoxOctet>,
    dirty: DirtyCells,
    /// Number of steps since the lists were started.
    step: u32,
    /// Octets that are no longer in the order of rows.
    appended: usize,
    /// Whether most changed rows change in many steps, so that lists are worth making.
    are_wanted: bool,
    /// That of the frame whose changed rows these are.
    stamp: FrameStamp,
    spare_slots: Vec<Slot>,
    spare_octets: Vec<BoxOctet>,
}

buffers!(NeighborLists {
    leveled: slots, octets, dirty, spare_slots, spare_octets;
    own: ;
    plain: step, appended, are_wanted, stamp;
});

/// The list of neighbors of a changed row, and when the next one is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The box of the row in the last step, or [`NO_BOX`] if that is not known.
    aabb: RawAabb,
    /// The fat AABB, or [`NO_BOX`] if there is no list and none is to be made.
    pub(super) fat: RawAabb,
    /// The cells that it touches.
    cells: DirtyRect,
    /// The step in which the list was made.
    made: u32,
    first_octet: u32,
    octet_count: u8,
    /// Octets that the slot has, used or not.
    capacity: u8,
    /// Whether the list was used after the step in which it was made.
    was_used: bool,
    /// Steps until a list may be made.
    wait: u8,
    /// What `wait` becomes if the next list is not used.
    pause: u8,
}

plain_buffers!(Slot);

impl Slot {
    const NONE: Self = Self {
        aabb: NO_BOX,
        fat: NO_BOX,
        cells: DirtyRect::ZERO,
        made: 0,
        first_octet: 0,
        octet_count: 0,
        capacity: 0,
        was_used: false,
        wait: 0,
        pause: PAUSE_MIN,
    };

    fn octets(&self) -> Range<usize> {
        let first = self.first_octet as usize;
        first..first + usize::from(self.octet_count)
    }

    /// Plans the fat AABB of the next list of an active row that moved here, if it is worth making.
    fn plan(&mut self, before: &RawAabb, now: &RawAabb) {
        if !is_no_box(&self.fat) {
            if self.was_used {
                (self.wait, self.pause) = (0, PAUSE_MIN);
            } else {
                (self.wait, self.pause) = (self.pause, self.pause.saturating_mul(2).min(PAUSE_MAX));
            }
            self.fat = NO_BOX;
        }
        if self.wait > 0 {
            self.wait -= 1;
        } else {
            self.fat = fat_aabb(before, now);
        }
    }
}

/// Where a box will be in the next steps if it moves on as it did, and a little more. [`NO_BOX`] if
/// it moves too fast, or if `before` is not known.
fn fat_aabb(before: &RawAabb, now: &RawAabb) -> RawAabb {
    let moved: RawAabb = std::array::from_fn(|edge| now[edge] - before[edge]);
    let fastest = moved.iter().fold(0.0, |fastest: f32, v| fastest.max(v.abs()));
    let reach = (now[2] - now[0]).max(now[3] - now[1]) * REACH_MAX;
    // False if anything is NaN or infinite.
    if !(fastest * STEPS_MIN <= reach && reach < f32::INFINITY) || is_no_box(before) {
        return NO_BOX;
    }
    let beyond = |v: f32| (v * STEPS_AHEAD).clamp(0.0, reach) + fastest * TURN_MARGIN;
    [now[0] - beyond(-moved[0]), now[1] - beyond(-moved[1]), now[2] + beyond(moved[2]), now[3] + beyond(moved[3])]
}

/// What all tasks read.
#[derive(Clone, Copy)]
pub(super) struct SharedLists<'a> {
    octets: &'a [BoxOctet],
    dirty: &'a DirtyCells,
    are_wanted: bool,
    level: DetectedSimd,
}

impl SharedLists<'_> {
    /// If a changed row, whose box is `now`, has a valid list, calls `visit` with each listed body
    /// that overlaps it and returns `true`. Otherwise plans the next list.
    #[inline(always)]
    pub(super) fn visit(self, slot: &mut Slot, row: u32, now: &RawAabb, mut visit: impl FnMut(BodyRecord)) -> bool {
        let before = std::mem::replace(&mut slot.aabb, *now);
        if !(contains(&slot.fat, now) && self.dirty.is_clean(&slot.cells, slot.made)) {
            if is_no_box(&before) {
                slot.wait = (row % FIRST_WAITS) as u8;
            } else if self.are_wanted {
                slot.plan(&before, now);
            }
            return false;
        }
        slot.was_used = true;
        for octet in &self.octets[slot.octets()] {
            for lane in set_bits(self.level.octet_mask(octet.edges(), now)) {
                visit(octet.body(lane));
            }
        }
        true
    }

    /// Loads the list of a row.
    #[inline(always)]
    pub(super) fn prefetch(self, slot: &Slot) {
        self.octets[slot.octets()].iter().for_each(BoxOctet::prefetch);
    }
}

impl NeighborLists {
    /// Prepares a step in which these rows `changed`, after one in which `last` did. The lists
    /// belong to no frame until [`finish`](Self::finish).
    pub(super) fn begin(&mut self, changed: &ChangedSet, last: &ChangedSet, front: &Frame) {
        let stamp = std::mem::take(&mut self.stamp);
        if stamp.filing == 0 || stamp != front.moved.stamp || self.step == u32::MAX {
            self.step = 1;
            self.are_wanted = false;
            self.clear(changed.rows().len());
            self.dirty.begin(front.bands.bounds(), front.row_count);
        } else if changed.has_same_rows(last) {
            self.step += 1;
            self.are_wanted = true;
            self.put_in_order();
        } else {
            self.step += 1;
            self.are_wanted = 2 * changed.count_common(last) >= changed.len().max(last.len());
            if self.are_wanted {
                self.move_slots(changed.rows(), last.rows());
                self.put_in_order();
            } else {
                self.clear(changed.rows().len());
            }
        }
    }

    /// Drops all lists, for this many changed rows.
    fn clear(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize(count, Slot::NONE);
        self.octets.clear();
        self.appended = 0;
    }

    /// The step succeeded: the lists are those of its frame.
    pub(crate) fn finish(&mut self, stamp: FrameStamp) {
        self.stamp = stamp;
    }

    /// If the lists are those of the frame stamped `before`, they are now those of the one stamped
    /// `now`, in which nothing else changed.
    pub(crate) fn restamp(&mut self, before: FrameStamp, now: FrameStamp) {
        if self.stamp == before {
            self.stamp = now;
        }
    }

    /// The slots of the changed rows, and what tasks read.
    pub(super) fn parts(&mut self, level: DetectedSimd) -> (&mut [Slot], SharedLists<'_>) {
        (&mut self.slots, SharedLists { octets: &self.octets, dirty: &self.dirty, are_wanted: self.are_wanted, level })
    }

    /// Whether any list may have bodies: if one of these changes, that must be
    /// [noted](Self::note_left).
    pub(super) fn have_bodies(&self) -> bool {
        !self.octets.is_empty()
    }

    /// Notes that a row changes whose box was this in the last step (LIST-3).
    pub(super) fn note_left(&mut self, before: &RawAabb) {
        self.dirty.mark(before, self.step);
    }

    /// Loads a slot that [`make`](Self::make) will write.
    #[inline(always)]
    pub(super) fn prefetch_slot(&self, slot: usize) {
        prefetch(&self.slots[slot..=slot]);
    }

    /// Loads the octets of a slot that [`make`](Self::make) will write.
    #[inline(always)]
    pub(super) fn prefetch_octets(&self, slot: usize) {
        let Slot { first_octet, capacity, .. } = self.slots[slot];
        self.octets[first_octet as usize..][..usize::from(capacity)].iter().for_each(BoxOctet::prefetch);
    }

    /// Makes the list that was planned for a slot: these are the unchanged bodies that overlap the
    /// fat AABB. `None` if there are too many.
    pub(super) fn make(&mut self, slot: usize, neighbors: Option<&[BoxOctet]>) {
        let slot = &mut self.slots[slot];
        let Some(neighbors) = neighbors else {
            (slot.fat, slot.wait) = (NO_BOX, PAUSE_MAX);
            return;
        };
        let count = neighbors.len();
        if count > usize::from(slot.capacity) {
            (slot.first_octet, slot.capacity) = (self.octets.len() as u32, count as u8);
            self.appended += count;
            self.octets.extend_from_slice(neighbors);
        } else {
            self.octets[slot.first_octet as usize..][..count].copy_from_slice(neighbors);
        }
        slot.octet_count = count as u8;
        slot.cells = self.dirty.rect(&slot.fat);
        (slot.made, slot.was_used) = (self.step, false);
    }

    /// Moves the slots of the rows that changed in the last step too to their new positions, and
    /// notes where the others are now (LIST-3).
    fn move_slots(&mut self, changed: &[u32], last: &[u32]) {
        let Self { slots, spare_slots, dirty, step, .. } = self;
        spare_slots.clear();
        let mut before = last.iter().zip(&*slots).peekable();
        let mut settle = |slot: &Slot| dirty.mark(&slot.aabb, *step);
        for &row in changed {
            while let Some((_, slot)) = before.next_if(|&(&other, _)| other < row) {
                settle(slot);
            }
            let slot = before.next_if(|&(&other, _)| other == row);
            spare_slots.push(slot.map_or(Slot::NONE, |(_, slot)| *slot));
        }
        before.for_each(|(_, slot)| settle(slot));
        std::mem::swap(slots, spare_slots);
    }

    /// Puts the octets in the order of rows, if many are not, and drops those of no slot.
    fn put_in_order(&mut self) {
        let Self { slots, octets, spare_octets, appended, .. } = self;
        if *appended <= APPENDED_MAX.max(octets.len() / 2) {
            return;
        }
        spare_octets.clear();
        for slot in slots {
            let used = slot.octets();
            (slot.first_octet, slot.capacity) = (spare_octets.len() as u32, slot.octet_count);
            spare_octets.extend_from_slice(&octets[used]);
        }
        std::mem::swap(octets, spare_octets);
        *appended = 0;
    }
}
