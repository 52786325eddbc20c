"""What a converter makes of a file: plain text and where its structure lies in it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Heading(NamedTuple):
    """A heading: its level (1 is the highest), its title, the offset in the text where its line begins."""

    level: int
    title: str
    start: int


class Reference(NamedTuple):
    """A link in a text: the span of its words, and its target as the file writes it.

    Sphinx roles are written ``:ref:label``, ``:doc:path``, ``:pep:8``, ``:rfc:2822``.
    """

    start: int
    end: int
    target: str


@dataclass(frozen=True)
class ConvertedText:
    """The plain text of a file with its structure. All offsets are code points of `text`.

    :param text: the plain text.
    :param title: the file's title, if it has one.
    :param headings: in the order of the text.
    :param slugs: the slug of each heading's section, unique in the file.
    :param references: the links, by their start.
    :param code: spans of code blocks, by their start.
    :param aliases: other anchors of the file, each with the slug of the section that it stands in ("" before the first).
    :param meta: what the file says about itself, as data that JSON can hold.
    :param problems: what could not be made sense of, for the log.
    """

    text: str
    title: str | None = None
    headings: list[Heading] = field(default_factory=list)
    slugs: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    code: list[tuple[int, int]] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def anchors(self) -> dict[str, str]:
        """Every anchor of the file with the slug that it leads to."""
        return {**self.aliases, **{slug: slug for slug in self.slugs}}
