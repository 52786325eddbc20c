"""The search methods of the stores inside a process: BM25 and vector search over their indexes."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial

from spaniel._engine import SizesError, SlotSet
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.async_methods import in_reader_thread
from spaniel.document_stores.embedded.keyword_conditions import ConditionSets
from spaniel.document_stores.embedded.keyword_ranking import KeywordRanking, prepare_ranking
from spaniel.document_stores.embedded.scoring import BM25Algorithm, Similarity, VectorSearch, scale_for
from spaniel.document_stores.embedded.store_state import WritableStoreState
from spaniel.document_stores.embedded.tokenizers import Tokenizer
from spaniel.document_stores.embedded.vectors import as_vector, size_mismatch_error
from spaniel.document_stores.types.keyword_query import KeywordQuery, Spellings
from spaniel.document_stores.validation import validate_count
from spaniel.filters import Filter, parse_filter
from spaniel.json_types import Filters
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)


class SearchMethods:
    """The search methods of `EmbeddedDocumentStore`; each call sees one state of the store."""

    _state: WritableStoreState
    async_executor: Executor | None
    bm25_algorithm: BM25Algorithm
    bm25_parameters: dict[str, float]
    embedding_similarity_function: Similarity
    vector_search: VectorSearch
    return_embedding: bool
    strict_datetime_comparison: bool

    def bm25_retrieval(
        self, query: str | KeywordQuery, filters: Filters | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that share a term with a query, best first.

        :param query: text; each distinct term counts once, unless words are scored
            (docs/scores.md). Or words with conditions; without words, the documents that meet them
            have the score 0.
        :param filters: a filter on the results; it does not affect the statistics.
        :param top_k: maximum number of documents.
        :param scale_score: map scores to 0..1 by 1 / (1 + exp(-score / 8)).
        :raises ValueError: the query is empty, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        """
        if not isinstance(query, str | KeywordQuery) or not query:
            raise ValueError(f"Query should be a non-empty string, not {query!r}.")
        top_k = validate_count("top_k", top_k)
        filter, ranking = parse_filter(filters) if filters else None, self._prepare(query)
        search = partial(self._rank, query, ranking, filter, top_k)
        found = self._search("bm25", search, scale_score, self.return_embedding)
        if not found and top_k:
            logger.info("No documents found for BM25 retrieval. Returning empty list.")
        return found

    bm25_retrieval_async = in_reader_thread(bm25_retrieval)

    def count_matches(self, query: str | KeywordQuery, filters: Filters | None = None) -> int:
        """Return the number of documents that `bm25_retrieval` finds without a limit.

        :param query: as for `bm25_retrieval`; all its matches are scored, and texts with the words
            of its phrases are read.
        :param filters: a filter on the documents.
        :raises FilterError: the filter is malformed.
        """
        filter, ranking = parse_filter(filters) if filters else None, self._prepare(query)
        return self._state.read_consistently(lambda: len(self._rank(query, ranking, filter, self._state.count())))

    count_matches_async = in_reader_thread(count_matches)

    def explain_bm25(self, query: str | KeywordQuery, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return the query terms in each document, with their parts of its unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: ids of documents; those that are not searched are left out.
        """
        ranking, document_ids = self._prepare(query), list(document_ids)  # a view of the store would wait for itself

        def explain() -> dict[str, tuple[TermMatch, ...]]:
            slots, keywords = self._state.slots_of(document_ids), self._state.keywords
            slots = {id: slot for id, slot in slots.items() if slot in keywords}
            return dict(zip(slots, self._renew(ranking, query).explain(keywords, list(slots.values())), strict=True))

        return self._state.read_consistently(explain)

    explain_bm25_async = in_reader_thread(explain_bm25)

    def query_terms(self, query: str | KeywordQuery) -> list[str]:
        """Return the distinct terms of a query, as in the index, in the order of appearance."""
        return self._state.read_consistently(lambda: self._prepare(query).terms(self._state.keywords))

    def look_up_words(self, query: str | KeywordQuery) -> tuple[list[str], Spellings]:
        """Return the terms of a query, and other spellings of its words that no document has.

        Analyzers without languages know no spellings.
        """

        def look_up() -> tuple[list[str], Spellings]:
            indexing, keywords = self._state.indexing, self._state.keywords
            text = query if isinstance(query, str) else query.text
            unknown = keywords.unknown_words(text, indexing.languages) if indexing.has_words else []
            spellings = {(start, end): [word for word, _, _ in words] for start, end, words in unknown}
            return self._prepare(query).terms(keywords), spellings

        return self._state.read_consistently(look_up)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of documents in the keyword index."""
        return self._state.indexing.tokenizer or self._state.indexing.engine_tokenizer

    def search_statistics(self) -> dict[str, int]:
        """Return the size of the keyword index: ``documents``, ``tokens`` and ``vocabulary``."""
        return dict(self._state.keywords.statistics())  # type: ignore[arg-type]  # a TypedDict of numbers

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the documents with the embeddings most similar to a vector, best first.

        Scores are exact, also with ``vector_search="approximate"``.

        :param query_embedding: a list or an array of the size of the documents' embeddings.
        :param filters: a filter on the results.
        :param top_k: maximum number of documents.
        :param scale_score: map scores to 0..1 by (score + 1) / 2 for cosine, else by
            1 / (1 + exp(-score / 100)).
        :param return_embedding: if documents carry their embedding; None: as the store is set.
        :raises ValueError: the vector is empty or not finite, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the embeddings differ in size from each other or the query.
        """
        try:
            vector = as_vector(query_embedding, "the query")
        except ValueError as error:
            raise ValueError(f"query_embedding should be a non-empty list of floats. {error}") from None
        top_k = validate_count("top_k", top_k)
        filter, similarity = parse_filter(filters) if filters else None, self.embedding_similarity_function

        def search() -> list[tuple[int, float]]:
            allowed = self._matching_slots(filter)
            try:
                return self._state.vectors().nearest(
                    vector,
                    cosine=similarity == "cosine",
                    top_k=min(top_k, self._state.count()),
                    allowed=allowed,
                    approximate=self.vector_search == "approximate",
                )
            except SizesError as error:
                sizes: dict[int, int] = error.args[0]
                examples = dict(zip(sizes, self._state.get_by_slot(list(sizes.values())), strict=True))
                raise size_mismatch_error(examples, len(vector)) from None

        keep = self.return_embedding if return_embedding is None else return_embedding
        found = self._search(similarity, search, scale_score, keep)
        if found and not filters and len(found) < min(top_k, self._state.count()):
            logger.info("Skipping some Documents that don't have an embedding. A document embedder makes them.")
        if not found and top_k:
            logger.warning("No Documents found with embeddings. Returning empty list. A document embedder makes them.")
        return found

    embedding_retrieval_async = in_reader_thread(embedding_retrieval)

    def _search(
        self, ranking: str, search: Callable[[], list[tuple[int, float]]], scale_score: bool, embedding: bool
    ) -> list[Document]:
        """Return copies of the documents whose slots and scores `search` returns, with the scores."""

        def read() -> tuple[list[Document], list[float]]:
            hits = search()
            return self._state.get_by_slot([slot for slot, _ in hits]), [score for _, score in hits]

        scale = scale_for(ranking, scale_score)
        documents, scores = self._state.read_consistently(read)
        return Document.copies_of(documents, [scale(score) for score in scores], embedding=embedding, lazy=True)

    def _rank(
        self, query: str | KeywordQuery, ranking: KeywordRanking, filter: Filter | None, top_k: int
    ) -> list[tuple[int, float]]:
        """Return the slots and scores of the best documents."""
        allowed, limit = self._matching_slots(filter), min(top_k, self._state.count())
        current = self._renew(ranking, query)
        if isinstance(query, KeywordQuery):
            return self._rank_by_conditions(query, current, allowed, limit)
        return current.search(self._state.keywords, limit, allowed)

    def _rank_by_conditions(
        self, query: KeywordQuery, ranking: KeywordRanking, allowed: SlotSet | None, top_k: int
    ) -> list[tuple[int, float]]:
        """Return the slots and scores of the best documents that meet the conditions of a query.

        Phrases are looked for in the texts of the best documents, until there are enough.
        """
        keywords, strict = self._state.keywords, self.strict_datetime_comparison
        sets = ConditionSets(
            self._state.indexing, keywords, lambda each: self._state.find_matching_slots(each, strict_dates=strict)
        )
        allowed = sets.narrow(allowed, query.conditions)
        words = ranking.words(keywords)
        if query.min_words and words:
            allowed = sets.keep_with(words, query.min_words, allowed)

        def rank(count: int) -> list[tuple[int, float]]:
            if words:
                return ranking.search(keywords, count, allowed)
            slots = sets.all_slots() if allowed is None else sets.all_slots() & allowed
            return [(slot, 0.0) for slot in slots.tolist()[:count]]

        phrases = sets.list_phrases(query.conditions)
        if not phrases:
            return rank(top_k)
        broken: dict[int, bool] = {}
        count = top_k
        while True:
            hits = rank(count)
            new = [slot for slot, _ in hits if slot not in broken]
            for slot, document in zip(new, self._state.get_by_slot(new), strict=True):
                broken[slot] = sets.breaks_phrase(document, phrases)
            kept = [hit for hit in hits if not broken[hit[0]]]
            if len(kept) >= top_k or len(hits) < count:
                return kept[:top_k]
            count *= 4

    def _prepare(self, query: str | KeywordQuery) -> KeywordRanking:
        return prepare_ranking(self._state.indexing, self.bm25_algorithm, self.bm25_parameters, query)

    def _renew(self, ranking: KeywordRanking, query: str | KeywordQuery) -> KeywordRanking:
        """Return the ranking, or a new one if another process has changed the analyzer meanwhile."""
        return ranking if ranking.indexing is self._state.indexing else self._prepare(query)

    def _matching_slots(self, filter: Filter | None) -> SlotSet | None:
        strict = self.strict_datetime_comparison
        return None if filter is None else self._state.find_matching_slots(filter, strict_dates=strict)
