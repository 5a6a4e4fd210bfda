//! What the page provides: a clock.

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// `performance.now()`.
    safe fn now() -> f64;
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
