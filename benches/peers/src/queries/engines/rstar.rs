//! rstar: an R*-tree, bulk-loaded.
//!
//! Box queries use its internal iteration, which allocates nothing; the nearest-neighbor iterator
//! allocates a heap. It has no rays: all boxes that overlap the bounds of the ray are tested.

use super::static_index::is_sooner;
use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::exact;
use crate::queries::lists::{List, Nearest, Queries, Ray};
use crate::queries::subject::Subject;
use rstar::{AABB, Envelope, PointDistance, RTree, RTreeObject};
use std::ops::ControlFlow;

/// A box with its number.
struct Numbered {
    envelope: AABB<[f32; 2]>,
    number: u32,
}

impl RTreeObject for Numbered {
    type Envelope = AABB<[f32; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

impl PointDistance for Numbered {
    fn distance_2(&self, point: &[f32; 2]) -> f32 {
        // Distance from the closed box, 0 inside, in f32.
        Envelope::distance_2(&self.envelope, point)
    }
}

/// A tree of all boxes.
pub(super) struct Rstar {
    tree: RTree<Numbered>,
    rows: Vec<u32>,
    near: Vec<(u32, f32)>,
}

impl Rstar {
    pub(super) fn new(subject: &Subject) -> Self {
        let numbered = |(aabb, number): (&Box4, u32)| Numbered { envelope: envelope(aabb), number };
        let tree = RTree::bulk_load(subject.boxes.iter().zip(0..).map(numbered).collect());
        Self { tree, rows: Vec::new(), near: Vec::new() }
    }
}

impl Engine for Rstar {
    fn name(&self) -> &'static str {
        "rstar"
    }

    fn way(&self, list: &List) -> Way {
        match list.queries {
            Queries::Boxes(_) | Queries::Nearest(_) => Way::Own,
            Queries::Rays(_) => Way::Composed("bounds of the ray, each box tested"),
        }
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        let Self { tree, rows, .. } = self;
        rows.clear();
        let _ = tree.locate_in_envelope_intersecting_int(envelope(area), |found| {
            rows.push(found.number);
            ControlFlow::<()>::Continue(())
        });
        rows.len()
    }

    fn nearest(&mut self, query: &Nearest) -> usize {
        let found = self.tree.nearest_neighbor_iter_with_distance_2(query.point).take(query.count);
        self.near.clear();
        self.near.extend(found.map(|(found, distance)| (found.number, distance)));
        self.near.len()
    }

    fn ray(&mut self, ray: &Ray) -> Option<(u32, f64)> {
        let mut first = None::<(u32, f64)>;
        let _ = self.tree.locate_in_envelope_intersecting_int(envelope(&exact::ray_box(ray)), |found| {
            let ([min_x, min_y], [max_x, max_y]) = (found.envelope.lower(), found.envelope.upper());
            if let Some(distance) = exact::entry(ray, &[min_x, min_y, max_x, max_y]) {
                let new = (found.number, distance);
                first = first.filter(|first| !is_sooner(&new, first)).or(Some(new));
            }
            ControlFlow::<()>::Continue(())
        });
        first
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|&(row, distance)| (row, f64::from(distance).sqrt())).collect()
    }
}

fn envelope(&[min_x, min_y, max_x, max_y]: &Box4) -> AABB<[f32; 2]> {
    AABB::from_corners([min_x, min_y], [max_x, max_y])
}
