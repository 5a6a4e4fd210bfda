"""What is refused, and what the messages and attributes say."""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import triphase

CENTERS = np.array([[1, 1], [1.6, 1], [50, 9]], dtype=np.float32)
UNALIGNED = np.frombuffer(b"\0" * 25, dtype=np.uint8)[1:].view(np.float32).reshape(3, 2)

REFUSED = {
    "float64": (CENTERS.astype(float), "got a float64 array of shape (3, 2). Convert it with np.ascontiguousarray"),
    "int": (CENTERS.astype(np.int32), "got a int32 array"),
    "half": (CENTERS.astype(np.float16), "got a float16 array"),
    "byte-swapped": (CENTERS.astype(">f4"), "got a >f4 array of shape (3, 2) in foreign byte order"),
    "reversed": (CENTERS[::-1], "that is not C-contiguous (strides (-8, 4))"),
    "strided": (np.zeros((6, 2), np.float32)[::2], "that is not C-contiguous (strides (16, 4))"),
    "a column of more": (np.zeros((3, 5), np.float32)[:, :2], "that is not C-contiguous (strides (20, 4))"),
    "Fortran": (np.asfortranarray(CENTERS), "that is not C-contiguous (strides (4, 12))"),
    "transposed": (np.zeros((2, 3), np.float32), "Convert it with np.ascontiguousarray(centers.T, dtype=np.float32)"),
    "three columns": (np.zeros((3, 3), np.float32), "of shape (n, 2), got a float32 array of shape (3, 3)"),
    "one row": (np.zeros(2, np.float32), "got a float32 array of shape (2,)"),
    "no shape": (np.zeros((), np.float32), "got a float32 array of shape ()"),
    "unaligned": (UNALIGNED, "that is not aligned. Convert it with np.array(centers, dtype=np.float32)"),
    "masked": (np.ma.array(CENTERS, mask=CENTERS > 2), "got a masked float32 array"),
    "list": (CENTERS.tolist(), "got a value of type list. Convert it with np.array(centers, dtype=np.float32)"),
    "objects": (CENTERS.astype(object), "got a object array"),
    "none": (None, "got a value of type NoneType"),
    "empty": (np.array([], np.float32), "For no rows, pass np.empty((0, 2), dtype=np.float32)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_of_the_wrong_kind_are_refused(name: str) -> None:
    world = triphase.World()
    contacts = world.step(CENTERS, 0.5)
    bad, message = REFUSED[name]
    for call in (lambda: world.step(bad, 0.5), lambda: world.step_changed(np.zeros(0, np.uint32), bad, 0.5)):
        with pytest.raises(triphase.ArrayError) as error:
            call()
        assert message in str(error.value) and str(error.value).startswith("centers: expected a C-contiguous float32")
        assert error.value.column == "centers" and error.value.row is None
    with pytest.raises(triphase.ArrayError, match="points: expected"):
        triphase.neighbors_within(bad, 1.0)
    np.testing.assert_array_equal(world.pairs(), contacts.pairs)  # nothing is lost


def test_advice_in_messages_helps() -> None:
    for bad in (CENTERS.astype(float), CENTERS[::-1], CENTERS.astype(">f4"), UNALIGNED, CENTERS.tolist()):
        with pytest.raises(triphase.ArrayError) as error:
            triphase.World().step(bad, 0.5)
        advice = str(error.value).split("Convert it with ")[1].removesuffix(".")
        triphase.World().step(eval(advice, {"np": np, "centers": bad}), 0.5)


def test_radii_are_refused_with_advice() -> None:
    radii = np.array([0.1, 0.2, 0.3], np.float32)
    with pytest.raises(triphase.ArrayError, match="half_extents: ") as error:
        triphase.World().step(CENTERS, radii)
    advice = str(error.value).split("For radii, pass ")[1].removesuffix(".")
    triphase.World().step(CENTERS, eval(advice, {"np": np, "half_extents": radii}))


def test_memory_maps_and_read_only_arrays_are_taken(tmp_path: object) -> None:
    mapped = np.memmap(f"{tmp_path}/centers", dtype=np.float32, mode="w+", shape=(3, 2))
    mapped[:] = CENTERS
    assert triphase.World().step(mapped, 0.5).pairs.tolist() == [[0, 1]]
    frozen = CENTERS.copy()
    frozen.flags.writeable = False
    assert triphase.World().step(frozen, 0.5).pairs.tolist() == [[0, 1]]


World = triphase.World
ERRORS: list[tuple[Callable[[World], object], str, dict[str, object]]] = [
    (
        lambda w: w.step(np.array([[0, 0], [1, np.nan]], np.float32), 0.5),
        "body row 1: center.y is NaN; must be finite",
        {"row": 1, "column": "centers", "axis": "y"},
    ),
    (
        lambda w: w.step(CENTERS, np.array([[1, 1], [1, 1], [-2, 1]], np.float32)),
        "body row 2: half-extent.x is -2; must be finite and >= 0",
        {"row": 2, "column": "half_extents", "axis": "x", "value": -2.0},
    ),
    (lambda w: w.step(CENTERS, -1), "half-extent.x is -1", {"row": 0, "column": "half_extents", "value": -1.0}),
    (
        lambda w: w.step_boxes(np.array([[0, 3, 1, 2]], np.float32)),
        "body row 0: max.y (2) is below min.y (3)",
        {"row": 0, "column": "boxes", "axis": "y", "value": 2.0},
    ),
    (
        lambda w: w.set_statics(np.array([[0, 0, 1, 1], [np.inf, 0, 1, 1]], np.float32)),
        "static row 1: min.x is inf; must be finite",
        {"row": 1, "column": "boxes", "value": float("inf")},
    ),
    (
        lambda w: w.step(CENTERS, 0.5, ids=np.zeros(2, np.uint64)),
        "the id column has 2 rows, but there are 3 bodies",
        {"column": "ids"},
    ),
    (lambda w: w.step(CENTERS, np.ones((2, 2), np.float32)), "the half-extent column has 2 rows", {}),
    (lambda w: w.step(CENTERS, (1, 2, 3)), "half_extents: expected 2 numbers, got 3", {"column": "half_extents"}),
    (lambda w: w.step(CENTERS, "ab"), "half_extents: expected a C-contiguous float32", {}),  # type: ignore
    (lambda w: w.step(CENTERS, 0.5, ids=np.arange(3)), "ids: expected a C-contiguous uint64 array of shape (n,)", {}),
    (lambda w: w.step(CENTERS, 0.5, filters=np.ones(3, np.uint32)), "filters: expected a C-contiguous uint32", {}),
    (lambda w: w.step(CENTERS, 0.5, asleep=np.zeros(3)), "asleep: expected a C-contiguous bool array", {}),
    (lambda w: w.step(CENTERS, CENTERS.astype(float)), "half_extents: expected a C-contiguous float32", {}),
    (lambda w: w.step_changed(np.array([3], np.uint32), CENTERS, 0.5), "changed row 3 does not exist", {"row": 3}),
    (lambda w: w.step_changed(np.zeros(2, bool), CENTERS, 0.5), "2 flags, but 3 rows need 3", {"column": "changed"}),
    (lambda w: w.step_changed([0], CENTERS, 0.5), "Convert rows with np.array(changed, dtype=np.uint32)", {}),  # type: ignore
    (lambda w: w.step_changed(np.zeros(3, np.uint8), CENTERS, 0.5), "and flags with np.array(changed, dtype=bool)", {}),  # type: ignore
    (lambda w: w.step_changed(np.array([-1]), CENTERS, 0.5), "changed row -1 does not exist", {"column": "changed", "value": -1.0}),
    (lambda w: w.step_changed(np.array([0, 3]), CENTERS, 0.5), "changed row 3 does not exist", {"row": 3}),
    (lambda w: w.set_static_enabled(4, True), "static row 4 does not exist; the set has 0 rows", {"row": 4}),
    (lambda w: w.query_aabb((1, 0, 0, 1)), "AABB: max.x is 0; must be >= min.x, which is 1", {"column": "areas", "value": 0.0}),
    (
        lambda w: w.query_aabb(np.array([[0, 0, 1, 1], [0, 5, 1, 1]], np.float32)),
        "areas row 1: AABB: max.y is 1; must be >= min.y, which is 5",
        {"row": 1, "column": "areas", "axis": "y", "value": 1.0},
    ),
    (lambda w: w.query_aabb([[0, 0, 1, 1]]), "areas: expected a C-contiguous float32 array of shape (n, 4)", {}),
    (lambda w: w.within(CENTERS, -1), "points row 0: circle: radius is -1; must be >= 0", {"row": 0, "column": "radius"}),
    (lambda w: w.k_nearest(CENTERS, 2, max_distance=-1), "radius is -1", {"row": 0, "column": "max_distance"}),
    (lambda w: w.within(CENTERS, np.ones(2, np.float32)), "radius has 2 rows, but there are 3 points", {}),
    (lambda w: w.within((0, 0, 0), 1), "points: expected 2 numbers", {}),
    (lambda w: w.cast_ray((0, 0), (np.nan, 0)), "ray: direction.x is NaN; must be finite", {"column": "direction"}),
    (lambda w: w.cast_ray((10**400, 0), (1, 0)), "origin: expected 2 numbers", {"column": "origin"}),
    (lambda w: w.step(CENTERS, 10**400), "half_extents: expected 2 numbers", {"column": "half_extents"}),
    (lambda w: w.cast_ray((0, 0), (1, 0), -1), "max_time_of_impact is -1", {"column": "max_time"}),
    (lambda w: w.cast_rays(CENTERS, CENTERS * np.nan), "origins row 0: ray: direction.x", {"column": "directions"}),
    (lambda w: w.cast_ray_any((0, np.inf), (1, 0)), "ray: origin.y is inf; must be finite", {"axis": "y"}),
    (lambda w: w.cast_ray_all((0, 0), (1, 0, 0)), "direction: expected 2 numbers", {"column": "direction"}),
    (lambda w: w.cast_aabb((0, 0, -1, 1), (1, 0)), "AABB: max.x is -1; must be >= min.x, which is 0", {"column": "aabb", "axis": "x"}),
    (
        lambda w: w.cast_aabb((0, 0, 1, 1), (0, np.nan)),
        "AABB cast: displacement.y is NaN; must be finite",
        {"column": "displacement", "axis": "y"},
    ),
    (lambda w: w.query_contained_in((1, 0, 0, 1)), "AABB: max.x is 0; must be >= min.x, which is 1", {"column": "areas", "value": 0.0}),
    (lambda w: w.cast_rays(CENTERS, CENTERS[:2]), "directions has 2 rows, but origins has 3", {}),
    (
        lambda w: w.cast_rays(CENTERS, CENTERS, np.ones(2, np.float32)),
        "max_time has 2 rows, but there are 3 rays",
        {"column": "max_time"},
    ),
    (
        lambda w: w.cast_rays(CENTERS, CENTERS, np.array([1, np.nan, 1], np.float32)),
        "origins row 1: ray: max_time_of_impact is NaN",
        {"row": 1, "column": "max_time"},
    ),
    (lambda w: w.k_nearest(CENTERS, -1), "expected an integer from 0 to", {}),
    (lambda w: w.shift_origin((np.inf, 0)), "origin.x is inf; must be finite", {"column": "by", "axis": "x"}),
    (lambda w: w.aabb(-1), "expected an integer from 0 to 4294967295, got -1", {}),
    (lambda w: w.remove_statics([0, 2**40]), "expected an integer from 0 to 4294967295, got 1099511627776", {}),
    (lambda w: w.query_aabb((0, 0, 1, 1), layers=-2), "expected an integer from 0 to 4294967295, got -2", {}),
    (lambda w: w.query_aabb((0, 0, 1, 1), exclude_bodies=np.array([3, -5])), "from 0 to 4294967295, got -5", {}),
    (lambda w: w.events(), "events and values need a World(contact_tracking=True)", {}),
    (lambda w: w.partners(0), "partners need a World(partner_lists=True)", {}),
    (lambda w: World(bounds=[-1]), "bound is -1; must be finite, >= 0, and ascending", {"column": "bounds"}),
    (lambda w: World(margin=1), "margin is 1; must be 0 unless contact_tracking is on", {"column": "margin"}),
    (lambda w: World(body_shape="round"), 'body_shape is "round"; must be one of "box", "circle"', {}),  # type: ignore
    (lambda w: World(threads=-1), "expected an integer from 0 to", {}),
    (lambda w: World(pair_limit=-1), "expected an integer from 0 to", {}),
    (lambda w: World(parallel_threshold=-5), "expected an integer from 0 to", {}),
    (lambda w: World(threads=0), "threads is 0; must be None or from 1 to 1024", {"column": "threads"}),
    (lambda w: World(threads=10**6), "threads is 1000000; must be None or from 1 to 1024", {"value": 1e6}),
    (lambda w: World(pair_limit=0).step(CENTERS, 9), "more than 0 pairs, the limit (of a World: pair_limit)", {}),
    (
        lambda w: World(contact_tracking=True).step(CENTERS, 0.5, ids=np.array([5, 6, 5], np.uint64)),
        "body rows 0 and 2 share id 5; contact tracking needs unique ids",
        {"row": 2, "column": "ids"},
    ),
    (lambda w: triphase.neighbors_within(CENTERS, -1), "radius is -1; must be finite, >= 0", {"value": -1.0}),
    (lambda w: triphase.neighbors_within(CENTERS, float("nan")), "radius is NaN", {"column": "radius"}),
    (
        lambda w: triphase.neighbors_within(np.array([[0, 0], [0, np.inf]], np.float32), 1),
        "points row 1: y is inf; must be finite",
        {"row": 1, "column": "points", "axis": "y", "value": float("inf")},
    ),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors_name_row_column_and_value(case: int) -> None:
    call, message, facts = ERRORS[case]
    world = triphase.World()
    before = world.step(CENTERS, 0.5).pairs
    with pytest.raises(triphase.Error) as error:
        call(world)
    assert message in str(error.value)
    assert {name: getattr(error.value, name) for name in facts} == facts
    assert isinstance(error.value, ValueError)
    np.testing.assert_array_equal(world.pairs(), before)
    assert world.step_number == 1


def test_exceptions_of_the_caller_are_not_replaced() -> None:
    class Interrupted:
        def __float__(self) -> float:
            raise KeyboardInterrupt

    def numbers() -> Iterator[float]:
        yield 1.0
        raise RuntimeError("disk")

    world = triphase.World()
    with pytest.raises(KeyboardInterrupt):
        world.step(CENTERS, Interrupted())  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        world.cast_ray((0, 0), (Interrupted(), 1))  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="disk"):
        world.cast_ray(numbers(), (1, 0))  # type: ignore[arg-type]


def test_numbers_are_read_before_arrays() -> None:
    centers = CENTERS.copy()

    class Half:
        """Changes an array while an argument is read."""

        def __float__(self) -> float:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # NumPy 2.5 deprecates both
                centers.shape = (6, 1)
                centers.dtype = np.dtype(np.int8)
            return 0.5

    world = triphase.World()
    with pytest.raises(triphase.ArrayError, match="got a int8 array of shape"):
        world.step(centers, Half())  # type: ignore[arg-type]
    centers = CENTERS.copy()
    with pytest.raises(triphase.ArrayError, match="got a int8 array of shape"):
        world.within(centers, Half())  # type: ignore[arg-type]


def test_a_panic_is_an_exception_and_ends_its_world_only(capfd: pytest.CaptureFixture[str]) -> None:
    world, other = triphase.World(), triphase.World()
    with pytest.raises(triphase.PanicError, match="the library panicked: as a test asked"):
        world._panic()  # type: ignore[attr-defined]
    assert "as a test asked" in capfd.readouterr().err
    for call in (lambda: world.step(CENTERS, 0.5), world.pairs, lambda: world.query_aabb((0, 0, 1, 1))):
        with pytest.raises(triphase.PanicError, match="unusable, because an earlier call that changed it panicked"):
            call()
    assert issubclass(triphase.PanicError, Exception) and len(other.step(CENTERS, 0.5).pairs) == 1


def test_empty_arrays_are_fine() -> None:
    world = triphase.World(contact_tracking=True, partner_lists=True)
    none = np.zeros((0, 2), np.float32)
    world.set_statics(np.zeros((0, 4), np.float32))
    assert world.step(none, none).pairs.shape == (0, 2) == world.static_pairs().shape
    assert world.islands()[0] == 0 and world.all_partners()[0].tolist() == [0] and world.events().began.shape == (0, 2)
    assert len(world.query_aabb(np.zeros((0, 4), np.float32))) == 0 and world.aabbs().shape == (0, 4)
    assert len(world.cast_rays(none, none)) == 0 and triphase.neighbors_within(none, 1).shape == (0, 2)


def test_the_version_is_that_of_the_distribution() -> None:
    assert triphase.__version__ == importlib.metadata.version("triphase")
