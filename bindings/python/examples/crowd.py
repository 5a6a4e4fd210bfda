# %% [markdown]
# # Neighbors within 2 m in a crowd
#
# Replays a recorded trajectory, or a small crowd made here, and asks in each frame who is within 2 m
# of whom. The cells can be run one by one in an editor that knows `# %%`, or all at once:
#
#     python examples/crowd.py --out crowd.png
#     python examples/crowd.py uo-300-300-200.txt --out crowd.png
#
# A recording has a line per person and frame, `id frame x y z`, in centimetres: the format of the
# Pedestrian Dynamics Data Archive of Forschungszentrum Jülich, https://ped.fz-juelich.de/da.

# %%
from __future__ import annotations

import argparse
import io
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import triphase
from matplotlib.collections import EllipseCollection, LineCollection
from numpy.typing import NDArray
from PIL import Image

NEAR = 2.0  # metres
BODY_RADIUS = 0.2  # metres

Frame = tuple[NDArray[np.uint64], NDArray[np.float32]]

# %% [markdown]
# ## The crowd: for each frame, the ids and the positions of those who are there


# %%
def recorded(path: Path) -> list[Frame]:
    """The frames of a recording, in metres."""
    rows = np.loadtxt(path, usecols=(0, 1, 2, 3))
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    starts = np.flatnonzero(np.diff(rows[:, 1])) + 1
    return [(part[:, 0].astype(np.uint64), (part[:, 2:] / 100).astype(np.float32)) for part in np.split(rows, starts)]


def made(people: int = 130, frames: int = 400) -> list[Frame]:
    """Two streams that meet in a corridor and keep their distance a little."""
    rng = np.random.default_rng(5)
    size = np.array([16.0, 5.0], dtype=np.float32)
    positions = (rng.random((people, 2)) * size).astype(np.float32)
    heading = np.where(np.arange(people) % 2 == 0, 1.0, -1.0).astype(np.float32)
    speed = rng.normal(1.3, 0.2, people).astype(np.float32)
    ids, result = np.arange(people, dtype=np.uint64), []
    for _ in range(frames):
        pairs = triphase.neighbors_within(positions, 0.6)
        push = np.zeros_like(positions)
        apart = positions[pairs[:, 0]] - positions[pairs[:, 1]]
        apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 0.05)
        np.add.at(push, pairs[:, 0], apart)
        np.add.at(push, pairs[:, 1], -apart)
        positions = positions + np.float32(1 / 16) * (np.column_stack([heading * speed, 0 * speed]) + push)
        positions[:, 0] %= size[0]
        positions[:, 1] = np.clip(positions[:, 1], 0.2, size[1] - 0.2)
        result.append((ids, positions))
    return result


# %% [markdown]
# ## Neighbors within 2 m in each frame
#
# A step with bodies of the size of a person gives who touches whom, and `neighbors_within` who is
# within 2 m. Ids tell for how long: a contact persists as long as two people stay in touch.


# %%
def density_of(positions: NDArray[np.float32], pairs: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many people are within reach of each person."""
    return np.bincount(pairs.ravel(), minlength=len(positions))


def replay(frames: list[Frame]) -> tuple[int, NDArray[np.float64]]:
    """The number of the most crowded frame, and the mean number of neighbors in each."""
    world = triphase.World(body_shape="circle", contact_tracking=True)
    means, began, start = np.zeros(len(frames)), 0, time.perf_counter()
    for number, (ids, positions) in enumerate(frames):
        world.step(positions, BODY_RADIUS, ids=ids)
        began += len(world.events().began)
        means[number] = density_of(positions, triphase.neighbors_within(positions, NEAR)).mean()
    milliseconds = (time.perf_counter() - start) * 1e3 / len(frames)
    print(f"{len(frames)} frames of up to {max(len(ids) for ids, _ in frames)} people, {milliseconds:.3f} ms each")
    print(f"{began} contacts began; at most {means.max():.1f} neighbors within {NEAR:g} m on average")
    return int(np.argmax(means)), means


# %% [markdown]
# ## The picture: the most crowded frame


# %%
def draw(frames: list[Frame], busiest: int, means: NDArray[np.float64], source: str, out: Path) -> None:
    ids, positions = frames[busiest]
    pairs = triphase.neighbors_within(positions, NEAR)
    neighbors = density_of(positions, pairs)
    # The long side of the corridor is horizontal.
    low, high = positions.min(axis=0), positions.max(axis=0)
    axes_order = [0, 1] if high[0] - low[0] >= high[1] - low[1] else [1, 0]
    low, high = low[axes_order] - 0.5, high[axes_order] + 0.5
    width, height = high - low

    figure, (plan, plot) = plt.subplots(
        2, 1, figsize=(9, 8 * height / width + 2.0), height_ratios=(8 * height / width, 1.2), layout="constrained"
    )
    distances = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    closeness = 1 - distances / NEAR
    segments = list(positions[pairs][:, :, axes_order])
    lines = LineCollection(segments, colors="#1f4e79", linewidths=0.3 + 1.1 * closeness)
    lines.set_alpha(0.12 + 0.5 * closeness)
    plan.add_collection(lines)
    for past in range(max(0, busiest - 16), busiest):  # where they were in the last second
        where = frames[past][1][np.isin(frames[past][0], ids)][:, axes_order]
        plan.scatter(*where.T, s=1.2, color="#9aa5b1", linewidths=0, zorder=1)
    sizes = np.full(len(positions), 2 * BODY_RADIUS)
    people = EllipseCollection(sizes, sizes, np.zeros(len(sizes)), units="x", offsets=positions[:, axes_order],
                               transOffset=plan.transData, array=neighbors, cmap="YlOrRd", edgecolors="#333333",
                               linewidths=0.6, zorder=3)  # fmt: skip
    people.set_clim(0, max(neighbors.max(), 1))
    plan.add_collection(people)
    plan.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="metres", ylabel="metres")
    plan.set_title(f"{len(positions)} people, {len(pairs)} pairs within {NEAR:g} m", loc="left", fontsize=12)
    plan.set_title(source, loc="right", fontsize=8, color="#667788")
    figure.colorbar(people, ax=plan, label=f"neighbors within {NEAR:g} m", pad=0.01, aspect=24)

    seconds = np.arange(len(frames)) / 16
    plot.plot(seconds, means, color="#c0392b", linewidth=1.2)
    plot.axvline(busiest / 16, color="#333333", linewidth=0.8, linestyle=":")
    plot.set(xlim=(0, seconds[-1]), ylim=(0, None), xlabel="seconds", ylabel="mean neighbors")
    for axes in (plan, plot):
        axes.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=110)
    # With a palette, a third of the size.
    Image.open(picture).convert("RGB").quantize(96).save(out, optimize=True)
    print(f"wrote {out}")


# %%
def main() -> None:
    parser = argparse.ArgumentParser(description="Neighbors within 2 m in a crowd.")
    parser.add_argument("recording", type=Path, nargs="?", help="without it, a small crowd is made")
    parser.add_argument("--out", type=Path, default=Path("crowd_neighbors.png"))
    arguments = parser.parse_args()
    frames = recorded(arguments.recording) if arguments.recording else made()
    source = "recording: Forschungszentrum Jülich, CC BY 4.0" if arguments.recording else "simulated"
    busiest, means = replay(frames)
    draw(frames, busiest, means, source, arguments.out)


if __name__ == "__main__":
    main()
