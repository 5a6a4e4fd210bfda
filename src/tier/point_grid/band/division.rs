//! How the long scans of a band are divided.
//!
//! Bands have about equal numbers of bodies, but one of them may have most of the pairs: bodies
//! that are created at one place, or a crowd that is far denser than the rest. Its scans are
//! divided into parts (PAGE-4), which other threads take once they have no band left.

use crate::memory::pair_sink::PairSink;
use std::ops::Range;

/// A scan that is estimated to take longer than this is divided: about as long as the task of a
/// usual band.
const DIVIDED_NS: f64 = 150_000.0;

/// The mean of a part. Much less than that of a task, because pairs are not distributed evenly.
const PART_NS: f64 = 30_000.0;

/// Fewest probes of a part, and most parts: each may open a page.
const PART_LEN: usize = 64;
const PARTS_MAX: usize = 64;

/// Runs a scan of `len` probes that is estimated to take `ns` nanoseconds: whole or, if that is
/// long, in several ranges of probes. `None` once the pair limit is exceeded.
///
/// The pairs of a range come after those of the ranges before it. `scan` is `dyn`, so that this is
/// compiled once.
pub(super) fn scan_in_parts(
    (len, ns): (usize, f64),
    sink: &mut PairSink<'_>,
    scan: &(dyn Fn(Range<usize>, &mut PairSink<'_>) -> Option<()> + Sync),
) -> Option<()> {
    if ns <= DIVIDED_NS {
        return scan(0..len, sink);
    }
    let size = ((len as f64 * PART_NS / ns) as usize).max(PART_LEN).max(len.div_ceil(PARTS_MAX));
    sink.in_parts(len.div_ceil(size), |part, sink| scan(part * size..len.min((part + 1) * size), sink))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::page::{PagePool, PairBudget};
    use crate::memory::pair_sink::ScanParts;

    /// The pairs of a probe and the part that it is in, in order.
    fn parts_of(len: usize, ns: f64) -> Vec<[u32; 2]> {
        let (pool, budget) = (PagePool::default(), PairBudget::new(usize::MAX));
        let (mut pages, mut parts) = (Vec::new(), ScanParts::default());
        let mut sink = PairSink::new(&pool, &budget, &mut pages).with_division(true, &mut parts);
        let finished = scan_in_parts((len, ns), &mut sink, &|probes, sink| {
            let part = probes.start as u32;
            probes.into_iter().try_for_each(|probe| sink.push([probe as u32, part]))
        });
        assert!(finished.is_some());
        drop(sink);
        pages.iter().flat_map(|page| page.pairs()).copied().collect()
    }

    #[test]
    fn long_scans_are_divided_into_parts_of_about_the_same_length() {
        for (len, ns, count) in [
            (5000, DIVIDED_NS, 1),
            (5000, 10.0 * PART_NS, 10),
            (2000, 1e12, 2000_usize.div_ceil(PART_LEN)),
            (50_000, 1e12, PARTS_MAX),
            (PART_LEN + 1, f64::INFINITY, 2),
            (1, f64::INFINITY, 1),
            (0, f64::INFINITY, 0),
            (100, f64::NAN, 2),
        ] {
            let found = parts_of(len, ns);
            assert!(found.iter().map(|pair| pair[0]).eq(0..len as u32), "each probe once, in order");
            let starts: std::collections::BTreeSet<u32> = found.iter().map(|pair| pair[1]).collect();
            assert_eq!(starts.len(), count, "{len} probes, {ns} ns");
        }
    }
}
