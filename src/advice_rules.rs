//! When each advice applies.

use crate::advice::{Advice, SingleThreadCause};
use crate::broad_phase::sleepers::cache::MarkedRows;
use crate::config::WorldConfig;
use crate::contacts::events::tracker::ContactTracker;
use crate::frame::frame::Frame;
use crate::frame::frames::KeptSteps;
use crate::history::StepHistory;
use crate::memory::body_record::BodyRecord;
use crate::memory::step_bits::StepBits;
use crate::report::{GridReport, Report};
use crate::state::WorldState;
use std::sync::OnceLock;

/// Worlds with fewer bodies get no advice about time: their steps are short in any case.
const BODIES_MIN: usize = 1000;

/// Smaller static sets are built in less than a tenth of a millisecond.
const STATICS_MIN: usize = 256;

/// Bodies from which a second thread saves half a millisecond or more.
const PARALLEL_MIN: usize = 32_000;

/// Of this many bodies, more than one is oversized. A step of 100,000 bodies of `crowd` takes 1.6
/// times as long if one in 15 is, and twelve times if all are.
const OVERSIZED_SHARE: usize = 20;

/// Crowding above which a grid is worth advice, unless bodies have an eighth as many pairs.
const CROWDING_MAX: f32 = 32.0;
const CROWDING_PER_PAIR: f32 = 8.0;

/// Of the last [`StepBits::LEN`] steps, this many make a habit.
const HABIT_MIN: usize = StepBits::LEN / 2;

/// A step that starts again takes up to three times as long as a full one: from here on, full steps
/// would be as fast.
const RESTARTS_MIN: usize = StepBits::LEN / 3;

/// Steps that compare marked rows pause when this many in a row gained nothing.
const MOVING_STEPS_MIN: usize = 4;

/// A pair limit is near once less than one pair in this many is left.
const PAIR_LIMIT_SHARE: usize = 10;

/// Fewer contacts than this take no time.
const CONTACTS_MIN: usize = 1000;

/// Bodies of each band whose coordinates are looked at.
const COORDINATES_PER_BAND: usize = 4;

/// Coordinates are coarse if a body is smaller than this many of their steps, or has no size, as
/// points have too, and a step is at least this long.
const COARSE_STEPS: f32 = 8.0;
const COARSE_STEP_OF_POINTS: f32 = 0.5;

/// Earlier steps that snapshots keep without a cost: steps reuse the memory of older ones.
const KEPT_STEPS_MAX: usize = 2;

/// What to change in the settings and calls of a world, by the report of its last step.
pub(crate) fn advice(world: &WorldState, report: &Report) -> Vec<Advice> {
    let WorldState { config, frames, broad_phase, contacts, history, .. } = world;
    let tracker = contacts.events.as_deref();
    (about_pair_limit(config, report).into_iter())
        .chain(about_grids(config, frames.front(), report))
        .chain(about_threads(config, history, report))
        .chain(about_calls(history, report))
        .chain(about_removed_statics(report))
        .chain(about_sleepers(broad_phase.sleepers.marks))
        .chain(tracker.and_then(|tracker| about_margin(config, tracker, report)))
        .chain(about_coordinates(frames.front()))
        .chain(about_snapshots(frames.kept_by_snapshots()))
        .collect()
}

/// Advice about bounds and cells: the first cause that applies.
fn about_grids(config: &WorldConfig, frame: &Frame, report: &Report) -> Option<Advice> {
    let (bounds, body_count) = (config.bounds(), report.body_count());
    if body_count < BODIES_MIN {
        return None;
    }
    if let Some(&bound) = bounds.last()
        && report.oversized_count * OVERSIZED_SHARE > body_count
    {
        // Others are oversized because they would be in too many bands.
        let half_extents = frame.oversized.records().iter().map(half_extent);
        let above = half_extents.filter(|&half_extent| half_extent > bound);
        let (oversized_count, half_extent_max) =
            above.fold((0, 0.0), |(count, max): (usize, f32), half_extent| (count + 1, max.max(half_extent)));
        if oversized_count * OVERSIZED_SHARE > body_count {
            return Some(Advice::OversizedBodies { oversized_count, body_count, bound, half_extent_max });
        }
    }
    let is_crowded = |grid: &&GridReport| grid.crowding > CROWDING_MAX && grid.body_count * 10 > body_count;
    let &GridReport { half_extents_max: [x, y], body_count: in_grid, crowding, .. } =
        report.grids.iter().find(is_crowded)?;
    if report.body_pair_count as f32 * CROWDING_PER_PAIR >= crowding * body_count as f32 {
        return None; // The bodies overlap each other, so smaller cells would not help.
    }
    if let Some(cell_size) = config.cell_size() {
        return Some(Advice::LargeCellSize { cell_size, body_count: in_grid, crowding });
    }
    // The grid takes bodies up to its bound and a little more, for rounding.
    let bound = bounds.iter().copied().rfind(|&bound| bound <= x.max(y))?;
    Some(Advice::LargeBound { bound, body_count: in_grid, crowding })
}

/// The larger half-extent of a body.
fn half_extent(&BodyRecord { aabb: [x0, y0, x1, y1], .. }: &BodyRecord) -> f32 {
    (x1 - x0).max(y1 - y0) * 0.5
}

/// Advice about the threads of the last step of all rows.
fn about_threads(config: &WorldConfig, history: &StepHistory, report: &Report) -> Option<Advice> {
    let body_count = report.body_count();
    if body_count < PARALLEL_MIN || history.was_told || history.thread_count > 1 {
        return None;
    }
    // Asked for once: it reads files on some systems.
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    let available_count = *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let cause = match config.is_parallel(body_count) {
        _ if !cfg!(feature = "parallel") => SingleThreadCause::Feature,
        false => SingleThreadCause::Threshold(config.parallel_threshold()),
        true => SingleThreadCause::Pool,
    };
    (available_count > 1).then_some(Advice::SingleThread { body_count, available_count, cause })
}

/// Advice about the calls between steps, and about steps that are told what changed.
fn about_calls(history: &StepHistory, report: &Report) -> Vec<Advice> {
    let (body_count, static_count) = (report.body_count(), report.static_count);
    let mut advice = Vec::new();
    let step_count = history.set_statics.count();
    if step_count >= HABIT_MIN && static_count >= STATICS_MIN {
        advice.push(Advice::StaticsSetAgain { step_count, static_count, changed_count: history.changed_statics });
    }
    if body_count < BODIES_MIN || !history.was_told {
        return advice;
    }
    let step_count = history.told_many.count();
    if step_count >= HABIT_MIN {
        advice.push(Advice::ManyChangedRows { step_count, changed_count: history.many_rows, body_count });
    }
    let step_count = history.restarts.count();
    if step_count >= RESTARTS_MIN {
        advice.push(Advice::RestartedSteps { step_count, cause: history.restart_cause });
    }
    advice
}

/// Advice about rows of the static set that are not used again.
fn about_removed_statics(report: &Report) -> Option<Advice> {
    let (row_count, removed_count) = (report.static_count, report.static_removed_count);
    let applies = removed_count >= STATICS_MIN && 2 * removed_count > row_count;
    applies.then_some(Advice::RemovedStatics { row_count, removed_count })
}

/// Advice about rows that are marked as asleep.
fn about_sleepers(marks: MarkedRows) -> Option<Advice> {
    let applies = marks.count >= BODIES_MIN && marks.many_moved.count() >= MOVING_STEPS_MIN;
    applies.then_some(Advice::MovingSleepers { marked_count: marks.count, moved_count: marks.moved })
}

/// Advice about the number of pairs.
fn about_pair_limit(config: &WorldConfig, report: &Report) -> Option<Advice> {
    let (pair_count, pair_limit) = (report.pair_count(), config.pair_limit());
    let is_near = pair_count > 0 && pair_count >= pair_limit - pair_limit / PAIR_LIMIT_SHARE;
    is_near.then_some(Advice::NearPairLimit { pair_count, pair_limit })
}

/// Advice about tracked contacts.
fn about_margin(config: &WorldConfig, tracker: &ContactTracker, report: &Report) -> Option<Advice> {
    let (margin, contact_count, pair_count) = (config.margin(), tracker.contact_count(), report.pair_count());
    let applies = margin > 0.0 && contact_count >= CONTACTS_MIN && contact_count > pair_count * 2;
    applies.then_some(Advice::LargeMargin { margin, contact_count, pair_count })
}

/// Advice about bodies that are too far from the origin, by a sample of those in bands.
fn about_coordinates(frame: &Frame) -> Option<Advice> {
    let bands = &frame.bands;
    let sampled = bands.slots().iter().enumerate().flat_map(|(band, slot)| {
        let population = slot.population();
        let places = (0..population).step_by(population.div_ceil(COORDINATES_PER_BAND).max(1));
        places.flat_map(move |place| bands.bodies_at(band, place..place + 1))
    });
    let (mut count, mut coarse_count, mut last) = (0, 0, None);
    for BodyRecord { aabb: [x0, y0, x1, y1], .. } in sampled {
        let coordinate = x0.abs().max(y0.abs()).max(x1.abs()).max(y1.abs());
        let (spacing, size) = (coordinate.next_up() - coordinate, (x1 - x0).max(y1 - y0));
        let is_coarse = if size > 0.0 { size < COARSE_STEPS * spacing } else { spacing >= COARSE_STEP_OF_POINTS };
        count += 1;
        if is_coarse && spacing < f32::INFINITY {
            coarse_count += 1;
            last = Some(Advice::CoarseCoordinates { coordinate, spacing });
        }
    }
    last.filter(|_| 2 * coarse_count > count)
}

/// Advice about steps that snapshots keep.
fn about_snapshots(kept: KeptSteps) -> Option<Advice> {
    (kept.count > KEPT_STEPS_MAX).then_some(Advice::KeptSnapshots { step_count: kept.count, bytes: kept.bytes })
}
