"""The same inputs through Spaniel and through Haystack: what is equal, what is corrected, what differs.

Read `area.py` first, then `comparing.py`; `areas/` has one file for each area.
"""

from spaniel.parity.area import Area, Outcome
from spaniel.parity.areas import AREAS
from spaniel.parity.comparing import Comparison, as_data, compare
from spaniel.parity.entries import ENTRIES, Entry
from spaniel.parity.reference import REFERENCE, ReferenceMissingError

__all__ = [
    "AREAS",
    "ENTRIES",
    "REFERENCE",
    "Area",
    "Comparison",
    "Entry",
    "Outcome",
    "ReferenceMissingError",
    "as_data",
    "compare",
]
