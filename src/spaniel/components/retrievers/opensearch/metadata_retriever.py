"""Metadata that matches a query, from an OpenSearch cluster."""

from typing import Literal, get_args

from spaniel.components.retrievers.opensearch.base import OpenSearchRetriever
from spaniel.core.component import component
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.json_types import Filters, Meta
from spaniel.runtime import Call, Program, async_method, sync_method

MetadataMatching = Literal["strict", "fuzzy"]


@component
class OpenSearchMetadataRetriever(OpenSearchRetriever):
    """Finds the metadata of an OpenSearch index that matches a query, such as authors, best first.

    :param document_store: the store.
    :param metadata_fields: the fields to search and return, with texts or lists of texts.
    :param top_k: the maximum number of results.
    :param exact_match_weight: the score added for a part of the query contained in a value.
    :param mode: ``strict``: a value contains the part, in any case. ``fuzzy``: or by a few edits.
    :param fuzziness: in ``fuzzy`` mode, the number of edits: 0, 1, 2 or ``AUTO``.
    :param prefix_length: in ``fuzzy`` mode, the number of leading characters that must be equal.
    :param max_expansions: in ``fuzzy`` mode, the maximum number of spellings tried.
    :param tie_breaker: in ``fuzzy`` mode, the weight of the other fields beside the best.
    :param jaccard_n: the length of the character n-grams that are compared.
    :param raise_on_failure: raise errors of the server; otherwise log them and return nothing.
    :raises ValueError: there are no fields, the mode is unknown, or a number is out of range.
    :raises WrongStoreError: the store is of another class.

    ::

        retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["category",
        "author"]) retriever.run(query="pyton, Ada")["metadata"]
    """

    _own_options = frozenset()
    _search_options = (
        "top_k", "exact_match_weight", "mode", "fuzziness", "prefix_length", "max_expansions", "tie_breaker", "jaccard_n",
    )  # fmt: skip

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        metadata_fields: list[str],
        top_k: int = 20,
        exact_match_weight: float = 0.6,
        mode: MetadataMatching = "fuzzy",
        fuzziness: int | Literal["AUTO"] = 2,
        prefix_length: int = 0,
        max_expansions: int = 200,
        tie_breaker: float = 0.7,
        jaccard_n: int = 3,
        raise_on_failure: bool = True,
    ) -> None:
        self.document_store = self._accept_store(document_store)
        if not metadata_fields or isinstance(metadata_fields, str):
            raise ValueError(
                f"metadata_fields must be a non-empty list of metadata field names, got {metadata_fields!r}."
            )
        self.metadata_fields = copy_value(metadata_fields)
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.exact_match_weight = validate_number("exact_match_weight", exact_match_weight)
        self.mode = validate_choice("mode", mode, get_args(MetadataMatching))
        self.fuzziness = fuzziness
        self.prefix_length = validate_count("prefix_length", prefix_length)
        self.max_expansions = validate_count("max_expansions", max_expansions, positive=True)
        self.tie_breaker = validate_number("tie_breaker", tie_breaker)
        self.jaccard_n = validate_count("jaccard_n", jaccard_n, positive=True)
        self.raise_on_failure = raise_on_failure

    @component.output_types(metadata=list[Meta])
    @sync_method
    def run(
        self,
        query: str,
        *,
        document_store: OpenSearchDocumentStore | None = None,
        metadata_fields: list[str] | None = None,
        top_k: int | None = None,
        exact_match_weight: float | None = None,
        mode: MetadataMatching | None = None,
        fuzziness: int | Literal["AUTO"] | None = None,
        prefix_length: int | None = None,
        max_expansions: int | None = None,
        tie_breaker: float | None = None,
        jaccard_n: int | None = None,
        filters: Filters | None = None,
    ) -> Program[dict[str, list[Meta]]]:
        """Return the best metadata under ``metadata``, each combination of values once.

        :param query: text; commas separate parts. Documents that match more parts are better.
        :param document_store, metadata_fields, exact_match_weight: override the constructor's.
        :param mode, fuzziness, prefix_length, max_expansions: override the constructor's.
        :param tie_breaker, jaccard_n: override the constructor's.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param filters: a filter that documents must match.
        :raises ValueError: the mode is unknown, or a number is out of range.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the search failed at the server, and failures are raised.
        """
        found: list[Meta] = []
        arguments = self.search_arguments(
            top_k=top_k,
            exact_match_weight=exact_match_weight,
            mode=mode,
            fuzziness=fuzziness,
            prefix_length=prefix_length,
            max_expansions=max_expansions,
            tie_breaker=tie_breaker,
            jaccard_n=jaccard_n,
        )
        fields = self.metadata_fields if metadata_fields is None else metadata_fields
        arguments |= {"query": query, "filters": filters, "fields": fields}
        store = self._store(document_store)
        with self._log_failures("metadata search"):
            found = yield Call(store, OpenSearchDocumentStore.metadata_search, arguments, in_thread="abandon")
        return {"metadata": found}

    run_async = async_method(run)
