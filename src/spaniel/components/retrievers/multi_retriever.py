"""Several retrievers asked at once."""

from functools import partial
from typing import Any, Self

from spaniel.components.retrievers.base import CompositeRetriever, fetch_documents, validate_count, validate_min_score
from spaniel.components.retrievers.types import TextRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict, default_from_dict, object_from_dict
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import DeserializationError
from spaniel.runtime import Call, Gather, Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.fusion import RRF, fuse

_JOIN_MODES = (RRF, "concatenate")


@component
class MultiRetriever(CompositeRetriever):
    """Asks several text retrievers at once and returns what they find as one list, each document once.

    Put an embedding retriever into a `TextEmbeddingRetriever` first. So keyword and vector search become one hybrid one.

    :param retrievers: the retrievers by name.
    :param filters: what documents must match.
    :param top_k_per_retriever: how many documents one retriever gives at most; None leaves it to each.
    :param top_k: how many documents at most; it always means reciprocal rank fusion. None: all.
    :param max_workers: how many retrievers are asked at a time.
    :param join_mode: ``reciprocal_rank_fusion`` looks at ranks only and sorts by them; ``concatenate`` keeps the order and
        the scores, of several copies the one with the highest score.
    :param min_score: what a document must score after the fusion.
    :raises ValueError: a number is not greater than 0, `min_score` is no number, or the mode is unknown.

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

    def __init__(
        self,
        *,
        retrievers: dict[str, TextRetriever],
        filters: dict[str, Any] | None = None,
        top_k_per_retriever: int | None = None,
        top_k: int | None = None,
        max_workers: int = 4,
        join_mode: str = RRF,
        min_score: float | None = None,
    ) -> None:
        if join_mode not in _JOIN_MODES:
            raise ValueError(f"join_mode is {join_mode!r}, but must be one of {list(_JOIN_MODES)}.")
        self.retrievers = dict(retrievers)
        self.filters = copy_value(filters)
        self.top_k_per_retriever = _count_or_none("top_k_per_retriever", top_k_per_retriever, positive=True)
        self.top_k = _count_or_none("top_k", top_k, positive=True)
        self.max_workers = validate_count("max_workers", max_workers, positive=True)
        self.join_mode = join_mode
        self.min_score = validate_min_score(min_score)

    _own_options = frozenset({"min_score"})

    def _components(self) -> list[TextRetriever]:
        return list(self.retrievers.values())

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k_per_retriever: int | None = None,
        top_k: int | None = None,
        *,
        active_retrievers: list[str] | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return what the retrievers find, fused, under ``documents``.

        :param query: the text that each retriever is asked for.
        :param filters: instead of the constructor's; ``{}`` matches all.
        :param top_k_per_retriever: instead of the constructor's; 0 gives none.
        :param top_k: instead of the constructor's; 0 gives none.
        :param active_retrievers: the names of those to ask; None: all.
        :raises ValueError: a number is negative, or there is no retriever of a name.
        :raises RuntimeError: a retriever failed; the error names it.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        top_k = _count_or_none("top_k", self.top_k if top_k is None else top_k)
        each = self.top_k_per_retriever if top_k_per_retriever is None else top_k_per_retriever
        each = _count_or_none("top_k_per_retriever", each)
        active = self._active(active_retrievers)
        if top_k == 0 or each == 0:
            return {"documents": []}
        inputs = {"query": query, "top_k": each, "filters": self.filters if filters is None else filters}
        given = {name: value for name, value in inputs.items() if value is not None}
        found = yield Gather(
            [
                fetch_documents(Call(retriever, TextRetriever.run, given), f"Retriever '{name}'")
                for name, retriever in active.items()
            ],
            self.max_workers,
        )
        fused = partial(fuse, *found, join_mode=self.join_mode, top_k=top_k, min_score=self.min_score)
        return {"documents": (yield from run_stage(fused, None, type(self).__name__))}

    run_async = async_method(run)

    def _active(self, names: list[str] | None) -> dict[str, TextRetriever]:
        if names is None:
            return self.retrievers
        if unknown := set(names) - self.retrievers.keys():
            raise ValueError(
                f"Unknown retriever name(s): {sorted(unknown)}. Available retrievers: {sorted(self.retrievers)}"
            )
        return {name: self.retrievers[name] for name in names}

    def _init_parameters(self) -> dict[str, Any]:
        retrievers = {name: component_to_dict(retriever, name) for name, retriever in self.retrievers.items()}
        return {**super()._init_parameters(), "retrievers": retrievers}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the retriever that `to_dict` wrote.

        :raises DeserializationError: the type of a retriever is not known, or it can't be built.
        """
        parameters = data.get("init_parameters") or {}
        described = parameters.get("retrievers") or {}
        retrievers = {name: _built(name, it) for name, it in described.items()}
        return default_from_dict(cls, {**data, "init_parameters": {**parameters, "retrievers": retrievers}})


def _built(name: str, data: Any) -> TextRetriever:
    if not isinstance(data, dict):
        return data  # type: ignore[no-any-return]  # it is built already
    if "type" not in data:
        raise DeserializationError(f"Missing 'type' in serialization data of the retriever '{name}'.")
    try:
        retriever: TextRetriever = object_from_dict(data)
    except DeserializationError as error:
        raise type(error)(f"The retriever '{name}' can't be built: {error}") from error
    return retriever


def _count_or_none(name: str, number: int | None, *, positive: bool = False) -> int | None:
    return None if number is None else validate_count(name, number, positive=positive)
