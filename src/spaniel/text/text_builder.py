"""Write plain text piece by piece and note where headings, links and code blocks land."""

import re
from collections.abc import Callable

from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.slugs import unique_slugs

_SPACES = re.compile(r"\s+")
_BARE_URL = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]+")
_URL_TAIL = ".,;:!?)*_"


class Mark:
    """A place in the text: its offset and piece, both None until text was written there."""

    __slots__ = ("part", "start")

    def __init__(self) -> None:
        self.start: int | None = None
        self.part: int | None = None


class TextBuilder:
    """Collects the plain text of a file. Line breaks and spaces are written only once more text follows."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.one_line = False  # whether line breaks are written as spaces, as in the cell of a table
        self._parts: list[str] = []
        self._length = 0
        self._newlines = 0
        self._space = False
        self._line_start = True
        self._indent = ""
        self._bullet: str | None = None
        self._indents: list[str] = []
        self._headings: list[Heading] = []
        self._slugs: list[str] = []
        self._references: list[Reference] = []
        self._code: list[tuple[int, int]] = []
        self._aliases: list[tuple[str, int]] = []  # anchor, index of its heading (-1: before the first)
        self._waiting_anchors: list[str] = []
        self._waiting_marks: list[Mark] = []
        self._in_heading = False

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._length

    def mark(self) -> Mark:
        """Return a mark that knows where the next text lands, once it is written."""
        mark = Mark()
        self._waiting_marks.append(mark)
        return mark

    def text_since(self, mark: Mark) -> str:
        """Return what was written since the mark."""
        return "" if mark.part is None else "".join(self._parts[mark.part :])

    def _begin(self) -> None:
        """Write the line breaks, spaces and bullets that wait for text."""
        if self._newlines and self._length:
            self._append("\n" * self._newlines)
            self._line_start = True
        elif self._space and not self._line_start:
            self._append(" ")
        self._newlines, self._space = 0, False
        if self._line_start:
            self._append(self._indent if self._bullet is None else self._bullet)
            self._bullet, self._line_start = None, False
        for mark in self._waiting_marks:
            mark.start, mark.part = self._length, len(self._parts)
        self._waiting_marks.clear()
        if not self._in_heading:
            self._place_anchors()

    def _place_anchors(self) -> None:
        self._aliases += [(name, len(self._headings) - 1) for name in self._waiting_anchors]
        self._waiting_anchors.clear()

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def write(self, text: str) -> None:
        """Write text as it is; its lines are indented as the block they stand in."""
        if not text:
            return
        if self.one_line:
            text = text.replace("\n", " ")
        breaks = len(text) - len(text.rstrip("\n"))
        if breaks == len(text):
            self._newlines += breaks
            return
        text = text[: len(text) - breaks]
        self._begin()
        if self._indent and "\n" in text:
            text = "\n".join(
                self._indent + line if at and line.strip() else line for at, line in enumerate(text.split("\n"))
            )
        self._append(text)
        self._newlines = breaks

    def flow(self, text: str) -> None:
        """Write text whose runs of white space count as one space."""
        words = _SPACES.sub(" ", text)
        if words.startswith(" "):
            self._space = True
        if words.strip():
            self.write(words.strip())
            self._space = words.endswith(" ")

    def line(self) -> None:
        """Begin a new line."""
        if self.one_line:
            self._space = True
        elif self._bullet is None:  # else the text of an item begins on the line of its bullet
            self._newlines = max(self._newlines, 1)

    def block(self) -> None:
        """Begin a new paragraph."""
        if self.one_line:
            self._space = True
        elif self._bullet is None:
            self._newlines = 2

    def indent(self, indent: str, bullet: str | None = None) -> None:
        """Indent what follows, until `dedent`; the first line gets the bullet instead."""
        before = self._indent if self._bullet is None else self._bullet
        self._indents.append(self._indent)
        if self.one_line:
            return
        self._indent += indent
        if bullet is not None:
            self._bullet = before + bullet

    def dedent(self) -> None:
        """End the innermost indented block."""
        if self._bullet is not None:  # an item without text
            self._begin()
        self._indent = self._indents.pop()

    def begin_code(self) -> Mark:
        """Begin a code block; give the mark to `end_code`."""
        self.block()
        return self.mark()

    def end_code(self, mark: Mark) -> None:
        """End a code block."""
        if mark.start is not None:
            self._code.append((mark.start, self._length))
        self.block()

    def code(self, text: str) -> None:
        """Write a code block verbatim."""
        mark = self.begin_code()
        self.write(text.rstrip())
        self.end_code(mark)

    def reference(self, mark: Mark, target: str) -> None:
        """Note that the text since the mark is a link."""
        if target:
            start = self._length if mark.start is None else mark.start
            self._references.append(Reference(start, self._length, target))

    def text_with_urls(self, text: str) -> None:
        """Write text in which bare web addresses are links."""
        if "://" not in text:
            self.write(text)
            return
        done = 0
        for match in _BARE_URL.finditer(text):
            url = match.group().rstrip(_URL_TAIL)
            self.write(text[done : match.start()])
            mark = self.mark()
            self.write(url)
            self.reference(mark, url)
            done = match.start() + len(url)
        self.write(text[done:])

    def anchor(self, name: str) -> None:
        """Note an anchor. It belongs to the section it stands in; in or right before a heading, to that one's."""
        self._waiting_anchors.append(name)

    @property
    def waiting_anchors(self) -> list[str]:
        """Anchors that no text followed yet, apart from the heading being written."""
        return list(self._waiting_anchors)

    def begin_heading(self) -> Mark:
        """Begin a heading's line; give the mark to `end_heading`."""
        self.block()
        self._in_heading = True
        return self.mark()

    def end_heading(self, mark: Mark, level: int, slug: str | None, slug_of: Callable[[str], str]) -> None:
        """End a heading's line.

        :param slug: the explicit slug, if any.
        :param slug_of: makes the slug from the title otherwise.
        """
        title = self.text_since(mark)
        self._space = self._in_heading = False
        if mark.start is not None:
            self._headings.append(Heading(level, title, mark.start))
            self._slugs.append(slug or slug_of(title))
            self._place_anchors()
        self.block()

    def build(self) -> ConvertedText:
        """Return what was written."""
        self._place_anchors()
        slugs = unique_slugs(self._slugs)
        aliases: dict[str, str] = {}
        for name, at in self._aliases:
            aliases.setdefault(name, slugs[at] if 0 <= at < len(slugs) else "")
        return ConvertedText(
            text="".join(self._parts),
            title=self.title or next((title for level, title, _ in self._headings if level == 1), None),
            headings=self._headings,
            slugs=slugs,
            references=sorted(self._references),
            code=self._code,
            aliases=aliases,
        )
