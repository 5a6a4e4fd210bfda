//! Tiers 1 and 2 against tier 3.
//!
//! Which way is the fastest depends on the statics that a band has:
//!
//! - Few: they are searched for in the band, like bodies of other bands.
//! - More, evenly distributed, and the bodies are of the most common size: each body is tested with
//!   the list of its cell. The lists are made once for all steps.
//! - More than bodies, or as many where a search of the band reads many bodies: its bodies search a
//!   point grid of the statics, in which these are sorted once for all steps.
//! - More, but that grid does not suit, as where most statics are in a pile: its bodies search a
//!   packed tree of the statics, which is built once for all steps.
//! - More, but its bodies touch few of them, or are too few for what would have to be made; and in
//!   a step that is told which rows changed: its bodies search the static tree, in groups of up to
//!   64 that are near each other.
//!
//! So the cost depends on the bodies and the statics near them, however many statics there are
//! elsewhere.
//!
//! STATIC-1: filters and circles only remove pairs. They determine neither the search nor the order
//! of pairs.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::frame::static_grid::{PackedStatics, StaticBands, StaticLists};
use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::box_group::{BoxGroup, GROUP_MAX};
use crate::memory::pair_sink::PairSink;
use crate::simd::{CellRect, CellView, Probe};
use crate::tier::point_grid::band::built_band::BuiltBand;
use crate::tier::point_grid::band::other_method::{GatheredBoxes, Others};
use crate::tier::point_grid::cell_lists::CellLists;
use std::ops::Range;
use std::sync::Arc;

/// Statics are searched for in a band if there are at most this many for four of its bodies.
const STATICS_PER_4_BODIES: usize = 5;

/// There are taken to be more, without counting them, if the leaves that the band touches have more
/// entries per body than this. A static may have several.
const ENTRIES_PER_BODY: usize = 4;

/// The grid of the statics is used if there are at most this many for each body of the band.
/// Otherwise, to make it could take longer than all steps that use it.
const STATICS_PER_BODY: usize = 1000;

/// And if at most this many for each body are not in its cells: they are too large, in a pile, or
/// changed.
const LOOSE_STATICS_PER_BODY: usize = 4;

/// And if a search of it takes a body at most this many nanoseconds, in the mean of a sample. A
/// longer one tests many statics that the body does not touch; a packed tree has fewer of these.
const PROBE_NS_MAX: f64 = 200.0;

/// Statics are listed if there are at most this many for each body of the most common size.
/// Otherwise, to make lists could take longer than the next thousand steps gain by them.
const LISTED_STATICS_PER_BODY: usize = 50;

/// Lists of statics are used if the leaves of the tree that a band touches have at least one entry
/// for so many bodies.
const BODIES_PER_ENTRY: usize = 4;

/// And if at most this many have to be tested for a body, in the mean of a sample.
const LISTED_MAX: usize = 64;

/// The packed tree is used if the leaves of the static tree that a body touches have more entries
/// than this, in the mean of a sample. Otherwise bodies search the static tree, which is faster if
/// they touch few statics or none.
const ENTRIES_MAX: usize = 16;

/// Bodies of that sample. It is large because most statics may be in a pile that few bodies touch.
const TOUCHING_SAMPLE: usize = 128;

/// More entries of a body are not counted. A search skips parts of long leaves.
const ENTRIES_COUNTED: usize = 2048;

/// A search of the grid for a body takes at least this many nanoseconds, where it has statics.
const PROBE_NS_MIN: f64 = 30.0;

/// Few statics are searched for in the band nevertheless, unless that is estimated to take this
/// many times as long: estimates are not exact, and the grid has to be made.
const CLEARLY_FASTER: f64 = 1.5;

/// Bodies of the samples.
const BODY_SAMPLE: usize = 16;

/// Bodies that search the grid one after the other.
const PROBES_AT_ONCE: usize = 128;

/// Oversized bodies search in groups if each is near this many of its group, in the mean, itself
/// included.
const GROUPED_FROM: usize = 8;

/// Statics of one body that are collected before their pairs are written.
const PAIRS_AT_ONCE: usize = 64;

/// How the pairs of a band's bodies with statics are found: see the head of this file.
enum Way<'s> {
    Lists(Arc<StaticLists>),
    /// Few statics, which the band has gathered, are searched for in it.
    InBand(GatheredBoxes),
    Grid(&'s StaticBands),
    Packed(&'s PackedStatics),
    Groups,
}

impl<'s> Way<'s> {
    /// Chooses the way for a band. `found` is a buffer.
    fn of(pass: &PassContext<'s>, band: &mut BuiltBand<'_>, found: &mut Vec<BodyRecord>) -> Self {
        if let Some(lists) = lists_for(pass, band) {
            return Self::Lists(lists);
        }
        let (step, population, bounds) = (&pass.step, band.band().population(), band.bounds());
        let statics = &step.statics.tree;
        let may_be_few =
            statics.len() <= population || statics.has_entries_up_to(ENTRIES_PER_BODY * population, &bounds);
        let are_few =
            |found: &mut Vec<BodyRecord>| (found.len() <= STATICS_PER_4_BODIES * population / 4).then_some(());
        found.clear();
        if may_be_few && statics.collect(&bounds, found, are_few).is_some() {
            let gathered = band.gather(found.iter().copied());
            return grid_if_faster(step, band, gathered.ns()).map_or(Self::InBand(gathered), Self::Grid);
        }
        let grid = grid_for(step, band).map(|(grid, _)| Self::Grid(grid));
        grid.or_else(|| packed_for(step, band).map(Self::Packed)).unwrap_or(Self::Groups)
    }
}

/// Finds the pairs of a band's bodies with statics. `None` once the pair limit is exceeded.
pub(crate) fn find_band_pairs<'s>(
    pass: &PassContext<'s>,
    band: &mut BuiltBand<'_>,
    SearchScratch { found, .. }: &mut SearchScratch,
    sink: &mut PairSink<'s>,
) -> Option<()> {
    let step @ StepContext { level, are_circles, .. } = &pass.step;
    match Way::of(pass, band, found) {
        Way::Lists(lists) => {
            find_loose_pairs(step, band, &lists.left_out, found, sink)?;
            search_lists(pass, &lists, band, sink)
        }
        Way::InBand(gathered) => {
            let what = Others::Statics(step.statics.tree.filters());
            band.pairs_with_gathered(gathered, what, sink)
        }
        Way::Grid(grid) => {
            find_loose_pairs(step, band, &grid.left_out, found, sink)?;
            search_each(pass, band, |probes, sink| grid.filed.scan(probes, *are_circles, sink), sink)
        }
        Way::Packed(packed) => {
            find_loose_pairs(step, band, &packed.left_out, found, sink)?;
            search_each(pass, band, |probes, sink| packed.filed.scan(*level, probes, *are_circles, sink), sink)
        }
        Way::Groups => {
            let whole = CellRect { x: 0..band.band().columns(), y: 0..band.band().rows() };
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

/// The most statics outside of cells with which the bodies of a band may search cells or a packed
/// tree. `None` if the band has too few bodies, if too many statics changed, or in a step
/// that is told which rows changed.
fn loose_max(step: &StepContext<'_>, band: &BuiltBand<'_>) -> Option<usize> {
    let population = band.band().population();
    let most = LOOSE_STATICS_PER_BODY * population;
    let suits = step.uses_static_grid
        && step.statics.tree.len().div_ceil(STATICS_PER_BODY) <= population
        && step.statics.tree.changed_count() <= most;
    suits.then_some(most)
}

/// The lists of the statics, if the bodies of a band are small enough for these, and if the band
/// has so many statics, and these so evenly, that nothing else is faster.
fn lists_for(pass: &PassContext<'_>, band: &BuiltBand<'_>) -> Option<Arc<StaticLists>> {
    let (population, bodies) = (band.band().population(), band.cells().columns());
    let loose_max = loose_max(&pass.step, band)?;
    if pass.step.statics.tree.has_entries_up_to(population / BODIES_PER_ENTRY, &band.bounds()) {
        return None;
    }
    let sizes = pass.common_sizes?;
    if pass.step.statics.tree.len() > LISTED_STATICS_PER_BODY * sizes.count {
        return None;
    }
    // Lists for smaller bodies are shorter; those for all are made only if some body needs them.
    let lists = [sizes.sampled_side, sizes.side_max]
        .into_iter()
        .find_map(|side| pass.step.statics.lists(side, |side| CellLists::suit(side, bodies)))?;
    if lists.left_out.len() > loose_max {
        return None;
    }
    let (mut tested, mut sampled) = (0, 0);
    for first in (0..population).step_by(population.div_ceil(BODY_SAMPLE)) {
        let mut ranges = [[0; 2]];
        lists.filed.find(bodies, first, band.axes().is_exchanged(), &mut ranges);
        let [[start, end]] = ranges;
        (tested, sampled) = (tested + (end - start) as usize, sampled + 1);
    }
    (tested <= LISTED_MAX * sampled).then_some(lists)
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

/// The grid of the statics, if to search it for each body of a band is clearly faster than what is
/// estimated to take `ns` nanoseconds.
fn grid_if_faster<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>, ns: f64) -> Option<&'s StaticBands> {
    let ns_per_body = ns / band.band().population() as f64;
    // Before the grid is made.
    if ns_per_body < CLEARLY_FASTER * PROBE_NS_MIN {
        return None;
    }
    let (grid, probe_ns) = grid_for(step, band)?;
    (CLEARLY_FASTER * probe_ns < ns_per_body).then_some(grid)
}

/// The grid of the statics, and about how long a search of it takes for a body of a band, in
/// nanoseconds; `None` if it does not suit the band, or that is too long.
fn grid_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<(&'s StaticBands, f64)> {
    let loose_max = loose_max(step, band)?;
    let grid = step.statics.bands(step.level)?;
    let probe_ns = mean_probe_ns(grid, band);
    (grid.left_out.len() <= loose_max && probe_ns <= PROBE_NS_MAX).then_some((grid, probe_ns))
}

/// The statics in a packed tree, if it suits the band and its bodies touch many statics in the mean
/// of a sample.
fn packed_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<&'s PackedStatics> {
    loose_max(step, band)?;
    let (mut entries, mut sampled) = (0, 0);
    for body in sample(band, TOUCHING_SAMPLE) {
        entries += step.statics.tree.entries_near(ENTRIES_COUNTED, &body.aabb);
        sampled += 1;
    }
    if entries > ENTRIES_MAX * sampled { step.statics.packed() } else { None }
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

/// About how long a search of the grid takes for a body, in nanoseconds: the mean of a sample.
fn mean_probe_ns(grid: &StaticBands, band: &BuiltBand<'_>) -> f64 {
    let (sum, sampled) = sample(band, BODY_SAMPLE)
        .fold((0.0, 0), |(sum, sampled), body| (sum + grid.filed.probe_ns(&body.aabb), sampled + 1));
    sum / f64::from(sampled)
}

/// Up to `most` of the bodies of a band.
fn sample<'b>(band: &'b BuiltBand<'_>, most: usize) -> impl Iterator<Item = BodyRecord> + 'b {
    let population = band.band().population();
    band.bodies(0..population).step_by(population.div_ceil(most))
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
