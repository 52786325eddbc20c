"""Several retrievers run concurrently."""

from collections.abc import Mapping
from functools import partial
from typing import Literal, Self, get_args

from spaniel.components.retrievers.base import (
    CompositeRetriever,
    fetch_documents,
    validate_min_score,
    validate_optional_count,
)
from spaniel.components.retrievers.types import TextRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict, default_from_dict, object_from_dict
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.validation import validate_choice, validate_count
from spaniel.errors import DeserializationError
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Call, Gather, Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.fusion import fuse

RetrieverJoinMode = Literal["reciprocal_rank_fusion", "concatenate"]


@component
class MultiRetriever(CompositeRetriever):
    """Runs several text retrievers concurrently and fuses their documents into a list.

    Wrap embedding retrievers in `TextEmbeddingRetriever`. Lexical and dense search then become a
    hybrid search.

    :param retrievers: the retrievers by name.
    :param filters: a filter that documents must match.
    :param top_k_per_retriever: the maximum per retriever; None: each retriever's own.
    :param top_k: the maximum number of documents; implies reciprocal rank fusion. None: all.
    :param max_workers: the maximum number of retrievers run concurrently.
    :param join_mode: ``reciprocal_rank_fusion`` sorts by ranks alone; ``concatenate`` keeps order
        and scores, and of several copies the highest-scored.
    :param min_score: the minimum score of a returned document, after the fusion.
    :raises ValueError: a number is out of range, or the mode is unknown.

    >>> from spaniel.components.retrievers import InMemoryBM25Retriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="sun and wind"), Document(content="wind"), Document(content="sun")])
    3
    >>> english = InMemoryBM25Retriever(store, top_k=2)
    >>> retriever = MultiRetriever(retrievers={"a": english, "b": english}, top_k=1)
    >>> [(document.content, document.score) for document in retriever.run("wind")["documents"]]
    [('wind', 1.0)]
    """

    _own_options = frozenset({"min_score"})

    def __init__(
        self,
        *,
        retrievers: Mapping[str, TextRetriever],
        filters: Filters | None = None,
        top_k_per_retriever: int | None = None,
        top_k: int | None = None,
        max_workers: int = 4,
        join_mode: RetrieverJoinMode = "reciprocal_rank_fusion",
        min_score: float | None = None,
    ) -> None:
        self.retrievers = dict(retrievers)
        self.filters = copy_value(filters)
        self.top_k_per_retriever = validate_optional_count("top_k_per_retriever", top_k_per_retriever, positive=True)
        self.top_k = validate_optional_count("top_k", top_k, positive=True)
        self.max_workers = validate_count("max_workers", max_workers, positive=True)
        self.join_mode = validate_choice("join_mode", join_mode, get_args(RetrieverJoinMode))
        self.min_score = validate_min_score(min_score)

    def _components(self) -> list[TextRetriever]:
        return list(self.retrievers.values())

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters: Filters | None = None,
        top_k_per_retriever: int | None = None,
        top_k: int | None = None,
        *,
        active_retrievers: list[str] | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the fused documents of the retrievers under ``documents``.

        :param query: the text given to each retriever.
        :param filters: overrides the constructor's; ``{}`` matches all.
        :param top_k_per_retriever, top_k: override the constructor's; 0 returns nothing.
        :param active_retrievers: the names of the retrievers to run; None: all.
        :raises ValueError: a count is negative, or the name of a retriever is unknown.
        :raises RuntimeError: a retriever failed; the error names it.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        top_k = validate_optional_count("top_k", self.top_k if top_k is None else top_k)
        per_retriever = self.top_k_per_retriever if top_k_per_retriever is None else top_k_per_retriever
        per_retriever = validate_optional_count("top_k_per_retriever", per_retriever)
        active = self._select(active_retrievers)
        if top_k == 0 or per_retriever == 0:
            return {"documents": []}
        inputs = {"query": query, "top_k": per_retriever, "filters": self.filters if filters is None else filters}
        given = {name: value for name, value in inputs.items() if value is not None}
        rankings = yield Gather(
            [
                fetch_documents(Call(retriever, TextRetriever.run, given), f"Retriever '{name}'")
                for name, retriever in active.items()
            ],
            self.max_workers,
        )
        fused = partial(fuse, *rankings, join_mode=self.join_mode, top_k=top_k, min_score=self.min_score)
        return {"documents": (yield from run_stage(fused, None, type(self).__name__))}

    run_async = async_method(run)

    def _select(self, names: list[str] | None) -> dict[str, TextRetriever]:
        if names is None:
            return self.retrievers
        if unknown := set(names) - self.retrievers.keys():
            raise ValueError(
                f"Unknown retriever name(s): {sorted(unknown)}. Available retrievers: {sorted(self.retrievers)}"
            )
        return {name: self.retrievers[name] for name in names}

    def _init_parameters(self) -> JsonObject:
        retrievers = {name: component_to_dict(retriever, name) for name, retriever in self.retrievers.items()}
        return {**super()._init_parameters(), "retrievers": retrievers}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the retriever that `to_dict` wrote.

        :raises DeserializationError: the type of a retriever is unknown, or it can't be built.
        """
        parameters = data.get("init_parameters") or {}
        serialized = parameters.get("retrievers") or {}
        retrievers = {name: _build_retriever(name, each) for name, each in serialized.items()}
        return default_from_dict(cls, {**data, "init_parameters": {**parameters, "retrievers": retrievers}})


def _build_retriever(name: str, data: JsonObject | TextRetriever) -> TextRetriever:
    if not isinstance(data, dict):
        return data
    if "type" not in data:
        raise DeserializationError(f"Missing 'type' in serialization data of the retriever '{name}'.")
    try:
        retriever: TextRetriever = object_from_dict(data)
    except DeserializationError as error:
        raise type(error)(f"The retriever '{name}' can't be built: {error}") from error
    return retriever
