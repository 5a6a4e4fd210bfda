//! The interface of an engine in the race of queries.
//!
//! An engine is built from a subject. It leaves the result of a query in a buffer of its own, in
//! its own types. The buffer is reused, so that nothing is allocated if the engine allows that.

use super::lists::{List, Nearest, Queries, Ray};
use crate::boxes::Box4;
use std::hint::black_box;
use std::ops::Range;

/// A result in common types. Boxes are named by their number; see
/// [`Subject`](super::subject::Subject).
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The boxes that overlap an area, in any order.
    Boxes(Vec<u32>),
    /// The nearest boxes and their distances, nearest first.
    Nearest(Vec<(u32, f64)>),
    /// The box that a ray hits first, and the distance.
    Ray(Option<(u32, f64)>),
}

/// How an engine runs a kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Not at all.
    Not,
    /// By one call that it has for them.
    Own,
    /// By other calls and code of its user; the text says how.
    Composed(&'static str),
}

/// Runs queries about a subject.
///
/// Each query is a call. Its result can then be read by [`rows`](Self::rows) or
/// [`near`](Self::near).
pub trait Engine {
    /// Name, as in `--engines`.
    fn name(&self) -> &'static str;

    /// Whether and how the engine runs such a list.
    fn way(&self, list: &List) -> Way;

    /// Whether distances are computed in f64, as by brute force.
    fn is_exact(&self) -> bool {
        false
    }

    /// Finds the boxes that overlap `area`; returns their number.
    fn boxes(&mut self, area: &Box4) -> usize {
        let _ = area;
        unreachable!("{} does not answer that", self.name())
    }

    /// Finds the nearest boxes; returns their number.
    fn nearest(&mut self, query: &Nearest) -> usize {
        let _ = query;
        unreachable!("{} does not answer that", self.name())
    }

    /// Finds the box that a ray hits first, and the distance.
    fn ray(&mut self, ray: &Ray) -> Option<(u32, f64)> {
        let _ = ray;
        unreachable!("{} does not answer that", self.name())
    }

    /// The boxes that [`boxes`](Self::boxes) found last. Not timed.
    fn rows(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The boxes that [`nearest`](Self::nearest) found last, and their distances. Not timed.
    fn near(&self) -> Vec<(u32, f64)> {
        Vec::new()
    }

    /// Prepares for a list of queries. Not timed.
    fn prepare(&mut self, list: &List) {
        let _ = list;
    }

    /// Runs a part of the queries, one after the other; returns the number of hits. This is what is
    /// timed.
    ///
    /// It is a method of the trait so that the loop is compiled for each engine by itself.
    fn answer_part(&mut self, queries: &Queries, part: Range<usize>) -> usize {
        match queries {
            Queries::Boxes(list) => list[part].iter().map(|area| self.boxes(black_box(area))).sum(),
            Queries::Nearest(list) => list[part].iter().map(|query| self.nearest(black_box(query))).sum(),
            Queries::Rays(list) => list[part].iter().map(|ray| usize::from(self.ray(black_box(ray)).is_some())).sum(),
        }
    }

    /// Returns the result of one query, for checks.
    fn answer(&mut self, queries: &Queries, k: usize) -> Answer {
        match queries {
            Queries::Boxes(list) => {
                self.boxes(&list[k]);
                Answer::Boxes(self.rows())
            }
            Queries::Nearest(list) => {
                self.nearest(&list[k]);
                Answer::Nearest(self.near())
            }
            Queries::Rays(list) => Answer::Ray(self.ray(&list[k])),
        }
    }
}
