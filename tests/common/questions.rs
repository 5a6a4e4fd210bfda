//! Queries to worlds, and what brute force answers.

use super::Random;
use std::fmt::{self, Debug, Formatter};
use std::ops::ControlFlow;
use triphase::geometry::RawAabb;
use triphase::query::{Accept, Hits};
use triphase::{
    Aabb, AabbCast, CastHit, Circle, Hit, Neighbor, Point, QueryBuilder, Ray, Searched, Snapshot, World, reference,
};

/// How many of the nearest are asked for.
const COUNTS: [usize; 6] = [0, 1, 8, 32, 33, usize::MAX];

/// A shape of each sort.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub area: Aabb,
    pub point: Point,
    pub circle: Circle,
    pub ray: Ray,
    pub sweep: AabbCast,
}

impl Probe {
    /// Infinite edges are brought back; radius and `max` may be infinite.
    pub fn new(area: RawAabb, at: [f32; 2], radius: f32, direction: [f32; 2], max: f32) -> Self {
        let bound = |v: f32| v.clamp(f32::MIN, f32::MAX);
        let ([a, b, c, d], at, direction) = (area.map(bound), at.map(bound), direction.map(bound));
        let area = Aabb::new([a.min(c), b.min(d)], [a.max(c), b.max(d)]).expect("a box");
        Self {
            area,
            point: Point::new(at).expect("a point"),
            circle: Circle::new(at, radius).expect("a circle"),
            ray: Ray::new(at, direction, max).expect("a ray"),
            sweep: AabbCast::new(area, direction).expect("a sweep"),
        }
    }

    /// Shapes on, in, beside, around and far from boxes; the first ones are of all that there can be.
    pub fn some(boxes: &[RawAabb], random: &mut Random, count: usize) -> Vec<Self> {
        let all = [f32::MIN, f32::MIN, f32::MAX, f32::MAX];
        let nowhere = [f32::MAX, f32::MIN, f32::MAX, f32::MIN];
        let mut probes = vec![
            Self::new(all, [0.0, 0.0], f32::INFINITY, [f32::MAX, f32::MIN], f32::INFINITY),
            Self::new(nowhere, [f32::MAX, f32::MIN], f32::MAX, [f32::MIN, f32::MAX], f32::MAX),
            Self::new([0.0, -0.0, 0.0, 0.0], [-0.0, 0.0], 0.0, [-0.0, 0.0], 0.0),
        ];
        while probes.len() < count.max(3) {
            probes.push(Self::any(boxes, random));
        }
        probes
    }

    fn any(boxes: &[RawAabb], random: &mut Random) -> Self {
        let point = [[0.0; 4]];
        let boxes = if boxes.is_empty() { &point } else { boxes };
        let (at, to) = (place(boxes, random), place(boxes, random));
        let by = [to[0] - at[0], to[1] - at[1]];
        let own = random.pick(boxes);
        let side = (own[2] - own[0]).max(own[3] - own[1]);
        let area = match random.index(6) {
            0 => own,
            1 => [at[0], at[1], at[0], at[1]],
            2 => [at[0] - side, at[1] - side * 0.5, at[0] + side, at[1] + side],
            // Beside a box: touching, and one f32 off.
            3 => [own[2], own[1], own[2] + side, own[3]],
            4 => [own[0], own[3].next_up(), own[2], own[3] + side],
            _ => [at[0].min(to[0]), at[1].min(to[1]), at[0].max(to[0]), at[1].max(to[1])],
        };
        let radius = match random.index(8) {
            0 => 0.0,
            1 => f32::INFINITY,
            2 => f32::from_bits(1),
            3 => random.pick(&[f32::MAX, 1e30, 1e-30]),
            4 => by[0].abs(),
            5 => side * random.unit() * 8.0,
            _ => by[0].hypot(by[1]),
        };
        let direction = match random.index(9) {
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
fn place(boxes: &[RawAabb], random: &mut Random) -> [f32; 2] {
    let (own, other) = (random.pick(boxes), random.pick(boxes));
    let edge = 2 * random.index(2);
    let at = match random.index(8) {
        0 | 1 => [own[edge], own[edge + 1]],
        2 => [own[edge].next_up(), own[edge + 1].next_down()],
        3 => [own[edge], other[edge + 1]],
        4 => [own[0] * 0.5 + own[2] * 0.5, own[1]],
        5 => [own[0] * random.between(-3.0, 3.0), other[1] * random.between(-3.0, 3.0)],
        _ => [own[0] * 0.5 + own[2] * 0.5, own[1] * 0.5 + own[3] * 0.5],
    };
    at.map(|v| v.clamp(f32::MIN, f32::MAX))
}

/// What was met; the distance as bits, since 0 and -0 are not the same answer.
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

impl From<Neighbor<Hit>> for Item {
    fn from(near: Neighbor<Hit>) -> Self {
        Self { hit: near.hit, distance: near.distance.to_bits(), normal: None }
    }
}

impl From<CastHit<Hit>> for Item {
    fn from(met: CastHit<Hit>) -> Self {
        Self { hit: met.hit, distance: met.distance.to_bits(), normal: met.normal.map(|normal| normal.to_array()) }
    }
}

/// What an answer promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// These, in an order of the world's own.
    Set,
    /// At least these.
    Near,
    /// These in this order.
    List,
}

/// BatchResults to all questions about a probe, in the order in which they came.
#[derive(Clone, PartialEq)]
pub struct BatchResults(Vec<(String, Kind, Vec<Item>)>);

// A failed assertion shall not print thousands of hits.
impl Debug for BatchResults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (name, _, items) in &self.0 {
            writeln!(f, "{name}: {} {:?}", items.len(), &items[..items.len().min(4)])?;
        }
        Ok(())
    }
}

impl BatchResults {
    fn add(&mut self, name: impl Into<String>, kind: Kind, items: impl IntoIterator<Item = impl Into<Item>>) {
        self.0.push((name.into(), kind, items.into_iter().map(Into::into).collect()));
    }

    /// The answer to one of them.
    pub fn hits(&self, name: &str) -> Vec<Hit> {
        let (.., items) = self.0.iter().find(|(other, ..)| other == name).expect("a question");
        items.iter().map(|item| item.hit).collect()
    }
}

/// Draws an answer in every way there is; all must agree.
fn drawn<I: Iterator<Item = Hit>>(ask: impl Fn() -> Hits<I>) -> Vec<Hit> {
    let mut hits = Vec::new();
    ask().for_each(|hit| hits.push(hit));
    let mut one_by_one = ask();
    let (low, high) = one_by_one.size_hint();
    assert!(low <= hits.len() && high.is_none_or(|high| hits.len() <= high), "size hint {low} {high:?}");
    for hit in &hits {
        assert_eq!(one_by_one.next().as_ref(), Some(hit), "one by one");
    }
    assert_eq!(one_by_one.next(), None, "one by one");
    for first in [0, 1, 7, hits.len() / 2].map(|first| first.min(hits.len())) {
        let mut rest = ask();
        let mut both: Vec<Hit> = rest.by_ref().take(first).collect();
        rest.for_each(|hit| both.push(hit));
        assert!(both == hits, "{first} one by one and the rest at once");
        let mut seen = Vec::new();
        let end = ask().visit(|hit| {
            seen.push(hit);
            if seen.len() > first { ControlFlow::Break(seen.len()) } else { ControlFlow::Continue(()) }
        });
        let is_cut = first < hits.len();
        assert!(seen[..] == hits[..seen.len()] && seen.len() == first + usize::from(is_cut), "visited {first}");
        assert_eq!(end, if is_cut { ControlFlow::Break(first + 1) } else { ControlFlow::Continue(()) });
    }
    let mut buffer = vec![Hit::Body { row: 77, id: None }];
    assert_eq!(ask().append_to(&mut buffer), hits.len());
    assert!(buffer[0] == Hit::Body { row: 77, id: None } && buffer[1..] == hits, "appended");
    assert_eq!((ask().first(), ask().exists()), (hits.first().copied(), !hits.is_empty()));
    hits
}

/// Asks everything.
pub fn answers<A: Accept<Hit>>(ask: QueryBuilder<Searched<'_>, A>, probe: &Probe) -> BatchResults {
    let Probe { area, point, circle, ray, sweep } = *probe;
    let mut all = BatchResults(Vec::new());
    all.add("query_aabb", Kind::Set, drawn(|| ask.query_aabb(area)));
    all.add("query_contained_in", Kind::Set, drawn(|| ask.query_contained_in(area)));
    all.add("query_containing a point", Kind::Set, drawn(|| ask.query_containing(point)));
    all.add("query_containing a box", Kind::Set, drawn(|| ask.query_containing(area)));
    all.add("query_candidates", Kind::Near, drawn(|| ask.query_candidates(area)));
    all.add("query_circle", Kind::Set, drawn(|| ask.query_circle(circle)));

    // Buffers are replaced, not added to.
    let mut near = vec![Neighbor { hit: Hit::Body { row: 77, id: None }, distance: -1.0 }];
    for count in COUNTS {
        ask.k_nearest(point, count, &mut near);
        all.add(format!("k_nearest {count}"), Kind::List, near.iter().copied());
        ask.k_nearest_within(circle, count, &mut near);
        all.add(format!("k_nearest_within {count}"), Kind::List, near.iter().copied());
    }
    all.add("nearest", Kind::List, ask.nearest(point));
    all.add("nearest_within", Kind::List, ask.nearest_within(circle));
    ask.within(circle, &mut near);
    all.add("within", Kind::List, near.iter().copied());

    let mut met = vec![CastHit { hit: Hit::Body { row: 77, id: None }, distance: -1.0, normal: None }];
    ask.cast_ray_all(ray, &mut met);
    assert_eq!(ask.cast_ray_any(ray), !met.is_empty(), "{ray:?}");
    all.add("cast_ray_all", Kind::List, met.iter().copied());
    all.add("cast_ray", Kind::List, ask.cast_ray(ray));
    ask.cast_aabb_all(sweep, &mut met);
    assert_eq!(ask.cast_aabb_any(sweep), !met.is_empty(), "{sweep:?}");
    all.add("cast_aabb_all", Kind::List, met.iter().copied());
    all.add("cast_aabb", Kind::List, ask.cast_aabb(sweep));
    all
}

/// That the world's own methods answer as `ask()` does.
pub fn check_methods(world: &World, probe: &Probe) {
    let Probe { area, point, circle, ray, sweep } = *probe;
    let ask = world.query();
    assert!(world.query_aabb(area).eq(ask.query_aabb(area)), "{area:?}");
    assert!(world.query_contained_in(area).eq(ask.query_contained_in(area)), "{area:?}");
    assert!(world.query_containing(area).eq(ask.query_containing(area)), "{area:?}");
    assert!(world.query_containing(point).eq(ask.query_containing(point)), "{point:?}");
    assert!(world.query_candidates(area).eq(ask.query_candidates(area)), "{area:?}");
    assert!(world.query_circle(circle).eq(ask.query_circle(circle)), "{circle:?}");
    assert_eq!(world.nearest(point), ask.nearest(point));
    let (mut first, mut second) = (Vec::new(), Vec::new());
    world.k_nearest(point, 9, &mut first);
    ask.k_nearest(point, 9, &mut second);
    assert_eq!(first, second);
    world.within(circle, &mut first);
    ask.within(circle, &mut second);
    assert_eq!(first, second);
    assert_eq!(world.cast_ray(ray), ask.cast_ray(ray));
    assert_eq!(world.cast_aabb(sweep), ask.cast_aabb(sweep));
}

/// That a reader's frame answers as `ask()` does, where statics are those of the step.
pub fn check_frame(frame: &Snapshot, world: &World, probe: &Probe) {
    assert!(frame.query_aabb(probe.area).eq(world.query_aabb(probe.area)), "{:?}", probe.area);
    assert_eq!(answers(frame.query(), probe), answers(world.query(), probe), "{probe:?}");
}

/// What there is to be found: bodies by row, then enabled statics by row.
#[derive(Clone, Debug, Default)]
pub struct Known {
    hits: Vec<Hit>,
    boxes: Vec<RawAabb>,
}

impl Known {
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

    /// Those that are wanted.
    pub fn only(&self, wanted: impl Fn(Hit) -> bool) -> Self {
        let all = self.hits.iter().zip(&self.boxes).filter(|(hit, _)| wanted(**hit));
        let (hits, boxes) = all.map(|(&hit, &aabb)| (hit, aabb)).unzip();
        Self { hits, boxes }
    }

    pub fn boxes(&self) -> &[RawAabb] {
        &self.boxes
    }

    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    fn that(&self, test: impl Fn(&RawAabb) -> bool) -> Vec<Hit> {
        let all = self.hits.iter().zip(&self.boxes);
        all.filter(|(_, aabb)| test(aabb)).map(|(&hit, _)| hit).collect()
    }

    /// What must be answered.
    pub fn answers(&self, probe: &Probe) -> BatchResults {
        let holds = |outer: &RawAabb, inner: &RawAabb| {
            outer[0] <= inner[0] && outer[1] <= inner[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
        };
        let area = probe.area.to_array();
        let [x, y] = probe.point.to_array();
        let met: Vec<u32> = reference::cross_pairs(&[area], &self.boxes).into_iter().map(|(_, row)| row).collect();
        let met: Vec<Hit> = met.into_iter().map(|row| self.hits[row as usize]).collect();
        let mut all = BatchResults(Vec::new());
        all.add("query_aabb", Kind::Set, met.clone());
        all.add("query_contained_in", Kind::Set, self.that(|aabb| holds(&area, aabb)));
        all.add("query_containing a point", Kind::Set, self.that(|aabb| holds(aabb, &[x, y, x, y])));
        all.add("query_containing a box", Kind::Set, self.that(|aabb| holds(aabb, &area)));
        all.add("query_candidates", Kind::Near, met);

        let distances = reference::distances_squared(&self.boxes, [x, y]);
        let near = distances.iter().map(|&(squared, row)| {
            let hit = self.hits[row as usize];
            (squared, Item { hit, distance: squared.sqrt().to_bits(), normal: None })
        });
        let limit = f64::from(probe.circle.radius()) * f64::from(probe.circle.radius());
        let (near, inside): (Vec<Item>, Vec<bool>) = near.map(|(squared, item)| (item, squared <= limit)).unzip();
        let inside: Vec<Item> = near[..inside.iter().filter(|&&is| is).count()].to_vec();
        let mut met: Vec<Hit> = inside.iter().map(|item| item.hit).collect();
        met.sort_unstable();
        all.add("query_circle", Kind::Set, met);
        let first = |items: &[Item], count: usize| items[..items.len().min(count)].to_vec();
        for count in COUNTS {
            all.add(format!("k_nearest {count}"), Kind::List, first(&near, count));
            all.add(format!("k_nearest_within {count}"), Kind::List, first(&inside, count));
        }
        all.add("nearest", Kind::List, first(&near, 1));
        all.add("nearest_within", Kind::List, first(&inside, 1));
        all.add("within", Kind::List, inside);

        let ray = self.met([x, y, x, y], probe.ray.direction(), f64::from(probe.ray.max_time_of_impact()));
        all.add("cast_ray_all", Kind::List, ray.iter().copied());
        all.add("cast_ray", Kind::List, first(&ray, 1));
        let sweep = self.met(area, probe.sweep.displacement(), 1.0);
        all.add("cast_aabb_all", Kind::List, sweep.iter().copied());
        all.add("cast_aabb", Kind::List, first(&sweep, 1));
        all
    }

    fn met(&self, start: RawAabb, direction: [f32; 2], max: f64) -> Vec<Item> {
        let met = reference::cast_all(&self.boxes, start, direction, max).into_iter();
        let item = |(distance, row, normal): (f64, u32, [f32; 2])| {
            let normal = (normal != [0.0, 0.0]).then_some(normal);
            Item { hit: self.hits[row as usize], distance: distance.to_bits(), normal }
        };
        met.map(item).collect()
    }

    /// That answers are right; otherwise which is not, and what differs first.
    pub fn check(&self, probe: &Probe, found: &BatchResults) -> Result<(), String> {
        let truth = self.answers(probe);
        assert_eq!(truth.0.len(), found.0.len());
        for ((name, kind, wanted), (same, _, found)) in truth.0.iter().zip(&found.0) {
            assert_eq!(name, same);
            let mut found = found.clone();
            if *kind != Kind::List {
                found.sort_by_key(|item| item.hit);
            }
            if *kind == Kind::Near {
                self.check_near(probe, &found, wanted)?;
                found.clone_from(wanted);
            }
            if found != *wanted {
                let at = (0..).find(|&k| found.get(k) != wanted.get(k)).expect("they differ");
                let (got, expected) = (found.get(at), wanted.get(at));
                let aabb = |item: Option<&Item>| {
                    self.boxes[self.hits.iter().position(|hit| Some(hit) == item.map(|i| &i.hit)).unwrap_or(0)]
                };
                return Err(format!(
                    "{name}: of {} and {} number {at} is {got:?} {:?}, expected {expected:?} {:?}\n{probe:?}",
                    found.len(),
                    wanted.len(),
                    aabb(got),
                    aabb(expected)
                ));
            }
        }
        Ok(())
    }

    /// Each once, at least those that overlap, nothing else than there is.
    fn check_near(&self, probe: &Probe, found: &[Item], wanted: &[Item]) -> Result<(), String> {
        let is = |item: &Item, among: &[Hit]| among.binary_search(&item.hit).is_ok();
        let hits: Vec<Hit> = found.iter().map(|item| item.hit).collect();
        let what = if hits.windows(2).any(|two| two[0] == two[1]) {
            "one is found twice"
        } else if !found.iter().all(|item| is(item, &self.hits)) {
            "one is not to be found"
        } else if !wanted.iter().all(|item| is(item, &hits)) {
            "one that overlaps is missing"
        } else {
            return Ok(());
        };
        Err(format!("query_candidates: {what}\n{probe:?}"))
    }
}
