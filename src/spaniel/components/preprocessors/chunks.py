"""Chunks of a document's text, and the documents made of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spaniel.components.preprocessors.pages import count_leading_breaks, find_page_breaks, get_page
from spaniel.components.preprocessors.units import DELIMITERS, find_unit_bounds, group_units
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

_BLOCK_LENGTH = 32


class Chunk(NamedTuple):
    """A piece of a text with its offset, and the page of its first word, from 1."""

    text: str
    start: int
    page: int


def cut_units(
    text: str, unit: str, *, length: int, overlap: int = 0, threshold: int = 0, keep_empty: bool = False
) -> list[Chunk]:
    """Return the chunks of a text as runs of units; `unit` is a key of `units.DELIMITERS`.

    >>> cut_units("one two three", "word", length=2)
    [Chunk(text='one two ', start=0, page=1), Chunk(text='three', start=8, page=1)]
    """
    bounds = find_unit_bounds(text, DELIMITERS[unit])
    runs = group_units(bounds, length=length, overlap=overlap, threshold=threshold, keep_empty=keep_empty)
    if unit != "page":
        return cut_spans(text, ((run.start, run.end) for run in runs))
    pieces = ((text[run.start : run.end], run) for run in runs)
    return [Chunk(piece, run.start, run.unit + 1 + count_leading_breaks(piece)) for piece, run in pieces]


def cut_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[Chunk]:
    """Return the chunks of a text between the given offsets, with their pages.

    >>> cut_spans("one two", [(0, 4), (4, 7)])
    [Chunk(text='one ', start=0, page=1), Chunk(text='two', start=4, page=1)]
    """
    breaks = find_page_breaks(text)
    return [
        Chunk(piece := text[start:end], start, get_page(breaks, start) + count_leading_breaks(piece))
        for start, end in spans
    ]


def locate_pieces(text: str, pieces: Iterable[str]) -> list[Chunk]:
    """Return the chunks for pieces cut by a user's function, with their offsets in the text.

    A piece is searched for after the previous piece, else after its start (pieces may overlap). A
    piece that the text does not contain verbatim is taken to follow the previous piece. An absent
    piece of less than 63 characters costs a scan of the rest of the text.

    >>> [chunk.start for chunk in locate_pieces("one two three", ["one", "three"])]
    [0, 8]
    """
    breaks = find_page_breaks(text)
    chunks: list[Chunk] = []
    index: BlockIndex | None = None
    previous, start, page = 0, 0, 1
    for piece in pieces:
        found = text.find(piece, start) if index is None or index.may_contain(piece, start) else -1
        if found < 0 and chunks:
            index = index or BlockIndex(text)
            found = text.find(piece, previous + 1) if index.may_contain(piece, previous + 1) else -1
        if found >= 0:
            start, page = found, get_page(breaks, found)
        chunks.append(Chunk(piece, start, page + count_leading_breaks(piece)))
        previous, start = start, start + len(piece)
        if found < 0:
            page += piece.count("\f")
    return chunks


class BlockIndex:
    """The last offset of each block of a text, to reject absent pieces without a scan.

    A piece of at least ``2 * length - 1`` characters contains whole blocks wherever it begins, from
    one of `length` offsets on. If for each offset one of them is unknown, or only occurs earlier,
    the text does not contain the piece. Takes memory of about five times the text.

    >>> index = BlockIndex("one two three", length=2)
    >>> index.may_contain("two", 0), index.may_contain("two", 5), index.may_contain("TWO", 0)
    (True, False, False)
    """

    def __init__(self, text: str, length: int = _BLOCK_LENGTH) -> None:
        self._length = length
        self._last = {text[at : at + length]: at for at in range(0, len(text) - length + 1, length)}

    def may_contain(self, piece: str, start: int) -> bool:
        """Return False if the piece is certainly absent from `start` on."""
        return any(
            all(
                self._last.get(piece[at : at + self._length], -1) >= start + at
                for at in range(offset, len(piece) - self._length + 1, self._length)
            )
            for offset in range(self._length)
        )


def build_chunk_documents(source: Document, chunks: Sequence[Chunk], *, with_overlaps: bool) -> list[Document]:
    """Return a document per chunk, with the metadata of the source and the chunk's place in it."""
    documents = []
    for index, chunk in enumerate(chunks):
        meta = copy_value(source.meta)
        meta.update(source_id=source.id, page_number=chunk.page, split_id=index, split_idx_start=chunk.start)
        documents.append(Document(content=chunk.text, meta=meta))
    if with_overlaps:  # after the ids are made: a link contains the id of the neighbour
        link_overlaps(documents, chunks)
    return documents


def link_overlaps(documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
    """Write the characters that neighbouring chunks share into their metadata."""
    for document in documents:
        document.meta["_split_overlap"] = []
    for index in range(1, len(documents)):
        before, chunk = chunks[index - 1], chunks[index]
        offset, end = chunk.start - before.start, len(before.text)
        if offset < end and chunk.text.startswith(before.text[offset:end]):
            documents[index].meta["_split_overlap"].append({"doc_id": documents[index - 1].id, "range": (offset, end)})
            documents[index - 1].meta["_split_overlap"].append(
                {"doc_id": documents[index].id, "range": (0, end - offset)}
            )
