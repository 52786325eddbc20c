"""Search results: passages, each with the reasons why it is there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, overload

from spaniel._engine import token_spans
from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject
from spaniel.tracing import Lineage, Trace
from spaniel.tracing.lineage import list_headings

ResultKind = Literal["hit", "merged", "linked", "neighbour"]
SurroundingKind = Literal["section", "document"]

_LINEAGE_FIELDS = ("source", "root", "start", "end", "scores")

SCHEMA = 1
"""Version of `SearchResults.to_dict`."""


@dataclass(frozen=True)
class FoldedPassage:
    """A passage that was left out, since a result has nearly all of its text.

    :param id: the id of its document.
    :param path: the path of its file.
    """

    id: str
    path: str | None


@dataclass(frozen=True)
class Part:
    """A passage in the text of a result.

    :param id: the id of its document.
    :param kind: of the passage; a ``neighbour`` is beside a hit.
    """

    id: str
    kind: ResultKind


@dataclass(frozen=True)
class Surrounding:
    """A section or a document that a result is a part of.

    :param id: the id of its document, for `KnowledgeBase.get`.
    :param anchor: its address, for `KnowledgeBase.find`; None if it has none.
    :param tokens: the estimated number of tokens in its text, at four bytes per token.
    """

    kind: SurroundingKind
    id: str
    anchor: str | None
    tokens: int


@dataclass(frozen=True)
class Result:
    """A passage.

    :param document: the stored document.
    :param text: the text to read: the content or the window of the document.
    :param kind: ``hit``, ``merged`` (a parent in place of hits), ``linked`` (found by a link) or
        ``neighbour`` (beside the best hit).
    :param why: the reasons, in the order of the stages.
    :param linked_from: the id of the document with the link, for ``linked``.
    :param trace: of the search.
    :param highlights: the positions of the query's terms in the text, as (start, end) offsets.
    :param folded: passages found with nearly the same text, which are left out.
    :param parts: the passages in the text, in order: this one, or several that touch.
    :param around: the section and the document that it is a part of; only in a search with a
        budget.
    :param file: the absolute path of its file on disk when it was indexed; None if unknown.
    :param lines: the first and the last line of the text in the file, from 1; None if the file has
        no lines, as a PDF.
    :param page: the page of a PDF on which the text begins, from 1; None for other files.
    """

    document: Document
    text: str
    kind: ResultKind
    why: tuple[str, ...]
    linked_from: str | None = None
    trace: Trace | None = field(default=None, repr=False, compare=False)
    highlights: tuple[tuple[int, int], ...] = ()
    folded: tuple[FoldedPassage, ...] = ()
    parts: tuple[Part, ...] = ()
    around: tuple[Surrounding, ...] = ()
    file: str | None = None
    lines: tuple[int, int] | None = None
    page: int | None = None

    @property
    def line(self) -> int | None:
        """The first line of the text in its file, from 1."""
        return None if self.lines is None else self.lines[0]

    @property
    def end_line(self) -> int | None:
        """The last line of the text in its file, inclusive."""
        return None if self.lines is None else self.lines[1]

    @property
    def lineage(self) -> Lineage | None:
        """Its file, position, and changes at each stage of the search; None outside of a search."""
        return None if self.trace is None else self.trace.lineage(self.id)

    @property
    def id(self) -> str:
        """The id of the document."""
        return self.document.id

    @property
    def score(self) -> float | None:
        """The score; None without one."""
        return self.document.score

    @property
    def path(self) -> str | None:
        """The path of its file."""
        return self.document.meta.get("path")

    @property
    def title(self) -> str | None:
        """The title of its file."""
        return self.document.meta.get("title")

    @property
    def headings(self) -> list[str]:
        """The title of the file, if it has one, and the headings above the passage, each once."""
        return list_headings(self.document)

    @property
    def section(self) -> list[str]:
        """The headings above the passage, outermost first."""
        return list(self.document.meta.get("section") or [])

    def to_dict(self) -> JsonObject:
        """Return the result as plain data."""
        lineage = self.lineage
        return {
            "id": self.id,
            "score": self.score,
            "kind": self.kind,
            "path": self.path,
            "file": self.file,
            "line": self.line,
            "end_line": self.end_line,
            "page": self.page,
            "title": self.title,
            "section": self.section,
            "anchor": self.document.meta.get("anchor"),
            "text": self.text,
            "highlights": [list(span) for span in self.highlights],
            "why": list(self.why),
            "folded": [asdict(passage) for passage in self.folded],
            "parts": [asdict(part) for part in self.parts],
            "around": [asdict(whole) for whole in self.around],
            "linked_from": self.linked_from,
            "lineage": lineage and {name: getattr(lineage, name) for name in _LINEAGE_FIELDS},
            "meta": self.document.meta,
        }


@dataclass(frozen=True)
class SearchResults(Sequence[Result]):
    """The results of a search, best first, and its trace.

    :param query: as it was given.
    :param results: the passages.
    :param terms: the terms of the query, as the index stores them.
    :param trace: of the search.
    :param offset: the number of better passages that were skipped.
    :param total: the number of passages that match, before folding; a lower bound unless
        `total_is_exact`.
    :param suggestion: the query with other spellings of the words that no document has; None if
        there is nothing to suggest.
    :param spellings: of each of these words, the likeliest first.
    """

    query: str
    results: list[Result]
    terms: list[str]
    trace: Trace = field(repr=False)
    offset: int = 0
    total: int = 0
    total_is_exact: bool = False
    suggestion: str | None = None
    spellings: Mapping[str, list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        return self.results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def to_dict(self) -> JsonObject:
        """Return the results as plain data (docs/cli.md has the schema)."""
        return {
            "schema": SCHEMA,
            "query": self.query,
            "terms": self.terms,
            "offset": self.offset,
            "total": self.total,
            "total_is_exact": self.total_is_exact,
            "suggestion": self.suggestion,
            "spellings": dict(self.spellings),
            "results": [
                {"rank": rank, **result.to_dict()} for rank, result in enumerate(self.results, self.offset + 1)
            ],
        }


def find_term_spans(text: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of a query's terms in a text, as (start, end) offsets.

    >>> find_term_spans("The Apple is red.", ["apple"])
    [(4, 9)]
    """
    wanted = set(terms)
    return [(start, end) for token, start, end in token_spans(text) if token in wanted]
