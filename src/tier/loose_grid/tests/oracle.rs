//! Queries by brute force.

use crate::geometry::{Aabb, AabbCast, Impact, PreparedCast, RawAabb, Ray, distance_squared, overlaps};
use crate::tier::box_test::BoxTest;
use crate::tier::loose_grid::rebuilt::grid::RebuiltGrid;
use crate::tier::loose_grid::{LooseGrid, LooseHandle};
use triphase_scenes::SplitMix64;

/// The boxes that a grid should contain.
pub(super) type Model<H> = Vec<(H, RawAabb)>;

/// The searches of both grids.
pub(super) trait Search: Copy {
    type Hit: Copy + Ord;

    fn box_query(self, area: RawAabb, test: BoxTest) -> impl Iterator<Item = Self::Hit>;

    fn visit_nearest(self, point: [f32; 2], within: f64, visit: &mut impl FnMut(Self::Hit, f64) -> f64) -> f64;

    fn visit_cast(self, cast: &PreparedCast, t_max: f64, visit: &mut impl FnMut(Self::Hit, Impact) -> f64) -> f64;
}

impl Search for &RebuiltGrid {
    type Hit = u32;

    fn box_query(self, area: RawAabb, test: BoxTest) -> impl Iterator<Item = u32> {
        self.box_query(area, test).map(|body| body.row)
    }

    fn visit_nearest(self, point: [f32; 2], within: f64, visit: &mut impl FnMut(u32, f64) -> f64) -> f64 {
        self.visit_nearest(point, within, visit)
    }

    fn visit_cast(self, cast: &PreparedCast, t_max: f64, visit: &mut impl FnMut(u32, Impact) -> f64) -> f64 {
        self.visit_cast(cast, t_max, visit)
    }
}

impl Search for &LooseGrid {
    type Hit = LooseHandle;

    fn box_query(self, area: RawAabb, test: BoxTest) -> impl Iterator<Item = LooseHandle> {
        self.box_query(area, test).map(|slot| self.handle_of(slot))
    }

    fn visit_nearest(self, point: [f32; 2], within: f64, visit: &mut impl FnMut(LooseHandle, f64) -> f64) -> f64 {
        self.visit_nearest(point, within, &mut |slot, distance| visit(self.handle_of(slot), distance))
    }

    fn visit_cast(self, cast: &PreparedCast, t_max: f64, visit: &mut impl FnMut(LooseHandle, Impact) -> f64) -> f64 {
        self.visit_cast(cast, t_max, &mut |slot, impact| visit(self.handle_of(slot), impact))
    }
}

/// In and around a world, on its edges and corners, and far away.
pub(super) fn points_over(boxes: &[RawAabb], rng: &mut SplitMix64) -> Vec<[f32; 2]> {
    let mut points = vec![[0.0, 0.0], [1e30, -1e30], [f32::MAX, f32::MAX], [f32::MIN, 7.0], [3e7, 3e7]];
    for _ in 0..8 {
        points.push([rng.range(-20.0, 90.0), rng.range(-20.0, 90.0)]);
        points.push([rng.range(-2e3, 2e3), rng.range(-2e3, 2e3)]);
        if !boxes.is_empty() {
            let b = boxes[rng.below(boxes.len())].map(|v| v.clamp(f32::MIN, f32::MAX));
            points.push([b[rng.below(2) * 2], b[rng.below(2) * 2 + 1]]);
            points.push([b[0] * 0.5 + b[2] * 0.5, b[3]]);
        }
    }
    points
}

/// Ray and AABB casts from those points, in difficult directions.
pub(super) fn casts_over(boxes: &[RawAabb], rng: &mut SplitMix64) -> Vec<PreparedCast> {
    let maxima = [0.0, 1.0, 30.0, 1e30, f32::INFINITY];
    let mut casts = Vec::new();
    for from in points_over(boxes, rng) {
        let to = if boxes.is_empty() { from } else { points_over(boxes, rng)[5 + rng.below(20)] };
        // From corner to corner, unless the difference overflows.
        let at_corner = [0, 1].map(|k| (to[k] - from[k]).clamp(f32::MIN, f32::MAX));
        let mut directions = vec![[0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, 1.0], [-0.5, 0.5], at_corner];
        directions.extend([[3e38, -2e38], [1e-45, 1.0], [-1e-30, 0.0], [rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)]]);
        for direction in [5, rng.below(10), rng.below(10)].map(|k| directions[k]) {
            let max = maxima[rng.below(maxima.len())];
            casts.push(Ray::new(from, direction, max).expect("a ray").into());
            let reach = 10f32.powi(rng.below(6) as i32 - 2);
            let (low, high) = (from.map(|v| (v - reach).max(f32::MIN)), from.map(|v| (v + reach).min(f32::MAX)));
            let start = Aabb::new(low, high).expect("a box");
            casts.push(
                AabbCast::new(start, direction.map(|v| (v * 30.0).clamp(f32::MIN, f32::MAX))).expect("a cast").into(),
            );
        }
    }
    casts
}

/// Panics if a query differs from brute force.
pub(super) fn assert_queries<S: Search>(
    source: S,
    model: &Model<S::Hit>,
    points: &[[f32; 2]],
    casts: &[PreparedCast],
    what: &str,
) where
    S::Hit: std::fmt::Debug,
{
    let span = |v: f32, by: f32| [v - by, v + by];
    for (k, &point) in points.iter().enumerate() {
        let by = [0.0, 1.0, 25.0, f32::INFINITY][k % 4];
        let ([x0, x1], [y0, y1]) = (span(point[0], by), span(point[1], by));
        assert_area(source, model, [x0, y0, x1, y1], what);
        assert_nearest(source, model, point, what);
    }
    assert_area(source, model, [f32::NEG_INFINITY, 3.0, 5.0, f32::INFINITY], what);
    for cast in casts {
        assert_cast(source, model, cast, what);
    }
}

fn assert_area<S: Search>(source: S, model: &Model<S::Hit>, area: RawAabb, what: &str)
where
    S::Hit: std::fmt::Debug,
{
    let mut expected: Vec<_> = model.iter().filter(|(_, b)| overlaps(b, &area)).map(|(hit, _)| *hit).collect();
    expected.sort_unstable();
    let mut found: Vec<_> = source.box_query(area, BoxTest::Overlap).collect();
    let mut folded = Vec::new();
    source.box_query(area, BoxTest::Overlap).for_each(|hit| folded.push(hit));
    assert_eq!(found, folded, "{what}: {area:?}");
    found.sort_unstable();
    assert_eq!(found, expected, "{what}: {area:?}");
    let mut candidates: Vec<_> = source.box_query(area, BoxTest::Untested).collect();
    candidates.sort_unstable();
    assert!(candidates.is_sorted_by(|a, b| a < b), "{what}: twice in {area:?}");
    assert!(expected.iter().all(|hit| candidates.binary_search(hit).is_ok()), "{what}: not a candidate in {area:?}");
}

fn assert_nearest<S: Search>(source: S, model: &Model<S::Hit>, point: [f32; 2], what: &str)
where
    S::Hit: std::fmt::Debug,
{
    let mut all: Vec<_> = model.iter().map(|(hit, b)| (distance_squared(b, point), *hit)).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let at = |k: usize| all.get(k).map_or(0.0, |hit| hit.0);
    for within in [0.0, at(0), at(3), at(40), 1.0, 1e4, f64::INFINITY] {
        let mut found = Vec::new();
        let end = source.visit_nearest(point, within, &mut |hit, distance| {
            found.push((distance, hit));
            within
        });
        assert_eq!(end, within);
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(found, all[..all.partition_point(|hit| hit.0 <= within)], "{what}: {within} around {point:?}");
    }
    for count in [1, 2, 10, all.len(), all.len() + 3] {
        let (mut found, mut within) = (Vec::new(), f64::INFINITY);
        let end = source.visit_nearest(point, within, &mut |hit, distance| {
            assert!(distance <= within, "{what}: beyond {within} around {point:?}");
            found.push((distance, hit));
            if found.len() >= count {
                found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                found.truncate(count);
                within = found.last().map_or(0.0, |hit| hit.0);
            }
            within
        });
        assert_eq!(end, within);
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(found, all[..count.min(all.len())], "{what}: {count} around {point:?}");
    }
}

fn assert_cast<S: Search>(source: S, model: &Model<S::Hit>, cast: &PreparedCast, what: &str)
where
    S::Hit: std::fmt::Debug,
{
    let by = |a: &(f64, S::Hit), b: &(f64, S::Hit)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let impact = |(hit, b): &(S::Hit, RawAabb)| Some((cast.impact(b, cast.max_time)?.time, *hit));
    let mut all: Vec<_> = model.iter().filter_map(impact).collect();
    all.sort_unstable_by(by);
    let mut found = Vec::new();
    let end = source.visit_cast(cast, cast.max_time, &mut |hit, entry| {
        found.push((entry.time, hit));
        cast.max_time
    });
    assert_eq!(end, cast.max_time);
    // Each entity once (WALK-1), although callers do not need it.
    found.sort_unstable_by(by);
    assert_eq!(found, all, "{what}: {cast:?}");
    let (mut first, mut t_max) = (None, cast.max_time);
    source.visit_cast(cast, t_max, &mut |hit, entry| {
        let candidate = (entry.time, hit);
        if first.is_none_or(|first| by(&candidate, &first).is_lt()) {
            (first, t_max) = (Some(candidate), entry.time);
        }
        t_max
    });
    assert_eq!(first, all.first().copied(), "{what}: first of {cast:?}");
    let mut count = 0;
    source.visit_cast(cast, cast.max_time, &mut |_, _| {
        count += 1;
        f64::NEG_INFINITY
    });
    assert_eq!(count, all.len().min(1), "{what}: any of {cast:?}");
}
