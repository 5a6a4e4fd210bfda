//! Bands of boxes that stay where they are, to be searched for many others in each step.
//!
//! They are filed and sorted once, as the bodies of a step are. Their tasks leave them in columns
//! ([`SoaColumns`]), as a scan reads them, where those of a frame become blocks for queries.
//!
//! Cost: that of filing for [`build`](ColumnBands::build); a search of a few cells in each size
//! class for each probe.

use crate::geometry::{RawAabb, overlaps, union};
use crate::input::filter::Filter;
use crate::input::filter::PairRules;
use crate::memory::body_record::{BodyRecord, RecordRows, sort_by_row};
use crate::memory::buffers::Buffers;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, fill_filters};
use crate::memory::pair_sink::PairSink;
use crate::simd::{CellRect, CellView, DetectedSimd, PairOrder, Probe};
use crate::tier::fixed_boxes::FixedBoxes;
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::cell_searches::rect_ns;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::pairs::SEARCHES_AT_ONCE;
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::filing::Filing;
use crate::tier::point_grid::partition::FileOptions;
use crate::tier::point_grid::size_classes::ClassOptions;
use std::ops::Range;

/// A cell is crowded if it has more boxes than this. A band is crowded if the cells of its boxes
/// have more in the mean.
const CROWDED: u16 = 1024;

/// How often boxes are filed again without those of crowded cells.
const REFILINGS: usize = 3;

/// At most one box in so many may be in a crowded cell.
const CROWDED_ONE_IN: usize = 4;

/// Bands whose bodies are in columns.
pub(crate) struct ColumnBands {
    bands: Bands,
    /// The filters of all bands, two words for each place; empty if there are none.
    filters: Vec<u32>,
}

impl ColumnBands {
    /// Files boxes, whose edges must be finite, on the calling thread. Also returns those that are
    /// not filed, ascending by row: they are too large for every size class, or in crowded cells,
    /// where all probes nearby would be tested with them.
    ///
    /// `None` if too many are in crowded cells.
    pub(crate) fn build(records: &[BodyRecord], level: DetectedSimd) -> Option<(Self, Vec<BodyRecord>)> {
        let (mut bands, mut left_out) = Self::file(records, level);
        let mut crowded = Vec::new();
        for _ in 0..REFILINGS {
            let rows = bands.crowded_rows();
            if rows.is_empty() {
                break;
            }
            crowded.extend(rows);
            if crowded.len() > records.len() / CROWDED_ONE_IN {
                return None;
            }
            crowded.sort_unstable();
            let is_crowded = |record: &BodyRecord| crowded.binary_search(&record.row).is_ok();
            let (aside, rest): (Vec<_>, Vec<_>) = records.iter().partition(|record| is_crowded(record));
            (bands, left_out) = Self::file(&rest, level);
            left_out.extend(aside);
            sort_by_row(&mut left_out);
        }
        let are_crowded = bands.crowded().next().is_some();
        (!are_crowded).then_some((bands, left_out))
    }

    /// Files boxes. Also returns those that are too large for every size class.
    fn file(records: &[BodyRecord], level: DetectedSimd) -> (Self, Vec<BodyRecord>) {
        let (mut filing, mut bands, rows) = (Filing::default(), Bands::default(), RecordRows(records));
        let options = ClassOptions { bounds: &[], has_oversized_tier: true, cell_size: CellSize::ForSearches };
        filing.plan(&rows, options, level);
        let options = FileOptions { skip_invalid: false, level, parallel: false };
        let filed = filing.file(&rows, options, &mut bands);
        debug_assert!(filed.is_ok(), "the boxes are valid");
        let oversized = filing.oversized(&bands).to_vec();
        let mut scratch = BandScratch::default();
        bands.build_in_order(|band| {
            band.build(CellSize::ForSearches, PairRules::default(), &mut scratch).keep_columns();
        });
        // Oversized boxes and ghosts took the rest.
        bands.shrink_to_fit();
        (Self { bands, filters: Vec::new() }, oversized)
    }

    fn crowded(&self) -> impl Iterator<Item = &BandSlot> {
        self.bands.slots().iter().filter(|slot| slot.band.crowding > f32::from(CROWDED))
    }

    /// The rows in crowded cells of crowded bands.
    fn crowded_rows(&self) -> Vec<u32> {
        let mut rows = Vec::new();
        for slot in self.crowded() {
            let starts = slot.band.starts(self.bands.tables_of(slot));
            let cells = starts.as_slice().windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
            for cell in cells.filter(|cell| cell.len() > usize::from(CROWDED)) {
                rows.extend_from_slice(&self.columns(slot).rows()[cell]);
            }
        }
        rows
    }

    /// Reports the pairs of a probe and a box that overlap, the row of the probe first, band by
    /// band. `None` once the pair limit is exceeded.
    ///
    /// Probes may be circles, which must overlap the box too. Their filters count if boxes have
    /// filters.
    pub(crate) fn scan(&self, probes: &[Probe], are_circles: bool, sink: &mut PairSink<'_>) -> Option<()> {
        let Some(area) = probes.iter().map(|probe| probe.aabb).reduce(|a, b| union(&a, &b)) else {
            return Some(());
        };
        let mut searches: [(CellRect, Probe); SEARCHES_AT_ONCE] = Default::default();
        for slot in self.slots_near(area) {
            let (bounds, lookup, cells) = (slot.band.bounds(), lookup(&self.bands, slot), self.cells(slot));
            let scan = |searches: &[(CellRect, Probe)], sink: &mut PairSink<'_>| {
                self.bands.level().scan_rects(&cells, searches, PairOrder::ProbeFirst, are_circles, sink)
            };
            let mut count = 0;
            for probe in probes {
                let aabb = slot.axes.box_to_band(probe.aabb);
                if !bounds.overlaps(&aabb) {
                    continue;
                }
                searches[count] = (lookup.rect(&aabb), Probe { aabb: *aabb.edges(), ..*probe });
                count += 1;
                if count == SEARCHES_AT_ONCE {
                    scan(&searches, sink)?;
                    count = 0;
                }
            }
            scan(&searches[..count], sink)?;
        }
        Some(())
    }

    /// About how long a probe takes, in nanoseconds.
    pub(crate) fn probe_ns(&self, aabb: &RawAabb) -> f64 {
        let ns = |slot| rect_ns(&self.cells(slot), &lookup(&self.bands, slot).rect(&slot.axes.box_to_band(*aabb)));
        self.slots_near(*aabb).map(ns).sum()
    }

    /// The bands whose bodies may overlap an area.
    fn slots_near(&self, area: RawAabb) -> impl Iterator<Item = &BandSlot> {
        let slots = self.bands.bands_overlapping(area).map(|band| &self.bands.slots()[band]);
        slots.filter(move |slot| slot.population() > 0 && overlaps(&slot.bounds(), &area))
    }

    fn columns(&self, slot: &BandSlot) -> SoaColumns<'_> {
        self.bands.places.columns(slot.places.clone(), slot.population())
    }

    fn cells(&self, slot: &BandSlot) -> CellView<'_> {
        let cells = CellView::new(self.columns(slot), slot.band.starts(self.bands.tables_of(slot)));
        if self.filters.is_empty() { cells } else { cells.with_filters(&self.filters[filters_of(&slot.places)]) }
    }
}

impl FixedBoxes for ColumnBands {
    fn set_filters(&mut self, filter_of: impl Fn(u32) -> Filter) {
        let mut filters = vec![0; 2 * self.bands.places_end()];
        for slot in self.bands.slots().iter().filter(|slot| slot.population() > 0) {
            let rows = &self.columns(slot).rows()[..slot.population()];
            let words = &mut filters[filters_of(&slot.places)];
            fill_filters(words, slot.population(), rows.iter().map(|&row| filter_of(row)));
        }
        self.filters = filters;
    }

    // The box is the one that was built, or NaN, so the reach of its band stays right.
    fn set_box(&mut self, row: u32, filed: &RawAabb, aabb: &RawAabb) {
        let place = self.slots_near(*filed).find_map(|slot| {
            let [x, y, ..] = lookup(&self.bands, slot).of_edges(&slot.axes.box_to_band(*filed));
            let cells = self.cells(slot);
            let at = cells.run(y, &(x..x + 1)).find(|&at| cells.columns().rows()[at] == row)?;
            Some((slot.places.clone(), slot.population(), at, slot.axes))
        });
        if let Some((places, population, at, axes)) = place {
            let words = self.bands.places.words_mut(places);
            SoaColumnsMut::of(words, population).set_box(at, axes.box_to_band(*aabb).edges());
        }
    }

    fn bytes(&self) -> usize {
        self.bands.bytes() + self.filters.bytes()
    }
}

/// Finds the cells of a band.
fn lookup<'a>(bands: &'a Bands, slot: &BandSlot) -> CellLookup<'a> {
    slot.band.lookup(bands.tables_of(slot))
}

/// Where the filters of a band are: two words for each of its places.
fn filters_of(places: &Range<usize>) -> Range<usize> {
    2 * places.start..2 * places.end
}
