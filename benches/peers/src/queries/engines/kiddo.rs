//! kiddo: a k-d tree of points that never change, in f32. It has no boxes: only the nearest among points are asked of it.
//! It collects each answer into a new vector.

use crate::queries::engine::{Engine, Way};
use crate::queries::lists::{List, Nearest, QueryBuilder};
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
        let tree = ImmutableKdTree::new_from_slice(&subject.centers).expect("points of a subject are good");
        Self { tree, near: Vec::new() }
    }
}

impl Engine for Kiddo {
    fn name(&self) -> &'static str {
        "kiddo"
    }

    fn way(&self, list: &List) -> Way {
        if matches!(list.questions, QueryBuilder::Nearest(_)) { Way::Own } else { Way::Not }
    }

    fn nearest(&mut self, question: &Nearest) -> usize {
        let count = NonZero::new(question.count).expect("someone is asked for");
        self.near = self.tree.query(&question.point).nearest_n::<SquaredEuclidean<f32>>(count).execute();
        self.near.len()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|found| (found.item, f64::from(found.distance).sqrt())).collect()
    }
}
