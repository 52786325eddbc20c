"""Several searches in one request."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from spaniel.document_stores.opensearch.failures import answer_error
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.json_bodies import dumped
from spaniel.document_stores.opensearch.patience import answered
from spaniel.document_stores.opensearch.steps import Ask, Pause, Steps
from spaniel.errors import DocumentStoreError, StoreUnavailableError

Found: TypeAlias = list[dict[str, Any]] | DocumentStoreError


def several(index: Index, searches: Sequence[dict[str, Any]], search_type: str) -> Steps[list[Found]]:
    """Return for each search its hits, or the error why there are none; ``_msearch`` answers all of them at once.

    What the server has no room for is asked again, alone.

    :param search_type: how statistics are gathered.
    """
    head = dumped({"allow_partial_search_results": False, "search_type": search_type})
    found: dict[int, Found] = {}
    pauses = index.patience.pauses()
    open_ones = list(range(len(searches)))
    while open_ones:
        lines = (b"%b\n%b\n" % (head, dumped({**searches[place], "track_total_hits": False})) for place in open_ones)
        answer = yield from answered(Ask("POST", index.path("_msearch"), b"".join(lines)), index.patience)
        for place, response in zip(open_ones, answer["responses"], strict=True):
            failed = "error" in response
            found[place] = answer_error(response, index.path("_msearch")) if failed else response["hits"]["hits"]
        open_ones = [place for place in open_ones if isinstance(found[place], StoreUnavailableError)]
        if open_ones:
            if (pause := next(pauses, None)) is None:
                break
            yield Pause(pause)
    return [found[place] for place in range(len(searches))]
