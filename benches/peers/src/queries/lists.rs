//! The questions: where bodies are, so that what is crowded is asked about as often as it is filled.

use super::subject::{Subject, SubjectName};
use crate::boxes::Box4;
use static_aabb2d_index::{StaticAABB2DIndex, StaticAABB2DIndexBuilder};
use triphase_scenes::SplitMix64;

/// How many neighbours are asked for.
const NEIGHBORS: usize = 8;
/// Hits of a box of the larger kind, in the mean.
const HITS: f64 = 15.0;
/// The same of the smaller kind, where bodies have no size to go by.
const FEW_HITS: f64 = 3.0;
/// Length of a ray in sides of bodies.
const RAY_SIDES: f32 = 20.0;
/// How often a ray's start is drawn again that lies within a box.
const DRAWN_MAX: usize = 64;
/// Places that the size of boxes is found by.
const SAMPLE: usize = 1000;
/// Most questions about a whole world.
const WHOLE_MAX: usize = 200;

/// The nearest boxes to a point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// To where.
    pub point: [f32; 2],
    /// How many.
    pub count: usize,
}

/// The first box that a ray enters.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts.
    pub origin: [f32; 2],
    /// Where it goes; of length 1, but for rounding.
    pub direction: [f32; 2],
    /// How far, in multiples of the direction.
    pub length: f32,
}

/// Queries of a kind.
#[derive(Clone, Debug)]
pub enum QueryBuilder {
    /// What overlaps a box.
    Boxes(Vec<Box4>),
    /// What is nearest.
    Nearest(Vec<Nearest>),
    /// What is hit first.
    Rays(Vec<Ray>),
}

impl QueryBuilder {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Boxes(list) => list.len(),
            Self::Nearest(list) => list.len(),
            Self::Rays(list) => list.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Queries with a name.
#[derive(Clone, Debug)]
pub struct List {
    /// `small_boxes`, say.
    pub name: &'static str,
    /// For people: how large, how many.
    pub about: String,
    /// What is asked, in random order.
    pub questions: QueryBuilder,
    /// Whether it is there to be answered many at once.
    pub batch: bool,
}

/// The lists that make sense of a subject, each of `count` questions; and once more to be answered many at once.
pub fn draw(subject: &Subject, count: usize, seed: u64) -> Vec<List> {
    if subject.boxes.is_empty() || subject.centers.is_empty() {
        return Vec::new();
    }
    let single = |name, about, questions| List { name, about, questions, batch: false };
    if subject.name == SubjectName::TenBodies {
        let areas = vec![subject.bounds(); count.min(WHOLE_MAX)];
        return vec![single("whole_world", "the box of all".to_owned(), QueryBuilder::Boxes(areas))];
    }
    let (mut draw, points) = (Draw::new(subject, seed), subject.is_points());
    let small = if points { draw.side_for(FEW_HITS) } else { subject.side };
    let large = draw.side_for(HITS);
    let mut lists = Vec::new();
    for (name, side) in [("small_boxes", small), ("boxes", large)] {
        let areas = (0..count).map(|_| draw.area(side)).collect();
        lists.push(single(name, format!("side {side:.2}"), QueryBuilder::Boxes(areas)));
    }
    let nearest = (0..count).map(|_| Nearest { point: draw.place(), count: NEIGHBORS }).collect();
    lists.push(single("nearest", format!("{NEIGHBORS} neighbours"), QueryBuilder::Nearest(nearest)));
    if !points {
        let (rays, length) = ((0..count).map(|_| draw.ray()).collect(), RAY_SIDES * subject.side);
        lists.push(single("rays", format!("up to {length:.0} long"), QueryBuilder::Rays(rays)));
    }
    let batches: Vec<List> = lists.iter().filter_map(batch).collect();
    lists.extend(batches);
    lists
}

/// The same questions, many at once.
fn batch(list: &List) -> Option<List> {
    let name = match list.name {
        "small_boxes" => "small_boxes_batch",
        "nearest" => "nearest_batch",
        "rays" => "rays_batch",
        _ => return None,
    };
    Some(List { name, about: format!("{}, in batches", list.about), batch: true, ..list.clone() })
}

/// Draws places, and looks into them.
struct Draw<'s> {
    subject: &'s Subject,
    random: SplitMix64,
    index: StaticAABB2DIndex<f32>,
}

impl<'s> Draw<'s> {
    fn new(subject: &'s Subject, seed: u64) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(subject.boxes.len());
        for &[min_x, min_y, max_x, max_y] in &subject.boxes {
            builder.add(min_x, min_y, max_x, max_y);
        }
        let index = builder.build().expect("as many boxes as were announced");
        Self { subject, random: SplitMix64::new(seed ^ 0x7175_6572_6965_7321), index }
    }

    /// Near the middle of a body.
    fn place(&mut self) -> [f32; 2] {
        let (centers, side) = (&self.subject.centers, f64::from(self.subject.side));
        let center = centers[self.random.below(centers.len())];
        center.map(|at| at + self.random.range(-side, side))
    }

    fn area(&mut self, side: f32) -> Box4 {
        let ([x, y], half) = (self.place(), 0.5 * side);
        [x - half, y - half, x + half, y + half]
    }

    /// From where no box is, if that can be had.
    fn ray(&mut self) -> Ray {
        let mut origin = self.place();
        for _ in 1..DRAWN_MAX {
            if self.hits(&[origin[0], origin[1], origin[0], origin[1]]) == 0 {
                break;
            }
            origin = self.place();
        }
        let direction = self.random.direction().map(|component| component as f32);
        Ray { origin, direction, length: RAY_SIDES * self.subject.side }
    }

    /// Side of the boxes that so many hits are found in, in the mean.
    fn side_for(&mut self, hits: f64) -> f32 {
        let places: Vec<[f32; 2]> = (0..SAMPLE).map(|_| self.place()).collect();
        let (mut low, mut high) = (0.0, 1024.0 * self.subject.side);
        for _ in 0..24 {
            let half = 0.25 * (low + high);
            let area = |[x, y]: [f32; 2]| [x - half, y - half, x + half, y + half];
            let found = places.iter().try_fold(0.0, |sum, &place| {
                let sum = sum + self.hits(&area(place)) as f64;
                // Sides far too large are not looked into at every place.
                (sum < 4.0 * hits * SAMPLE as f64).then_some(sum)
            });
            if found.is_none_or(|found| found > hits * SAMPLE as f64) { high = 2.0 * half } else { low = 2.0 * half }
        }
        0.5 * (low + high)
    }

    fn hits(&self, area: &Box4) -> usize {
        let mut count = 0;
        self.index.visit_query(area[0], area[1], area[2], area[3], &mut |_: usize| count += 1);
        count
    }
}
