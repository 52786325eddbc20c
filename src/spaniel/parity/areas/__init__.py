"""The compared areas, each in a file of its own."""

from spaniel.parity.area import Area
from spaniel.parity.areas.documents import DOCUMENTS
from spaniel.parity.areas.embeddings import EMBEDDINGS
from spaniel.parity.areas.evaluators import EVALUATORS
from spaniel.parity.areas.filters import FILTERS
from spaniel.parity.areas.forms import FORMS
from spaniel.parity.areas.joiners import JOINERS
from spaniel.parity.areas.keywords import KEYWORDS
from spaniel.parity.areas.merging import MERGING
from spaniel.parity.areas.policies import POLICIES
from spaniel.parity.areas.rankers import RANKERS
from spaniel.parity.areas.splitters import SPLITTERS
from spaniel.parity.areas.store import STORE
from spaniel.parity.areas.trees import TREES
from spaniel.parity.areas.windows import WINDOWS

AREAS: dict[str, Area] = {
    area.name: area
    for area in (
        DOCUMENTS,
        FILTERS,
        POLICIES,
        STORE,
        KEYWORDS,
        EMBEDDINGS,
        SPLITTERS,
        TREES,
        MERGING,
        WINDOWS,
        JOINERS,
        RANKERS,
        EVALUATORS,
        FORMS,
    )
}
