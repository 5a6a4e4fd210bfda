"""Queries and neighbors of points, compared with brute force."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
import triphase
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import cKDTree

RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def world() -> triphase.World:
    world = triphase.World()
    corners = (RNG.random((40, 2)) * 30).astype(np.float32)
    world.set_statics(np.hstack([corners, corners + np.float32(1)]))
    filters = np.ones((600, 2), dtype=np.uint32)
    filters[::3] = 2
    world.step((RNG.random((600, 2)) * 30).astype(np.float32), 0.3, filters=filters)
    return world


def all_boxes(world: triphase.World) -> oracle.Floats:
    """Bodies, then statics."""
    statics = [world.static_aabb(row) for row in range(world.static_count)]
    return np.vstack([world.aabbs(), np.array(statics, dtype=np.float32)])


def numbered(hits: triphase.Hits, query: int) -> list[int]:
    """The hits of a query as rows of `all_boxes`."""
    span = slice(hits.offsets[query], hits.offsets[query + 1])
    return (hits.rows[span] + 600 * hits.is_static[span]).tolist()


@pytest.mark.parametrize("count", [1, 700])  # 700 are a batch that may use threads
def test_boxes_points_and_circles(world: triphase.World, count: int) -> None:
    boxes = all_boxes(world)
    corners = (RNG.random((count, 2)) * 30).astype(np.float32)
    areas = np.hstack([corners, corners + np.float32(2)])
    radii = (RNG.random(count) * 3).astype(np.float32)
    points = np.hstack([corners, corners])
    distances = oracle.distances(corners, boxes)
    for hits, expected in (
        (world.query_aabb(areas), oracle.overlaps(areas, boxes)),
        (world.query_contained_in(areas), oracle.contained(boxes, areas).T),
        (world.query_point(corners), oracle.overlaps(points, boxes)),
        (world.query_circle(corners, 1.5), distances <= 1.5),
        (world.query_circle(corners, radii), distances <= radii[:, None]),
        (world.within(corners, radii), distances <= radii[:, None]),
    ):
        assert len(hits) == count and hits.offsets.dtype == np.int64 and hits.rows.dtype == np.uint32
        assert len(hits.queries) == len(hits.rows) and hits.counts.sum() == len(hits.rows)
        for query in range(count):
            assert sorted(numbered(hits, query)) == np.flatnonzero(expected[query]).tolist()
        assert (hits.ids is None) == (len(hits.rows) > 0)


def test_neighbors_are_sorted_by_distance(world: triphase.World) -> None:
    boxes = all_boxes(world)
    points = (RNG.random((300, 2)) * 32 - 1).astype(np.float32)
    distances = oracle.distances(points, boxes)
    order = np.argsort(distances, axis=1, kind="stable")
    near, within = world.k_nearest(points, 5), world.within(points, 2.0)
    for query in range(300):
        assert numbered(near, query) == order[query, :5].tolist()
        np.testing.assert_array_equal(near.distances_of(query), distances[query, order[query, :5]])
        expected = order[query, : (distances[query] <= 2.0).sum()]
        assert numbered(within, query) == expected.tolist()
        np.testing.assert_array_equal(within.distances_of(query), distances[query, expected])
    limited = world.k_nearest(points, 5, max_distance=0.5)
    assert limited.counts.tolist() == np.minimum((distances <= 0.5).sum(axis=1), 5).tolist()
    assert world.k_nearest((0, 0), 10_000).counts.tolist() == [len(boxes)]
    assert len(world.k_nearest(points[:1], 0).rows) == 0


def test_a_single_shape_may_be_numbers(world: triphase.World) -> None:
    for area in ((1, 1, 9, 9), [1, 1, 9, 9], np.array([1.0, 1, 9, 9])):
        hits = world.query_aabb(area)
        expected = world.query_aabb(np.array([[1, 1, 9, 9]], dtype=np.float32))
        assert len(hits) == 1 and hits.rows.tolist() == expected.rows.tolist()
    assert world.within((3, 4), 2).rows.tolist() == world.within(np.array([[3, 4]], np.float32), 2).rows.tolist()
    with pytest.raises(IndexError, match="query 1 does not exist; there are 1"):
        hits.of(1)


def test_restrictions(world: triphase.World) -> None:
    everything = (-100, -100, 100, 100)
    assert len(world.query_aabb(everything).rows) == 640
    assert not world.query_aabb(everything, only="bodies").is_static.any()
    assert sorted(world.query_aabb(everything, only="statics").rows.tolist()) == list(range(40))
    assert sorted(world.query_aabb(everything, only="bodies", layers=2).bodies.tolist()) == list(range(0, 600, 3))
    left = world.query_aabb(everything, exclude_bodies=np.arange(590), exclude_statics=[0, 1])
    assert sorted(left.bodies.tolist()) == list(range(590, 600)) and len(left.statics) == 38
    x0, y0, x1, y1 = world.aabbs()[17]
    center = (float(x0 + x1) / 2, float(y0 + y1) / 2)
    assert world.k_nearest(center, 1, only="bodies").rows.tolist() == [17]
    assert world.k_nearest(center, 1, only="bodies", exclude_bodies=[17]).rows.tolist() != [17]
    ray = world.cast_ray((-50, 15), (1, 0), only="statics")
    assert ray is not None and ray.is_static
    with pytest.raises(triphase.Error, match='only is "walls"; must be "bodies", "statics" or None'):
        world.query_aabb(everything, only="walls")  # type: ignore[arg-type]


def test_ids_are_those_of_hits() -> None:
    world = triphase.World()
    world.set_statics(np.array([[5, 0, 6, 1]], dtype=np.float32), ids=np.array([99], dtype=np.uint64))
    world.step(np.array([[0.5, 0.5], [2, 0.5]], dtype=np.float32), 0.2)
    hits = world.query_aabb((0, 0, 9, 1))
    assert hits.ids is not None
    assert dict(zip(zip(hits.is_static.tolist(), hits.rows.tolist()), hits.ids.tolist())) == {
        (False, 0): 0,
        (False, 1): 1,
        (True, 0): 99,
    }


def test_rays(world: triphase.World) -> None:
    boxes = all_boxes(world)
    origins = (RNG.random((400, 2)) * 30).astype(np.float32)
    directions = (RNG.random((400, 2)) - 0.5).astype(np.float32)
    hits = world.cast_rays(origins, directions, 20.0)
    for ray in range(400):
        times = oracle.cast_times(np.tile(origins[ray], 2), directions[ray], boxes)
        first = int(np.argmin(times))
        single = world.cast_ray(origins[ray], directions[ray], 20.0)
        if times[first] > 20:
            assert not hits.hit[ray] and single is None
            assert hits.times[ray] == np.inf and hits.rows[ray] == 2**32 - 1
            continue
        assert hits.hit[ray] and single is not None
        assert hits.rows[ray] + 600 * hits.is_static[ray] == first == single.row + 600 * single.is_static
        assert hits.times[ray] == times[first] == single.time
        assert tuple(hits.normals[ray]) == (single.normal or (0, 0))
        np.testing.assert_allclose(single.point, origins[ray] + times[first] * directions[ray], atol=1e-5)
    assert 0 < hits.hit.sum() and (hits.times == 0).any() and len(hits) == 400

    limits = (RNG.random(400) * 20).astype(np.float32)
    limited = world.cast_rays(origins, directions, limits)
    np.testing.assert_array_equal(limited.hit, hits.hit & (hits.times <= limits))
    np.testing.assert_array_equal(limited.rows[limited.hit], hits.rows[limited.hit])
    np.testing.assert_array_equal(world.cast_rays(origins, directions, np.float32(20)).times, hits.times)
    assert world.cast_rays(origins, directions).hit.sum() >= hits.hit.sum()


def test_ids_of_no_hits_are_no_ids_but_an_array() -> None:
    world = triphase.World()
    nowhere = np.full((2, 2), 900, np.float32)
    empty = world.step(np.zeros((0, 2), np.float32), 1, ids=np.zeros(0, np.uint64))
    assert empty.body_count == 0
    for ids in (world.body_ids(), world.query_point(nowhere).ids, world.k_nearest(nowhere, 3).ids):
        assert ids is not None and len(ids) == 0 and ids.dtype == np.uint64
    world.step(np.zeros((3, 2), np.float32), 1, ids=np.arange(3, dtype=np.uint64))
    missed = world.cast_rays(nowhere, np.ones((2, 2), np.float32))
    assert missed.ids is not None and missed.ids.tolist() == [2**64 - 1] * 2
    hits = world.query_point((0, 0))
    assert hits.ids is not None and sorted(hits.ids) == [0, 1, 2]


def test_all_hits_and_any_hit_of_a_ray(world: triphase.World) -> None:
    boxes = all_boxes(world)
    hit_counts = []
    for _ in range(300):
        origin = (RNG.random(2) * 30).astype(np.float32)
        direction = (RNG.random(2) - 0.5).astype(np.float32)
        times = oracle.cast_times(np.tile(origin, 2), direction, boxes)
        expected = np.argsort(times, kind="stable")[: (times <= 8).sum()].tolist()
        found = world.cast_ray_all(origin, direction, 8)
        assert [hit.row + 600 * hit.is_static for hit in found] == expected
        assert [hit.time for hit in found] == times[expected].tolist()
        assert world.cast_ray_any(origin, direction, 8) == bool(expected)
        if expected:
            assert found[0] == world.cast_ray(origin, direction, 8)
        hit_counts.append(len(found))
        only = world.cast_ray_all(origin, direction, 8, only="statics")
        assert [hit.row + 600 for hit in only] == [row for row in expected if row >= 600]
    assert min(hit_counts) == 0 and max(hit_counts) > 3


def test_moving_boxes(world: triphase.World) -> None:
    boxes = all_boxes(world)
    hit_count = 0
    for row in range(300):
        aabb = boxes[row]
        displacement = (RNG.random(2) * 6 - 3).astype(np.float32)
        times = oracle.cast_times(aabb, displacement, boxes)
        assert world.cast_aabb(aabb, displacement) == triphase.CastHit(int(np.argmin(times)), False, None, 0.0, None)
        times[row] = np.inf
        first, hit = int(np.argmin(times)), world.cast_aabb(aabb, displacement, exclude_bodies=[row])
        if times[first] > 1:
            assert hit is None
            continue
        assert hit is not None and hit.row + 600 * hit.is_static == first and hit.time == times[first]
        if hit.normal is None:
            assert hit.time == 0
            continue
        hit_count += 1
        # At the time of impact the box touches the side that the normal points out of.
        axis = 0 if hit.normal[0] else 1
        ahead = 2 * (displacement[axis] > 0) + axis
        reached = float(aabb[ahead]) + hit.time * float(displacement[axis])
        assert reached == pytest.approx(float(boxes[first, (ahead + 2) % 4]), abs=1e-5)
        assert hit.normal[axis] == -np.sign(displacement[axis])
    assert hit_count > 50


POINTS = hnp.arrays(
    np.float32,
    st.tuples(st.integers(0, 60), st.just(2)),
    elements=st.integers(-4, 4).map(float)
    | st.floats(-10, 10, width=32)
    | st.sampled_from([1e6, 1e6 + 0.0625, 2.0**-66, -(2.0**100)]),
)
RADII = st.sampled_from([0.0, 1.0, 2**0.5, 2.0, 5**0.5, 0.1, 0.0625, 1e-20, 1e30]) | st.floats(0, 20)


@settings(max_examples=500, deadline=None)
@given(POINTS, RADII)
def test_points_within_a_distance(points: oracle.Floats, radius: float) -> None:
    pairs = triphase.neighbors_within(points, radius, sorted=True)
    np.testing.assert_array_equal(pairs, oracle.near_points(points, radius))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("radius", [1.0, 2.0**0.5, 2.0, 5.0**0.5, 1.25])
def test_ties_on_a_lattice_are_those_of_ckdtree(radius: float, threads: int) -> None:
    x, y = np.meshgrid(np.arange(120, dtype=np.float32), np.arange(120, dtype=np.float32))
    points = RNG.permutation(np.column_stack([x.ravel(), y.ravel()]))
    pairs = triphase.neighbors_within(points, radius, sorted=True, threads=threads)
    expected = cKDTree(points).query_pairs(radius, output_type="ndarray")
    assert len(pairs) > 25_000
    np.testing.assert_array_equal(pairs, oracle.sort_pairs(expected.astype(np.uint32)))


@pytest.mark.parametrize("offset", [0.0, 1000.0, 1e6])
@pytest.mark.parametrize("threads", [1, 2])
def test_random_points_have_the_pairs_of_ckdtree(offset: float, threads: int) -> None:
    points = (RNG.random((20_000, 2)) * 100 + offset).astype(np.float32)
    pairs = triphase.neighbors_within(points, 1.0, threads=threads)
    expected = cKDTree(points).query_pairs(1.0, output_type="ndarray")
    assert len(pairs) > 10_000
    np.testing.assert_array_equal(oracle.sort_pairs(pairs), oracle.sort_pairs(expected.astype(np.uint32)))
    again = triphase.neighbors_within(points, 1.0, threads=3 - threads)
    np.testing.assert_array_equal(pairs, again)  # in the same order, on any number of threads


def test_points_are_bodies_of_size_zero() -> None:
    points = (RNG.random((3000, 2)) * 40).astype(np.float32)
    world = triphase.World()
    world.step(points, 0)
    within = world.within(points, 1.0)
    near = within.queries < within.rows
    pairs = np.column_stack([within.queries[near], within.rows[near]]).astype(np.uint32)
    np.testing.assert_array_equal(oracle.sort_pairs(pairs), triphase.neighbors_within(points, 1.0, sorted=True))


def test_results_are_true_if_anything_was_hit() -> None:
    world = triphase.World()
    world.step(np.array([[0, 0], [5, 0]], np.float32), 0.5)
    here, nowhere = world.query_point((0, 0)), world.query_point((9, 9))
    assert here and not nowhere and len(here) == len(nowhere) == 1
    both = world.query_point(np.array([[5, 0], [9, 9]], np.float32))
    assert [rows.tolist() for rows in both] == [[1], []] and both[0].tolist() == [1]
    assert world.within((0, 0), 1) and not world.within((9, 9), 1)
    up, origins = np.array([[0, 1]], np.float32), np.array([[0, -3]], np.float32)
    assert world.cast_rays(origins, up) and not world.cast_rays(origins, -up)
