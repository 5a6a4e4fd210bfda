//! Tiers 1 and 2 against tier 3.
//!
//! How the bodies of a band find their pairs is chosen in `static_way`. The cost depends on the
//! bodies and the statics near them, however many statics there are elsewhere.
//!
//! STATIC-1: filters and circles only remove pairs. They determine neither the search nor the order
//! of pairs.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_way::StaticWay;
use crate::frame::static_grid::StaticLists;
use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::box_group::{BoxGroup, GROUP_MAX};
use crate::memory::pair_sink::PairSink;
use crate::simd::{CellRect, CellView, Probe};
use crate::tier::point_grid::band::built_band::BuiltBand;
use crate::tier::point_grid::band::other_method::Others;
use std::ops::Range;

/// Bodies that search the grid one after the other.
const PROBES_AT_ONCE: usize = 128;

/// Oversized bodies search in groups if each is near this many of its group, in the mean, itself
/// included.
const GROUPED_FROM: usize = 8;

/// Statics of one body that are collected before their pairs are written.
const PAIRS_AT_ONCE: usize = 64;

/// Finds the pairs of a band's bodies with statics. `None` once the pair limit is exceeded.
pub(crate) fn find_band_pairs<'s>(
    pass: &PassContext<'s>,
    band: &mut BuiltBand<'_>,
    SearchScratch { found, .. }: &mut SearchScratch,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    let step @ StepContext { level, are_circles, .. } = &pass.step;
    match StaticWay::of(pass, band, found) {
        StaticWay::Lists(lists) => {
            find_loose_pairs(step, band, &lists.left_out, found, sink)?;
            search_lists(pass, &lists, band, sink)
        }
        StaticWay::InBand(gathered) => {
            let what = Others::Statics(step.statics.tree.filters());
            band.pairs_with_gathered(gathered, what, sink)
        }
        StaticWay::Grid(grid) => {
            find_loose_pairs(step, band, &grid.left_out, found, sink)?;
            search_each(pass, band, |probes, sink| grid.filed.scan(probes, *are_circles, sink), sink)
        }
        StaticWay::Packed(packed) => {
            find_loose_pairs(step, band, &packed.left_out, found, sink)?;
            search_each(pass, band, |probes, sink| packed.filed.scan(*level, probes, *are_circles, sink), sink)
        }
        StaticWay::Groups => {
            let whole = CellRect { x: 0..band.band().column_count(), y: 0..band.band().row_count() };
            GroupPass { pass, group: BoxGroup::new(), sink }.search_tile(band.cells(), band.axes(), whole)
        }
    }
}

/// Finds the pairs of a band's bodies with the statics that are not in cells: those that changed
/// since the tree was built, those that are too large, and piles.
fn find_loose_pairs(
    step: &StepContext<'_>,
    band: &mut BuiltBand<'_>,
    left_out: &[BodyRecord],
    found: &mut Vec<BodyRecord>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    found.clear();
    step.statics.tree.collect_recent(&band.bounds(), found);
    found.extend_from_slice(left_out);
    band.pairs_with(found.iter().copied(), Others::Statics(step.statics.tree.filters()), sink)
}

/// Finds the pairs of a band's bodies with the statics in their lists.
fn search_lists(
    pass: &PassContext<'_>,
    lists: &StaticLists,
    band: &BuiltBand<'_>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let (bodies, boxes, axes) = (band.cells().columns(), lists.filed.boxes(), band.axes());
    // Filters are tested only if statics have some.
    let own_filters = if boxes.filters().is_none() { pass.filters_by_row } else { None };
    let mut ranges = [[0; 2]; PROBES_AT_ONCE];
    for first in (0..bodies.len()).step_by(PROBES_AT_ONCE) {
        let ranges = &mut ranges[..PROBES_AT_ONCE.min(bodies.len() - first)];
        lists.filed.find(bodies, first, axes.is_exchanged(), ranges);
        if let Some(filters) = own_filters {
            for (range, &row) in ranges.iter_mut().zip(&bodies.rows()[first..]) {
                if !filters[row as usize].interacts_with(Filter::ALL) {
                    *range = [0; 2];
                }
            }
        }
        pass.step.level.scan_lists((bodies, first), (boxes, ranges), axes.is_exchanged(), sink)?;
    }
    Some(())
}

/// Finds the pairs that `scan` finds of the bodies of a band, many at a time.
#[inline(never)]
fn search_each<'s>(
    pass: &PassContext<'s>,
    band: &BuiltBand<'_>,
    scan: impl Fn(&[Probe], &mut PairSink<'s>) -> Option<()>,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    let rules = pass.rules();
    let mut probes = [Probe::default(); PROBES_AT_ONCE];
    for start in (0..band.band().population()).step_by(PROBES_AT_ONCE) {
        let mut count = 0;
        for BodyRecord { aabb, row } in band.bodies(start..start + PROBES_AT_ONCE) {
            let filter = rules.filter(row);
            probes[count] = Probe { aabb, row, filter };
            // Left out if it interacts with nothing: filters are tested only if statics have some.
            count += usize::from(filter.interacts_with(Filter::ALL));
        }
        scan(&probes[..count], sink)?;
    }
    Some(())
}

/// Finds the pairs of some oversized bodies with statics. `None` once the pair limit is exceeded.
///
/// They search the tree in groups where they are less than a leaf apart, otherwise one by one: a
/// group takes longer for each leaf, and reads it once for all bodies that touch it.
pub(crate) fn find_oversized_pairs<'s>(
    pass: &PassContext<'s>,
    bodies: &[BodyRecord],
    SearchScratch { found, .. }: &mut SearchScratch,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    if pass.step.statics.tree.is_empty() {
        return Some(());
    }
    let mut grouped = GroupPass { pass, group: BoxGroup::new(), sink };
    let [width, height] = pass.step.statics.tree.mean_leaf_size();
    for bodies in bodies.chunks(GROUP_MAX) {
        grouped.group.clear();
        for BodyRecord { aabb: [min_x, min_y, max_x, max_y], row } in bodies {
            let edges = [min_x, min_y, max_x, max_y].map(std::slice::from_ref);
            grouped.group.extend(edges, std::slice::from_ref(row));
        }
        let near = |[min_x, min_y, max_x, max_y]: RawAabb| {
            let area = [min_x - width, min_y - height, max_x + width, max_y + height];
            pass.step.level.group_mask(grouped.group.edges(), &area) & grouped.group.all()
        };
        let near_pairs: u32 = bodies.iter().map(|body| near(body.aabb).count_ones()).sum();
        if near_pairs as usize >= GROUPED_FROM * bodies.len() {
            grouped.search_group()?;
        } else {
            bodies.iter().try_for_each(|body| search_alone(pass, body, found, grouped.sink))?;
        }
    }
    Some(())
}

/// Finds the pairs of one body with statics.
fn search_alone<'s>(
    pass: &PassContext<'s>,
    body: &BodyRecord,
    found: &mut Vec<BodyRecord>,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    found.clear();
    pass.step.statics.tree.collect(&body.aabb, found, |found| match found.len() < PAIRS_AT_ONCE {
        true => Some(()),
        false => write_pairs(pass, body, found, sink),
    })?;
    write_pairs(pass, body, found, sink)
}

/// Writes the pairs of a body with the statics in `found`, which overlap its box, and empties
/// `found`.
fn write_pairs<'s>(
    pass: &PassContext<'s>,
    body: &BodyRecord,
    found: &mut Vec<BodyRecord>,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    let (rules, statics) = (pass.rules(), &pass.step.statics.tree);
    if rules.filters_by_row.is_some() || statics.has_filters() {
        let filter = rules.filter(body.row);
        found.retain(|of| filter.interacts_with(statics.filter_of(of.row)));
    }
    if rules.are_circles {
        found.retain(|of| rules.body_touches_static(&body.aabb, &of.aabb));
    }
    let slots = sink.room(found.len())?;
    slots.iter_mut().zip(&*found).for_each(|(slot, of)| *slot = [body.row, of.row]);
    sink.advance(found.len());
    found.clear();
    Some(())
}

/// Bodies that search the static tree in groups.
struct GroupPass<'p, 's> {
    pass: &'p PassContext<'s>,
    group: BoxGroup,
    sink: &'p mut PairSink<'s>,
}

impl GroupPass<'_, '_> {
    /// Finds the pairs of the bodies in a rectangle of cells.
    fn search_tile(&mut self, cells: &CellView<'_>, axes: BandAxes, tile: CellRect) -> Option<()> {
        let runs = || tile.y.clone().map(|y| cells.run(y, &tile.x)).filter(|run| !run.is_empty());
        let count: usize = runs().map(|run| run.len()).sum();
        if count == 0 {
            return Some(());
        }
        if count > GROUP_MAX && tile.x.len() * tile.y.len() > 1 {
            return halves(tile).into_iter().try_for_each(|half| self.search_tile(cells, axes, half));
        }
        self.group.clear();
        for run in runs() {
            // A single cell may have more bodies than a group.
            for start in run.clone().step_by(GROUP_MAX) {
                let part = start..run.end.min(start + GROUP_MAX);
                if self.group.len() + part.len() > GROUP_MAX {
                    self.search_group()?;
                    self.group.clear();
                }
                self.add(cells, axes, part);
            }
        }
        self.search_group()
    }

    /// Adds bodies of a band to the group.
    fn add(&mut self, cells: &CellView<'_>, axes: BandAxes, part: Range<usize>) {
        let columns = cells.columns();
        let mins = axes.point_to_world([columns.min_x(), columns.min_y()]);
        let maxs = axes.point_to_world([columns.max_x(), columns.max_y()]);
        let edges = [mins[0], mins[1], maxs[0], maxs[1]].map(|column| &column[part.clone()]);
        self.group.extend(edges, &columns.rows()[part]);
    }

    /// Finds the pairs of the group.
    fn search_group(&mut self) -> Option<()> {
        let step = &self.pass.step;
        step.statics.tree.search_group(step.level, &self.group, self.pass.rules(), self.sink)
    }
}

/// The tile cut across its longer side.
fn halves(CellRect { x, y }: CellRect) -> [CellRect; 2] {
    if x.len() >= y.len() {
        let middle = x.start + x.len() / 2;
        [CellRect { x: x.start..middle, y: y.clone() }, CellRect { x: middle..x.end, y }]
    } else {
        let middle = y.start + y.len() / 2;
        [CellRect { x: x.clone(), y: y.start..middle }, CellRect { x, y: middle..y.end }]
    }
}
