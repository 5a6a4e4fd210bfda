//! Compares the pairs of engines with expected ones.

use crate::boxes::{Box4, body_boxes};
use crate::engine::{Found, Frame};
use std::fmt;

/// Up to this many bodies, triphase itself is compared with brute force.
pub const BRUTE_FORCE_MAX: usize = 20_000;

/// An engine found other pairs than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the engine.
    pub engine: String,
    /// What it was compared with.
    pub oracle: &'static str,
    /// The kind of pairs.
    pub kind: &'static str,
    /// Number of expected pairs that it did not find.
    pub missing: usize,
    /// Number of pairs that it found and that were not expected, or found twice.
    pub extra: usize,
    /// The first missing or extra pair.
    pub first: [u32; 2],
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, oracle, kind, missing, extra, first: [a, b] } = self;
        write!(f, "{engine} differs from {oracle}: {missing} {kind} pairs are missing, {extra} are extra; ")?;
        write!(f, "the first is ({a}, {b})")
    }
}

impl std::error::Error for Mismatch {}

/// Sorts the pairs of both kinds.
pub fn sort(found: &mut Found) {
    found.bodies.sort_unstable();
    found.statics.sort_unstable();
}

/// Compares pairs with expected ones; both must be sorted.
///
/// # Errors
///
/// If they differ.
pub fn compare(engine: &str, oracle: &'static str, found: &Found, expected: &Found) -> Result<(), Mismatch> {
    let kinds = [("body", &found.bodies, &expected.bodies), ("static", &found.statics, &expected.statics)];
    for (kind, found, expected) in kinds {
        if found != expected {
            let (missing, extra, first) = difference(found, expected);
            return Err(Mismatch { engine: engine.to_owned(), oracle, kind, missing, extra, first });
        }
    }
    Ok(())
}

/// Finds all pairs by brute force, sorted.
pub fn brute_force(frame: Frame<'_>, statics: &[Box4]) -> Found {
    let boxes: Vec<Box4> = body_boxes(frame).collect();
    let pairs = |pairs: Vec<(u32, u32)>| pairs.into_iter().map(|(a, b)| [a, b]).collect();
    Found {
        bodies: pairs(triphase::reference::self_pairs(&boxes)),
        statics: pairs(triphase::reference::cross_pairs(&boxes, statics)),
    }
}

/// Counts the pairs of `expected` that are missing and those of `found` that are extra; also
/// returns the first of them.
fn difference(found: &[[u32; 2]], expected: &[[u32; 2]]) -> (usize, usize, [u32; 2]) {
    let (mut f, mut e, mut missing, mut extra, mut first) = (0, 0, 0, 0, None);
    loop {
        let pair = match (found.get(f), expected.get(e)) {
            (None, None) => return (missing, extra, first.unwrap_or_default()),
            (Some(a), Some(b)) if a == b => {
                (f, e) = (f + 1, e + 1);
                continue;
            }
            (Some(&a), b) if b.is_none_or(|&b| a < b) => {
                (f, extra) = (f + 1, extra + 1);
                a
            }
            (_, b) => {
                (e, missing) = (e + 1, missing + 1);
                b.copied().unwrap_or_default()
            }
        };
        first.get_or_insert(pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_counts_missing_and_extra_pairs() {
        assert_eq!(difference(&[[0, 1], [0, 1], [2, 3]], &[[0, 1], [1, 2], [2, 3], [4, 5]]), (2, 1, [0, 1]));
        assert_eq!(difference(&[], &[[1, 2]]), (1, 0, [1, 2]));
        assert_eq!(difference(&[[1, 2]], &[]), (0, 1, [1, 2]));
    }
}
