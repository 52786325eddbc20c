"""BM25 and vector search over the indexes of a store."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from spaniel._engine import SizesError, SlotSet, tokenize
from spaniel.document_stores.embedded.vectors import as_vector, size_mismatch_error
from spaniel.filters import Filter, parse_filter
from spaniel.tracing.events import TermMatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.dataclasses import Document
    from spaniel.document_stores.embedded.scoring import BM25Algorithm, Similarity
    from spaniel.document_stores.embedded.store_state import StoreState, Tokenizer
    from spaniel.json_types import Filters

Hits = list[tuple["Document", float]]
"""Stored documents with their raw scores, best first; ties in the order of writing."""


class SearchOperations:
    """Searches the state of a store; each call sees one state."""

    def __init__(self, state: StoreState) -> None:
        self._state = state

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of documents and queries."""
        return self._state.tokenizer or functools.partial(tokenize, cjk=self._state.indexing.cjk)

    def query_terms(self, query: str) -> list[str]:
        """Return the distinct terms of a query in the order of their appearance."""
        return list(dict.fromkeys(self.tokenizer(query)))

    def bm25(
        self,
        query: str,
        filters: Filters | None,
        top_k: int,
        *,
        algorithm: BM25Algorithm,
        parameters: dict[str, float],
        strict_dates: bool,
    ) -> Hits:
        """Return the documents that share a term with the query."""
        filter = parse_filter(filters) if filters else None
        terms = self._tokens(query)

        def search() -> Hits:
            allowed = self._matching_slots(filter, strict_dates)
            hits = self._state.keywords.search(
                terms,
                variant=algorithm,
                parameters=parameters,
                top_k=min(top_k, self._state.count()),
                allowed=allowed,
            )
            return self._with_documents(hits)

        return self._state.read_consistently(search)

    def explain_bm25(
        self, query: str, document_ids: Sequence[str], algorithm: BM25Algorithm, parameters: dict[str, float]
    ) -> dict[str, tuple[TermMatch, ...]]:
        """Return the matching terms of each searched document, with their parts of its score."""
        terms = self._tokens(query)

        def explain() -> dict[str, tuple[TermMatch, ...]]:
            slots, keywords = self._state.slots_of(document_ids), self._state.keywords
            slots = {id: slot for id, slot in slots.items() if slot in keywords}
            explained = keywords.explain(terms, list(slots.values()), variant=algorithm, parameters=parameters)
            return {
                id: tuple(TermMatch(match.term, match.tf, match.df, match.score) for match in matches)
                for id, matches in zip(slots, explained, strict=True)
            }

        return self._state.read_consistently(explain)

    def nearest(
        self,
        query: NDArray[np.float64],
        filters: Filters | None,
        top_k: int,
        *,
        similarity: Similarity,
        approximate: bool,
        strict_dates: bool,
    ) -> Hits:
        """Return the documents with the most similar embeddings."""
        filter = parse_filter(filters) if filters else None

        def search() -> Hits:
            allowed = self._matching_slots(filter, strict_dates)
            try:
                hits = self._state.vectors().nearest(
                    query,
                    cosine=similarity == "cosine",
                    top_k=min(top_k, self._state.count()),
                    allowed=allowed,
                    approximate=approximate,
                )
            except SizesError as error:
                sizes: dict[int, int] = error.args[0]
                examples = dict(zip(sizes, self._state.get_by_slot(list(sizes.values())), strict=True))
                raise size_mismatch_error(examples, len(query)) from None
            return self._with_documents(hits)

        return self._state.read_consistently(search)

    def _tokens(self, query: str) -> str | list[str]:
        tokenizer = self._state.tokenizer
        return query if tokenizer is None else tokenizer(query)

    def _matching_slots(self, filter: Filter | None, strict_dates: bool) -> SlotSet | None:
        return None if filter is None else self._state.find_matching_slots(filter, strict_dates=strict_dates)

    def _with_documents(self, hits: list[tuple[int, float]]) -> Hits:
        documents = self._state.get_by_slot([slot for slot, _ in hits])
        return [(document, score) for document, (_, score) in zip(documents, hits, strict=True)]


def query_vector(numbers: Sequence[float]) -> NDArray[np.float64]:
    """Return a query embedding as a vector."""
    try:
        return as_vector(numbers, "the query")
    except ValueError as error:
        raise ValueError(f"query_embedding should be a non-empty list of floats. {error}") from None
