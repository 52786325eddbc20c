"""The output of a converter: plain text and its structure."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from spaniel.json_types import JsonObject
from spaniel.text.source_lines import SourceLines

Span: TypeAlias = tuple[int, int]


class Heading(NamedTuple):
    """A heading: its level (1 is the highest), title, and offset of its line in the text."""

    level: int
    title: str
    start: int


class Reference(NamedTuple):
    """A link in a text: the span of its words, and its target as the file writes it.

    Targets of Sphinx roles are ``:ref:label``, ``:doc:path``, ``:pep:8``, ``:rfc:2822``, and
    ``:obj:key|key`` for the object with the first of the keys; ``:glob:pattern`` stands for several
    documents.
    """

    start: int
    end: int
    target: str


@dataclass(frozen=True)
class ConvertedText:
    """The plain text of a file with its structure. All offsets are code points of `text`.

    :param slugs: the slug of each heading's section, unique in the file.
    :param code: spans of code blocks, by their start.
    :param aliases: other anchors of the file, each with the slug of its section ("" before the
        first heading).
    :param labels: names that other files may link to, each with the slug of its section.
    :param problems: warnings for the user, such as a malformed front matter.
    :param source_lines: the lines of the source that each block of the text comes from, by its
        start; empty if it has no lines.
    :param has_pages: True if form feeds in the text divide the pages of the file.
    """

    text: str
    title: str | None = None
    headings: list[Heading] = field(default_factory=list)
    slugs: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    meta: JsonObject = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    source_lines: list[SourceLines] = field(default_factory=list)
    has_pages: bool = False

    @property
    def anchors(self) -> dict[str, str]:
        """Every anchor of the file with the slug of its section."""
        return {**self.aliases, **{slug: slug for slug in self.slugs}}
