//! How many bands a number of bodies is divided into.

/// About the fewest bodies in a band: with fewer, a task costs more than it gains.
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
    round_for_threads(population / per_band.clamp(BAND_MIN, BAND_MAX))
}

/// About as many bands, of which two or four threads can have the same number each.
fn round_for_threads(bands: usize) -> usize {
    match bands {
        0 | 1 => 1,
        2 | 3 => 2,
        4 | 5 => 4,
        6 | 7 => 8,
        more => more - more % 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_shared_evenly_by_two_and_by_four_threads() {
        let counts = [0, 2048, 8191, 8192, 12_287, 12_288, 60_000, 100_000, 200_000, 1_000_000].map(bands_for);
        assert_eq!(counts, [1, 1, 2, 4, 4, 8, 8, 12, 20, 44]);
    }
}
