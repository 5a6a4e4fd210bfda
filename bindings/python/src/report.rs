//! The report of a step as a dictionary.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::time::Duration;
use triphase::{GridReport, Report};

/// The report with the names that it has in Rust; times are in seconds.
pub(crate) fn dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let grids = report.grids.iter().map(|grid| grid_dict(py, grid)).collect::<PyResult<Vec<_>>>()?;
    dict.set_item("grids", PyList::new(py, grids)?)?;
    dict.set_item("filed_steps_ago", report.filed_steps_ago)?;
    for (name, count) in [
        ("common_count", report.common_count()),
        ("cached_count", report.cached_count),
        ("oversized_count", report.oversized_count),
        ("static_count", report.static_count),
        ("static_changed_count", report.static_changed_count),
        ("static_removed_count", report.static_removed_count),
        ("skipped_count", report.skipped_count),
        ("body_pair_count", report.body_pair_count),
        ("static_pair_count", report.static_pair_count),
        ("body_bytes", report.body_bytes),
        ("static_bytes", report.static_bytes),
        ("pair_bytes", report.pair_bytes),
    ] {
        dict.set_item(name, count)?;
    }
    let (phases, passes) = (&report.phases, &report.phases.passes);
    dict.set_item(
        "seconds",
        seconds(
            py,
            &[
                ("plan", phases.plan),
                ("partition", phases.partition),
                ("layout", phases.layout),
                ("find_pairs", phases.find_pairs),
                ("gather", phases.gather),
                ("track_contacts", phases.track_contacts),
                ("total", phases.total),
            ],
        )?,
    )?;
    dict.set_item(
        "pass_seconds",
        seconds(
            py,
            &[
                ("sort", passes.sort),
                ("common", passes.common),
                ("ghosts", passes.ghosts),
                ("oversized", passes.oversized),
                ("statics", passes.statics),
            ],
        )?,
    )?;
    dict.set_item("advice", report.advice.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    dict.set_item("text", report.to_string())?;
    Ok(dict)
}

fn grid_dict<'py>(py: Python<'py>, grid: &GridReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("half_extents_max", <(f32, f32)>::from(grid.half_extents_max))?;
    dict.set_item("body_count", grid.body_count)?;
    dict.set_item("band_count", grid.band_count)?;
    dict.set_item("cell_count", grid.cell_count)?;
    dict.set_item("cell_size", <(f32, f32)>::from(grid.cell_size))?;
    dict.set_item("crowding", grid.crowding)?;
    Ok(dict)
}

fn seconds<'py>(py: Python<'py>, times: &[(&str, Duration)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, time) in times {
        dict.set_item(name, time.as_secs_f64())?;
    }
    Ok(dict)
}
