//! triphase with batches, which run on the threads of the caller's pool.
//!
//! Unlike in single queries, shapes are created beforehand, which checks a few numbers each.

use super::triphase::{checked, checked_ray, number, stepped};
use crate::queries::engine::{Answer, Engine, Way};
use crate::queries::lists::{List, Queries};
use crate::queries::subject::Subject;
use std::ops::Range;
use triphase::query::BatchResults;
use triphase::{Aabb, CastHit, Circle, Neighbor, Point, Ray, World};

/// A world and a batch of queries.
pub(super) struct Batch {
    world: World,
    bodies: u32,
    shapes: Shapes,
}

enum Shapes {
    Boxes(Vec<Aabb>, BatchResults),
    Nearest(Vec<Circle>, usize, BatchResults<Neighbor>),
    Rays(Vec<Ray>, BatchResults<CastHit>),
}

impl Batch {
    /// Boxes that never move are statics of the world.
    pub(super) fn new(subject: &Subject) -> Self {
        let bodies = if subject.is_static { 0 } else { subject.centers.len() as u32 };
        Self {
            world: stepped(subject, subject.is_static),
            bodies,
            shapes: Shapes::Boxes(Vec::new(), BatchResults::new()),
        }
    }

    fn ask(&mut self, part: Range<usize>) -> usize {
        let questions = self.world.query();
        match &mut self.shapes {
            Shapes::Boxes(areas, answers) => {
                questions.par_query_aabb(&areas[part], answers);
                answers.len()
            }
            Shapes::Nearest(circles, count, answers) => {
                questions.par_k_nearest_within(&circles[part], *count, answers);
                answers.len()
            }
            Shapes::Rays(rays, answers) => {
                questions.par_cast_ray(&rays[part], answers);
                answers.len()
            }
        }
    }
}

impl Engine for Batch {
    fn name(&self) -> &'static str {
        "triphase_batch"
    }

    fn way(&self, list: &List) -> Way {
        if list.batch { Way::Own } else { Way::Not }
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn prepare(&mut self, list: &List) {
        self.shapes = match &list.queries {
            Queries::Boxes(areas) => Shapes::Boxes(areas.iter().map(checked).collect(), BatchResults::new()),
            Queries::Nearest(list) => {
                let circles = list.iter().map(|one| Point::new(one.point).expect("points are finite").into()).collect();
                Shapes::Nearest(circles, list.first().map_or(0, |one| one.count), BatchResults::new())
            }
            Queries::Rays(rays) => Shapes::Rays(rays.iter().map(checked_ray).collect(), BatchResults::new()),
        };
    }

    fn answer_part(&mut self, _questions: &Queries, part: Range<usize>) -> usize {
        self.ask(part)
    }

    fn answer(&mut self, questions: &Queries, k: usize) -> Answer {
        // The first query runs the whole batch.
        if k == 0 {
            self.ask(0..questions.len());
        }
        let number = |hit| number(hit, self.bodies);
        match &self.shapes {
            Shapes::Boxes(_, answers) => Answer::Boxes(answers[k].iter().map(|&hit| number(hit)).collect()),
            Shapes::Nearest(_, _, answers) => {
                Answer::Nearest(answers[k].iter().map(|near| (number(near.target), near.distance)).collect())
            }
            Shapes::Rays(_, answers) => {
                Answer::Ray(answers[k].first().map(|met| (number(met.target), met.time_of_impact)))
            }
        }
    }
}
