"""What steps and queries return: arrays of their own, valid for as long as you keep them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Contacts:
    """The contact pairs of a step. They depend neither on the world nor on later steps."""

    pairs: NDArray[np.uint32]
    """Rows of two bodies, of shape (m, 2); the lower row is first."""
    static_pairs: NDArray[np.uint32]
    """Row of a body and row of a static, of shape (m, 2)."""
    step_number: int
    body_count: int

    def __repr__(self) -> str:
        pairs, static_pairs = len(self.pairs), len(self.static_pairs)
        return f"<triphase.Contacts of step {self.step_number}: {pairs} pairs, {static_pairs} static pairs>"


@dataclass(frozen=True, eq=False, repr=False)
class ChangedContacts:
    """The contact pairs with a row that changed; all others are as before."""

    changed_pairs: NDArray[np.uint32]
    changed_static_pairs: NDArray[np.uint32]
    step_number: int
    body_count: int

    def __repr__(self) -> str:
        pairs, static_pairs = len(self.changed_pairs), len(self.changed_static_pairs)
        return f"<triphase.ChangedContacts of step {self.step_number}: {pairs} pairs, {static_pairs} static pairs>"


@dataclass(frozen=True, eq=False, repr=False)
class Events:
    """The contacts that began, persisted and ended in a step, each with its value.

    Those that began or persist are rows of the step. Those that ended are ids, because their bodies
    may be gone; in steps without ids, they are the rows that the bodies had.
    """

    began: NDArray[np.uint32]
    began_values: NDArray[np.uint32]
    persisted: NDArray[np.uint32]
    persisted_values: NDArray[np.uint32]
    ended_ids: NDArray[np.uint64]
    ended_values: NDArray[np.uint32]
    static_began: NDArray[np.uint32]
    static_began_values: NDArray[np.uint32]
    static_persisted: NDArray[np.uint32]
    static_persisted_values: NDArray[np.uint32]
    static_ended_ids: NDArray[np.uint64]
    static_ended_values: NDArray[np.uint32]
    step_number: int

    def __repr__(self) -> str:
        began, persisted, ended = len(self.began), len(self.persisted), len(self.ended_ids)
        counts = f"{began} contacts began, {persisted} persisted, {ended} ended"
        return f"<triphase.Events of step {self.step_number}: {counts}>"


@dataclass(frozen=True, eq=False, repr=False)
class Hits:
    """The hits of one or more queries: those of query k are from offsets[k] to offsets[k + 1]."""

    offsets: NDArray[np.int64]
    rows: NDArray[np.uint32]
    """Row of each hit: of the step if it is a body, of the static set if it is a static."""
    is_static: NDArray[np.bool_]
    ids: NDArray[np.uint64] | None
    """Id of each hit, or its row if it has none; None if there are hits and none has an id."""

    @property
    def bodies(self) -> NDArray[np.uint32]:
        """Rows of the bodies among the hits."""
        return self.rows[~self.is_static]

    @property
    def statics(self) -> NDArray[np.uint32]:
        """Rows of the statics among the hits."""
        return self.rows[self.is_static]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of hits of each query."""
        return np.diff(self.offsets)

    @property
    def queries(self) -> NDArray[np.int64]:
        """For each hit, the number of its query."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.offsets) - 1

    def __bool__(self) -> bool:
        """Whether any query has a hit."""
        return len(self.rows) > 0

    def __getitem__(self, query: int) -> NDArray[np.uint32]:
        """As of()."""
        return self.of(query)

    def __iter__(self) -> Iterator[NDArray[np.uint32]]:
        """The rows that each query hit."""
        return (self.of(query) for query in range(len(self)))

    def of(self, query: int) -> NDArray[np.uint32]:
        """Rows that one query hit, statics included."""
        return self.rows[self._span(query)]

    def _span(self, query: int) -> slice:
        if not 0 <= query < len(self):
            raise IndexError(f"query {query} does not exist; there are {len(self)}")
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def __repr__(self) -> str:
        return f"<triphase.{type(self).__name__} of {len(self)} queries: {len(self.rows)} hits>"


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors(Hits):
    """Hits with their distances; those of each query are sorted, nearest first."""

    distances: NDArray[np.float64]
    """Distance of each hit from the point of its query to the closed box: 0 inside."""

    def distances_of(self, query: int) -> NDArray[np.float64]:
        """Distances of the hits of one query."""
        return self.distances[self._span(query)]


@dataclass(frozen=True)
class CastHit:
    """A box that a ray or a moving box hits."""

    row: int
    is_static: bool
    id: int | None
    time: float
    """When the box is reached, in multiples of direction or displacement; 0 if the cast starts inside."""
    normal: tuple[float, float] | None
    """Unit normal of the side that is hit; None if the cast starts inside."""


@dataclass(frozen=True)
class RayHit(CastHit):
    """A box that a ray hits."""

    point: tuple[float, float]
    """The point that is hit: origin + time * direction."""


@dataclass(frozen=True, eq=False, repr=False)
class RayHits:
    """The first hit of each of many rays, in arrays with an entry per ray."""

    hit: NDArray[np.bool_]
    """Whether the ray hits anything. If not, the row is 2**32 - 1, the time infinite, the normal 0."""
    rows: NDArray[np.uint32]
    is_static: NDArray[np.bool_]
    ids: NDArray[np.uint64] | None
    """Id of each hit, or its row if it has none; 2**64 - 1 for rays that hit nothing. None if there
    are hits and none has an id."""
    times: NDArray[np.float64]
    normals: NDArray[np.float32]
    """Unit normals of the sides that are hit, of shape (n, 2); 0 for rays that start inside."""

    def __len__(self) -> int:
        """Number of rays."""
        return len(self.hit)

    def __bool__(self) -> bool:
        """Whether any ray hits anything."""
        return bool(self.hit.any())

    def __repr__(self) -> str:
        return f"<triphase.RayHits of {len(self)} rays: {int(self.hit.sum())} hits>"


@dataclass(frozen=True)
class Replay:
    """A recording whose calls all return what was recorded."""

    call_count: int
    """Calls that were made again, steps and others, those that failed included."""
    step_number: int
    """Number of the last successful step."""
    is_complete: bool
    """Whether the recording was ended by stop_recording(). If not, such as after a crash of the
    program, the last call may have no outcome to compare with."""
