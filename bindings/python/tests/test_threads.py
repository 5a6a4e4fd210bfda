"""Threads: the GIL, worlds that are shared, arrays that are written to meanwhile, and forks."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import oracle
import pytest
import triphase

RNG = np.random.default_rng(13)


def large_crowd(count: int = 400_000) -> oracle.Floats:
    return (RNG.random((count, 2)) * count**0.5).astype(np.float32)


def counting_during(work: Callable[[], object]) -> tuple[int, float]:
    """How often another Python thread gets to run during the work, and how long the work takes."""
    count, done = 0, threading.Event()

    def run() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0)

    thread = threading.Thread(target=run)
    thread.start()
    start, before = time.perf_counter(), count
    work()
    seconds, after = time.perf_counter() - start, count
    done.set()
    thread.join()
    return after - before, seconds


@pytest.mark.parametrize("call", ["step", "set_statics", "query", "neighbors", "replay"])
def test_other_python_threads_run_during_long_calls(call: str, tmp_path: Path) -> None:
    centers = large_crowd()
    boxes = oracle.boxes_of(centers, 0.5)
    world = triphase.World(threads=1)
    world.record_to(tmp_path / "recording")
    world.step(centers, 0.5)
    world.stop_recording()
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: world.step(centers, 0.5),
        "set_statics": lambda: world.set_statics(boxes),
        "query": lambda: world.query_aabb(boxes, only="bodies"),
        "neighbors": lambda: triphase.neighbors_within(centers, 1.0, threads=1),
        "replay": lambda: triphase.replay(tmp_path / "recording", threads=1),
    }
    # With the GIL held, the other thread would not run at all: no interval is as long.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        progress, seconds = max(counting_during(calls[call]) for _ in range(3))
    finally:
        sys.setswitchinterval(interval)
    # At most a few times at either end of the call if it were held.
    assert progress > 20, f"the other thread ran {progress} times in {seconds:.3f} s"


def test_a_world_in_use_says_so_and_loses_nothing() -> None:
    centers = large_crowd()
    world = triphase.World(threads=1)
    expected = len(world.step(centers, 0.5).pairs)
    outcomes: dict[str, int] = {"stepped": 0, "busy": 0, "queried": 0, "busy for queries": 0}
    guard = threading.Lock()

    def note(outcome: str) -> None:
        with guard:
            outcomes[outcome] += 1

    end = time.monotonic() + 60  # all four outcomes take well under a second on an idle machine

    def is_running() -> bool:
        return not all(outcomes.values()) and time.monotonic() < end

    def step() -> None:
        while is_running():
            try:
                assert len(world.step(centers, 0.5).pairs) == expected
                note("stepped")
            except triphase.BusyError as error:
                assert "World is in use in another thread" in str(error)
                note("busy")
            time.sleep(RNG.random() * 0.03)

    def query() -> None:
        while is_running():
            try:
                assert len(world.query_aabb((0, 0, 10, 10)).rows) > 50
                note("queried")
            except triphase.BusyError as error:
                assert "World is stepping or being changed in another thread" in str(error)
                note("busy for queries")
            time.sleep(0.0005)

    threads = [threading.Thread(target=target) for target in (step, step, query, query)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    assert all(outcomes.values()), outcomes
    assert world.step_number == 1 + outcomes["stepped"]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_writer_in_another_thread_does_no_harm_beyond_its_step(threads: int) -> None:
    """The docs forbid it. This is about what happens to those who do not read them."""
    centers = large_crowd(60_000)
    half_extents = np.full_like(centers, 0.5)
    quiet = centers.copy()
    world = triphase.World(threads=threads)
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            rows = RNG.integers(0, len(centers), 20_000)
            centers[rows] = RNG.choice(np.array([np.nan, np.inf, -1e30, 1e30, 0, 100], np.float32), (20_000, 2))
            half_extents[rows] = RNG.choice(np.array([0, 3, 1e20, -1], np.float32), (20_000, 2))
            np.copyto(half_extents, 0.5)
            np.copyto(centers, quiet)  # NumPy may release the GIL for it

    writer = threading.Thread(target=write)
    writer.start()
    refused = stepped = 0
    try:
        end = time.monotonic() + 4
        while time.monotonic() < end:
            try:
                pairs = world.step(centers, half_extents).pairs
                assert (pairs < len(centers)).all()
                stepped += 1
            except triphase.PanicError:
                world = triphase.World(threads=threads)
            except triphase.Error as error:
                assert error.column in ("centers", "half_extents")
                refused += 1
    finally:
        done.set()
        writer.join()
    assert refused and stepped, (refused, stepped)
    again = triphase.World(threads=threads).step(quiet, 0.5).pairs
    try:
        np.testing.assert_array_equal(world.step(quiet, 0.5).pairs, again)
    except triphase.PanicError:
        pass


def _step_in_child(queue: multiprocessing.Queue[int]) -> None:
    world = triphase.World(threads=2)
    rng = np.random.default_rng(1)
    centers = (rng.random((20_000, 2)) * 140).astype(np.float32)
    queue.put(len(world.step(centers, 0.5).pairs) + len(triphase.neighbors_within(centers, 1.0)))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    _step_in_child(queue)
    here = queue.get(timeout=60)
    child = context.Process(target=_step_in_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=60) == here
    finally:
        child.join(timeout=10)
        if child.is_alive():
            child.kill()
