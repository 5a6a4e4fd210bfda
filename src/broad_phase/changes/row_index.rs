//! Where each row is filed, so that single rows can be moved.
//!
//! - CHANGE-1: a row is filed once: in the bands of the frame, among the moved bodies, or among the
//!   oversized ones. Its entry in the bands is outdated unless that is where it is filed.
//! - CHANGE-2: a frame with the stamp of the index, less some updates, differs from one with its
//!   stamp only in the rows of the logs of these updates.
//!
//! All moved bodies are filed again in each step. Once that has cost as much as filing all rows,
//! all rows are filed: so moved bodies cost at most as much again as the best choice would.

use crate::broad_phase::changes::changed_body::{ChangedBody, NO_BOX, is_jump};
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::PairFinder;
use crate::broad_phase::sleepers::cached_rows::RecordRows;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::moved::FrameStamp;
use crate::frame::phases::PhaseTimes;
use crate::geometry::RawAabb;
use crate::memory::buffers::buffers;
use crate::memory::record::BodyRecord;
use crate::prefetch::prefetch;
use crate::tier::point_grid::update::BandPlace;

/// Updates whose rows are remembered: a frame that is further behind is copied as a whole.
const LOG_COUNT: usize = 4;

/// Rows that are loaded ahead of being moved.
const AHEAD: usize = 16;

/// Numbers of bands that do not exist: the row is filed among the moved or the oversized bodies,
/// and `at` is its position there; or it is not filed at all.
const MOVED: u32 = u32::MAX;
const OVERSIZED: u32 = u32::MAX - 1;
const NOWHERE: BandPlace = BandPlace { band: u32::MAX - 2, at: 0 };

/// Where the rows of the last step are filed.
#[derive(Default)]
pub(crate) struct RowIndex {
    /// By row (CHANGE-1).
    places: Vec<BandPlace>,
    moved: Vec<BodyRecord>,
    /// For each moved body, the number of a place in the bands near it.
    near: Vec<u32>,
    oversized: Vec<BodyRecord>,
    /// That of the frame to which all of this belongs.
    stamp: FrameStamp,
    /// Number of filings so far.
    filings: u64,
    /// The last updates; that of number `k` is at `k % LOG_COUNT`.
    logs: [ChangeLog; LOG_COUNT],
    /// Moved bodies that were filed, summed over the updates.
    filed_again: usize,
    /// Number of updates at which oversized bodies changed last.
    oversized_changed: u64,
}

/// What an update changed in a frame.
#[derive(Default)]
pub(crate) struct ChangeLog {
    /// Rows that existed before or exist now.
    rows: Vec<u32>,
    /// Places of the bands where boxes were replaced.
    places: Vec<BandPlace>,
}

impl ChangeLog {
    /// Copies the values of the changed rows between columns, either of which may be empty.
    fn copy_rows<T: Copy + Default>(&self, from: &[T], to: &mut Vec<T>) {
        to.resize(from.len(), T::default());
        let rows = self.rows.iter().map(|&row| row as usize).filter(|&row| row < from.len());
        rows.for_each(|row| to[row] = from[row]);
    }
}

buffers!(RowIndex {
    leveled: places, moved, near, oversized;
    own: logs;
    plain: stamp, filings, filed_again, oversized_changed;
});
buffers!(ChangeLog { leveled: rows, places; own: ; plain: ; });

impl RowIndex {
    /// Whether the index belongs to a frame.
    pub(crate) fn is_of(&self, frame: &Frame) -> bool {
        self.stamp.filing > 0 && self.stamp == frame.moved.stamp
    }

    /// Forgets everything: the next step files all rows.
    pub(crate) fn clear(&mut self) {
        self.stamp = FrameStamp::default();
    }

    /// Releases all memory. Numbers of filings are not used again.
    pub(crate) fn drop_rows(&mut self) {
        *self = Self { filings: self.filings, ..Self::default() };
    }

    /// Whether all rows should be filed again.
    pub(crate) fn is_worn(&self) -> bool {
        self.filed_again > self.places.len()
    }

    /// Starts from a frame that filed all its rows.
    pub(crate) fn begin(&mut self, frame: &mut Frame) {
        self.filings += 1;
        self.stamp = FrameStamp { filing: self.filings, updates: 0 };
        (self.filed_again, self.oversized_changed) = (0, 0);
        self.moved.clear();
        self.near.clear();
        self.places.clear();
        self.places.resize(frame.row_count, NOWHERE);
        frame.bands.for_each_place(|row, place| self.places[row as usize] = place);
        self.oversized.clear();
        for record in frame.oversized.records() {
            self.places[record.row as usize] = BandPlace { band: OVERSIZED, at: self.oversized.len() as u32 };
            self.oversized.push(record);
        }
        frame.moved.begin(frame.row_count, self.stamp);
    }

    /// Makes `next` a copy of `front`, to which this index belongs, by copying what has changed if
    /// `next` is an earlier state of it (CHANGE-2). The bands of moved bodies are left out: an
    /// update files these again.
    pub(crate) fn catch_up(&self, next: &mut Frame, front: &Frame) {
        match self.logs_since(next.moved.stamp) {
            None => {
                next.bands.copy_from(&front.bands);
                next.filters.clone_from(&front.filters);
                next.oversized.clone_from(&front.oversized);
            }
            Some(logs) => {
                for log in logs {
                    for (k, &place) in log.places.iter().enumerate() {
                        if let Some(&ahead) = log.places.get(k + AHEAD) {
                            front.bands.prefetch_box(ahead);
                            next.bands.prefetch_box(ahead);
                        }
                        next.bands.copy_box(&front.bands, place);
                    }
                    log.copy_rows(&front.filters, &mut next.filters);
                }
                if next.moved.stamp.updates < self.oversized_changed {
                    next.oversized.clone_from(&front.oversized);
                }
            }
        }
        // Ids move between frames where they can, so those of `next` may be older or newer than it.
        match self.logs_since(next.ids_stamp) {
            None => next.ids.clone_from(&front.ids),
            Some(logs) => logs.for_each(|log| log.copy_rows(&front.ids, &mut next.ids)),
        }
        next.moved.copy_marks(&front.moved);
    }

    /// The logs of the updates after a stamp, if it is one of the same filing and not too old.
    fn logs_since(&self, stamp: FrameStamp) -> Option<impl Iterator<Item = &ChangeLog>> {
        let behind = self.stamp.updates.wrapping_sub(stamp.updates);
        let is_known = stamp.filing == self.stamp.filing && behind <= LOG_COUNT as u64;
        is_known.then(|| (stamp.updates..self.stamp.updates).map(|before| &self.logs[log_at(before + 1)]))
    }

    /// Moves the changed rows in the frame, which is a copy of the one that the index belongs to.
    ///
    /// The index belongs to no frame if this panics or returns an error.
    pub(crate) fn update(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        (bodies, row_count): (&[ChangedBody], usize),
        frame: &mut Frame,
    ) -> Result<(), Error> {
        let stamp = std::mem::take(&mut self.stamp);
        let stamp = FrameStamp { updates: stamp.updates + 1, ..stamp };
        let mut log = std::mem::take(&mut self.logs[log_at(stamp.updates)]);
        log.rows.clear();
        log.rows.extend(bodies.iter().map(|body| body.row));
        log.places.clear();
        log.places.reserve(bodies.len());
        frame.moved.start_use();
        self.places.resize(self.places.len().max(row_count), NOWHERE);
        self.move_rows(bodies, stamp, frame, &mut log);
        self.places.truncate(row_count);
        self.file_moved(finder, step, stamp, frame)?;
        if self.oversized_changed == stamp.updates {
            frame.oversized.rebuild(&self.oversized);
        }
        self.logs[log_at(stamp.updates)] = log;
        frame.moved.stamp = stamp;
        self.stamp = stamp;
        Ok(())
    }

    fn move_rows(&mut self, bodies: &[ChangedBody], stamp: FrameStamp, frame: &mut Frame, log: &mut ChangeLog) {
        for (k, &ChangedBody { row, aabb, .. }) in bodies.iter().enumerate() {
            if let Some(ahead) = bodies.get(k + 2 * AHEAD) {
                prefetch(&self.places[ahead.row as usize..=ahead.row as usize]);
            }
            if let Some(place) = bodies.get(k + AHEAD).and_then(|ahead| self.place(ahead.row)) {
                frame.bands.prefetch_box(place);
            }
            if aabb[0].is_nan() {
                self.remove(row, stamp, frame);
                continue;
            }
            let (place, body) = (self.places[row as usize], BodyRecord { aabb, row });
            match place.band {
                MOVED => {
                    let moved = &mut self.moved[place.at as usize];
                    if is_jump(&moved.aabb, &aabb) {
                        self.near[place.at as usize] = frame.bands.place_number_for(&aabb) as u32;
                    }
                    *moved = body;
                }
                OVERSIZED => {
                    self.oversized[place.at as usize] = body;
                    self.oversized_changed = stamp.updates;
                }
                _ if place != NOWHERE && frame.bands.replace_box(place, &aabb) => log.places.push(place),
                _ => {
                    let mut near = None;
                    if place != NOWHERE {
                        frame.moved.set_outdated(row);
                        near = (!is_jump(&frame.bands.box_at(place), &aabb)).then(|| frame.bands.place_number(place));
                    }
                    self.near.push(near.unwrap_or_else(|| frame.bands.place_number_for(&aabb)) as u32);
                    self.places[row as usize] = BandPlace { band: MOVED, at: self.moved.len() as u32 };
                    self.moved.push(body);
                }
            }
        }
    }

    /// Removes a row that does not exist any more.
    fn remove(&mut self, row: u32, stamp: FrameStamp, frame: &mut Frame) {
        let place = self.places[row as usize];
        match place.band {
            MOVED => self.remove_moved(place),
            OVERSIZED => {
                remove_at(&mut self.oversized, &mut self.places, place);
                self.oversized_changed = stamp.updates;
            }
            _ if place != NOWHERE => frame.moved.set_outdated(row),
            _ => {}
        }
        self.places[row as usize] = NOWHERE;
    }

    fn remove_moved(&mut self, place: BandPlace) {
        remove_at(&mut self.moved, &mut self.places, place);
        self.near.swap_remove(place.at as usize);
    }

    /// Files all moved bodies; those that are too large for every class become oversized ones.
    fn file_moved(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        stamp: FrameStamp,
        frame: &mut Frame,
    ) -> Result<(), Error> {
        let bands = &mut frame.moved.bands;
        if self.moved.is_empty() {
            bands.clear();
            return Ok(());
        }
        self.filed_again += self.moved.len();
        finder.file(step, &RecordRows(&self.moved), false, bands, &mut PhaseTimes::default())?;
        for &record in finder.oversized(bands) {
            let place = self.places[record.row as usize];
            self.remove_moved(place);
            self.places[record.row as usize] = BandPlace { band: OVERSIZED, at: self.oversized.len() as u32 };
            self.oversized.push(record);
            self.oversized_changed = stamp.updates;
        }
        finder.build_bands(step, bands);
        Ok(())
    }

    /// The place of a row, if it is filed in the bands of the frame.
    #[inline(always)]
    pub(crate) fn place(&self, row: u32) -> Option<BandPlace> {
        self.places.get(row as usize).copied().filter(|place| place.band < NOWHERE.band)
    }

    /// Writes the box of each row, or NaN, from a frame that has [caught up](Self::catch_up).
    pub(crate) fn write_boxes(&self, frame: &Frame, boxes: &mut Vec<RawAabb>) {
        boxes.clear();
        boxes.resize(self.places.len(), NO_BOX);
        let in_bands = frame.bands.bodies().filter(|body| !frame.moved.is_outdated(body.row));
        let elsewhere = self.moved.iter().chain(&self.oversized).copied();
        in_bands.chain(elsewhere).for_each(|BodyRecord { aabb, row }| boxes[row as usize] = aabb);
    }

    /// A sort key: rows with similar keys are near each other in the frame that the index belongs
    /// to. `aabb` is the box of a row that is not filed there.
    #[inline(always)]
    pub(crate) fn sort_key(&self, frame: &Frame, row: u32, aabb: &RawAabb) -> u64 {
        match self.places.get(row as usize).copied().unwrap_or(NOWHERE) {
            BandPlace { band: MOVED, at } => u64::from(self.near[at as usize]),
            place if place.band < NOWHERE.band => frame.bands.place_number(place),
            _ => frame.bands.place_number_for(aabb),
        }
    }

    /// Loads what [`sort_key`](Self::sort_key) reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(place) = self.places.get(row as usize) {
            prefetch(std::slice::from_ref(place));
        }
    }

    /// The box of a row in the frame that the index belongs to, if it is filed there.
    pub(crate) fn aabb(&self, frame: &Frame, row: u32) -> Option<RawAabb> {
        let place = *self.places.get(row as usize)?;
        match place.band {
            MOVED => Some(self.moved[place.at as usize].aabb),
            OVERSIZED => Some(self.oversized[place.at as usize].aabb),
            _ => (place != NOWHERE).then(|| frame.bands.box_at(place)),
        }
    }
}

/// Where the log of an update is.
fn log_at(update: u64) -> usize {
    update as usize % LOG_COUNT
}

/// Removes an element of a list; the last one takes its position.
fn remove_at(list: &mut Vec<BodyRecord>, places: &mut [BandPlace], place: BandPlace) {
    list.swap_remove(place.at as usize);
    if let Some(moved) = list.get(place.at as usize) {
        places[moved.row as usize] = place;
    }
}
