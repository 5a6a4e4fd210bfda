"""Results by brute force, in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Pairs = NDArray[np.uint32]


def boxes_of(centers: Floats, half_extents: Floats | float) -> Floats:
    """Boxes computed in float32, as a step computes them."""
    half = np.broadcast_to(np.asarray(half_extents, dtype=np.float32), centers.shape)
    return np.hstack([centers - half, centers + half])


def overlaps(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Whether each box of a overlaps each box of b; touching counts."""
    a, b = a[:, None], b[None]
    on_x = (a[..., 0] <= b[..., 2]) & (b[..., 0] <= a[..., 2])
    return on_x & (a[..., 1] <= b[..., 3]) & (b[..., 1] <= a[..., 3])


def contained(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Whether each box of a is inside each box of b, edges included."""
    a, b = a[:, None], b[None]
    above_min = (a[..., 0] >= b[..., 0]) & (a[..., 1] >= b[..., 1])
    return above_min & (a[..., 2] <= b[..., 2]) & (a[..., 3] <= b[..., 3])


def interact(a: Pairs, b: Pairs) -> NDArray[np.bool_]:
    """Whether each filter of a and each of b accept each other."""
    a, b = a[:, None], b[None]
    return ((a[..., 0] & b[..., 1]) != 0) & ((b[..., 0] & a[..., 1]) != 0)


def body_pairs(boxes: Floats, filters: Pairs | None = None) -> Pairs:
    """Pairs of bodies, ascending."""
    found = np.triu(overlaps(boxes, boxes), 1)
    if filters is not None:
        found &= interact(filters, filters)
    return np.argwhere(found).astype(np.uint32)


def static_pairs(boxes: Floats, statics: Floats) -> Pairs:
    """Pairs of a body and a static, ascending."""
    return np.argwhere(overlaps(boxes, statics)).astype(np.uint32)


def distances(points: Floats, boxes: Floats) -> NDArray[np.float64]:
    """Distance of each point from each closed box, in float64."""
    p, b = points.astype(np.float64)[:, None], boxes.astype(np.float64)[None]
    away = np.maximum(np.maximum(b[..., :2] - p, p - b[..., 2:]), 0.0)
    return np.sqrt(squared(away))


def cast_times(start: Floats, direction: Floats, boxes: Floats) -> NDArray[np.float64]:
    """When a moving box reaches each box; infinite if it never does. For directions without a zero.

    A ray is a box whose corners are equal.
    """
    s, d, b = (array.astype(np.float64) for array in (start, direction, boxes))
    times = np.stack([b[:, :2] - s[2:], b[:, 2:] - s[:2]], axis=1) * (1 / d)
    enter, leave = times.min(axis=1).max(axis=1), times.max(axis=1).min(axis=1)
    return np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf)


def squared(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared lengths, x first, without a fused operation."""
    return vectors[..., 0] * vectors[..., 0] + vectors[..., 1] * vectors[..., 1]


def near_points(points: Floats, radius: float) -> Pairs:
    """Pairs of points within a distance, ascending."""
    p = points.astype(np.float64)
    near = squared(p[:, None] - p[None]) <= radius * radius
    return np.argwhere(np.triu(near, 1)).astype(np.uint32)


def sort_pairs(pairs: Pairs) -> Pairs:
    """The same pairs, ascending."""
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
