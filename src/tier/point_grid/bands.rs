//! The bands of all size classes: built in one pass, then kept for queries.

use crate::geometry::RawAabb;
use crate::geometry::band_box::{BandAxes, BandBox};
use crate::memory::blocks::SoaBlocks;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::Buffers;
use crate::memory::cell_table::CellStarts;
use crate::memory::columns::SOA_PAD;
use crate::parallel;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::built_band::RawBand;
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::band::tables::{AppendTables, BandTables};
use crate::tier::point_grid::directory::{BandDirectory, ClassBands};
use crate::tier::point_grid::pieces::Pieces;
use crate::tier::point_grid::places::BandPlaces;
use std::ops::Range;

/// All bands, with the bodies filed in them.
///
/// A [`Filing`](super::filing::Filing) writes their records, and [`build_each`](Self::build_each)
/// builds them. They can be searched after that, unless their bodies are kept in columns
/// ([`ColumnBands`](crate::tier::point_grid::column_bands::ColumnBands)).
#[derive(Clone, Default)]
pub(crate) struct Bands {
    pub(super) slots: Vec<BandSlot>,
    pub(super) places: BandPlaces,
    /// Until bands are built: the pieces in which their records were filed.
    pub(super) pieces: Pieces,
    pub(super) tables: BandTables,
    pub(super) directory: BandDirectory,
    /// The instruction set of searches.
    pub(super) level: DetectedSimd,
}

/// The bodies of a band in cell order, and which of them are in which cell.
#[derive(Clone, Copy)]
pub(super) struct FiledCells<'a> {
    pub(super) blocks: SoaBlocks<'a>,
    pub(super) starts: CellStarts<'a>,
}

impl FiledCells<'_> {
    /// No bodies in no cells.
    pub(super) fn none() -> Self {
        Self { blocks: SoaBlocks::of(&[], 0), starts: CellStarts::none() }
    }

    /// The entries in the columns `x` of row `y`.
    #[inline]
    pub(super) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        self.starts.run(y, x)
    }
}

/// The sizes of the most common size class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommonSizes {
    /// The longest side in a sample of them. A few bodies may be larger.
    pub(crate) sampled_side: f32,
    /// None is larger than this.
    pub(crate) side_max: f32,
    /// How many bodies these are.
    pub(crate) count: usize,
}

impl Bands {
    /// Calls `pass` for every band, in parallel, with its index, its records and its task.
    ///
    /// There must be as many `tasks` as bands. `pass` has to build and keep each band that is not
    /// empty, and no other.
    pub(crate) fn build_each<T: Send>(
        &mut self,
        parallel: bool,
        tasks: &mut [T],
        pass: impl Fn(usize, RawBand<'_>, &mut T) + Send + Sync,
    ) {
        assert_eq!(tasks.len(), self.slots.len(), "a task for each band");
        let level = self.level;
        let (records, ghosts) = self.places.split_at_mut(first_ghost(&self.slots));
        let (pieces, slots) = (&self.pieces, &mut self.slots[..]);
        self.tables.replace(|append_tables| {
            let all = BandRun { first: 0, slots, records, ghosts, append_tables, level, tasks };
            all.for_each(parallel, pieces, &pass);
        });
        self.pieces.clear();
        self.directory.finish(&self.slots);
    }

    /// As [`build_each`](Self::build_each), one after the other on the calling thread, and only for
    /// bands that are not empty.
    pub(crate) fn build_in_order(&mut self, mut pass: impl FnMut(RawBand<'_>)) {
        let (pieces, level) = (&self.pieces, self.level);
        let (records, ghosts) = self.places.split_at_mut(first_ghost(&self.slots));
        let ghosts_start = records.len();
        let filled = self.slots.iter_mut().enumerate().filter(|(_, slot)| slot.filed_count() > 0);
        self.tables.replace(|append_tables| {
            for (band, slot) in filled {
                let (records, ghosts) =
                    (&mut records[slot.places.start..], &mut ghosts[slot.ghosts.start - ghosts_start..]);
                pass(raw_band(band, slot, pieces, (records, ghosts), append_tables, level));
            }
        });
        self.pieces.clear();
        self.directory.finish(&self.slots);
    }

    /// Files records in a single band, or in none if there are no records.
    pub(crate) fn file_in_one_band(&mut self, records: &[BodyRecord], level: DetectedSimd) {
        self.clear();
        self.level = level;
        if !records.is_empty() {
            self.pieces.set_single(records.len());
            let (axes, places) = (BandAxes::default(), 0..records.len() + SOA_PAD);
            self.places.records_mut(places.end)[..records.len()].copy_from_slice(records);
            let ghosts = places.end..places.end;
            self.slots.push(BandSlot::unbuilt(axes, places, ghosts));
        }
        self.directory.lay_out(std::iter::once(ClassBands {
            slots: 0..self.slots.len(),
            axes: BandAxes::default(),
            sides_max: [f32::INFINITY; 2],
            sampled_side: f32::INFINITY,
            bounds: None,
        }));
    }

    /// The records that were filed in a single band, while it is not built.
    pub(super) fn single_band_records(&self) -> &[BodyRecord] {
        self.places.records(0..self.slots.first().map_or(0, BandSlot::filed_count))
    }

    /// A copy without the memory that ghosts, oversized bodies, spare places and older steps took,
    /// if that is more than the rest.
    pub(crate) fn compacted(&self) -> Option<Self> {
        let places = self.places_end();
        let needed_places: usize = self.slots.iter().map(|slot| slot.places.len()).sum();
        let compact = || {
            let mut bands = Self {
                slots: self.slots.clone(),
                places: self.places.first(places),
                pieces: Pieces::default(),
                tables: self.tables.clone(),
                directory: self.directory.clone(),
                level: self.level,
            };
            bands.shrink_to_fit();
            bands
        };
        let held = self.places.bytes() + self.tables.bytes();
        let needed = needed_places * size_of::<BodyRecord>() + self.tables.used_bytes();
        (held > 2 * needed).then(compact)
    }

    /// The end of the places of all bands.
    pub(super) fn places_end(&self) -> usize {
        self.slots.last().map_or(0, |slot| slot.places.end)
    }

    /// Moves the bands together: there were places to spare after each when bodies were filed.
    fn drop_spare_places(&mut self) {
        let mut next = 0;
        for slot in &mut self.slots {
            let places = next..next + slot.places.len();
            if slot.places != places {
                self.places.move_to(next, slot.places.clone());
            }
            next = places.end;
            slot.places = places;
        }
    }

    /// Number of bands, with those that have no bodies.
    pub(crate) fn band_count(&self) -> usize {
        self.slots.len()
    }

    /// All bands, by index.
    pub(crate) fn slots(&self) -> &[BandSlot] {
        &self.slots
    }

    /// Indices of the bands whose bodies may overlap an area.
    pub(crate) fn bands_overlapping(&self, area: RawAabb) -> impl Iterator<Item = usize> {
        let classes = self.directory.classes().iter();
        classes.flat_map(move |class| self.directory.slots_overlapping(class, &class.axes.box_to_band(area)))
    }

    /// All size classes, smallest first.
    pub(crate) fn classes(&self) -> &[ClassBands] {
        self.directory.classes()
    }

    /// The sizes of the class with most of the filed bodies.
    pub(crate) fn common_sizes(&self) -> Option<CommonSizes> {
        let filed_count = |class: &ClassBands| self.slots[class.slots.clone()].iter().map(BandSlot::filed_count).sum();
        let sizes = self.classes().iter().map(|class| CommonSizes {
            sampled_side: class.sampled_side,
            side_max: class.sides_max[0].max(class.sides_max[1]),
            count: filed_count(class),
        });
        sizes.max_by_key(|sizes| sizes.count)
    }

    /// The instruction set of searches.
    pub(crate) fn level(&self) -> DetectedSimd {
        self.level
    }

    /// Whether no bodies are filed.
    pub(crate) fn is_empty(&self) -> bool {
        self.directory.classes().iter().all(|class| class.bounds.is_none())
    }

    /// Rows and boxes of all bodies, in cell order, band by band.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyRecord> + '_ {
        let filled = self.slots.iter().filter(|slot| slot.population() > 0);
        filled.flat_map(|slot| {
            let blocks = self.cells(slot).blocks;
            (0..blocks.len()).map(move |at| body(slot, &blocks, at))
        })
    }

    /// The bodies in a range of the cell order of a band.
    pub(crate) fn bodies_at(&self, band: usize, positions: Range<usize>) -> impl Iterator<Item = BodyRecord> + Clone {
        let slot = &self.slots[band];
        let blocks = self.cells(slot).blocks;
        let positions = positions.start.min(blocks.len())..positions.end.min(blocks.len());
        positions.map(move |at| body(slot, &blocks, at))
    }

    /// Rows of all bodies in cell order, in runs.
    pub(crate) fn row_runs(&self) -> impl Iterator<Item = &[u32]> {
        self.slots.iter().flat_map(|slot| self.rows_of(slot))
    }

    /// Rows of a band's bodies in cell order, in runs.
    pub(crate) fn rows_of(&self, slot: &BandSlot) -> impl Iterator<Item = &[u32]> + use<'_> {
        let filled = (slot.population() > 0).then(|| self.cells(slot).blocks.rows());
        filled.into_iter().flatten()
    }

    /// Sum over a band's cells of their population squared.
    pub(crate) fn population_squares(&self, slot: &BandSlot) -> f64 {
        let starts = self.cells(slot).starts.as_slice();
        starts.windows(2).map(|pair| f64::from(pair[1] - pair[0]).powi(2)).sum()
    }

    /// The cells of a built band.
    #[inline]
    pub(super) fn cells(&self, slot: &BandSlot) -> FiledCells<'_> {
        if slot.population() == 0 {
            // A band without bodies is not built: it has no tables.
            return FiledCells::none();
        }
        let blocks = self.places.blocks(slot.places.clone(), slot.population());
        FiledCells { blocks, starts: slot.band.starts(self.tables_of(slot)) }
    }

    /// A number that orders points by band and cell, so that points with similar numbers read
    /// nearby memory.
    pub(crate) fn cell_sort_key(&self, point: [f32; 2]) -> u64 {
        let mut classes = self.directory.classes().iter();
        let Some(class) = classes.find(|class| class.bounds.is_some()) else { return 0 };
        let [x, y] = class.axes.point_to_band(point);
        let home = self.directory.home(class, y);
        let slot = &self.slots[home];
        let cell = match slot.population() {
            0 => 0,
            _ => slot.band.cell(self.tables_of(slot), [x, y]),
        };
        (slot.places.start + cell) as u64
    }

    /// The tables of a band.
    #[inline]
    pub(super) fn tables_of(&self, slot: &BandSlot) -> &[u32] {
        self.tables.of(&slot.table_range)
    }
}

impl Buffers for Bands {
    fn bytes(&self) -> usize {
        let Self { slots, places, pieces, tables, directory, level: _ } = self;
        slots.bytes() + places.bytes() + pieces.bytes() + tables.bytes() + directory.bytes()
    }

    fn reserve_like(&mut self, other: &Self) {
        let Self { slots, places, pieces, tables, directory, level: _ } = self;
        slots.reserve_like(&other.slots);
        places.reserve_like(&other.places);
        pieces.reserve_like(&other.pieces);
        tables.reserve_like(&other.tables);
        directory.reserve_like(&other.directory);
    }

    fn shrink_to_fit(&mut self) {
        self.drop_spare_places();
        let places_end = self.places_end();
        let Self { slots, places, pieces, tables, directory, level: _ } = self;
        // Ghosts, oversized bodies, spare places and older steps took the rest.
        places.truncate(places_end);
        Buffers::shrink_to_fit(slots);
        places.shrink_to_fit();
        pieces.shrink_to_fit();
        tables.shrink_to_fit();
        directory.shrink_to_fit();
    }
}

/// Adjacent bands with their memory and tasks.
struct BandRun<'a, T> {
    first: usize,
    slots: &'a mut [BandSlot],
    records: &'a mut [BodyRecord],
    ghosts: &'a mut [BodyRecord],
    append_tables: &'a AppendTables<'a>,
    level: DetectedSimd,
    tasks: &'a mut [T],
}

/// A band as it was filed. `records` begin with its first place, and `ghosts` with that of its
/// first ghost.
fn raw_band<'a>(
    band: usize,
    slot: &'a mut BandSlot,
    pieces: &'a Pieces,
    (records, ghosts): (&'a mut [BodyRecord], &'a mut [BodyRecord]),
    append_tables: &'a AppendTables<'a>,
    level: DetectedSimd,
) -> RawBand<'a> {
    RawBand {
        slot,
        records,
        pieces: pieces.owned(band),
        ghosts,
        ghost_pieces: pieces.ghosts(band),
        append_tables,
        level,
    }
}

/// The place of the first ghost of all bands. The records of their own bodies are before it.
fn first_ghost(slots: &[BandSlot]) -> usize {
    slots.first().map_or(0, |slot| slot.ghosts.start)
}

impl<'a, T: Send> BandRun<'a, T> {
    fn for_each(self, parallel: bool, pieces: &Pieces, pass: &(impl Fn(usize, RawBand<'_>, &mut T) + Send + Sync)) {
        if self.slots.len() > 1 {
            let (front, back) = self.halves();
            let front = || front.for_each(parallel, pieces, pass);
            let back = || back.for_each(parallel, pieces, pass);
            parallel::join(parallel, front, back);
            return;
        }
        let Self { first, slots, records, ghosts, append_tables, level, tasks } = self;
        if let ([slot], [task]) = (slots, tasks) {
            slot.thread = parallel::worker_index(parallel) as u32;
            pass(first, raw_band(first, slot, pieces, (records, ghosts), append_tables, level), task);
        }
    }

    fn halves(self) -> (Self, Self) {
        let Self { first, slots, records, ghosts, append_tables, level, tasks } = self;
        let middle = slots.len() / 2;
        let [places_before, ghosts_before] = [slots[0].places.start, slots[0].ghosts.start];
        let (records, back_records) = records.split_at_mut(slots[middle].places.start - places_before);
        let (ghosts, back_ghosts) = ghosts.split_at_mut(slots[middle].ghosts.start - ghosts_before);
        let (slots, back_slots) = slots.split_at_mut(middle);
        let (tasks, back_tasks) = tasks.split_at_mut(middle);
        let back = BandRun {
            first: first + middle,
            slots: back_slots,
            records: back_records,
            ghosts: back_ghosts,
            append_tables,
            level,
            tasks: back_tasks,
        };
        (BandRun { first, slots, records, ghosts, append_tables, level, tasks }, back)
    }
}

/// A body of a band, with its box in the axes of the world.
#[inline]
fn body(slot: &BandSlot, blocks: &SoaBlocks<'_>, at: usize) -> BodyRecord {
    BodyRecord { aabb: slot.axes.box_to_world(BandBox::from_edges(blocks.aabb(at))), row: blocks.row(at) }
}
