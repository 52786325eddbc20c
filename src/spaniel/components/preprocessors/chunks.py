"""Chunks: pieces of a document's text, and the documents made of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spaniel.components.preprocessors.pages import leading_page_breaks, page_at, page_breaks
from spaniel.components.preprocessors.units import DELIMITERS, unit_bounds, unit_spans
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value


class Chunk(NamedTuple):
    """A piece of a text.

    :param text: the piece.
    :param start: its offset.
    :param page: the page of its first word, from 1.
    """

    text: str
    start: int
    page: int


def chunks_of_units(
    text: str, unit: str, *, length: int, overlap: int = 0, threshold: int = 0, keep_empty: bool = False
) -> list[Chunk]:
    """Return the runs of units of a text.

    :param unit: a key of `units.DELIMITERS`.
    :param length, overlap, threshold, keep_empty: see `units.unit_spans`.

    >>> chunks_of_units("one two three", "word", length=2)
    [Chunk(text='one two ', start=0, page=1), Chunk(text='three', start=8, page=1)]
    """
    bounds = unit_bounds(text, DELIMITERS[unit])
    spans = unit_spans(bounds, length=length, overlap=overlap, threshold=threshold, keep_empty=keep_empty)
    if unit != "page":
        return chunks_of_spans(text, ((span.start, span.end) for span in spans))
    pieces = ((text[span.start : span.end], span) for span in spans)
    return [Chunk(piece, span.start, span.unit + 1 + leading_page_breaks(piece)) for piece, span in pieces]


def chunks_of_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[Chunk]:
    """Return the pieces of a text between the offsets given, with their pages.

    >>> chunks_of_spans("one two", [(0, 4), (4, 7)])
    [Chunk(text='one ', start=0, page=1), Chunk(text='two', start=4, page=1)]
    """
    breaks = page_breaks(text)
    return [
        Chunk(piece := text[start:end], start, page_at(breaks, start) + leading_page_breaks(piece))
        for start, end in spans
    ]


def chunks_of_pieces(text: str, pieces: Iterable[str]) -> list[Chunk]:
    """Return pieces that somebody else cut, with their places in the text.

    A piece is looked for after the one before, else after the start of that one (pieces may overlap). One that is not in
    the text word for word counts as following the one before. A piece shorter than 63 characters that is not in the rest
    costs a scan of the rest.

    >>> [chunk.start for chunk in chunks_of_pieces("one two three", ["one", "three"])]
    [0, 8]
    """
    breaks = page_breaks(text)
    chunks: list[Chunk] = []
    index: BlockIndex | None = None
    previous, start, page = 0, 0, 1
    for piece in pieces:
        found = text.find(piece, start) if index is None or index.may_hold(piece, start) else -1
        if found < 0 and chunks:
            index = index or BlockIndex(text)
            found = text.find(piece, previous + 1) if index.may_hold(piece, previous + 1) else -1
        if found >= 0:
            start, page = found, page_at(breaks, found)
        chunks.append(Chunk(piece, start, page + leading_page_breaks(piece)))
        previous, start = start, start + len(piece)
        if found < 0:
            page += piece.count("\f")
    return chunks


def chunk_documents(source: Document, chunks: Sequence[Chunk], *, link_overlaps: bool) -> list[Document]:
    """Return one document a chunk, with the metadata of the source and the chunk's place in it.

    :param link_overlaps: name in ``_split_overlap`` which characters neighbours share. That is written after the ids are
        made, as it holds the neighbours' ids.
    """
    documents = []
    for index, chunk in enumerate(chunks):
        meta = copy_value(source.meta)
        meta.update(source_id=source.id, page_number=chunk.page, split_id=index, split_idx_start=chunk.start)
        documents.append(Document(content=chunk.text, meta=meta))
    if link_overlaps:
        _link_overlaps(documents, chunks)
    return documents


def _link_overlaps(documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
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


BLOCK = 32


class BlockIndex:
    """Where each block of a text stands last; the blocks are cut side by side, without overlap.

    A piece of at least ``2 * block - 1`` characters holds whole blocks wherever it stands, from one of `block` offsets on.
    If for each offset one of them is unknown, or stands only earlier, the piece stands nowhere. Takes memory of about five
    times the text.

    :param text: the text to index.
    :param block: characters a block.

    >>> index = BlockIndex("one two three", block=2)
    >>> index.may_hold("two", 0), index.may_hold("two", 5), index.may_hold("TWO", 0)
    (True, False, False)
    """

    def __init__(self, text: str, block: int = BLOCK) -> None:
        self._block = block
        self._last = {text[at : at + block]: at for at in range(0, len(text) - block + 1, block)}

    def may_hold(self, piece: str, start: int) -> bool:
        """Return False if a piece surely does not begin at `start` or after it; True says nothing."""
        return any(
            all(
                self._last.get(piece[at : at + self._block], -1) >= start + at
                for at in range(offset, len(piece) - self._block + 1, self._block)
            )
            for offset in range(self._block)
        )
