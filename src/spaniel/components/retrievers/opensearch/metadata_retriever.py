"""Metadata that fits a query, from an OpenSearch cluster."""

from typing import Any, Literal

from spaniel.components.retrievers.base import validate_choice, validate_count, validate_number
from spaniel.components.retrievers.opensearch.base import OpenSearchRetriever
from spaniel.core.component import component
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.runtime import Call, Program, async_method, sync_method

_MODES = ("strict", "fuzzy")


@component
class OpenSearchMetadataRetriever(OpenSearchRetriever):
    """Finds the metadata of an OpenSearch index that fits a query, best first: which author, which category is meant.

    :param document_store: the store.
    :param metadata_fields: the fields that are searched and returned; their values are texts, or lists of texts.
    :param top_k: how many results at most.
    :param exact_match_weight: what a part of the query adds to the score that stands in a value as it is.
    :param mode: ``strict``: a part stands in a value as it is, in any case. ``fuzzy``: or a value differs by a few edits.
    :param fuzziness: how many edits: 0, 1, 2 or ``AUTO``; in ``fuzzy`` mode.
    :param prefix_length: how many characters at the start must be equal; in ``fuzzy`` mode.
    :param max_expansions: how many spellings are tried; in ``fuzzy`` mode.
    :param tie_breaker: how much the other fields count beside the best one; in ``fuzzy`` mode.
    :param jaccard_n: how long the pieces of text are that are compared.
    :param raise_on_failure: whether an error of the server is raised; else it is a warning, and nothing is found.
    :raises ValueError: there are no fields, the mode is unknown, or a number is out of its range.
    :raises WrongStoreError: the store is of another kind.

    ::

        retriever = OpenSearchMetadataRetriever(document_store=store, metadata_fields=["category", "author"])
        retriever.run(query="pyton, Ada")["metadata"]
    """

    def __init__(
        self,
        *,
        document_store: OpenSearchDocumentStore,
        metadata_fields: list[str],
        top_k: int = 20,
        exact_match_weight: float = 0.6,
        mode: Literal["strict", "fuzzy"] = "fuzzy",
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
                f"metadata_fields must be a non-empty list of metadata field names, not {metadata_fields!r}."
            )
        self.metadata_fields = copy_value(metadata_fields)
        self.top_k = validate_count("top_k", top_k, positive=True)
        self.exact_match_weight = validate_number("exact_match_weight", exact_match_weight)
        self.mode = validate_choice("mode", mode, _MODES)
        self.fuzziness = fuzziness
        self.prefix_length = validate_count("prefix_length", prefix_length)
        self.max_expansions = validate_count("max_expansions", max_expansions, positive=True)
        self.tie_breaker = validate_number("tie_breaker", tie_breaker)
        self.jaccard_n = validate_count("jaccard_n", jaccard_n, positive=True)
        self.raise_on_failure = raise_on_failure

    _own_options = frozenset()

    @component.output_types(metadata=list[dict[str, Any]])
    @sync_method
    def run(
        self,
        query: str,
        *,
        document_store: OpenSearchDocumentStore | None = None,
        metadata_fields: list[str] | None = None,
        top_k: int | None = None,
        exact_match_weight: float | None = None,
        mode: Literal["strict", "fuzzy"] | None = None,
        fuzziness: int | Literal["AUTO"] | None = None,
        prefix_length: int | None = None,
        max_expansions: int | None = None,
        tie_breaker: float | None = None,
        jaccard_n: int | None = None,
        filters: dict[str, Any] | None = None,
    ) -> Program[dict[str, list[dict[str, Any]]]]:
        """Return the metadata that fits best under ``metadata``, each combination of values once.

        :param query: text; commas separate parts, of which a document should have as many as possible.
        :param document_store: instead of the constructor's.
        :param metadata_fields: instead of the constructor's.
        :param top_k: instead of the constructor's; 0 gives none.
        :param exact_match_weight: instead of the constructor's.
        :param mode: instead of the constructor's.
        :param fuzziness: instead of the constructor's.
        :param prefix_length: instead of the constructor's.
        :param max_expansions: instead of the constructor's.
        :param tie_breaker: instead of the constructor's.
        :param jaccard_n: instead of the constructor's.
        :param filters: what documents must match.
        :raises ValueError: the mode is unknown, or a number is out of its range.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the server can't be reached, or refuses the search, and failures are raised.
        """
        found: list[dict[str, Any]] = []
        arguments = self._arguments(
            fields=metadata_fields,
            top_k=top_k,
            exact_match_weight=exact_match_weight,
            mode=mode,
            fuzziness=fuzziness,
            prefix_length=prefix_length,
            max_expansions=max_expansions,
            tie_breaker=tie_breaker,
            jaccard_n=jaccard_n,
        )
        store = self._store(document_store)
        with self._log_failures("search in metadata"):
            given = {"query": query, "filters": filters, **arguments}
            found = yield Call(store, OpenSearchDocumentStore.metadata_search, given, in_thread="abandon")
        return {"metadata": found}

    run_async = async_method(run)

    def _arguments(self, **given: Any) -> dict[str, Any]:
        """Return the arguments of the search: what a run was given, else what the constructor was."""
        own = {name: getattr(self, "metadata_fields" if name == "fields" else name) for name in given}
        return {name: own[name] if value is None else value for name, value in given.items()}
