"""Several searches in one request."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from spaniel.document_stores.opensearch.failures import answer_error
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.json_bodies import dumped
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import Program, Sleep

Found: TypeAlias = list[dict[str, Any]] | DocumentStoreError


def several(index: Index, searches: Sequence[dict[str, Any]], search_type: str) -> Program[list[Found]]:
    """Return for each search its hits, or the error why there are none; ``_msearch`` answers all of them at once.

    What the server has no room for is asked again, and each search alone where the server refuses the request as a whole.

    :param search_type: how statistics are gathered.
    """
    head = dumped({"allow_partial_search_results": False, "search_type": search_type})
    found: dict[int, Found] = {}
    pauses = index.patience.pauses()
    open_ones = list(range(len(searches)))
    while open_ones:
        lines = (b"%b\n%b\n" % (head, dumped({**searches[place], "track_total_hits": False})) for place in open_ones)
        try:
            answer = yield from answered(Ask("POST", index.path("_msearch"), b"".join(lines)), index.patience)
        except StoreRequestError as error:  # one that can't be read spoils the whole request
            if len(open_ones) == 1:
                return [error if place in open_ones else found[place] for place in range(len(searches))]
            for place in open_ones:
                [found[place]] = yield from several(index, [searches[place]], search_type)
            break
        for place, response in zip(open_ones, answer["responses"], strict=True):
            failed = "error" in response
            found[place] = answer_error(response, index.path("_msearch")) if failed else response["hits"]["hits"]
        open_ones = [place for place in open_ones if isinstance(found[place], StoreUnavailableError)]
        if open_ones:
            if (pause := next(pauses, None)) is None:
                break
            yield Sleep(pause)
    return [found[place] for place in range(len(searches))]
