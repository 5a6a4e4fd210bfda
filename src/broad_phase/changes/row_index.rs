//! Where each row is filed, so that single rows can be moved.
//!
//! - CHANGE-1: a row is filed once: in the bands of the frame, among the rows that changed in the
//!   last step, among those that changed before and left their cells, or among the oversized ones.
//!   Its entry in the bands, if it has one, is outdated unless that is where it is filed.
//! - CHANGE-2: a frame of the same filing that is some updates behind the index differs from the
//!   frame of the index only in the rows and places of the logs of these updates, apart from
//!   changed, settled and oversized bodies.
//!
//! Changed rows are filed in each step. One that no longer changes returns to its entry if it is
//! still in the same cell. Otherwise it is *settled*: all settled bodies are filed again whenever
//! one is added or removed. Once that has cost as much as filing all rows, all rows are filed: so
//! settled bodies cost at most as much again as the best choice would.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::changes::Changes;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::PairFinder;
use crate::frame::frame::Frame;
use crate::frame::moved::FrameStamp;
use crate::geometry::{NO_BOX, RawAabb};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::prefetch::prefetch;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::update::BandPlace;

/// Updates whose rows are remembered: a frame that is further behind is copied as a whole.
const LOG_COUNT: usize = 4;

/// Rows that are loaded ahead of being moved.
const AHEAD: usize = 16;

/// The band of a settled body, which is in no band: `at` is its position in `settled`.
const SETTLED: u32 = u32::MAX;
/// The band of an oversized body, likewise.
const OVERSIZED: u32 = u32::MAX - 1;
/// The place of a row that is in no band and in neither list.
const NO_PLACE: BandPlace = BandPlace { band: u32::MAX - 2, at: 0 };

/// Whether a place is in a band. The three values above are larger than all numbers of bands.
#[inline(always)]
fn is_in_band(place: BandPlace) -> bool {
    place.band < NO_PLACE.band
}

/// Where the rows of the last step are filed.
#[derive(Default)]
pub(crate) struct RowIndex {
    /// By row (CHANGE-1). For a row that changed in the last step, its entry in the bands.
    places: Vec<BandPlace>,
    /// The bodies in the frame's bands of changed rows: those that changed in the last step,
    /// without oversized ones and those that stayed in their cells. In ascending order of rows.
    in_changed_bands: Vec<BodyRecord>,
    settled: Vec<BodyRecord>,
    oversized: Vec<BodyRecord>,
    /// Bodies that turned out to be too large for the bands, in one filing.
    too_large: Vec<BodyRecord>,
    /// That of the frame to which all of this belongs.
    stamp: FrameStamp,
    /// Number of filings so far.
    filings: u64,
    /// The last updates; that of number `k` is at `k % LOG_COUNT`.
    logs: [ChangeLog; LOG_COUNT],
    /// Settled bodies that were filed, summed over the updates.
    filed_again: usize,
    /// Numbers of the last updates in which settled and oversized bodies changed.
    settled_update: u64,
    oversized_update: u64,
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
    /// Copies the replaced boxes between bands of the same filing.
    fn copy_boxes(&self, from: &Bands, to: &mut Bands) {
        for (k, &place) in self.places.iter().enumerate() {
            if let Some(&ahead) = self.places.get(k + AHEAD) {
                from.prefetch_box(ahead);
                to.prefetch_box(ahead);
            }
            to.copy_box(from, place);
        }
    }

    /// Copies the values of the changed rows between columns, either of which may be empty.
    fn copy_rows<T: Copy + Default>(&self, from: &[T], to: &mut Vec<T>) {
        to.resize(from.len(), T::default());
        let rows = self.rows.iter().map(|&row| row as usize).filter(|&row| row < from.len());
        rows.for_each(|row| to[row] = from[row]);
    }
}

buffers!(RowIndex {
    leveled: places, in_changed_bands, settled, oversized, too_large;
    own: logs;
    plain: stamp, filings, filed_again, settled_update, oversized_update;
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
        (self.filed_again, self.settled_update, self.oversized_update) = (0, 0, 0);
        self.in_changed_bands.clear();
        self.settled.clear();
        self.places.clear();
        self.places.resize(frame.row_count, NO_PLACE);
        frame.bands.for_each_place(|row, place| self.places[row as usize] = place);
        self.oversized.clear();
        for &record in frame.oversized.records() {
            self.places[record.row as usize] = BandPlace { band: OVERSIZED, at: self.oversized.len() as u32 };
            self.oversized.push(record);
        }
        frame.moved.begin(frame.row_count, self.stamp);
    }

    /// Makes `next` a copy of `front`, to which this index belongs, by copying what has changed if
    /// `next` is an earlier state of it (CHANGE-2). The bands of the changed bodies are left out:
    /// an update replaces them.
    pub(crate) fn catch_up(&self, next: &mut Frame, front: &Frame) {
        let before = next.moved.stamp;
        match self.logs_since(before) {
            None => {
                next.bands.copy_from(&front.bands);
                next.filters.clone_from(&front.filters);
            }
            Some(logs) => logs.for_each(|log| {
                log.copy_boxes(&front.bands, &mut next.bands);
                log.copy_rows(&front.filters, &mut next.filters);
            }),
        }
        let is_behind = |changed: u64| before.filing != self.stamp.filing || before.updates < changed;
        if is_behind(self.settled_update) {
            next.moved.settled_bands.copy_from(&front.moved.settled_bands);
        }
        if is_behind(self.oversized_update) {
            next.oversized.clone_from(&front.oversized);
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

    /// Moves the changed rows in the frame, which is that of the index or a copy of it. `filed` has
    /// the changed bodies in its tiers; its bands may be exchanged for others.
    ///
    /// If most changed rows are newly changed, those that are still in their cells stay there, as
    /// they probably will not change in the next step. The others are filed again, and the bands of
    /// `filed` are not used.
    ///
    /// The index belongs to no frame if this panics.
    pub(crate) fn update(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        changes: Changes<'_>,
        filed: &mut Frame,
        frame: &mut Frame,
    ) {
        let bodies = changes.bodies;
        let row_count = filed.row_count;
        let stamp = std::mem::take(&mut self.stamp);
        let stamp = FrameStamp { updates: stamp.updates + 1, ..stamp };
        let mut log = std::mem::take(&mut self.logs[log_at(stamp.updates)]);
        log.rows.clear();
        log.rows.extend(bodies.iter().map(|body| body.row));
        log.places.clear();
        frame.moved.begin_update();
        self.places.resize(self.places.len().max(row_count), NO_PLACE);
        // The same rows again, each of which is among the changed bodies already.
        let are_all_out = self.in_changed_bands.len() == bodies.len() && changes.rows.has_same_rows(changes.last);
        let mut most_are_newly_changed = false;
        if are_all_out {
            let records = self.in_changed_bands.iter_mut().zip(bodies);
            records.for_each(|(record, body)| record.aabb = body.aabb);
        } else {
            self.settle(changes.rows, stamp, frame, &mut log);
            self.in_changed_bands.clear();
            most_are_newly_changed =
                2 * bodies.iter().filter(|body| !changes.is_active(body.row)).count() > bodies.len();
            self.take_out(changes, stamp, frame, &mut log, most_are_newly_changed);
        }
        if most_are_newly_changed {
            self.file_changed(finder, step, stamp, frame);
        } else {
            self.too_large.clear();
            self.too_large.extend_from_slice(filed.oversized.records());
            self.add_oversized(stamp);
            std::mem::swap(&mut frame.moved.changed_bands, &mut filed.bands);
        }
        self.places.truncate(row_count);
        if self.settled_update == stamp.updates {
            self.file_settled(finder, step, stamp, frame);
        }
        if self.oversized_update == stamp.updates {
            frame.oversized.rebuild(&self.oversized);
        }
        self.logs[log_at(stamp.updates)] = log;
        frame.moved.stamp = stamp;
        self.stamp = stamp;
    }

    /// Counts an update that changes nothing in the frame of the index.
    pub(crate) fn count_update(&mut self, frame: &mut Frame) {
        self.stamp.updates += 1;
        let ChangeLog { rows, places } = &mut self.logs[log_at(self.stamp.updates)];
        rows.clear();
        places.clear();
        frame.moved.stamp = self.stamp;
        frame.ids_stamp = self.stamp;
    }

    /// Returns the rows that changed in the last step, but not in this one, to their entries in the
    /// bands if they are still in the same cells, or settles them.
    fn settle(&mut self, changed: &ChangedSet, stamp: FrameStamp, frame: &mut Frame, log: &mut ChangeLog) {
        let Self { places, in_changed_bands: last, settled, settled_update, .. } = self;
        last.retain(|body| !changed.contains(body.row));
        for (k, &body) in last.iter().enumerate() {
            let row_ahead = |ahead: usize| last.get(k + ahead).map(|body| body.row);
            prefetch_ahead(places, &frame.bands, row_ahead(2 * AHEAD), row_ahead(AHEAD));
            let place = &mut places[body.row as usize];
            if *place != NO_PLACE && frame.bands.replace_box(*place, &body.aabb) {
                frame.moved.set_current(body.row);
                log.places.push(*place);
            } else {
                *place = BandPlace { band: SETTLED, at: settled.len() as u32 };
                settled.push(body);
                *settled_update = stamp.updates;
            }
        }
    }

    /// Takes the changed rows out of where they are filed, and lists those that exist. If they
    /// `may_stay`, a newly changed row whose box is still in its cell stays there, and `log` has
    /// its place.
    fn take_out(
        &mut self,
        changes: Changes<'_>,
        stamp: FrameStamp,
        frame: &mut Frame,
        log: &mut ChangeLog,
        may_stay: bool,
    ) {
        let Self { places, in_changed_bands, settled, oversized, settled_update, oversized_update, .. } = self;
        let no_oversized = oversized.is_empty();
        // It was taken out in the last step or before, and has not settled since.
        let is_out = |frame: &Frame, body: &ChangedBody| {
            no_oversized && body.exists() && changes.is_active(body.row) && frame.moved.is_outdated(body.row)
        };
        for (k, body) in changes.bodies.iter().enumerate() {
            let ahead =
                |ahead: usize| changes.bodies.get(k + ahead).filter(|body| !is_out(frame, body)).map(|body| body.row);
            prefetch_ahead(places, &frame.bands, ahead(2 * AHEAD), ahead(AHEAD).filter(|_| may_stay));
            let &ChangedBody { row, aabb, .. } = body;
            if is_out(frame, body) {
                in_changed_bands.push(BodyRecord { aabb, row });
                continue;
            }
            let (place, exists) = (places[row as usize], body.exists());
            match place.band {
                SETTLED => {
                    remove_at(settled, places, place);
                    *settled_update = stamp.updates;
                }
                OVERSIZED => {
                    remove_at(oversized, places, place);
                    *oversized_update = stamp.updates;
                }
                _ if place == NO_PLACE => {}
                _ => {
                    if may_stay && exists && !changes.is_active(row) && frame.bands.replace_box(place, &aabb) {
                        log.places.push(place);
                        continue;
                    }
                    frame.moved.set_outdated(row);
                }
            }
            if !is_in_band(place) || !exists {
                places[row as usize] = NO_PLACE;
            }
            in_changed_bands.extend(exists.then_some(BodyRecord { aabb, row }));
        }
    }

    /// Files the changed rows that were taken out.
    fn file_changed(&mut self, finder: &mut PairFinder, step: StepContext<'_>, stamp: FrameStamp, frame: &mut Frame) {
        self.too_large.clear();
        finder.file_bodies(step, &self.in_changed_bands, &mut frame.moved.changed_bands, &mut self.too_large);
        self.add_oversized(stamp);
    }

    /// Files all settled bodies.
    fn file_settled(&mut self, finder: &mut PairFinder, step: StepContext<'_>, stamp: FrameStamp, frame: &mut Frame) {
        self.filed_again += self.settled.len();
        self.too_large.clear();
        finder.file_bodies(step, &self.settled, &mut frame.moved.settled_bands, &mut self.too_large);
        self.add_oversized(stamp);
    }

    /// Makes the changed or settled bodies that turned out to be too large oversized ones.
    fn add_oversized(&mut self, stamp: FrameStamp) {
        let Self { places, in_changed_bands, settled, oversized, too_large, oversized_update, .. } = self;
        if too_large.is_empty() {
            return;
        }
        for &record in &*too_large {
            let place = places[record.row as usize];
            if place.band == SETTLED {
                remove_at(settled, places, place);
            }
            places[record.row as usize] = BandPlace { band: OVERSIZED, at: oversized.len() as u32 };
            oversized.push(record);
        }
        in_changed_bands.retain(|body| places[body.row as usize].band != OVERSIZED);
        *oversized_update = stamp.updates;
    }

    /// Writes the box of each row, or NaN, from a frame that has [caught up](Self::catch_up).
    pub(crate) fn write_boxes(&self, frame: &Frame, boxes: &mut Vec<RawAabb>) {
        boxes.clear();
        boxes.resize(self.places.len(), NO_BOX);
        let in_bands = frame.bands.bodies().filter(|body| !frame.moved.is_outdated(body.row));
        let elsewhere = self.in_changed_bands.iter().chain(&self.settled).chain(&self.oversized).copied();
        in_bands.chain(elsewhere).for_each(|BodyRecord { aabb, row }| boxes[row as usize] = aabb);
    }

    /// Loads what [`prefetch_box`](Self::prefetch_box) reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        if let Some(place) = self.places.get(row as usize) {
            prefetch(std::slice::from_ref(place));
        }
    }

    /// Loads what [`aabb`](Self::aabb) reads.
    #[inline(always)]
    pub(crate) fn prefetch_box(&self, frame: &Frame, row: u32) {
        match self.places.get(row as usize).copied() {
            Some(BandPlace { band: SETTLED, at }) => prefetch(&self.settled[at as usize..=at as usize]),
            Some(place) if is_in_band(place) => frame.bands.prefetch_box(place),
            _ => {}
        }
    }

    /// The box at the place of a row; `None` if it has none. It is outdated if the row changed in
    /// the last step and did not stay in its cell.
    pub(crate) fn aabb(&self, frame: &Frame, row: u32) -> Option<RawAabb> {
        let place = *self.places.get(row as usize)?;
        match place.band {
            SETTLED => Some(self.settled[place.at as usize].aabb),
            OVERSIZED => Some(self.oversized[place.at as usize].aabb),
            _ => (place != NO_PLACE).then(|| frame.bands.box_at(place)),
        }
    }
}

/// Loads the place of one row, and the box at the place of another, if that is in a band.
#[inline(always)]
fn prefetch_ahead(places: &[BandPlace], bands: &Bands, of_place: Option<u32>, of_box: Option<u32>) {
    if let Some(row) = of_place {
        prefetch(&places[row as usize..=row as usize]);
    }
    if let Some(place) = of_box.map(|row| places[row as usize]).filter(|&place| is_in_band(place)) {
        bands.prefetch_box(place);
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
