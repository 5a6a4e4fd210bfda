"""A race: all pairs of 100,000 boxes or points that move each frame.

Every contender starts each frame from NumPy arrays, builds what it needs, and ends with the pairs in
an array. Shapely starts from its own geometries and rtree from a generator of tuples: making these is
not counted for Shapely, and cannot be separated for rtree, which is so slow that it only runs in one
frame, builds its index, and makes a part of the queries. All pairs are compared, in the first and the
last frame.

    python benches/race.py --only boxes    # medians of nine frames; points likewise
    python benches/race.py --check         # few bodies, one frame: only checks that the pairs are the same
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import rtree
import shapely
import triphase
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Pairs = NDArray[np.uint32]


@dataclass
class Contender:
    name: str
    prepare: Callable[[NDArray[np.float32]], object]
    """What is not timed: from the centers of a frame to what the contender takes."""
    find: Callable[[object], NDArray[np.integer]]
    share: float = 1.0
    """The part of the queries that is made, if all would take too long."""
    frames: int = 1000
    """The most frames that it runs in."""


def canonical(pairs: NDArray[np.integer]) -> Pairs:
    """The same pairs with the lower row first, each once, ascending."""
    pairs = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.uint32)
    return np.unique(np.sort(pairs, axis=1), axis=0)


def box_contenders(half: float, share: float) -> list[Contender]:
    def boxes(centers: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.hstack([centers - np.float32(half), centers + np.float32(half)])

    def shapely_pairs(geometries: object) -> NDArray[np.integer]:
        return shapely.STRtree(geometries).query(geometries).T  # intersecting extents, both ways

    def rtree_pairs(boxes: object) -> NDArray[np.integer]:
        assert isinstance(boxes, np.ndarray)
        return rtree_overlaps(boxes, boxes[: max(1, round(len(boxes) * share))])

    def world(threads: int) -> Contender:
        steps = triphase.World(threads=threads)
        name = f"triphase, {threads} thread{'s'[: threads > 1]}"
        return Contender(name, np.copy, lambda centers: steps.step(centers, half).pairs)  # type: ignore[arg-type]

    return [
        world(1),
        world(2),
        Contender("shapely STRtree", lambda centers: shapely.box(*boxes(centers).astype(float).T), shapely_pairs),
        Contender("rtree", boxes, rtree_pairs, share, frames=1),
    ]


def rtree_overlaps(boxes: NDArray[np.floating], queries: NDArray[np.floating]) -> NDArray[np.integer]:
    """Which of the boxes each query overlaps: rows of both."""
    index = rtree.index.Index((row, tuple(box), None) for row, box in enumerate(boxes.tolist()))
    return np.array([(row, other) for row, box in enumerate(queries.tolist()) for other in index.intersection(box)])


def point_contenders(radius: float, share: float) -> list[Contender]:
    def kdtree(**options: bool) -> Callable[[object], NDArray[np.integer]]:
        return lambda points: cKDTree(points, **options).query_pairs(radius, output_type="ndarray")

    def near(threads: int) -> Contender:
        name = f"triphase, {threads} thread{'s'[: threads > 1]}"
        return Contender(name, np.copy, lambda points: triphase.neighbors_within(points, radius, threads=threads))  # type: ignore[arg-type]

    def shapely_pairs(geometries: object) -> NDArray[np.integer]:
        return shapely.STRtree(geometries).query(geometries, predicate="dwithin", distance=radius).T

    def rtree_pairs(points: object) -> NDArray[np.integer]:
        assert isinstance(points, np.ndarray)
        some = points[: max(1, round(len(points) * share))]
        near = rtree_overlaps(np.hstack([points, points]), np.hstack([some - radius, some + radius]))
        distances = np.linalg.norm(points[near[:, 0]] - points[near[:, 1]], axis=1)
        return near[distances <= radius]

    as_double: Callable[[NDArray[np.float32]], object] = lambda points: points.astype(np.float64)  # noqa: E731
    return [
        near(1),
        near(2),
        Contender("cKDTree", as_double, kdtree()),
        Contender("cKDTree, not balanced", as_double, kdtree(balanced_tree=False, compact_nodes=False)),
        Contender("shapely STRtree", lambda points: shapely.points(points.astype(float)), shapely_pairs),
        Contender("rtree", as_double, rtree_pairs, share, frames=1),
    ]


def race(title: str, contenders: list[Contender], count: int, frames: int, seed: int) -> None:
    """Runs all contenders on the same frames, in a new order each, and prints their medians."""
    rng = np.random.default_rng(seed)
    side = count**0.5
    centers = (rng.random((count, 2)) * side).astype(np.float32)
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    pair_count = 0
    for frame in range(frames + 2):
        centers = (centers + rng.normal(0, 0.05, centers.shape)).astype(np.float32) % np.float32(side)
        expected: Pairs | None = None
        for position in [0, *(1 + rng.permutation(len(contenders) - 1))]:
            contender = contenders[position]
            if frame >= 2 + contender.frames or (contender.frames < frames and frame < 2):
                continue
            given = contender.prepare(centers)
            start = time.perf_counter()
            pairs = contender.find(given)
            seconds = time.perf_counter() - start
            if frame >= 2:  # after frames in which memory is allocated
                times[contender.name].append(seconds)
            if frame in (0, 2, frames + 1):
                found = canonical(np.asarray(pairs).reshape(-1, 2))
                if contender.share < 1:
                    asked = round(count * contender.share)
                    assert expected is not None
                    mine = expected[(expected < asked).any(axis=1)]
                    assert np.array_equal(found, mine), f"{contender.name} has other pairs"
                elif expected is None:
                    expected, pair_count = found, len(found)
                else:
                    assert np.array_equal(found, expected), f"{contender.name} has other pairs"
    print(f"\n{title}: {count:,} bodies, {pair_count / count:.2f} pairs per body, medians of {frames} frames", flush=True)
    best = float(np.median(times[contenders[0].name]))
    for contender in contenders:
        median = float(np.median(times[contender.name]))
        sampled = "" if contender.share == 1 else f"+ in one frame, with {contender.share:.0%} of the queries"
        print(f"  {contender.name:24} {median * 1e3:9.2f} ms  {median / best:6.1f} {sampled}")


def cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check that all pairs are the same")
    parser.add_argument("--only", choices=["boxes", "points"])
    parser.add_argument("--bodies", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=9)
    arguments = parser.parse_args()
    count, frames = (3000, 1) if arguments.check else (arguments.bodies, arguments.frames)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "shapely", "rtree"))
    print(f"{cpu_name()}; Python {platform.python_version()}, {packages}")
    share = 1.0 if arguments.check else 0.02
    for density in (1.0, 4.0) if arguments.only != "points" else ():
        # Of n random points in an area of n, so many boxes of this size overlap each.
        half = (2 * density) ** 0.5 / 4
        race("boxes", box_contenders(half, share), count, frames, 1)
    for density in (1.0, 4.0, 16.0) if arguments.only != "boxes" else ():
        race("points", point_contenders((2 * density / np.pi) ** 0.5, share), count, frames, 2)


if __name__ == "__main__":
    main()
