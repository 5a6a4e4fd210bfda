//! All queries of a world, and what brute force finds.

use std::fmt::{self, Debug, Formatter};
use std::ops::ControlFlow;
use triphase::geometry::RawAabb;
use triphase::query::Hits;
use triphase::{Aabb, AabbCast, CastHit, Circle, Hit, Neighbor, Point, QueryBuilder, Ray, Snapshot, World, reference};
use triphase_scenes::SplitMix64;

/// The `k` of the nearest-neighbour queries.
const COUNTS: [usize; 6] = [0, 1, 8, 32, 33, usize::MAX];

/// A query shape of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub area: Aabb,
    pub point: Point,
    pub circle: Circle,
    pub ray: Ray,
    pub cast: AabbCast,
}

impl Probe {
    /// Infinite coordinates are clamped; `radius` and `max` may be infinite.
    pub fn new(area: RawAabb, at: [f32; 2], radius: f32, direction: [f32; 2], max: f32) -> Self {
        let clamp = |v: f32| v.clamp(f32::MIN, f32::MAX);
        let ([a, b, c, d], at, direction) = (area.map(clamp), at.map(clamp), direction.map(clamp));
        let area = Aabb::new([a.min(c), b.min(d)], [a.max(c), b.max(d)]).expect("a box");
        Self {
            area,
            point: Point::new(at).expect("a point"),
            circle: Circle::new(at, radius).expect("a circle"),
            ray: Ray::new(at, direction, max).expect("a ray"),
            cast: AabbCast::new(area, direction).expect("a cast"),
        }
    }

    /// Shapes on, in, beside, around and far from boxes, at least three; the first ones cover all
    /// of f32.
    pub fn random(boxes: &[RawAabb], random: &mut SplitMix64, count: usize) -> Vec<Self> {
        let all = [f32::MIN, f32::MIN, f32::MAX, f32::MAX];
        let nowhere = [f32::MAX, f32::MIN, f32::MAX, f32::MIN];
        let mut probes = vec![
            Self::new(all, [0.0, 0.0], f32::INFINITY, [f32::MAX, f32::MIN], f32::INFINITY),
            Self::new(nowhere, [f32::MAX, f32::MIN], f32::MAX, [f32::MIN, f32::MAX], f32::MAX),
            Self::new([0.0, -0.0, 0.0, 0.0], [-0.0, 0.0], 0.0, [-0.0, 0.0], 0.0),
        ];
        while probes.len() < count.max(3) {
            probes.push(Self::one(boxes, random));
        }
        probes
    }

    fn one(boxes: &[RawAabb], random: &mut SplitMix64) -> Self {
        let point = [[0.0; 4]];
        let boxes = if boxes.is_empty() { &point } else { boxes };
        let (at, to) = (place(boxes, random), place(boxes, random));
        let by = [to[0] - at[0], to[1] - at[1]];
        let own = random.pick(boxes);
        let side = (own[2] - own[0]).max(own[3] - own[1]);
        let area = match random.below(6) {
            0 => own,
            1 => [at[0], at[1], at[0], at[1]],
            2 => [at[0] - side, at[1] - side * 0.5, at[0] + side, at[1] + side],
            // Beside a box: touching, and one f32 off.
            3 => [own[2], own[1], own[2] + side, own[3]],
            4 => [own[0], own[3].next_up(), own[2], own[3] + side],
            _ => [at[0].min(to[0]), at[1].min(to[1]), at[0].max(to[0]), at[1].max(to[1])],
        };
        let radius = match random.below(8) {
            0 => 0.0,
            1 => f32::INFINITY,
            2 => f32::from_bits(1),
            3 => random.pick(&[f32::MAX, 1e30, 1e-30]),
            4 => by[0].abs(),
            5 => side * random.range(0.0, 8.0),
            _ => by[0].hypot(by[1]),
        };
        let direction = match random.below(9) {
            0 => [0.0, -0.0],
            1 => [by[0], 0.0],
            2 => [-0.0, by[1]],
            3 => [random.pick(&[1.0, -1.0]), 0.0],
            4 => [0.0, random.pick(&[1.0, -1.0])],
            5 => {
                let far = random.pick(&[f32::MAX, f32::MIN, f32::from_bits(1), -1e-30, 1e30, 0.5]);
                [far, random.pick(&[far, -far, 1.0, 0.0])]
            }
            6 => random.point(-1.0, 1.0),
            _ => by,
        };
        let max = random.pick(&[0.0, 0.5, 1.0, 1.0, 30.0, f32::MAX, f32::INFINITY, f32::INFINITY]);
        let radius = if radius.is_nan() { f32::INFINITY } else { radius };
        let zero = |v: f32| if v.is_nan() { 0.0 } else { v };
        Self::new(area.map(zero), at.map(zero), radius, direction.map(zero), max)
    }
}

/// A place on, in, beside or far from boxes.
fn place(boxes: &[RawAabb], random: &mut SplitMix64) -> [f32; 2] {
    let (own, other) = (random.pick(boxes), random.pick(boxes));
    let edge = 2 * random.below(2);
    let at = match random.below(8) {
        0 | 1 => [own[edge], own[edge + 1]],
        2 => [own[edge].next_up(), own[edge + 1].next_down()],
        3 => [own[edge], other[edge + 1]],
        4 => [own[0] * 0.5 + own[2] * 0.5, own[1]],
        5 => [own[0] * random.range(-3.0, 3.0), other[1] * random.range(-3.0, 3.0)],
        _ => [own[0] * 0.5 + own[2] * 0.5, own[1] * 0.5 + own[3] * 0.5],
    };
    at.map(|v| v.clamp(f32::MIN, f32::MAX))
}

/// A hit of any query. The distance is kept as bits, since 0 and -0 are different results.
#[derive(Clone, Copy, PartialEq)]
pub struct Item {
    hit: Hit,
    distance: u64,
    normal: Option<[f32; 2]>,
}

impl Debug for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {:?}, normal {:?}", self.hit, f64::from_bits(self.distance), self.normal)
    }
}

impl From<Hit> for Item {
    fn from(hit: Hit) -> Self {
        Self { hit, distance: 0, normal: None }
    }
}

impl From<Neighbor> for Item {
    fn from(neighbor: Neighbor) -> Self {
        Self { hit: neighbor.target, distance: neighbor.distance.to_bits(), normal: None }
    }
}

impl From<CastHit> for Item {
    fn from(hit: CastHit) -> Self {
        Self { hit: hit.target, distance: hit.time_of_impact.to_bits(), normal: hit.normal }
    }
}

/// What a query promises about its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// These hits, in an order that is the world's own.
    Set,
    /// At least these hits.
    Superset,
    /// These hits in this order.
    List,
}

/// The results of all queries for a probe, in the order in which they were made.
#[derive(Clone, PartialEq)]
pub struct QueryResults(Vec<(String, Promise, Vec<Item>)>);

// A failed assertion does not print thousands of hits.
impl Debug for QueryResults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (name, _, items) in &self.0 {
            writeln!(f, "{name}: {} {:?}", items.len(), &items[..items.len().min(4)])?;
        }
        Ok(())
    }
}

impl QueryResults {
    fn add(&mut self, name: impl Into<String>, promise: Promise, items: Vec<Item>) {
        self.0.push((name.into(), promise, items));
    }

    fn add_all<T: Into<Item>>(&mut self, name: &str, promise: Promise, items: impl IntoIterator<Item = T>) {
        self.add(name, promise, items.into_iter().map(Into::into).collect());
    }

    /// The hits of one query.
    pub fn hits(&self, name: &str) -> Vec<Hit> {
        let (.., items) = self.0.iter().find(|(other, ..)| other == name).expect("a query");
        items.iter().map(|item| item.hit).collect()
    }
}

/// Collects the hits of an area query in every way there is, which must all agree.
fn collect_every_way<'w>(query: &dyn Fn() -> Hits<'w>) -> Vec<Hit> {
    let mut hits = Vec::new();
    query().for_each(|hit| hits.push(hit));
    let mut one_by_one = query();
    let (low, high) = one_by_one.size_hint();
    assert!(low <= hits.len() && high.is_none_or(|high| hits.len() <= high), "size hint {low} {high:?}");
    for hit in &hits {
        assert_eq!(one_by_one.next().as_ref(), Some(hit), "one by one");
    }
    assert_eq!(one_by_one.next(), None, "one by one");
    for first in [0, 1, 7, hits.len() / 2].map(|first| first.min(hits.len())) {
        let mut rest = query();
        let mut both: Vec<Hit> = Vec::new();
        (0..first).for_each(|_| both.extend(rest.next()));
        rest.for_each(|hit| both.push(hit));
        assert!(both == hits, "{first} one by one and the rest at once");
        let mut seen = Vec::new();
        let end = query().try_for_each(|hit| {
            seen.push(hit);
            if seen.len() > first { ControlFlow::Break(seen.len()) } else { ControlFlow::Continue(()) }
        });
        let breaks = first < hits.len();
        assert!(seen[..] == hits[..seen.len()] && seen.len() == first + usize::from(breaks), "visited {first}");
        assert_eq!(end, if breaks { ControlFlow::Break(first + 1) } else { ControlFlow::Continue(()) });
    }
    let mut buffer = vec![Hit::Body { row: 77, id: None }];
    assert_eq!(query().append_to(&mut buffer), hits.len());
    assert!(buffer[0] == Hit::Body { row: 77, id: None } && buffer[1..] == hits, "appended");
    assert_eq!((query().first(), query().exists()), (hits.first().copied(), !hits.is_empty()));
    hits
}

/// Runs every query.
pub fn run_queries(query: QueryBuilder<'_>, probe: &Probe) -> QueryResults {
    use Promise::{List, Set, Superset};
    let Probe { area, point, circle, ray, cast } = *probe;
    let mut all = QueryResults(Vec::new());
    all.add_all("query_aabb", Set, collect_every_way(&|| query.query_aabb(area)));
    all.add_all("query_contained_in", Set, collect_every_way(&|| query.query_contained_in(area)));
    all.add_all("query_point", Set, collect_every_way(&|| query.query_point(point)));
    all.add_all("query_containing", Set, collect_every_way(&|| query.query_containing(area)));
    all.add_all("query_candidates", Superset, collect_every_way(&|| query.query_candidates(area)));
    all.add_all("query_circle", Set, collect_every_way(&|| query.query_circle(circle)));

    // Buffers are replaced, not appended to.
    let mut nearest = vec![Neighbor { target: Hit::Body { row: 77, id: None }, distance: -1.0 }];
    for count in COUNTS {
        query.k_nearest(point, count, &mut nearest);
        all.add_all(&format!("k_nearest {count}"), List, nearest.iter().copied());
        query.k_nearest_within(circle, count, &mut nearest);
        all.add_all(&format!("k_nearest_within {count}"), List, nearest.iter().copied());
    }
    all.add_all("nearest", List, query.nearest(point));
    all.add_all("nearest_within", List, query.nearest_within(circle));
    query.query_circle_sorted(circle, &mut nearest);
    all.add_all("query_circle_sorted", List, nearest.iter().copied());

    let mut hits = vec![CastHit { target: Hit::Body { row: 77, id: None }, time_of_impact: -1.0, normal: None }];
    query.cast_ray_all(ray, &mut hits);
    assert_eq!(query.cast_ray_any(ray), !hits.is_empty(), "{ray:?}");
    all.add_all("cast_ray_all", List, hits.iter().copied());
    all.add_all("cast_ray", List, query.cast_ray(ray));
    query.cast_aabb_all(cast, &mut hits);
    assert_eq!(query.cast_aabb_any(cast), !hits.is_empty(), "{cast:?}");
    all.add_all("cast_aabb_all", List, hits.iter().copied());
    all.add_all("cast_aabb", List, query.cast_aabb(cast));
    all
}

/// Checks that the world's own methods return what its query builder does.
pub fn check_world_methods(world: &World, probe: &Probe) {
    let Probe { area, point, circle, ray, .. } = *probe;
    let query = world.query();
    assert!(world.query_aabb(area).eq(query.query_aabb(area)), "{area:?}");
    assert!(world.query_circle(circle).eq(query.query_circle(circle)), "{circle:?}");
    assert_eq!(world.nearest(point), query.nearest(point));
    assert_eq!(world.cast_ray(ray), query.cast_ray(ray));
}

/// Checks that a snapshot's queries return what the world's do. Its statics must be those of the
/// step.
pub fn check_snapshot(snapshot: &Snapshot, world: &World, probe: &Probe) {
    let Probe { area, point, circle, ray, .. } = *probe;
    assert!(snapshot.query_aabb(area).eq(world.query_aabb(area)), "{area:?}");
    assert!(snapshot.query_circle(circle).eq(world.query_circle(circle)), "{circle:?}");
    assert_eq!(snapshot.nearest(point), world.nearest(point));
    assert_eq!(snapshot.cast_ray(ray), world.cast_ray(ray));
    assert_eq!(run_queries(snapshot.query(), probe), run_queries(world.query(), probe), "{probe:?}");
}

/// Brute-force queries over bodies by row, then enabled statics by row.
#[derive(Clone, Debug, Default)]
pub struct QueryOracle {
    hits: Vec<Hit>,
    boxes: Vec<RawAabb>,
}

impl QueryOracle {
    /// Bodies and statics, those with ids as in `columns`, these without.
    pub fn new(columns: &crate::Columns, statics: &[RawAabb]) -> Self {
        Self::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(statics, None)
    }

    pub fn with_bodies(mut self, boxes: &[RawAabb], ids: Option<&[u64]>) -> Self {
        assert!(!self.hits.iter().any(|hit| matches!(hit, Hit::Static { .. })), "bodies come first");
        self.hits.extend((0..boxes.len()).map(|row| Hit::Body { row: row as u32, id: ids.map(|ids| ids[row]) }));
        self.boxes.extend(boxes);
        self
    }

    pub fn with_statics(mut self, boxes: &[RawAabb], ids: Option<&[u64]>) -> Self {
        self.hits.extend((0..boxes.len()).map(|row| Hit::Static { row: row as u32, id: ids.map(|ids| ids[row]) }));
        self.boxes.extend(boxes);
        self
    }

    /// Keeps those that `is_kept` accepts.
    pub fn only(&self, is_kept: &dyn Fn(Hit) -> bool) -> Self {
        let all = self.hits.iter().zip(&self.boxes).filter(|(hit, _)| is_kept(**hit));
        let (hits, boxes) = all.map(|(&hit, &aabb)| (hit, aabb)).unzip();
        Self { hits, boxes }
    }

    pub fn boxes(&self) -> &[RawAabb] {
        &self.boxes
    }

    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    fn filter(&self, test: &dyn Fn(&RawAabb) -> bool) -> Vec<Hit> {
        let all = self.hits.iter().zip(&self.boxes);
        all.filter(|(_, aabb)| test(aabb)).map(|(&hit, _)| hit).collect()
    }

    /// The results of every query, hits ascending where the order is the world's own.
    fn results(&self, probe: &Probe) -> QueryResults {
        use Promise::{List, Set, Superset};
        let contains = |outer: &RawAabb, inner: &RawAabb| {
            outer[0] <= inner[0] && outer[1] <= inner[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
        };
        let area = probe.area.to_array();
        let [x, y] = probe.point.to_array();
        let overlapping = reference::cross_pairs(&[area], &self.boxes);
        let overlapping: Vec<Hit> = overlapping.into_iter().map(|(_, row)| self.hits[row as usize]).collect();
        let mut all = QueryResults(Vec::new());
        all.add_all("query_aabb", Set, overlapping.clone());
        all.add_all("query_contained_in", Set, self.filter(&|aabb| contains(&area, aabb)));
        all.add_all("query_point", Set, self.filter(&|aabb| contains(aabb, &[x, y, x, y])));
        all.add_all("query_containing", Set, self.filter(&|aabb| contains(aabb, &area)));
        all.add_all("query_candidates", Superset, overlapping);

        let distances = reference::distances_squared(&self.boxes, [x, y]);
        let nearest: Vec<(f64, Item)> = distances
            .iter()
            .map(|&(squared, row)| {
                let hit = self.hits[row as usize];
                (squared, Item { hit, distance: squared.sqrt().to_bits(), normal: None })
            })
            .collect();
        let limit = f64::from(probe.circle.radius()) * f64::from(probe.circle.radius());
        let inside = nearest.iter().filter(|(squared, _)| *squared <= limit).count();
        let nearest: Vec<Item> = nearest.into_iter().map(|(_, item)| item).collect();
        let inside = &nearest[..inside];
        let mut in_circle: Vec<Hit> = inside.iter().map(|item| item.hit).collect();
        in_circle.sort_unstable();
        all.add_all("query_circle", Set, in_circle);
        let first = |items: &[Item], count: usize| items[..items.len().min(count)].to_vec();
        for count in COUNTS {
            all.add(format!("k_nearest {count}"), List, first(&nearest, count));
            all.add(format!("k_nearest_within {count}"), List, first(inside, count));
        }
        all.add("nearest", List, first(&nearest, 1));
        all.add("nearest_within", List, first(inside, 1));
        all.add("query_circle_sorted", List, inside.to_vec());

        let hits = self.cast([x, y, x, y], probe.ray.direction(), f64::from(probe.ray.max_time_of_impact()));
        all.add("cast_ray_all", List, hits.clone());
        all.add("cast_ray", List, first(&hits, 1));
        let hits = self.cast(area, probe.cast.displacement(), 1.0);
        all.add("cast_aabb_all", List, hits.clone());
        all.add("cast_aabb", List, first(&hits, 1));
        all
    }

    fn cast(&self, start: RawAabb, direction: [f32; 2], max: f64) -> Vec<Item> {
        let hits = reference::cast_all(&self.boxes, start, direction, max).into_iter();
        let item = |(distance, row, normal): (f64, u32, [f32; 2])| {
            let normal = (normal != [0.0, 0.0]).then_some(normal);
            Item { hit: self.hits[row as usize], distance: distance.to_bits(), normal }
        };
        hits.map(item).collect()
    }

    /// Compares results with brute force. The error names the query and what differs first.
    pub fn check(&self, probe: &Probe, found: &QueryResults) -> Result<(), String> {
        let expected = self.results(probe);
        assert_eq!(expected.0.len(), found.0.len());
        for ((name, promise, expected), (same, _, found)) in expected.0.iter().zip(&found.0) {
            assert_eq!(name, same);
            let mut found = found.clone();
            if *promise != Promise::List {
                found.sort_by_key(|item| item.hit);
            }
            if *promise == Promise::Superset {
                self.check_candidates(probe, &found, expected)?;
                found.clone_from(expected);
            }
            if found != *expected {
                let at = (0..).find(|&k| found.get(k) != expected.get(k)).expect("they differ");
                let describe = |item: Option<&Item>| match item {
                    Some(item) => {
                        let row = self.hits.iter().position(|hit| *hit == item.hit);
                        format!("{item:?} {:?}", row.map(|row| self.boxes[row]))
                    }
                    None => "nothing".to_owned(),
                };
                return Err(format!(
                    "{name}: hit {at} of {} is {}, expected {} of {}\n{probe:?}",
                    found.len(),
                    describe(found.get(at)),
                    describe(expected.get(at)),
                    expected.len(),
                ));
            }
        }
        Ok(())
    }

    /// Candidates are found once each, overlapping ones among them.
    fn check_candidates(&self, probe: &Probe, found: &[Item], overlapping: &[Item]) -> Result<(), String> {
        let is_in = |item: &Item, sorted: &[Hit]| sorted.binary_search(&item.hit).is_ok();
        let hits: Vec<Hit> = found.iter().map(|item| item.hit).collect();
        let what = if hits.windows(2).any(|two| two[0] == two[1]) {
            "a hit is found twice"
        } else if !found.iter().all(|item| is_in(item, &self.hits)) {
            "a hit does not exist"
        } else if !overlapping.iter().all(|item| is_in(item, &hits)) {
            "an overlapping hit is missing"
        } else {
            return Ok(());
        };
        Err(format!("query_candidates: {what}\n{probe:?}"))
    }
}
