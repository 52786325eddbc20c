"""The compared areas."""

from spaniel.parity.area import Area
from spaniel.parity.areas.documents import DOCUMENTS
from spaniel.parity.areas.evaluators import EVALUATORS
from spaniel.parity.areas.filters import FILTERS, POLICIES
from spaniel.parity.areas.forms import FORMS
from spaniel.parity.areas.rankers import JOINERS, RANKERS
from spaniel.parity.areas.retrievers import MERGING, WINDOWS
from spaniel.parity.areas.searches import EMBEDDINGS, KEYWORDS
from spaniel.parity.areas.splitters import SPLITTERS, TREES
from spaniel.parity.areas.store import STORE

_AREAS = (
    *(DOCUMENTS, FILTERS, POLICIES, STORE, KEYWORDS, EMBEDDINGS, SPLITTERS, TREES),
    *(MERGING, WINDOWS, JOINERS, RANKERS, EVALUATORS, FORMS),
)
AREAS: dict[str, Area] = {area.name: area for area in _AREAS}
