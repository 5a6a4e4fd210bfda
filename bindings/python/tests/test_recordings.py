"""Recordings: written, replayed, cut and damaged."""

from __future__ import annotations

import errno
import multiprocessing
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import oracle
import pytest
import triphase

RNG = np.random.default_rng(17)
CENTERS = np.array([[1, 1], [1.6, 1], [2.2, 1], [50, 9]], dtype=np.float32)


def crowd(count: int = 600) -> oracle.Floats:
    return (RNG.random((count, 2)) * count**0.5).astype(np.float32)


def use_everything(world: triphase.World) -> tuple[int, int]:
    """Makes each call that is recorded, with each kind of array. Returns how many, and how many steps."""
    centers, walls = crowd(), oracle.boxes_of(crowd(20), 2.0)
    ids, flags = RNG.permutation(600).astype(np.uint64), np.zeros(600, np.bool_)
    filters = RNG.integers(1, 4, (600, 2), dtype=np.uint32)
    flags[:30] = True
    rows = np.arange(30, dtype=np.uint32)
    calls: list[Callable[[], object]] = [
        lambda: world.step(centers, 0.5, ids=ids),
        lambda: world.step(centers, np.full_like(centers, 0.4), ids=ids, filters=filters, displacements=centers * 0.01),
        lambda: world.step(centers, 0.5, ids=ids, asleep=~flags),
        lambda: world.step_boxes(oracle.boxes_of(centers, 0.5), ids=ids),
        lambda: world.step_changed(rows, centers, 0.5, ids=ids),
        lambda: world.step_changed(flags, centers, 0.5, ids=ids),
        lambda: world.step_boxes_changed(rows, oracle.boxes_of(centers, 0.5), ids=ids),
    ]
    steps = len(calls)
    calls[2:2] = [
        lambda: world.set_statics(walls[:15], np.arange(15, dtype=np.uint64)),
        lambda: world.insert_statics(walls[15:], np.arange(15, 20, dtype=np.uint64)),
        lambda: world.replace_statics([3, 5], walls[7:9], np.array([40, 50], np.uint64)),
        lambda: world.remove_statics([1, 19]),
        lambda: world.set_static_enabled(2, False),
        lambda: world.shift_origin((5, -1)),
        lambda: world.shrink_to_fit(),
    ]
    for call in calls:
        call()
        centers[:30] += np.float32(0.1)
    world.query_aabb((0, 0, 5, 5))  # not recorded
    return len(calls), steps


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_all_calls_are_made_again(tmp_path: Path, threads: int | None) -> None:
    path = tmp_path / "all.recording"
    world = triphase.World(contact_tracking=True, parallel_threshold=100, threads=2, body_shape="circle")
    world.record_to(path)
    calls, steps = use_everything(world)
    assert len(world.static_pairs()) > 10 and len(world.pairs()) > 100
    assert world.stop_recording() == calls
    assert world.step_number == steps
    assert triphase.replay(str(path), threads=threads) == triphase.Replay(calls, steps, True)
    world.step(CENTERS, 0.5)
    assert triphase.replay(path, threads=threads).call_count == calls, "nothing is written after the end"


def test_the_world_as_it_was_when_the_recording_began_is_in_it(tmp_path: Path) -> None:
    world = triphase.World()
    world.set_statics(np.array([[0, 0, 2, 2], [1, 0, 3, 3]], np.float32))
    world.set_static_enabled(1, False)
    world.step(CENTERS, 0.1)
    world.record_to(tmp_path / "late")
    assert len(world.step(CENTERS, 0.5).static_pairs) == 3  # those of one static
    world.stop_recording()
    assert triphase.replay(tmp_path / "late") == triphase.Replay(1, 2, True)


def test_stop_without_start_and_recordings_begun_twice(tmp_path: Path) -> None:
    world = triphase.World()
    assert world.stop_recording() == 0
    world.step(CENTERS, 0.5)
    world.record_to(tmp_path / "a")
    world.step(CENTERS, 0.5)
    world.record_to(tmp_path / "b")  # ends the first one
    assert triphase.replay(tmp_path / "a") == triphase.Replay(1, 2, True)
    world.step(CENTERS, 0.5)
    world.step(CENTERS, 0.5)
    assert world.stop_recording() == 2
    assert world.stop_recording() == 0
    assert triphase.replay(tmp_path / "a") == triphase.Replay(1, 2, True)
    assert triphase.replay(tmp_path / "b") == triphase.Replay(2, 4, True)

    world.record_to(tmp_path / "a")
    world.step(CENTERS, 0.5)
    world.record_to(tmp_path / "a")  # the same file: replaced
    assert world.stop_recording() == 0
    assert triphase.replay(tmp_path / "a") == triphase.Replay(0, 5, True)


def record_four(path: Path) -> None:
    """Records a step, one that fails, and two more."""
    world = triphase.World()
    world.record_to(path)
    world.step(CENTERS, 0.5)
    broken = CENTERS.copy()
    broken[2, 1] = np.nan
    with pytest.raises(triphase.Error, match="body row 2: center.y is NaN"):
        world.step(broken, 0.5)
    with pytest.raises(triphase.ArrayError):
        world.step(CENTERS.astype(float), 0.5)  # never reaches the library
    world.step(CENTERS, 0.25)
    world.step(CENTERS, 0.5)
    assert world.stop_recording() == 4


Record = tuple[bytes, bytes]
HEAD = 12  # bytes of magic and version


def read_records(path: Path) -> list[Record]:
    """The records of a file, as letters and content."""
    data, records, at = path.read_bytes(), [], HEAD
    while at < len(data):
        letters, sum_, size = struct.unpack_from("<4sIQ", data, at)
        content = data[at + 16 : at + 16 + size]
        assert checksum(letters, content) == sum_
        records.append((letters, content))
        at += 16 + size
    return records


def write_records(path: Path, records: list[Record]) -> None:
    heads = [struct.pack("<4sIQ", letters, checksum(letters, data), len(data)) for letters, data in records]
    path.write_bytes(path.read_bytes()[:HEAD] + b"".join(head + data for head, (_, data) in zip(heads, records)))


def checksum(letters: bytes, content: bytes) -> int:
    whole = len(content) // 8 * 8
    last = int.from_bytes(content[whole:], "little")
    total = int.from_bytes(letters, "little")
    for word in (len(content), *struct.unpack(f"<{whole // 8}Q", content[:whole]), last):
        total = (total ^ word) * 0x9E3779B97F4A7C15 % 2**64
        total = (total << 29 | total >> 35) % 2**64
    return (total ^ total >> 32) % 2**32


def test_a_step_that_failed_is_replayed_as_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "four"
    record_four(path)
    assert triphase.replay(path) == triphase.Replay(4, 3, True)
    records = read_records(path)
    letters = [letters for letters, _ in records]
    assert letters == [b"BGIN", *[b"STEP", b"DONE"] * 4, b"ENDR"]
    records[4] = (b"DONE", b"\1")  # no error
    write_records(path, records)
    with pytest.raises(triphase.DifferentOutcomeError) as error:
        triphase.replay(path)
    assert error.value.call == 1
    assert str(error.value).startswith(f"{path}: call 1, at byte ")
    assert 'recorded no error, now the error "body row 2: center.y is NaN; must be finite"' in str(error.value)


def test_pairs_that_differ_are_found(tmp_path: Path) -> None:
    path = tmp_path / "four"
    record_four(path)
    records = read_records(path)
    step, bodies, statics, set_, order = struct.unpack("<5Q", records[8][1][1:])
    assert (step, bodies, statics) == (3, 2, 0)
    for outcome, message in [
        ((3, 2, 0, set_, order ^ 1), "the same pairs as recorded, in another order"),
        ((3, 1, 0, set_ ^ 1, order), "recorded step 3 with 1 body pairs and 0 static pairs, hash "),
        ((2, 2, 0, set_, order), f", now step 3 with 2 body pairs and 0 static pairs, hash {set_:016x}"),
    ]:
        records[8] = (b"DONE", b"\2" + struct.pack("<5Q", *outcome))
        write_records(path, records)
        with pytest.raises(triphase.DifferentOutcomeError) as error:
            triphase.replay(path)
        assert message in str(error.value) and error.value.call == 3
        assert isinstance(error.value, triphase.RecordingError) and isinstance(error.value, triphase.Error)


def test_a_call_that_panicked_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "four"
    record_four(path)
    records = read_records(path)
    del records[4]  # the outcome of the step that failed, as if it had panicked
    write_records(path, records)
    assert triphase.replay(path) == triphase.Replay(4, 3, True)
    del records[2]  # that of the first: the numbers of later steps differ
    write_records(path, records)
    with pytest.raises(triphase.DifferentOutcomeError) as error:
        triphase.replay(path)
    assert error.value.call == 2


def test_a_recording_that_was_not_ended_has_all_calls(tmp_path: Path) -> None:
    path = tmp_path / "crash"
    world = triphase.World()
    world.record_to(path)
    world.step(CENTERS, 0.5)
    assert triphase.replay(path) == triphase.Replay(1, 1, False), "each call is written before it returns"
    world.step(CENTERS, 0.5)
    del world
    assert triphase.replay(path) == triphase.Replay(2, 2, False)
    records = read_records(path)
    write_records(path, records[:-1])  # as if the second step had crashed
    assert triphase.replay(path) == triphase.Replay(2, 2, False)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "four"
    record_four(path)
    whole, records = path.read_bytes(), read_records(path)
    second = HEAD + sum(16 + len(content) for _, content in records[:3])

    def refuse(data: bytes, message: str, call: int | None) -> None:
        path.write_bytes(data)
        with pytest.raises(triphase.RecordingError) as error:
            triphase.replay(path)
        assert str(error.value) == f"{path}: {message}"
        assert type(error.value) is triphase.RecordingError
        assert error.value.call == call and error.value.row is None

    flipped = bytearray(whole)
    flipped[second + 40] ^= 4
    refuse(bytes(flipped), f"call 1: byte {second}: expected a record with the checksum in its head", 1)
    size = 16 + len(records[3][1])
    cut = f"the file ends within the record at byte {second}: 40 of {size} bytes are there"
    refuse(whole[: second + 40], f"call 1: {cut}", 1)
    refuse(b"", 'not a recording: it begins with ""', None)
    refuse(b"# Changelog\n", 'not a recording: it begins with "# Change"', None)
    newer = "the recording has format 2; this version of the library reads format 1"
    refuse(whole[:8] + b"\2" + whole[9:], newer, None)

    path.write_bytes(whole)
    letters, settings = records[0]
    negative = struct.pack("<Qf", 1, -1.0) + settings[8:]  # a bound of -1
    write_records(path, [(letters, negative), *records[1:]])
    invalid = "the world that it begins with is invalid: bound is -1; must be finite, >= 0, and ascending"
    refuse(path.read_bytes(), invalid, None)


def test_files_that_cannot_be_opened_raise_what_open_raises(tmp_path: Path) -> None:
    world = triphase.World()
    missing = tmp_path / "no folder" / "file"
    for call in (world.record_to, triphase.replay):
        with pytest.raises(FileNotFoundError) as error:
            call(missing)
        with pytest.raises(FileNotFoundError) as of_python:
            open(missing)
        assert str(error.value) == str(of_python.value)
        assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(missing))
        with pytest.raises(TypeError):
            call(3)  # type: ignore[arg-type]
        with pytest.raises(OSError, match="NUL|null"):
            call("a\0b")
    with pytest.raises(triphase.Error, match="threads is 0; must be None or from 1 to 1024"):
        triphase.replay(missing, threads=0)


@pytest.mark.skipif(os.name != "posix", reason="Windows says something else of directories")
def test_a_directory_is_no_recording(tmp_path: Path) -> None:
    for call in (triphase.World().record_to, triphase.replay):
        with pytest.raises(IsADirectoryError) as error:
            call(tmp_path)
        assert error.value.filename == str(tmp_path)


def test_a_path_that_is_not_utf8_is_taken(tmp_path: Path) -> None:
    path = tmp_path / (os.fsdecode(b"\xff") if sys.platform == "linux" else "\u00ff")
    world = triphase.World()
    world.record_to(path)
    world.stop_recording()
    assert path.exists() and triphase.replay(path).is_complete
    path.unlink()
    with pytest.raises(FileNotFoundError) as error:
        triphase.replay(path)
    assert error.value.filename == str(path)


def test_a_recording_that_fails_to_begin_leaves_none(tmp_path: Path) -> None:
    world = triphase.World()
    world.record_to(tmp_path / "a")
    world.step(CENTERS, 0.5)
    with pytest.raises(FileNotFoundError):
        world.record_to(tmp_path / "missing" / "b")
    world.step(CENTERS, 0.5)
    assert world.stop_recording() == 0
    assert triphase.replay(tmp_path / "a") == triphase.Replay(1, 1, True)


@pytest.mark.skipif(sys.platform != "linux", reason="opens files of /proc and /dev")
def test_an_error_of_a_later_call_is_raised_at_the_end(tmp_path: Path) -> None:
    world = triphase.World()

    def record_to_a_broken_pipe() -> str:
        reader, writer = os.pipe()
        path = f"/proc/self/fd/{writer}"
        world.record_to(path)
        os.close(reader)
        os.close(writer)
        assert len(world.step(CENTERS, 0.5).pairs) == 2, "the call is not affected"
        return path

    path = record_to_a_broken_pipe()
    with pytest.raises(BrokenPipeError) as error:
        world.stop_recording()
    assert error.value.filename == path
    assert world.stop_recording() == 0

    path = record_to_a_broken_pipe()
    with pytest.raises(BrokenPipeError) as error:
        world.record_to(tmp_path / "next")
    assert error.value.filename == path, "not the next one"
    assert not (tmp_path / "next").exists() and world.stop_recording() == 0

    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        world.record_to("/dev/full")


def _step_and_stop(world: triphase.World, path: Path, queue: multiprocessing.Queue[object]) -> None:
    world.step(CENTERS, 0.5)
    try:
        queue.put(world.stop_recording())
    except OSError as error:
        queue.put(str(error))
    world.record_to(path)
    world.step(CENTERS, 0.5)
    queue.put(world.stop_recording())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_write_to_the_recording_of_its_parent(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    world, queue = triphase.World(), context.Queue()
    world.record_to(tmp_path / "parent")
    world.step(CENTERS, 0.5)
    child = context.Process(target=_step_and_stop, args=(world, tmp_path / "child", queue))
    child.start()
    try:
        expected = f"{tmp_path / 'parent'}: the recording was begun by another process, before a fork"
        assert queue.get(timeout=60) == expected
        assert queue.get(timeout=60) == 1
    finally:
        child.join(timeout=10)
        if child.is_alive():
            child.kill()
    world.step(CENTERS, 0.25)
    assert world.stop_recording() == 2
    assert triphase.replay(tmp_path / "parent") == triphase.Replay(2, 2, True)
    assert triphase.replay(tmp_path / "child") == triphase.Replay(1, 3, True)


def test_an_unusable_world_cannot_begin_or_end_a_recording(tmp_path: Path) -> None:
    world = triphase.World()
    with pytest.raises(triphase.PanicError):
        world._panic()  # type: ignore[attr-defined]
    for call in (world.stop_recording, lambda: world.record_to(tmp_path / "a")):
        with pytest.raises(triphase.PanicError, match="unusable"):
            call()
    assert not (tmp_path / "a").exists()
