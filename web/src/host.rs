//! What the page provides: a clock.

use std::time::Duration;
use triphase::PhaseTimes;

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// `performance.now()`.
    safe fn now() -> f64;
}

/// Lets the library measure the phases of a step.
pub(crate) fn set_clock() {
    PhaseTimes::set_clock(|| Duration::from_secs_f64(milliseconds().max(0.0) / 1e3));
}

/// The time in milliseconds.
#[cfg(target_family = "wasm")]
pub(crate) fn milliseconds() -> f64 {
    now()
}

/// On other targets, where this package is only checked, there is no page.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn milliseconds() -> f64 {
    0.0
}
