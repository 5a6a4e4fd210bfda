"""Steps, statics and what they find, compared with brute force."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import oracle
import pytest
import triphase
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

RNG = np.random.default_rng(7)

# A few values that touch, repeat and round, among arbitrary ones.
NUMBERS = st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.5, 3.0, 2.0**-100, 1e7]) | st.floats(-50, 50, width=32)
SIZES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 40.0]) | st.floats(0, 5, width=32)


@st.composite
def crowds(draw: st.DrawFn) -> tuple[oracle.Floats, oracle.Floats]:
    count = draw(st.integers(0, 40))
    centers = draw(hnp.arrays(np.float32, (count, 2), elements=NUMBERS))
    return centers, draw(hnp.arrays(np.float32, (count, 2), elements=SIZES))


@settings(max_examples=300, deadline=None)
@given(crowds(), st.integers(0, 12))
def test_pairs_are_those_of_brute_force(crowd: tuple[oracle.Floats, oracle.Floats], walls: int) -> None:
    centers, half_extents = crowd
    boxes = oracle.boxes_of(centers, half_extents)
    statics = boxes[::-1][:walls] + np.float32(0.75)
    world = triphase.World()
    world.set_statics(statics)
    for contacts in (world.step(centers, half_extents, sorted=True), world.step_boxes(boxes, sorted=True)):
        np.testing.assert_array_equal(contacts.pairs, oracle.body_pairs(boxes))
        np.testing.assert_array_equal(contacts.static_pairs, oracle.static_pairs(boxes, statics))
        assert contacts.pairs.dtype == np.uint32 and contacts.pairs.shape[1] == 2
        assert contacts.body_count == len(centers)
    np.testing.assert_array_equal(world.aabbs(), boxes)
    if len(centers):
        assert world.aabb(0) == tuple(boxes[0].tolist())
    assert world.aabb(len(centers)) is None


def test_half_extents_may_be_a_number_or_a_pair_for_all() -> None:
    centers = (RNG.random((500, 2)) * 20).astype(np.float32)
    world = triphase.World()
    halves: list[Any] = [0.4, np.float32(0.4), (0.4, 0.4), [0.4, 0.4], np.array([0.4, 0.4])]
    for half in halves:
        pairs = world.step(centers, half, sorted=True).pairs
        np.testing.assert_array_equal(pairs, oracle.body_pairs(oracle.boxes_of(centers, 0.4)))
    wide = np.array([1.0, 0.1], dtype=np.float32)
    pairs = world.step(centers, (1.0, 0.1), sorted=True).pairs
    np.testing.assert_array_equal(pairs, oracle.body_pairs(oracle.boxes_of(centers, wide)))


def test_threads_do_not_change_pairs_or_their_order() -> None:
    centers = (RNG.random((20_000, 2)) * 140).astype(np.float32)
    one, two = triphase.World(threads=1), triphase.World(threads=2)
    a, b = one.step(centers, 0.5), two.step(centers, 0.5)
    assert len(a.pairs) > 10_000
    np.testing.assert_array_equal(a.pairs, b.pairs)
    np.testing.assert_array_equal(oracle.sort_pairs(a.pairs), two.pairs(sorted=True))
    np.testing.assert_array_equal(a.pairs, triphase.World(simd_max="portable").step(centers, 0.5).pairs)


def test_circles_have_fewer_pairs_than_boxes() -> None:
    world = triphase.World(body_shape="circle")
    beside = np.array([[0, 0], [0.9, 0]], dtype=np.float32)
    across = np.array([[0, 0], [0.9, 0.9]], dtype=np.float32)
    assert len(world.step(beside, 0.5).pairs) == 1
    assert len(world.step(across, 0.5).pairs) == 0
    assert len(triphase.World().step(across, 0.5).pairs) == 1


def test_filters_displacements_and_ids() -> None:
    centers = (RNG.random((300, 2)) * 15).astype(np.float32)
    filters = RNG.integers(0, 4, (300, 2), dtype=np.uint32)
    world = triphase.World()
    boxes = oracle.boxes_of(centers, 0.5)
    pairs = world.step(centers, 0.5, filters=filters, sorted=True).pairs
    np.testing.assert_array_equal(pairs, oracle.body_pairs(boxes, filters))

    moves = (RNG.random((300, 2)) * 4 - 2).astype(np.float32)
    there = oracle.boxes_of(centers + moves, 0.5)
    swept = np.hstack([np.minimum(boxes, there)[:, :2], np.maximum(boxes, there)[:, 2:]])
    pairs = world.step(centers, 0.5, displacements=moves, sorted=True).pairs
    np.testing.assert_array_equal(pairs, oracle.body_pairs(swept))

    ids = RNG.integers(0, 2**64, 300, dtype=np.uint64)
    world.step(centers, 0.5, ids=ids)
    np.testing.assert_array_equal(world.body_ids(), ids)
    world.step(centers, 0.5)
    assert world.body_ids() is None


def test_asleep_reuses_pairs_and_takes_any_byte_as_a_flag() -> None:
    centers = (RNG.random((5000, 2)) * 70).astype(np.float32)
    world = triphase.World()
    asleep = np.full(5000, 2, dtype=np.uint8).view(np.bool_)  # a byte that is neither 0 nor 1
    asleep[:10] = False
    for _ in range(4):
        centers[:10] += np.float32(0.1)
        pairs = world.step(centers, 0.5, asleep=asleep, sorted=True).pairs
        np.testing.assert_array_equal(pairs, oracle.body_pairs(oracle.boxes_of(centers, 0.5)))
    assert world.report()["cached_count"] == 4990


@pytest.mark.parametrize("as_flags", [False, True])
def test_told_steps_find_the_pairs_of_full_steps(as_flags: bool) -> None:
    centers = (RNG.random((2000, 2)) * 45).astype(np.float32)
    told, full = triphase.World(), triphase.World()
    told.step_changed(np.zeros(0, np.uint32), centers, 0.5)
    for frame in range(5):
        rows = RNG.integers(0, 2000, 20).astype(np.uint32)
        centers[rows] += np.float32(0.3)
        changed = np.isin(np.arange(2000), rows) if as_flags else rows
        found = told.step_changed(changed, centers, 0.5)
        np.testing.assert_array_equal(told.pairs(sorted=True), full.step(centers, 0.5, sorted=True).pairs)
        pairs = told.pairs()
        np.testing.assert_array_equal(found.changed_pairs, pairs[np.isin(pairs, rows).any(axis=1)])
        assert (found.step_number, told.report()["filed_steps_ago"]) == (frame + 2, frame + 1)
    boxes = oracle.boxes_of(centers, 0.5)
    told.step_boxes_changed(np.arange(2000, dtype=np.uint32), boxes)
    np.testing.assert_array_equal(told.pairs(sorted=True), full.pairs(sorted=True))


def test_statics_can_be_inserted_replaced_removed_and_disabled() -> None:
    world = triphase.World()
    walls = np.array([[0, 0, 1, 1], [2, 0, 3, 1]], dtype=np.float32)
    world.set_statics(walls, ids=np.array([70, 71], dtype=np.uint64))
    people = np.array([[0.5, 0.5], [2.5, 0.5], [9.0, 9.0]], dtype=np.float32)
    rows = lambda: world.step(people, 0.1, sorted=True).static_pairs.tolist()  # noqa: E731
    assert rows() == [[0, 0], [1, 1]]
    assert world.set_static_enabled(0, False) is True and world.is_static_enabled(0) is False
    assert rows() == [[1, 1]]
    assert world.set_static_enabled(0, True) is False
    added = world.insert_statics(np.array([[8, 8, 10, 10]], dtype=np.float32), np.array([72], dtype=np.uint64))
    assert added.tolist() == [2] and world.static_count == 3 and world.static_id(2) == 72
    assert rows() == [[0, 0], [1, 1], [2, 2]]
    world.replace_statics([1], np.array([[8, 8, 9, 9]], dtype=np.float32), np.array([73], dtype=np.uint64))
    assert rows() == [[0, 0], [2, 1], [2, 2]] and world.static_aabb(1) == (8, 8, 9, 9)
    world.remove_statics(np.array([1, 2]))
    assert rows() == [[0, 0]] and world.static_aabb(1) is None and world.is_static_enabled(2) is None
    filtered = triphase.World()
    filtered.set_statics(walls, filters=np.array([[1, 1], [2, 2]], dtype=np.uint32))
    layers = np.full((3, 2), 2, dtype=np.uint32)
    assert filtered.step(people, 0.1, filters=layers).static_pairs.tolist() == [[1, 1]]


def test_events_follow_ids_and_keep_values() -> None:
    world = triphase.World(contact_tracking=True)
    world.set_statics(np.array([[-1, -1, 0, 1]], dtype=np.float32))
    ids = np.array([7, 8, 9], dtype=np.uint64)
    centers = np.array([[0.2, 0], [0.8, 0], [9, 9]], dtype=np.float32)
    world.step(centers, 0.4, ids=ids)
    events = world.events()
    assert events.began.tolist() == [[0, 1]] and events.began_values.tolist() == [0]
    assert events.static_began.tolist() == [[0, 0]]
    world.set_values(events.began, np.array([42], dtype=np.uint32))
    world.set_static_values(events.static_began, np.array([43], dtype=np.uint32))

    world.step(centers[::-1].copy(), 0.4, ids=ids[::-1].copy())
    events = world.events()
    assert events.persisted.tolist() == [[1, 2]] and events.persisted_values.tolist() == [42]
    assert events.static_persisted.tolist() == [[2, 0]] and events.static_persisted_values.tolist() == [43]
    assert len(events.began) == len(events.ended_ids) == 0

    world.step(centers[1:], 0.4, ids=ids[1:])
    after = world.events()
    assert sorted(after.ended_ids[0].tolist()) == [7, 8] and after.ended_values.tolist() == [42]
    assert after.static_ended_ids.tolist() == [[7, 0]] and after.static_ended_values.tolist() == [43]
    assert events.persisted.tolist() == [[1, 2]], "earlier events stay"


def test_values_are_set_for_the_pairs_that_are_named() -> None:
    world = triphase.World(contact_tracking=True)
    centers = (RNG.random((400, 2)) * 12).astype(np.float32)
    pairs = world.step(centers, 0.5).pairs
    assert len(pairs) > 300
    shuffled = RNG.permutation(pairs)[:200]
    values = RNG.integers(1, 1000, 200, dtype=np.uint32)
    world.set_values(np.vstack([shuffled[:5], shuffled]), np.hstack([values[:5] + np.uint32(1), values]))
    world.step(centers, 0.5)
    events = world.events()
    expected = dict.fromkeys(map(tuple, pairs.tolist()), 0)
    expected.update(zip(map(tuple, shuffled.tolist()), values.tolist()))
    assert dict(zip(map(tuple, events.persisted.tolist()), events.persisted_values.tolist())) == expected
    with pytest.raises(triphase.Error, match=r"pairs row 1: \(0, 4000\) is not a tracked contact") as error:
        wrong = np.array([pairs[0], [0, 4000]], dtype=np.uint32)
        world.set_values(wrong, np.array([5, 5], dtype=np.uint32))
    assert error.value.row == 1
    world.step(centers, 0.5)
    np.testing.assert_array_equal(world.events().persisted_values, events.persisted_values)


def test_partners_and_islands() -> None:
    centers = (RNG.random((500, 2)) * 25).astype(np.float32)
    world = triphase.World(partner_lists=True)
    world.set_statics(np.array([[0, 0, 2, 25]], dtype=np.float32))
    contacts = world.step(centers, 0.5)
    offsets, rows = world.all_partners()
    touching = np.zeros((500, 500), dtype=bool)
    touching[contacts.pairs[:, 0], contacts.pairs[:, 1]] = True
    touching |= touching.T
    for row in range(500):
        expected = np.flatnonzero(touching[row]).tolist()
        assert world.partners(row).tolist() == expected == rows[offsets[row] : offsets[row + 1]].tolist()
    assert len(offsets) == 501 and len(rows) == 2 * len(contacts.pairs)
    assert world.static_partners(int(contacts.static_pairs[0, 0])).tolist() == [0]

    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count, labels = world.islands()
    expected_count, expected_labels = connected_components(coo_array(touching), directed=False)
    assert count == expected_count
    assert len(set(zip(labels.tolist(), expected_labels.tolist()))) == count
    assert world.islands(connect_statics=True)[0] < count


def test_results_outlive_the_world_and_later_steps() -> None:
    centers = (RNG.random((3000, 2)) * 50).astype(np.float32)
    world = triphase.World()
    contacts = world.step(centers, 0.5)
    pairs, before = contacts.pairs, contacts.pairs.copy()
    world.step(np.ascontiguousarray(centers[::-1] * 3), 0.5)
    assert pairs.flags.writeable and pairs.flags.c_contiguous
    del world, contacts
    gc.collect()
    triphase.World().step(np.zeros((50, 2), dtype=np.float32), 0.5)
    np.testing.assert_array_equal(pairs, before)
    pairs[:] = 0  # they are the caller's


def test_arrays_are_not_changed_or_kept() -> None:
    centers = (RNG.random((1000, 2)) * 30).astype(np.float32)
    before = centers.copy()
    centers.flags.writeable = False  # as of a memory map that is read only
    world = triphase.World()
    world.step(centers, 0.5)
    np.testing.assert_array_equal(centers, before)
    references = sys.getrefcount(centers)
    world.step(centers, 0.5)
    assert sys.getrefcount(centers) == references


WITHOUT_MEMORY = """
import resource
import numpy as np
import triphase

count = 5_000_000  # 40 MB, which malloc takes from the system, and returns to it
centers = np.empty((count, 2), np.float32)
cells = np.arange(count)
centers[:, 0], centers[:, 1] = 3 * (cells // 2048), 3 * (cells % 2048)
changed = np.array([7], np.uint32)
world = triphase.World(threads=1)
world.step(centers, 0.5)
for _ in range(3):
    world.step_changed(changed, centers, 0.5)
size = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, ((size << 10) + (20 << 20),) * 2)
try:
    centers.copy()
except MemoryError:
    world.step_changed(changed, centers, 0.5)
    print("stepped")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_arrays_are_read_where_there_is_no_memory_for_a_copy() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_MEMORY], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("stepped\n", ""), run.stderr


def test_settings_can_be_read() -> None:
    given = {
        "body_shape": "circle",
        "contact_tracking": True,
        "margin": 0.25,
        "partner_lists": True,
        "invalid_rows": "skip",
        "bounds": [0.5, 2.0],
        "cell_size": 3.0,
        "pair_limit": 1000,
        "threads": 2,
        "parallel_threshold": 100,
        "simd_max": "portable",
    }
    world = triphase.World(**given)  # type: ignore[arg-type]
    assert {name: getattr(world, name) for name in given} == given
    default = triphase.World()
    assert default.pair_limit == 2**28 and default.parallel_threshold == 8000 and default.threads is None
    assert triphase.World(threads=1).parallel_threshold is None
    with pytest.raises(AttributeError):
        default.margin = 1.0  # type: ignore[misc]


def test_maintenance() -> None:
    centers = (RNG.random((1000, 2)) * 30).astype(np.float32)
    world = triphase.World(invalid_rows="skip")
    centers[3, 1] = np.nan
    contacts = world.step(centers, 0.5)
    assert world.skipped_rows().tolist() == [3] and world.aabb(3) is None and np.isnan(world.aabbs()[3]).all()
    assert 3 not in contacts.pairs
    assert sorted(world.spatial_order().tolist()) == list(range(1000))
    box = np.array(world.aabb(0))
    world.shift_origin((5, -1))
    np.testing.assert_array_equal(world.aabb(0), (box - np.array([5, -1, 5, -1])).astype(np.float32))
    world.shrink_to_fit()
    report = world.report()
    assert report["skipped_count"] == 1 and report["common_count"] == 999
    assert report["body_pair_count"] == len(contacts.pairs) and "bodies" in report["text"]
    assert 0 < report["seconds"]["total"] < 60
    assert "1000 bodies" in repr(world) and "pairs" in repr(contacts)
