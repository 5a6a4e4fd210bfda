//! Figures of the last step.

use crate::caller::call;
use crate::status::tp_status;
use crate::world::tp_world;
use std::ffi::c_char;
use std::time::Duration;

/// Counts, memory and times of the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct tp_report {
    /// Bodies in point grids, cached ones included.
    pub common_count: u64,
    /// Bodies marked as asleep whose pairs were reused.
    pub cached_count: u64,
    /// Bodies in the double grid: larger than every bound, in too many bands, or with an infinite edge.
    pub oversized_count: u64,
    /// Rows of the static set, those of disabled and of removed statics included.
    pub static_count: u64,
    /// Rows of the static set that changed since its tree was built.
    pub static_changed_count: u64,
    /// Rows of the static set whose static was removed.
    pub static_removed_count: u64,
    /// Invalid rows that were skipped.
    pub skipped_count: u64,
    /// Pairs of two bodies.
    pub body_pair_count: u64,
    /// Pairs of a body and a static.
    pub static_pair_count: u64,
    /// Bytes held for bodies, temporary memory included.
    pub body_bytes: u64,
    /// Bytes held for statics.
    pub static_bytes: u64,
    /// Bytes held for pairs, tracked contacts and partner lists.
    pub pair_bytes: u64,
    /// Number of point grids.
    pub grid_count: u64,
    /// Number of steps since all rows were filed: 0 unless the last step was told which rows
    /// changed. The grids are those of that step.
    pub filed_steps_ago: u64,
    /// Seconds of the whole step.
    pub total_seconds: f64,
    /// Seconds of choosing size classes and bands.
    pub plan_seconds: f64,
    /// Seconds of checking and distributing the rows.
    pub partition_seconds: f64,
    /// Seconds of building the grid of oversized bodies and preparing the tasks.
    pub layout_seconds: f64,
    /// Seconds of finding pairs.
    pub find_pairs_seconds: f64,
    /// Seconds of joining the pairs of all tasks.
    pub gather_seconds: f64,
    /// Seconds of comparing contacts with those of the step before.
    pub track_contacts_seconds: f64,
}

/// Writes the figures of the last step. Takes O(cells) time: not for every frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_get_report(world: *const tp_world, report: *mut tp_report) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let from = c.world(world)?.world.report();
            let (phases, seconds) = (from.phases, |time: Duration| time.as_secs_f64());
            c.out(report, "report")?.write(tp_report {
                common_count: from.common_count() as u64,
                cached_count: from.cached_count as u64,
                oversized_count: from.oversized_count as u64,
                static_count: from.static_count as u64,
                static_changed_count: from.static_changed_count as u64,
                static_removed_count: from.static_removed_count as u64,
                skipped_count: from.skipped_count as u64,
                body_pair_count: from.body_pair_count as u64,
                static_pair_count: from.static_pair_count as u64,
                body_bytes: from.body_bytes as u64,
                static_bytes: from.static_bytes as u64,
                pair_bytes: from.pair_bytes as u64,
                grid_count: from.grids.len() as u64,
                filed_steps_ago: from.filed_steps_ago,
                total_seconds: seconds(phases.total),
                plan_seconds: seconds(phases.plan),
                partition_seconds: seconds(phases.partition),
                layout_seconds: seconds(phases.layout),
                find_pairs_seconds: seconds(phases.find_pairs),
                gather_seconds: seconds(phases.gather),
                track_contacts_seconds: seconds(phases.track_contacts),
            });
            Ok(())
        })
    }
}

/// Copies the figures as text, in UTF-8, with advice if a setting makes steps slow.
///
/// `count` gets the number of bytes, including the zero byte that ends the text. Figures differ from
/// call to call, so if the text does not fit, leave some bytes to spare the second time.
///
/// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_report_text(
    world: *const tp_world,
    text: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let report = c.world(world)?.world.report().to_string();
            let bytes = report.bytes().map(|byte| byte as c_char).chain([0]);
            c.copy(report.len() + 1, bytes, text, capacity, count, "text")
        })
    }
}
