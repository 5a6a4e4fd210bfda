//! What to change if a step costs more than it has to. `advice_rules.rs` finds out which advice
//! applies.
//!
//! Advice is about what the caller can change. A world that is slow because its bodies overlap, or
//! are laid out as no grid likes them, gets none.

use crate::history::RestartCause;
use crate::memory::step_bits::StepBits;
use std::fmt;

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
    /// All statics were set again before at least half of the last 16 steps, and each time a tree
    /// was built.
    StaticsSetAgain {
        /// Steps out of the last 16 before which that happened.
        step_count: usize,
        /// Rows of the set.
        static_count: usize,
        /// Rows whose boxes changed when the statics were set last.
        changed_count: usize,
    },
    /// Most rows of the static set have no static any more.
    RemovedStatics {
        /// Rows of the set.
        row_count: usize,
        /// Rows whose static was removed.
        removed_count: usize,
    },
    /// At least half of the last 16 steps were told of so many changed rows that they stepped all
    /// rows.
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
    /// Most bodies are so far from the origin that the boxes of bodies are rounded by an eighth of
    /// their size or more.
    CoarseCoordinates {
        /// A coordinate of such a body, without its sign.
        coordinate: f32,
        /// The distance from this coordinate to the next one that an f32 can hold.
        spacing: f32,
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

/// Crowding that cells have without settings.
const CROWDING_USUAL: f32 = 2.0;

/// `replace_statics` is advised for up to one static in this many: half of the share at which the
/// tree is built anew, so that it is built in every second step at most.
const REPLACED_SHARE: usize = 32;

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
            Self::RemovedStatics { row_count, removed_count } => write!(
                f,
                "The statics of {removed_count} of {row_count} rows were removed. Build new ones in these rows, by \
                 World::replace_statics: insert_statics adds further rows."
            ),
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
            Self::CoarseCoordinates { coordinate, spacing } => write!(
                f,
                "At coordinates such as {coordinate}, f32 has steps of {spacing}, an eighth of the size of a body or \
                 more, and boxes are rounded to them. Keep the origin near the bodies, by World::shift_origin."
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
