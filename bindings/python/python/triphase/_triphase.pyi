"""Types of the native part of the package; `help(triphase.World)` has the documentation."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, final

import numpy as np
from numpy.typing import NDArray

from triphase._results import CastHit, ChangedContacts, Contacts, Events, Hits, Neighbors, RayHit, RayHits, Replay

__all__ = ["World", "__version__", "neighbors_within", "replay"]

__version__: str

_Floats = NDArray[np.float32]
_Numbers = Sequence[float] | NDArray[np.floating[Any]]
_Rows = Sequence[int] | NDArray[np.integer[Any]]
_Only = Literal["bodies", "statics"] | None

@final
class World:
    def __new__(
        cls,
        *,
        body_shape: Literal["box", "circle"] = "box",
        contact_tracking: bool = False,
        margin: float = 0.0,
        partner_lists: bool = False,
        invalid_rows: Literal["reject", "skip"] = "reject",
        bounds: _Numbers | None = None,
        cell_size: float | None = None,
        pair_limit: int = 268_435_456,
        threads: SupportsIndex | None = None,
        parallel_threshold: int | None = 8000,
        simd_max: Literal["portable", "sse2", "avx2", "avx512", "neon"] | None = None,
    ) -> World: ...

    # Settings.
    @property
    def body_shape(self) -> Literal["box", "circle"]: ...
    @property
    def contact_tracking(self) -> bool: ...
    @property
    def margin(self) -> float: ...
    @property
    def partner_lists(self) -> bool: ...
    @property
    def invalid_rows(self) -> Literal["reject", "skip"]: ...
    @property
    def bounds(self) -> list[float]: ...
    @property
    def cell_size(self) -> float | None: ...
    @property
    def pair_limit(self) -> int: ...
    @property
    def threads(self) -> int | None: ...
    @property
    def parallel_threshold(self) -> int | None: ...
    @property
    def simd_max(self) -> Literal["portable", "sse2", "avx2", "avx512", "neon"] | None: ...

    # Stepping.
    def step(
        self,
        centers: _Floats,
        half_extents: _Floats | _Numbers | SupportsFloat,
        *,
        ids: NDArray[np.uint64] | None = None,
        filters: NDArray[np.uint32] | None = None,
        displacements: _Floats | None = None,
        asleep: NDArray[np.bool_] | None = None,
        sorted: bool = False,
    ) -> Contacts: ...
    def step_boxes(
        self,
        boxes: _Floats,
        *,
        ids: NDArray[np.uint64] | None = None,
        filters: NDArray[np.uint32] | None = None,
        displacements: _Floats | None = None,
        asleep: NDArray[np.bool_] | None = None,
        sorted: bool = False,
    ) -> Contacts: ...
    def step_changed(
        self,
        changed: NDArray[np.uint32] | NDArray[np.int64] | NDArray[np.bool_],
        centers: _Floats,
        half_extents: _Floats | _Numbers | SupportsFloat,
        *,
        ids: NDArray[np.uint64] | None = None,
        filters: NDArray[np.uint32] | None = None,
        displacements: _Floats | None = None,
    ) -> ChangedContacts: ...
    def step_boxes_changed(
        self,
        changed: NDArray[np.uint32] | NDArray[np.int64] | NDArray[np.bool_],
        boxes: _Floats,
        *,
        ids: NDArray[np.uint64] | None = None,
        filters: NDArray[np.uint32] | None = None,
        displacements: _Floats | None = None,
    ) -> ChangedContacts: ...

    # Statics.
    def set_statics(
        self, boxes: _Floats, ids: NDArray[np.uint64] | None = None, filters: NDArray[np.uint32] | None = None
    ) -> None: ...
    def insert_statics(
        self, boxes: _Floats, ids: NDArray[np.uint64] | None = None, filters: NDArray[np.uint32] | None = None
    ) -> NDArray[np.uint32]: ...
    def replace_statics(
        self,
        rows: _Rows,
        boxes: _Floats,
        ids: NDArray[np.uint64] | None = None,
        filters: NDArray[np.uint32] | None = None,
    ) -> None: ...
    def remove_statics(self, rows: _Rows) -> None: ...
    def set_static_enabled(self, row: SupportsIndex, enabled: bool) -> bool: ...
    def is_static_enabled(self, row: SupportsIndex) -> bool | None: ...
    @property
    def static_count(self) -> int: ...
    def static_aabb(self, row: SupportsIndex) -> tuple[float, float, float, float] | None: ...
    def static_id(self, row: SupportsIndex) -> int | None: ...

    # The last step.
    @property
    def step_number(self) -> int: ...
    @property
    def body_count(self) -> int: ...
    def pairs(self, *, sorted: bool = False) -> NDArray[np.uint32]: ...
    def static_pairs(self, *, sorted: bool = False) -> NDArray[np.uint32]: ...
    def body_ids(self) -> NDArray[np.uint64] | None: ...
    def skipped_rows(self) -> NDArray[np.uint32]: ...
    def aabb(self, row: SupportsIndex) -> tuple[float, float, float, float] | None: ...
    def aabbs(self) -> _Floats: ...
    def events(self) -> Events: ...
    def set_values(self, pairs: NDArray[np.uint32], values: NDArray[np.uint32]) -> None: ...
    def set_static_values(self, pairs: NDArray[np.uint32], values: NDArray[np.uint32]) -> None: ...
    def partners(self, row: SupportsIndex) -> NDArray[np.uint32]: ...
    def static_partners(self, row: SupportsIndex) -> NDArray[np.uint32]: ...
    def all_partners(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...
    def islands(self, *, connect_statics: bool = False) -> tuple[int, NDArray[np.uint32]]: ...
    def report(self) -> dict[str, Any]: ...

    # Queries: of one shape, or of an array of shapes.
    def query_aabb(
        self,
        areas: _Floats | _Numbers,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Hits: ...
    def query_contained_in(
        self,
        areas: _Floats | _Numbers,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Hits: ...
    def query_point(
        self,
        points: _Floats | _Numbers,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Hits: ...
    def query_circle(
        self,
        centers: _Floats | _Numbers,
        radius: SupportsFloat | _Floats,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Hits: ...
    def within(
        self,
        points: _Floats | _Numbers,
        radius: SupportsFloat | _Floats,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Neighbors: ...
    def k_nearest(
        self,
        points: _Floats | _Numbers,
        k: SupportsIndex,
        *,
        max_distance: SupportsFloat | _Floats | None = None,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> Neighbors: ...
    def cast_ray(
        self,
        origin: _Numbers,
        direction: _Numbers,
        max_time: SupportsFloat | None = None,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> RayHit | None: ...
    def cast_ray_all(
        self,
        origin: _Numbers,
        direction: _Numbers,
        max_time: SupportsFloat | None = None,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> list[RayHit]: ...
    def cast_ray_any(
        self,
        origin: _Numbers,
        direction: _Numbers,
        max_time: SupportsFloat | None = None,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> bool: ...
    def cast_rays(
        self,
        origins: _Floats,
        directions: _Floats,
        max_time: SupportsFloat | _Floats | None = None,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> RayHits: ...
    def cast_aabb(
        self,
        aabb: _Numbers,
        displacement: _Numbers,
        *,
        only: _Only = None,
        layers: SupportsIndex | None = None,
        exclude_bodies: _Rows | None = None,
        exclude_statics: _Rows | None = None,
    ) -> CastHit | None: ...

    # Maintenance.
    def spatial_order(self) -> NDArray[np.uint32]: ...
    def shift_origin(self, by: _Numbers) -> None: ...
    def shrink_to_fit(self) -> None: ...

    # Recordings.
    def record_to(self, path: str | PathLike[str]) -> None: ...
    def stop_recording(self) -> int: ...

def neighbors_within(
    points: _Floats, radius: SupportsFloat, *, sorted: bool = False, threads: int | None = None
) -> NDArray[np.uint32]: ...
def replay(path: str | PathLike[str], *, threads: int | None = None) -> Replay: ...
