//! The queries. They are placed at bodies, so crowded places are queried as often as they have
//! bodies.

use super::subject::{Subject, SubjectName};
use crate::boxes::Box4;
use static_aabb2d_index::{StaticAABB2DIndex, StaticAABB2DIndexBuilder};
use triphase_scenes::SplitMix64;

/// Number of boxes that a nearest query finds.
const NEIGHBORS: usize = 8;
/// Mean number of hits of large areas.
const HITS: f64 = 15.0;
/// Mean number of hits of small areas, if boxes are points.
const FEW_HITS: f64 = 3.0;
/// Length of a ray, in body widths.
const RAY_SIDES: f32 = 20.0;
/// How often the start of a ray is drawn again if it is inside of a box.
const DRAWN_MAX: usize = 64;
/// Number of places at which the size of areas is adjusted.
const SAMPLE: usize = 1000;
/// Most queries of a whole world.
const WHOLE_MAX: usize = 200;

/// A query for the nearest boxes to a point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The point.
    pub point: [f32; 2],
    /// Number of boxes to find.
    pub count: usize,
}

/// A query for the first box that a ray hits.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Start of the ray.
    pub origin: [f32; 2],
    /// Direction of the ray, of length 1 up to rounding.
    pub direction: [f32; 2],
    /// Length of the ray, in multiples of the direction.
    pub length: f32,
}

/// Queries of one kind.
#[derive(Clone, Debug)]
pub enum Queries {
    /// All boxes that overlap an area.
    Boxes(Vec<Box4>),
    /// The nearest boxes.
    Nearest(Vec<Nearest>),
    /// The first box on a ray.
    Rays(Vec<Ray>),
}

impl Queries {
    /// Number of queries.
    pub fn len(&self) -> usize {
        match self {
            Self::Boxes(list) => list.len(),
            Self::Nearest(list) => list.len(),
            Self::Rays(list) => list.len(),
        }
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Queries of one kind, with a name.
#[derive(Clone, Debug)]
pub struct List {
    /// Name, such as `small_boxes`.
    pub name: &'static str,
    /// A few words about the queries, such as their size.
    pub about: String,
    /// The queries, in random order.
    pub queries: Queries,
    /// Whether the queries are to be run in batches.
    pub batch: bool,
}

/// Draws the lists that suit a subject, each of `count` queries, and the same lists for batches.
pub fn draw(subject: &Subject, count: usize, seed: u64) -> Vec<List> {
    if subject.boxes.is_empty() || subject.centers.is_empty() {
        return Vec::new();
    }
    let single = |name, about, queries| List { name, about, queries, batch: false };
    if subject.name == SubjectName::TenBodies {
        let areas = vec![subject.bounds(); count.min(WHOLE_MAX)];
        return vec![single("whole_world", "bounds of the world".to_owned(), Queries::Boxes(areas))];
    }
    let (mut draw, points) = (Draw::new(subject, seed), subject.is_points());
    let small = if points { draw.side_for(FEW_HITS) } else { subject.side };
    let large = draw.side_for(HITS);
    let mut lists = Vec::new();
    for (name, side) in [("small_boxes", small), ("boxes", large)] {
        let areas = (0..count).map(|_| draw.area(side)).collect();
        lists.push(single(name, format!("side {side:.2}"), Queries::Boxes(areas)));
    }
    let nearest = (0..count).map(|_| Nearest { point: draw.place(), count: NEIGHBORS }).collect();
    lists.push(single("nearest", format!("{NEIGHBORS} nearest boxes"), Queries::Nearest(nearest)));
    if !points {
        let (rays, length) = ((0..count).map(|_| draw.ray()).collect(), RAY_SIDES * subject.side);
        lists.push(single("rays", format!("up to {length:.0} long"), Queries::Rays(rays)));
    }
    let batches: Vec<List> = lists.iter().filter_map(batch).collect();
    lists.extend(batches);
    lists
}

/// The same queries, to be run in batches.
fn batch(list: &List) -> Option<List> {
    let name = match list.name {
        "small_boxes" => "small_boxes_batch",
        "nearest" => "nearest_batch",
        "rays" => "rays_batch",
        _ => return None,
    };
    Some(List { name, about: format!("{}, in batches", list.about), batch: true, ..list.clone() })
}

/// Draws random queries about a subject.
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

    /// A random point close to the center of a body.
    fn place(&mut self) -> [f32; 2] {
        let (centers, side) = (&self.subject.centers, f64::from(self.subject.side));
        let center = centers[self.random.below(centers.len())];
        center.map(|at| at + self.random.range(-side, side))
    }

    fn area(&mut self, side: f32) -> Box4 {
        let ([x, y], half) = (self.place(), 0.5 * side);
        [x - half, y - half, x + half, y + half]
    }

    /// A random ray that starts outside of all boxes, if one is found.
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

    /// The width of areas with this mean number of hits.
    fn side_for(&mut self, hits: f64) -> f32 {
        let places: Vec<[f32; 2]> = (0..SAMPLE).map(|_| self.place()).collect();
        let (mut low, mut high) = (0.0, 1024.0 * self.subject.side);
        for _ in 0..24 {
            let half = 0.25 * (low + high);
            let area = |[x, y]: [f32; 2]| [x - half, y - half, x + half, y + half];
            let found = places.iter().try_fold(0.0, |sum, &place| {
                let sum = sum + self.hits(&area(place)) as f64;
                // Areas that are far too large are not counted at every place.
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
