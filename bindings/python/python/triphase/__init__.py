"""Exact contact pairs and neighbor queries of 2D boxes and points in NumPy arrays."""

from triphase._errors import ArrayError as ArrayError
from triphase._errors import BusyError as BusyError
from triphase._errors import DifferentOutcomeError as DifferentOutcomeError
from triphase._errors import Error as Error
from triphase._errors import PanicError as PanicError
from triphase._errors import RecordingError as RecordingError
from triphase._results import CastHit as CastHit
from triphase._results import ChangedContacts as ChangedContacts
from triphase._results import Contacts as Contacts
from triphase._results import Events as Events
from triphase._results import Hits as Hits
from triphase._results import Neighbors as Neighbors
from triphase._results import RayHit as RayHit
from triphase._results import RayHits as RayHits
from triphase._results import Replay as Replay
from triphase._triphase import World as World
from triphase._triphase import __version__ as __version__
from triphase._triphase import neighbors_within as neighbors_within
from triphase._triphase import replay as replay

__all__ = [
    "ArrayError",
    "BusyError",
    "CastHit",
    "ChangedContacts",
    "Contacts",
    "DifferentOutcomeError",
    "Error",
    "Events",
    "Hits",
    "Neighbors",
    "PanicError",
    "RayHit",
    "RayHits",
    "RecordingError",
    "Replay",
    "World",
    "__version__",
    "neighbors_within",
    "replay",
]
