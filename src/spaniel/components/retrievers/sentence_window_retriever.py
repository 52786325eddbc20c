"""Hits widened to their neighbours."""

from collections.abc import Sequence
from functools import partial
from typing import get_args

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    make_token_counter,
    to_field_names,
    validate_min_score,
    validate_optional_count,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.windows.assembly import merge_documents_text
from spaniel.strategies.windows.layout import Place, WindowScope, is_number
from spaniel.strategies.windows.widen import Windows, widen


@component
class SentenceWindowRetriever(TokenizerParameter, StoreRetriever):
    """Returns each hit with the chunks before and after it in its source.

    Put it after a retriever over the chunks of `DocumentSplitter`. A run makes a single store
    request.

    :param document_store: the store with the chunks.
    :param window_size: the number of chunks before and after a hit.
    :param source_id_meta_field: the field, or fields, that identify a chunk's source.
    :param split_id_meta_field: the field with a chunk's number in its source.
    :param raise_on_missing_meta_fields: raise an error for hits without them; else return these.
    :param merge_overlapping: merge windows of a source that overlap or touch.
    :param before: the number of chunks before a hit, if different from `window_size`.
    :param after: the number of chunks after a hit, if different from `window_size`.
    :param over: ``source``: neighbours are adjacent by their number in their source. ``root``:
        neighbours are adjacent leaves of a whole hierarchy, across its sections; the fields above
        are ignored.
    :param bounded_by: a metadata field, or several; a window ends where any of them changes.
    :param max_length: the maximum length of a window's text; a longer hit is returned alone.
    :param tokenizer: the unit of `max_length`: the name of an encoding such as ``o200k_base``, a
        callable, or a tokenizer. Default: characters.
    :param gap: a text that marks missing chunks within a window.
    :param keep_scores: keep the scores of hits in ``context_documents``.
    :param whole_windows: return a document per window in ``context_documents`` instead of its
        chunks, with the window's text, the best score of its hits, and their ids as ``window_hits``
        in its metadata.
    :param min_score: the minimum score of a hit.
    :raises ValueError: a parameter is out of range, or a name is unknown.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> texts = ["One. ", "Two. ", "Three. ", "Four. "]
    >>> docs = [Document(content=text, meta={"source_id": "a", "split_id": n}) for n, text in enumerate(texts)]
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents(docs)
    4
    >>> SentenceWindowRetriever(store, window_size=1).run([docs[1]])["context_windows"]
    ['One. Two. Three. ']
    """

    _own_options = frozenset(
        {
            "merge_overlapping", "before", "after", "over", "bounded_by", "max_length", "tokenizer", "gap", "keep_scores",
            "whole_windows", "min_score",
        }
    )  # fmt: skip

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        window_size: int = 3,
        *,
        source_id_meta_field: str | list[str] = "source_id",
        split_id_meta_field: str = "split_id",
        raise_on_missing_meta_fields: bool = True,
        merge_overlapping: bool = False,
        before: int | None = None,
        after: int | None = None,
        over: WindowScope = "source",
        bounded_by: str | list[str] | None = None,
        max_length: int | None = None,
        tokenizer: object = None,
        gap: str | None = None,
        keep_scores: bool = False,
        whole_windows: bool = False,
        min_score: float | None = None,
    ) -> None:
        self.document_store = self._accept_store(document_store)
        self.window_size = validate_count("The window_size parameter", window_size, positive=True)
        self.source_id_meta_field = copy_value(source_id_meta_field)
        self.split_id_meta_field = split_id_meta_field
        self.raise_on_missing_meta_fields = raise_on_missing_meta_fields
        self.merge_overlapping = merge_overlapping
        self.before = validate_optional_count("before", before)
        self.after = validate_optional_count("after", after)
        self.over = validate_choice("over", over, get_args(WindowScope))
        self.bounded_by = copy_value(bounded_by)
        self.max_length = validate_optional_count("max_length", max_length, positive=True)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.gap = gap
        self.keep_scores = keep_scores
        self.whole_windows = whole_windows
        self.min_score = validate_min_score(min_score)
        self._place = Place(to_field_names(source_id_meta_field), split_id_meta_field)

    @staticmethod
    def merge_documents_text(documents: list[Document]) -> str:
        """Return the texts of chunks as one text, each character of their source once.

        :param documents: chunks; if any lacks ``split_idx_start``, the texts are concatenated.
        """
        return merge_documents_text(documents)

    @component.output_types(context_windows=list[str], context_documents=list[Document])
    @sync_method
    def run(self, retrieved_documents: list[Document], window_size: int | None = None) -> Program[Windows]:
        """Return texts of windows in ``context_windows``, their chunks in ``context_documents``.

        :param retrieved_documents: hits.
        :param window_size: overrides the constructor's; `before` and `after` still apply.
        :returns: a text per window; the chunks of the first window, then of the second, and so on.
        :raises ValueError: the window size is below 1, or a hit lacks its place.
        """
        size = self.window_size
        if window_size is not None:
            size = validate_count("The window_size parameter", window_size, positive=True)
        if self.raise_on_missing_meta_fields:
            self._check_places(retrieved_documents)
        windows = partial(
            widen,
            retrieved_documents,
            window_size=size,
            before=self.before,
            after=self.after,
            over=self.over,
            place=self._place,
            merge_overlapping=self.merge_overlapping,
            bounded_by=to_field_names(self.bounded_by),
            max_length=self.max_length,
            length=make_token_counter(self.tokenizer),
            gap=self.gap,
            keep_scores=self.keep_scores,
            whole_windows=self.whole_windows,
            min_score=self.min_score,
        )
        return (yield from run_stage(windows, self.document_store, type(self).__name__))

    run_async = async_method(run)

    def _check_places(self, hits: list[Document]) -> None:
        if self.over == "root":
            names = f"{ROOT}', '{START}' and '{END}"
            _check_fields(hits, [ROOT, START, END], names, "HierarchicalDocumentSplitter")
            return
        _check_fields(hits, [self.split_id_meta_field], self.split_id_meta_field)
        _check_fields(hits, self._place.source_fields, self.source_id_meta_field)
        for hit in hits:
            number = hit.meta[self.split_id_meta_field]
            if number is not None and not is_number(number):
                raise ValueError(
                    f"'{self.split_id_meta_field}' must be a number, got {number!r} in document '{hit.id}'. Name the field "
                    "that holds the number with split_id_meta_field, or pass raise_on_missing_meta_fields=False."
                )


def _check_fields(
    hits: list[Document], fields: Sequence[str], names: str | list[str], splitter: str = "DocumentSplitter"
) -> None:
    for hit in hits:
        if any(field not in hit.meta for field in fields):
            raise ValueError(
                f"The retrieved documents must have '{names}' in their metadata. Document '{hit.id}' has not; split "
                f"with {splitter}, name your fields, or pass raise_on_missing_meta_fields=False."
            )
