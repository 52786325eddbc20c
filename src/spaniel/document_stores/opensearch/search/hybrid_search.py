"""Words and vectors in one request."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE
from spaniel.document_stores.opensearch.search.hits import Found, scored, several
from spaniel.document_stores.opensearch.search.ranked_search import (
    NOT_EFFICIENT,
    TOO_FUZZY,
    Searching,
    filters_too_early,
    too_many_clauses,
)
from spaniel.document_stores.validation import validate_count
from spaniel.errors import DocumentStoreError
from spaniel.runtime import Program, async_method, sync_method

logger = logging.getLogger(__name__)


class Hybrid(Searching):
    """The search by words and by a vector at once."""

    @sync_method
    def hybrid_retrieval(
        self, words: Mapping[str, Any], vector: Mapping[str, Any]
    ) -> Program[tuple[list[Document], list[Document]]]:
        """Return what `bm25_retrieval` and `embedding_retrieval` return, for one request to the server.

        :param words: the arguments of `bm25_retrieval`; with ``"raise_on_failure": False``, a search that the server refuses
            gives no documents, with a warning, and the other search its own.
        :param vector: the arguments of `embedding_retrieval`, and that one.
        :raises ValueError: a ``top_k`` is negative, the query is no text, or the vector is empty.
        :raises FilterError: a filter is malformed.
        :raises DocumentStoreError: the server refuses a search.
        """
        first: dict[str, Any] = {"fuzziness": 0, "raise_on_failure": True, **words}
        second: dict[str, Any] = {"efficient_filtering": True, "raise_on_failure": True, **vector}
        found = yield from self._found([first, second])
        if isinstance(found[0], DocumentStoreError) and _can_be_asked_again(first, found[0]):
            logger.warning(TOO_FUZZY, first["fuzziness"], len(first["query"].split()))
            found[0] = (yield from self._found([{**first, "fuzziness": 0}]))[0]
        if isinstance(found[1], DocumentStoreError) and _can_be_asked_again(second, found[1]):
            logger.warning(NOT_EFFICIENT, self._index.name)
            found[1] = (yield from self._found([{**second, "efficient_filtering": False}]))[0]
        return (
            scored(_hits(found[0], first), first.get("scale_score", False), self._reader(first)),
            scored(_hits(found[1], second), False, self._reader(second)),
        )

    hybrid_retrieval_async = async_method(hybrid_retrieval)

    def _found(self, asked_for: list[dict[str, Any]]) -> Program[list[Found]]:
        """Return for each search its hits, or why there are none."""
        found: list[Found] = [[] for _ in asked_for]
        searches: dict[int, dict[str, Any]] = {}
        for place, arguments in enumerate(asked_for):
            top_k = validate_count("top_k", arguments.get("top_k", 10))
            try:
                body = yield from self._body(arguments, top_k)
            except DocumentStoreError as error:
                found[place] = error
                continue
            if top_k > MAX_PAGE:
                found[place] = yield from self._ranked(body, top_k, self._returned(arguments))
            elif top_k:
                searches[place] = self._search(body, top_k, self._returned(arguments))
        try:
            answers = yield from several(self._index, list(searches.values()), self.search_type)
        except DocumentStoreError as error:
            answers = [error for _ in searches]
        for place, answer in zip(searches, answers, strict=True):
            found[place] = answer
        return found

    def _returned(self, arguments: dict[str, Any]) -> bool:
        returned: bool | None = arguments.get("return_embedding")
        return self.return_embedding if returned is None else returned

    def _reader(self, arguments: dict[str, Any]) -> Callable[..., Document]:
        return self._read_document(self._returned(arguments))

    def _body(self, arguments: dict[str, Any], top_k: int) -> Program[dict[str, Any]]:
        filters, custom_query = arguments.get("filters"), arguments.get("custom_query")
        if "query_embedding" in arguments:
            return (
                yield from self._nearest(
                    arguments["query_embedding"],
                    filters,
                    top_k,
                    custom_query,
                    efficient=arguments["efficient_filtering"],
                    options=arguments.get("search_kwargs"),
                )
            )
        every = arguments.get("all_terms_must_match", False)
        return (yield from self._words(arguments["query"], filters, arguments["fuzziness"], every, custom_query))


def _can_be_asked_again(arguments: dict[str, Any], error: DocumentStoreError) -> bool:
    if arguments.get("custom_query") is not None:
        return False
    if "query_embedding" in arguments:
        return arguments["efficient_filtering"] and filters_too_early(error)
    return arguments["fuzziness"] not in {0, "0"} and too_many_clauses(error)


def _hits(found: Found, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the hits of a search.

    :raises DocumentStoreError: it has none, and its failure is not to be ignored.
    """
    if not isinstance(found, DocumentStoreError):
        return found
    if arguments["raise_on_failure"]:
        raise found
    what = "vector" if "query_embedding" in arguments else "words"
    logger.warning("The search by %s failed and is left out: %s", what, found)
    return []
