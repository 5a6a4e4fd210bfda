//! kiddo: a k-d tree of fixed points, in f32.
//!
//! It has no boxes, so it runs only nearest queries among points. It returns each result in a new
//! vector.

use crate::queries::engine::{Engine, Way};
use crate::queries::lists::{List, Nearest, Queries};
use crate::queries::subject::Subject;
use kiddo::{ImmutableKdTree, QueryResultItem, SquaredEuclidean};
use std::num::NonZero;

/// A tree of all points.
pub(super) struct Kiddo {
    tree: ImmutableKdTree<f32, 2>,
    near: Vec<QueryResultItem<(), u32, f32>>,
}

impl Kiddo {
    pub(super) fn new(subject: &Subject) -> Self {
        let tree = ImmutableKdTree::new_from_slice(&subject.centers).expect("points of a subject are valid");
        Self { tree, near: Vec::new() }
    }
}

impl Engine for Kiddo {
    fn name(&self) -> &'static str {
        "kiddo"
    }

    fn way(&self, list: &List) -> Way {
        if matches!(list.queries, Queries::Nearest(_)) { Way::Own } else { Way::Not }
    }

    fn nearest(&mut self, query: &Nearest) -> usize {
        let count = NonZero::new(query.count).expect("someone is asked for");
        self.near = self.tree.query(&query.point).nearest_n::<SquaredEuclidean<f32>>(count).execute();
        self.near.len()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|found| (found.item, f64::from(found.distance).sqrt())).collect()
    }
}
