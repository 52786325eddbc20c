"""Several searches in one request."""

from collections.abc import Sequence
from typing import Any

from spaniel.document_stores.opensearch.failures import answer_error
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.json_bodies import dumped
from spaniel.document_stores.opensearch.patience import answered
from spaniel.document_stores.opensearch.steps import Ask, Pause, Steps
from spaniel.errors import StoreUnavailableError


def several(index: Index, searches: Sequence[dict[str, Any]], search_type: str) -> Steps[list[list[dict[str, Any]]]]:
    """Return the hits of each search; ``_msearch`` answers all of them at once.

    :param search_type: how statistics are gathered.
    """
    head = dumped({"allow_partial_search_results": False, "search_type": search_type})
    body = b"".join(b"%b\n%b\n" % (head, dumped({**search, "track_total_hits": False})) for search in searches)
    pauses = index.patience.pauses()
    while True:
        answer = yield from answered(Ask("POST", index.path("_msearch"), body), index.patience)
        failed = [response for response in answer["responses"] if "error" in response]
        if not failed:
            return [response["hits"]["hits"] for response in answer["responses"]]
        error = answer_error(failed[0], index.path("_msearch"))
        pause = next(pauses, None) if isinstance(error, StoreUnavailableError) else None
        if pause is None:
            raise error
        yield Pause(pause)
