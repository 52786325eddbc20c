"""Addresses of passages by line: ``path:line``."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, START
from spaniel.tracing.lineage import find_lines

_PATH_LINE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?:[:-][0-9]+)?:?", re.DOTALL)


class LineAddress(NamedTuple):
    """A line of a file, as in ``guide/start.md:12``."""

    path: str
    line: int


def parse_line_address(text: str) -> LineAddress | None:
    """Return the path and the line of an address; a column or a last line after it is ignored.

    >>> parse_line_address("guide/start.md:12"), parse_line_address("a.md:3:7"), parse_line_address("a.md#x")
    (LineAddress(path='guide/start.md', line=12), LineAddress(path='a.md', line=3), None)
    """
    match = _PATH_LINE.fullmatch(text)
    return None if match is None else LineAddress(match["path"], int(match["line"]))


def find_passage_at(line: int, documents: Sequence[Document]) -> Document | None:
    """Return the smallest passage with a line of a file, else the nearest one, above before below.

    :param documents: of the file.
    :returns: None if the line is behind the last one with text, or if no document has lines.
    """
    leaves = [document for document in documents if not document.meta.get(CHILDREN)]
    spans = {document.id: lines for document in leaves if (lines := find_lines([document])) is not None}
    if line > max((last for _, last in spans.values()), default=0):
        return None

    def compute_rank(document: Document) -> tuple[int, bool, int, int]:
        first, last = spans[document.id]
        return max(first - line, line - last, 0), first > line, last - first, document.meta.get(START) or 0

    return min((document for document in leaves if document.id in spans), key=compute_rank)
