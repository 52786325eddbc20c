"""Hits widened to their neighbours."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    token_counter,
    validate_choice,
    validate_count,
    validate_min_score,
    validate_store,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import (
    WINDOW_LAYOUTS,
    Place,
    Strategy,
    Windows,
    is_number,
    merge_documents_text,
    run_stage,
    widen,
)


@component
class SentenceWindowRetriever(TokenizerParameter, StoreRetriever):
    """Returns each hit with the chunks that stand before and after it in its source.

    Put it after a retriever over the chunks of `DocumentSplitter`. The store is asked once a run.

    :param document_store: where the chunks are.
    :param window_size: how many chunks before and after a hit.
    :param source_id_meta_field: the field that names a chunk's source, or several that do so together.
    :param split_id_meta_field: the field with a chunk's number in its source.
    :param raise_on_missing_meta_fields: whether a hit without these fields is an error; else it is returned alone.
    :param merge_overlapping: whether windows of one source that overlap or touch become one.
    :param before: how many chunks before a hit, if other than `window_size`; 0 for none.
    :param after: how many chunks after a hit, if other than `window_size`; 0 for none.
    :param over: ``source``: chunks are neighbours by their number in their source. ``root``: the leaves of a whole
        hierarchy are, in the order of its text, across its sections; the fields above are not looked at.
    :param bounded_by: a metadata field, or several; a window ends where one of them is no longer the hit's.
    :param max_length: how long the text of a hit's window may be; a longer hit is returned alone.
    :param tokenizer: what measures `max_length`: a name of an encoding such as ``o200k_base``, a callable, or a tokenizer.
        Default: characters.
    :param gap: a text that marks where chunks are missing within a window.
    :param keep_scores: whether hits among ``context_documents`` keep their score.
    :param whole_windows: whether ``context_documents`` has one document a window instead of its chunks. It has the window's
        text, the best score of its hits, and says in its metadata which ``window_hits`` it stands for.
    :param min_score: what a hit must score to get a window.
    :raises ValueError: a parameter is out of its range, or a name is unknown.
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
        over: str = "source",
        bounded_by: str | list[str] | None = None,
        max_length: int | None = None,
        tokenizer: Any = None,
        gap: str | None = None,
        keep_scores: bool = False,
        whole_windows: bool = False,
        min_score: float | None = None,
    ) -> None:
        self.document_store = validate_store(document_store)
        self.window_size = validate_count("The window_size parameter", window_size, positive=True)
        self.source_id_meta_field = copy_value(source_id_meta_field)
        self.split_id_meta_field = split_id_meta_field
        self.raise_on_missing_meta_fields = raise_on_missing_meta_fields
        self.merge_overlapping = merge_overlapping
        self.before = None if before is None else validate_count("before", before)
        self.after = None if after is None else validate_count("after", after)
        self.over = validate_choice("over", over, WINDOW_LAYOUTS)
        self.bounded_by = copy_value(bounded_by)
        self.max_length = None if max_length is None else validate_count("max_length", max_length, positive=True)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.gap = gap
        self.keep_scores = keep_scores
        self.whole_windows = whole_windows
        self.min_score = validate_min_score(min_score)
        self._place = Place(_names(source_id_meta_field), split_id_meta_field)

    _own_options = frozenset(
        {
            "merge_overlapping",
            "before",
            "after",
            "over",
            "bounded_by",
            "max_length",
            "tokenizer",
            "gap",
            "keep_scores",
            "whole_windows",
            "min_score",
        }
    )

    @staticmethod
    def merge_documents_text(documents: list[Document]) -> str:
        """Return the texts of chunks as one text, each character of their source once.

        :param documents: chunks of one source; where one lacks ``split_idx_start``, the texts are joined as they come.
        """
        return merge_documents_text(documents)

    @component.output_types(context_windows=list[str], context_documents=list[Document])
    @sync_method
    def run(self, retrieved_documents: list[Document], window_size: int | None = None) -> Program[Windows]:
        """Return the windows as texts under ``context_windows``, and their chunks under ``context_documents``.

        :param retrieved_documents: hits.
        :param window_size: instead of the constructor's; its `before` and `after` hold all the same.
        :returns: one text a window; the chunks of the first window in order, then those of the second, and so on.
        :raises ValueError: the window size is below 1, or a hit does not say where it stands.
        """
        windows = self._widen(retrieved_documents, window_size)
        return (yield from run_stage(windows, self.document_store, SentenceWindowRetriever.__name__))

    run_async = async_method(run)

    def _widen(self, hits: list[Document], window_size: int | None) -> Strategy[Windows]:
        size = (
            self.window_size
            if window_size is None
            else validate_count("The window_size parameter", window_size, positive=True)
        )
        if self.raise_on_missing_meta_fields and self.over == "root":
            self._check_fields(
                hits, [ROOT, START, END], f"{ROOT}', '{START}' and '{END}", "HierarchicalDocumentSplitter"
            )
        elif self.raise_on_missing_meta_fields:
            self._check_fields(hits, [self.split_id_meta_field], self.split_id_meta_field)
            self._check_fields(hits, self._place.source_fields, self.source_id_meta_field)
            for hit in hits:
                self._check_number(hit)
        return partial(
            widen,
            hits,
            window_size=size,
            before=self.before,
            after=self.after,
            over=self.over,
            place=self._place,
            merge_overlapping=self.merge_overlapping,
            bounded_by=_names(self.bounded_by or ()),
            max_length=self.max_length,
            length=token_counter(self.tokenizer),
            gap=self.gap,
            keep_scores=self.keep_scores,
            whole_windows=self.whole_windows,
            min_score=self.min_score,
        )

    @staticmethod
    def _check_fields(
        hits: list[Document], fields: Sequence[str], shown: str | list[str], splitter: str = "DocumentSplitter"
    ) -> None:
        for hit in hits:
            if any(field not in hit.meta for field in fields):
                raise ValueError(
                    f"The retrieved documents must have '{shown}' in their metadata. Document '{hit.id}' has not; split "
                    f"with {splitter}, name your fields, or pass raise_on_missing_meta_fields=False."
                )

    def _check_number(self, hit: Document) -> None:
        number = hit.meta[self.split_id_meta_field]
        if number is not None and not is_number(number):
            raise ValueError(
                f"'{self.split_id_meta_field}' must be a number, but is {number!r} in document '{hit.id}'. Name the field "
                "that holds the number with split_id_meta_field, or pass raise_on_missing_meta_fields=False."
            )


def _names(fields: str | Sequence[str]) -> tuple[str, ...]:
    return (fields,) if isinstance(fields, str) else tuple(fields)
