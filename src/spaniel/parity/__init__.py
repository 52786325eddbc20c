"""Comparison with Haystack: the same inputs through both libraries (`spaniel parity`)."""

from spaniel.parity.area import Area
from spaniel.parity.areas import AREAS
from spaniel.parity.comparison import AreaResult, as_data, compare
from spaniel.parity.corrections import CORRECTIONS
from spaniel.parity.library import REFERENCE, ReferenceMissingError

__all__ = ["AREAS", "CORRECTIONS", "REFERENCE", "Area", "AreaResult", "ReferenceMissingError", "as_data", "compare"]
