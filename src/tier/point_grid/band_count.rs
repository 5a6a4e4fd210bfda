//! How many bands a number of bodies is divided into.

/// Fewest bodies in a band: with fewer, a task costs more than it gains.
const BAND_MIN: usize = 2048;
/// Bodies in a band of a large world: their records or their columns fit a second-level cache.
const BAND_MAX: usize = 32_768;
/// Bodies in a band, times the root of the number of bodies: bands of about ten rows of cells, so
/// that few bodies cross a border.
const BAND_PER_ROOT: f64 = 22.0;
/// Fewest bands, as far as [`BAND_MIN`] allows: enough for a few threads to share evenly.
const BANDS_MIN: usize = 8;

/// The number of bands for a number of bodies.
pub(super) fn bands_for(population: usize) -> usize {
    let per_band = (BAND_PER_ROOT * (population as f64).sqrt()).min(population as f64 / BANDS_MIN as f64) as usize;
    (population / per_band.clamp(BAND_MIN, BAND_MAX)).max(1)
}
