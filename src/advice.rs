//! What to change, from the figures of a report.
//!
//! Advice is about what the caller can change. A world that is slow because its bodies overlap, or
//! are laid out as no grid likes them, gets none.

use crate::history::{RestartCause, StepHistory};
use crate::memory::step_bits::StepBits;
use std::fmt;
use std::sync::OnceLock;

/// A change to the settings or calls of a world that would make its steps faster or its memory
/// smaller, with the figures that say so.
///
/// `Display` is a sentence that names the call to change; [`World::report`](crate::World::report)
/// has an example. A world whose settings suit its bodies gets no advice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// Many bodies exceed the largest bound. The double grid, where they are, is meant for few.
    OversizedBodies {
        /// Bodies above the largest bound.
        oversized_count: usize,
        /// All bodies.
        body_count: usize,
        /// The largest bound of the settings.
        bound: f32,
        /// The largest half-extent of a body.
        half_extent_max: f32,
    },
    /// A bound is so large that many bodies share each cell of its grid.
    LargeBound {
        /// The bound of that grid.
        bound: f32,
        /// Bodies in that grid.
        body_count: usize,
        /// Mean number of bodies in a body's cell, that body included.
        crowding: f32,
    },
    /// The cell size of the settings is so large that many bodies share each cell.
    LargeCellSize {
        /// The cell size of the settings.
        cell_size: f32,
        /// Bodies in that grid.
        body_count: usize,
        /// Mean number of bodies in a body's cell, that body included.
        crowding: f32,
    },
    /// A large step ran on one thread, although the machine has several.
    SingleThread {
        /// Bodies of the step.
        body_count: usize,
        /// Threads that this process can run at the same time.
        available_count: usize,
        /// What prevented the use of other threads.
        cause: SingleThreadCause,
    },
    /// All statics were set again before most of the last steps, and each time a tree was built.
    StaticsSetAgain {
        /// Steps out of the last 16 before which that happened.
        step_count: usize,
        /// Rows of the set.
        static_count: usize,
        /// Rows whose boxes changed when the statics were set last.
        changed_count: usize,
    },
    /// Most of the last steps were told of so many changed rows that they stepped all rows.
    ManyChangedRows {
        /// Steps out of the last 16 in which that happened.
        step_count: usize,
        /// Rows that changed in the last of them, those added and removed included.
        changed_count: usize,
        /// Bodies of the last step.
        body_count: usize,
    },
    /// Several of the last steps were told of few changed rows, but had to step all rows.
    RestartedSteps {
        /// Steps out of the last 16 in which that happened.
        step_count: usize,
        /// Why the last of them had to.
        cause: RestartCause,
    },
    /// Many bodies move although they are marked as asleep.
    MovingSleepers {
        /// Rows that were marked.
        marked_count: usize,
        /// Those that changed since the step before.
        moved_count: usize,
    },
    /// The step has nearly as many pairs as the limit allows. With more, a step is an error.
    NearPairLimit {
        /// Pairs of bodies and with statics.
        pair_count: usize,
        /// The limit of the settings.
        pair_limit: usize,
    },
    /// The margin is so large that most tracked contacts are not pairs of the step.
    LargeMargin {
        /// The margin of the settings.
        margin: f32,
        /// Tracked contacts.
        contact_count: usize,
        /// Pairs of bodies and with statics.
        pair_count: usize,
    },
    /// Snapshots keep several earlier steps in memory.
    KeptSnapshots {
        /// Steps before the last one that snapshots keep.
        step_count: usize,
        /// Bytes held for the bodies of these steps.
        bytes: usize,
    },
}

/// Why a step ran on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SingleThreadCause {
    /// The library was compiled without its feature `parallel`.
    Feature,
    /// [`with_parallel_threshold`](crate::WorldConfig::with_parallel_threshold) is `None`, or above
    /// the number of bodies.
    Threshold(Option<usize>),
    /// The rayon pool that the step ran in has one thread.
    Pool,
}

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

/// Crowding that cells have without settings.
const CROWDING_USUAL: f32 = 2.0;

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

/// Earlier steps that snapshots keep without a cost: steps reuse the memory of older ones.
const KEPT_STEPS_MAX: usize = 2;

/// `replace_statics` is advised for up to one static in this many: half of the share at which the
/// tree is built anew, so that it is built in every second step at most.
const REPLACED_SHARE: usize = 32;

/// A grid, as far as advice needs to know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridFigures {
    pub(crate) half_extent_max: f32,
    pub(crate) body_count: usize,
    pub(crate) crowding: f32,
}

/// What advice about settings is derived from.
pub(crate) struct Figures<'f> {
    pub(crate) bounds: &'f [f32],
    pub(crate) cell_size: Option<f32>,
    pub(crate) grids: &'f mut dyn Iterator<Item = GridFigures>,
    pub(crate) body_count: usize,
    pub(crate) body_pair_count: usize,
    pub(crate) oversized_count: usize,
    /// Returns the largest half-extent of an oversized body.
    pub(crate) oversized_max: &'f dyn Fn() -> f32,
}

/// Advice about bounds and cells: the first cause that applies.
pub(crate) fn about_grids(figures: Figures<'_>) -> Option<Advice> {
    let Figures { bounds, cell_size, grids, body_count, body_pair_count, oversized_count, oversized_max } = figures;
    if body_count < BODIES_MIN {
        return None;
    }
    if let Some(&bound) = bounds.last()
        && oversized_count * OVERSIZED_SHARE > body_count
    {
        return Some(Advice::OversizedBodies { oversized_count, body_count, bound, half_extent_max: oversized_max() });
    }
    let mut crowded = grids.filter(|grid| grid.crowding > CROWDING_MAX && grid.body_count * 10 > body_count);
    let GridFigures { half_extent_max, body_count: in_grid, crowding } = crowded.next()?;
    if body_pair_count as f32 * CROWDING_PER_PAIR >= crowding * body_count as f32 {
        return None; // The bodies overlap each other, so smaller cells would not help.
    }
    if let Some(cell_size) = cell_size {
        return Some(Advice::LargeCellSize { cell_size, body_count: in_grid, crowding });
    }
    // The grid takes bodies up to its bound and a little more, for rounding.
    let bound = bounds.iter().copied().rfind(|&bound| bound <= half_extent_max)?;
    Some(Advice::LargeBound { bound, body_count: in_grid, crowding })
}

/// Advice about the threads of the last step of all rows. `is_allowed`: the settings allow several
/// for its bodies.
pub(crate) fn about_threads(
    history: &StepHistory,
    body_count: usize,
    (threshold, is_allowed): (Option<usize>, bool),
) -> Option<Advice> {
    if body_count < PARALLEL_MIN || history.was_told || history.thread_count > 1 {
        return None;
    }
    // Asked for once: it reads files on some systems.
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    let available_count = *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let cause = match is_allowed {
        _ if !cfg!(feature = "parallel") => SingleThreadCause::Feature,
        false => SingleThreadCause::Threshold(threshold),
        true => SingleThreadCause::Pool,
    };
    (available_count > 1).then_some(Advice::SingleThread { body_count, available_count, cause })
}

/// Advice about the calls between steps, and about steps that are told what changed.
pub(crate) fn about_calls(history: &StepHistory, body_count: usize, static_count: usize) -> Vec<Advice> {
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

/// Advice about rows that are marked as asleep; `step_count` of the last steps had many that moved.
pub(crate) fn about_sleepers(marked_count: usize, moved_count: usize, step_count: usize) -> Option<Advice> {
    let applies = marked_count >= BODIES_MIN && step_count >= MOVING_STEPS_MIN;
    applies.then_some(Advice::MovingSleepers { marked_count, moved_count })
}

/// Advice about the number of pairs.
pub(crate) fn about_pair_limit(pair_count: usize, pair_limit: usize) -> Option<Advice> {
    let is_near = pair_count > 0 && pair_count >= pair_limit - pair_limit / PAIR_LIMIT_SHARE;
    is_near.then_some(Advice::NearPairLimit { pair_count, pair_limit })
}

/// Advice about tracked contacts.
pub(crate) fn about_margin(margin: f32, contact_count: usize, pair_count: usize) -> Option<Advice> {
    let applies = margin > 0.0 && contact_count >= CONTACTS_MIN && contact_count > pair_count * 2;
    applies.then_some(Advice::LargeMargin { margin, contact_count, pair_count })
}

/// Advice about steps that snapshots keep.
pub(crate) fn about_snapshots(step_count: usize, bytes: usize) -> Option<Advice> {
    (step_count > KEPT_STEPS_MAX).then_some(Advice::KeptSnapshots { step_count, bytes })
}

/// A share in percent.
fn percent(part: usize, all: usize) -> usize {
    // In u64: `part * 100` overflows 32 bits from 43 million bodies on.
    (part as u64 * 100 / all.max(1) as u64) as usize
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OversizedBodies { oversized_count, body_count, bound, half_extent_max } => write!(
                f,
                "{oversized_count} of {body_count} bodies ({} %) are larger than the largest bound, {bound}, so they \
                 are in the slower double grid. Leave WorldConfig::with_bound out, or pass bounds up to \
                 {half_extent_max:.3}, the largest half-extent.",
                percent(oversized_count, body_count)
            ),
            Self::LargeBound { bound, body_count, crowding } => write!(
                f,
                "{body_count} bodies are in a grid whose cells have room for the bound {bound}, {crowding:.0} to a \
                 cell. Leave WorldConfig::with_bound out, or pass a smaller bound too, by with_bounds."
            ),
            Self::LargeCellSize { cell_size, body_count, crowding } => write!(
                f,
                "{body_count} bodies are in cells with a side of {cell_size}, {crowding:.0} to a cell. Leave \
                 WorldConfig::with_cell_size out, or pass about {:.3}.",
                cell_size * (CROWDING_USUAL / crowding).sqrt()
            ),
            Self::SingleThread { body_count, available_count, cause } => {
                write!(f, "A step of {body_count} bodies ran on one of {available_count} available threads. {cause}")
            }
            Self::StaticsSetAgain { step_count, static_count, changed_count } => {
                write!(
                    f,
                    "World::set_statics was called before {step_count} of the last {} steps, and each time built a \
                     tree of {static_count} statics, of which {changed_count} had changed. ",
                    StepBits::LEN
                )?;
                f.write_str(match changed_count {
                    0 => "Set them once: the world keeps them.",
                    _ if changed_count * REPLACED_SHARE <= static_count => {
                        "Pass those to World::replace_statics, or to set_static_enabled if they are doors."
                    }
                    _ => "Pass those that move as bodies instead.",
                })
            }
            Self::ManyChangedRows { step_count, changed_count, body_count } => write!(
                f,
                "World::step_changed stepped all rows in {step_count} of the last {} steps, because too many \
                 had changed, the last time {changed_count} of {body_count}. Call World::step instead, or name only \
                 rows whose columns changed.",
                StepBits::LEN
            ),
            Self::RestartedSteps { step_count, cause } => write!(
                f,
                "World::step_changed had to step all rows in {step_count} of the last {} steps, which takes up to \
                 three times as long as World::step. {}",
                StepBits::LEN,
                restart_remedy(cause)
            ),
            Self::MovingSleepers { marked_count, moved_count } => write!(
                f,
                "{moved_count} of {marked_count} bodies that Bodies::with_asleep marks have moved ({} %). Mark only \
                 bodies whose columns stay the same bit for bit, or leave it out.",
                percent(moved_count, marked_count)
            ),
            Self::NearPairLimit { pair_count, pair_limit } => write!(
                f,
                "The step has {pair_count} pairs, and one with more than {pair_limit} fails. Raise \
                 WorldConfig::with_pair_limit."
            ),
            Self::LargeMargin { margin, contact_count, pair_count } => write!(
                f,
                "{contact_count} contacts are tracked, but only {pair_count} pairs overlap: the others are kept by \
                 the margin. Make WorldConfig::with_margin smaller than {margin}, a small part of a body's size."
            ),
            Self::KeptSnapshots { step_count, bytes } => write!(
                f,
                "Snapshots keep {step_count} earlier steps, {:.1} MiB for their bodies. Drop each Snapshot before \
                 its reader takes the next one.",
                bytes as f64 / f64::from(1 << 20)
            ),
        }
    }
}

fn restart_remedy(cause: RestartCause) -> &'static str {
    match cause {
        RestartCause::FullStep => {
            "Call step_changed in every frame, and name few rows in each; or call World::step in all."
        }
        RestartCause::ShiftedOrigin => "Shift the origin seldom, by a large distance each time.",
        RestartCause::Statics => "Between steps, change few statics, by World::replace_statics and the like.",
        RestartCause::SkippedRow => "Remove the rows of World::skipped_rows, or call World::step.",
        RestartCause::Columns => "Pass the same columns (ids, filters, displacements) in every frame.",
    }
}

impl fmt::Display for SingleThreadCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feature => f.write_str("Turn on the feature `parallel` of the library."),
            Self::Threshold(None) => f.write_str(
                "Leave WorldConfig::with_parallel_threshold(None) out, unless other work needs the threads.",
            ),
            Self::Threshold(Some(bodies)) => {
                write!(f, "Pass less than {bodies} to WorldConfig::with_parallel_threshold.")
            }
            Self::Pool => f.write_str("Step in a rayon pool with more threads: pool.install(|| world.step(bodies))."),
        }
    }
}
