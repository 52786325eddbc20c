"""Splits Markdown documents at their headers."""

import logging
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Literal

from spaniel.components.preprocessors.document_splitter import DocumentSplitter
from spaniel.components.preprocessors.markdown_headers import HEADER, HeaderSection, split_at_headers
from spaniel.components.preprocessors.pages import count_leading_breaks
from spaniel.components.preprocessors.text_splitter import TextSplitter
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

SecondarySplit = Literal["word", "passage", "period", "line"]
_LEVELS = [1, 2, 3, 4, 5, 6]


@component
class MarkdownHeaderSplitter(TextSplitter):
    r"""Splits documents at Markdown header lines (``# Title``), and optionally each section again.

    Each chunk's metadata has ``header`` (its title), ``parent_headers`` (the titles above it, from
    the top), ``source_id``, ``split_id`` and ``page_number``. Lines within fenced code are not
    headers.

    :param page_break_character: the end of a page.
    :param keep_headers: keep the header line in the text.
    :param header_split_levels: the levels that divide; None: all, 1 to 6.
    :param secondary_split: split sections again, by ``word``, ``passage``, ``period`` or ``line``.
    :param split_length, split_overlap, split_threshold: of that split; see `DocumentSplitter`.
    :param skip_empty_documents: omit documents without text.
    :raises ValueError: invalid levels or lengths.

    >>> text = "# Rome\nA city.\n## Pizza\nA dish."
    >>> chunks = MarkdownHeaderSplitter().run([Document(content=text)])["documents"]
    >>> [(chunk.meta["parent_headers"], chunk.meta["header"], chunk.content) for chunk in chunks]
    [([], 'Rome', '# Rome\nA city.\n'), (['Rome'], 'Pizza', '## Pizza\nA dish.')]
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        page_break_character: str = "\f",
        keep_headers: bool = True,
        header_split_levels: list[int] | None = None,
        secondary_split: SecondarySplit | None = None,
        split_length: int = 200,
        split_overlap: int = 0,
        split_threshold: int = 0,
        skip_empty_documents: bool = True,
    ) -> None:
        self.page_break_character = page_break_character
        self.keep_headers = keep_headers
        self.header_split_levels = _validate_levels(_LEVELS if header_split_levels is None else header_split_levels)
        self.secondary_split = secondary_split
        self.split_length = split_length
        self.split_overlap = split_overlap
        self.split_threshold = split_threshold
        self.skip_empty_documents = skip_empty_documents
        self.secondary_splitter = (
            DocumentSplitter(secondary_split, split_length, split_overlap, split_threshold) if secondary_split else None
        )

    def warm_up(self) -> None:
        """Do nothing; Haystack's class has this method."""

    def _split(self, document: Document) -> list[Document]:
        text = document.content or ""
        if not text.strip():
            logger.warning("The document %s has no text.", document.id)
            return [] if self.skip_empty_documents else [document.independent_copy()]
        sections = split_at_headers(text, frozenset(self.header_split_levels), keep_headers=self.keep_headers)
        count_pages = self._make_page_counter(text)
        first_page = document.meta.get("page_number", 1)
        chunks = []
        for index, section in enumerate(sections):
            content = text[section.start : section.end]
            page = first_page + count_pages(section.start) + self._count_leading_breaks(content)
            meta = copy_value(document.meta)
            meta.update(source_id=document.id, page_number=page, split_id=index)
            if section.header is not None:
                meta.update(header=section.header, parent_headers=list(section.parents))
            chunks.append(Document(content=content, meta=meta))
        if self.secondary_splitter is None:
            return chunks
        return self._split_again(self.secondary_splitter, chunks, sections)

    def _split_again(
        self, splitter: DocumentSplitter, chunks: list[Document], sections: list[HeaderSection]
    ) -> list[Document]:
        pieces: list[Document] = []
        for chunk, section in zip(chunks, sections, strict=True):
            text = chunk.content or ""
            line = HEADER.match(text) if section.has_header_line and not self.keep_headers else None
            skipped = line.end() if line else 0
            count_pages = self._make_page_counter(text)
            first_page = chunk.meta["page_number"] - self._count_leading_breaks(text)
            meta = {key: value for key, value in chunk.meta.items() if key != "split_id"}
            for piece in splitter.run([Document(content=text[skipped:], meta=meta)])["documents"]:
                before = count_pages(skipped + piece.meta["split_idx_start"])
                piece.meta["page_number"] = first_page + before + self._count_leading_breaks(piece.content or "")
                piece.meta["split_id"] = len(pieces)
                piece.meta["source_id"] = chunk.meta["source_id"]
                pieces.append(piece)
        return pieces

    def _make_page_counter(self, text: str) -> Callable[[int], int]:
        """Return a function that counts the pages that end before an offset."""
        ends = array("q", (match.end() for match in re.finditer(re.escape(self.page_break_character), text)))
        return lambda offset: bisect_right(ends, offset)

    def _count_leading_breaks(self, text: str) -> int:
        return count_leading_breaks(text, self.page_break_character)


def _validate_levels(levels: list[int]) -> list[int]:
    if not isinstance(levels, list) or not levels:
        raise ValueError(f"header_split_levels must be a non-empty list. It is {levels!r}.")
    if invalid := [level for level in levels if not isinstance(level, int) or level not in _LEVELS]:
        raise ValueError(
            f"header_split_levels contains invalid values: {invalid}. All levels must be integers between 1 and 6."
        )
    if len(set(levels)) < len(levels):
        raise ValueError(f"header_split_levels must not contain duplicate values. It is {levels}.")
    return list(levels)
