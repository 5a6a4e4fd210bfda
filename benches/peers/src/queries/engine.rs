//! What an engine is to the race of questions: it is asked, and keeps its answer in its own buffer and its own words.
//!
//! An engine is a value that was made of a subject. What a question costs is from the shapes' numbers to the answer in the
//! buffer, which is used again, so that nothing is allocated where the engine allows that.

use super::lists::{List, Nearest, QueryBuilder, Ray};
use crate::boxes::Box4;
use std::hint::black_box;
use std::ops::Range;

/// An answer in the harness' words. Boxes are told by their number; see [`Subject`](super::subject::Subject).
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What overlaps, in any order.
    Boxes(Vec<u32>),
    /// What is near, nearest first, and how far.
    Nearest(Vec<(u32, f64)>),
    /// What is hit first and where.
    Ray(Option<(u32, f64)>),
}

/// How an engine answers a kind of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Not at all.
    Not,
    /// By a call that it has for that.
    Own,
    /// By other calls of it and work of the user's.
    Composed(&'static str),
}

/// BatchResults questions about a subject.
///
/// Each question is a call that leaves the answer where [`rows`](Self::rows) and [`near`](Self::near) find it.
pub trait Engine {
    /// As `--engines` takes it.
    fn name(&self) -> &'static str;

    /// Whether and how such a list is answered.
    fn way(&self, list: &List) -> Way;

    /// Whether distances are computed as the harness does, in f64.
    fn is_exact(&self) -> bool {
        false
    }

    /// What overlaps `area`; tells how many.
    fn boxes(&mut self, area: &Box4) -> usize {
        let _ = area;
        unreachable!("{} does not answer that", self.name())
    }

    /// What is nearest; tells how many.
    fn nearest(&mut self, question: &Nearest) -> usize {
        let _ = question;
        unreachable!("{} does not answer that", self.name())
    }

    /// What is hit first and where.
    fn ray(&mut self, ray: &Ray) -> Option<(u32, f64)> {
        let _ = ray;
        unreachable!("{} does not answer that", self.name())
    }

    /// The last answer of [`boxes`](Self::boxes). Not timed.
    fn rows(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The last answer of [`nearest`](Self::nearest), and how far. Not timed.
    fn near(&self) -> Vec<(u32, f64)> {
        Vec::new()
    }

    /// Told once what will be asked. Not timed.
    fn prepare(&mut self, list: &List) {
        let _ = list;
    }

    /// What is timed: a part of the questions, one after the other; tells the number of hits. Here, so that the loop is
    /// compiled for each engine by itself.
    fn answer_part(&mut self, questions: &QueryBuilder, part: Range<usize>) -> usize {
        match questions {
            QueryBuilder::Boxes(list) => list[part].iter().map(|area| self.boxes(black_box(area))).sum(),
            QueryBuilder::Nearest(list) => list[part].iter().map(|question| self.nearest(black_box(question))).sum(),
            QueryBuilder::Rays(list) => {
                list[part].iter().map(|ray| usize::from(self.ray(black_box(ray)).is_some())).sum()
            }
        }
    }

    /// The answer to one, for the check.
    fn answer(&mut self, questions: &QueryBuilder, k: usize) -> Answer {
        match questions {
            QueryBuilder::Boxes(list) => {
                self.boxes(&list[k]);
                Answer::Boxes(self.rows())
            }
            QueryBuilder::Nearest(list) => {
                self.nearest(&list[k]);
                Answer::Nearest(self.near())
            }
            QueryBuilder::Rays(list) => Answer::Ray(self.ray(&list[k])),
        }
    }
}
