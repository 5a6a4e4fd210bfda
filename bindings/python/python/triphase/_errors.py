"""Exceptions. Their attributes name what is wrong; those that do not apply are None."""

from __future__ import annotations


class Error(ValueError):
    """Input that the library refuses. After an error, the last successful step is still there."""

    row: int | None = None
    """The lowest invalid row. Of two rows that share an id, it is the higher one."""
    column: str | None = None
    """The argument, such as ``"centers"``, or the setting."""
    axis: str | None = None
    """``"x"`` or ``"y"``."""
    value: float | None = None
    """The invalid value."""


class ArrayError(Error):
    """An array of the wrong type, shape or memory layout. The message says how to convert it."""


class RecordingError(Error):
    """A recording that is damaged, or a file that is none."""

    call: int | None = None
    """Number of the call that cannot be read or differs, counted from 0."""


class DifferentOutcomeError(RecordingError):
    """A call of a recording that does not return what was recorded. The message says how."""


class BusyError(RuntimeError):
    """The world is in use in another thread. Nothing was done."""


class PanicError(RuntimeError):
    """A bug in the library. If it happened while the world changed, the world is unusable."""
