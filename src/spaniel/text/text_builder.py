"""Plain text written piece by piece, with the offsets of its headings, links and code blocks."""

from collections.abc import Callable
from dataclasses import dataclass

from spaniel.text.converted_text import ConvertedText, Heading, Reference, Span
from spaniel.text.slugs import unique_slugs
from spaniel.text.source_lines import SourceLines
from spaniel.text.web_addresses import find_addresses


@dataclass(slots=True, eq=False)
class Mark:
    """A place in the text: its offset and piece, both None until text follows the mark."""

    start: int | None = None
    part: int | None = None


class TextBuilder:
    """Collects the plain text of a file; pending line breaks are written before more text."""

    def __init__(self) -> None:
        self.one_line = False  # write line breaks as spaces, as in the cell of a table
        self.in_quote = False  # headings begin no section, as in quotes and lists; their slugs count
        self._parts: list[str] = []
        self._length = 0
        self._newlines = 0
        self._space = False
        self._word_ends = False  # the next word is not part of the last one
        self._line_start = True
        self._indent = ""
        self._bullet: str | None = None
        self._indents: list[str] = []
        self.open_lists: list[int | None] = []  # the next number of each, None for bullets
        self._headings: list[Heading] = []
        self._slugs: list[str] = []  # of all headings, those in quotes too
        self._quoted: dict[int, int] = {}  # place in _slugs of a heading in a quote, and its section
        self._references: list[Reference] = []
        self._code: list[Span] = []
        self._aliases: list[tuple[str, int]] = []  # anchor, index of its heading (-1: before the first)
        self._waiting_anchors: list[str] = []
        self._waiting_marks: list[Mark] = []
        self._in_heading = False
        self._source_lines: list[SourceLines] = []
        self._waiting_lines: SourceLines | None = None

    @property
    def is_empty(self) -> bool:
        """True until text is written."""
        return not self._length

    def add_mark(self) -> Mark:
        """Return a mark of the place of the next text."""
        mark = Mark()
        self._waiting_marks.append(mark)
        return mark

    def set_source_lines(self, first: int, last: int, *, verbatim: bool = False) -> None:
        """Record that text written from now on comes from these lines of the source.

        :param first: the first line, from 1.
        :param last: the last line, inclusive.
        :param verbatim: each line of the text is a line of the source, as in a block of code.

        >>> builder = TextBuilder()
        >>> builder.set_source_lines(3, 5)
        >>> builder.write("words")
        >>> builder.build().source_lines
        [SourceLines(start=0, first=3, last=5, verbatim=False)]
        """
        block = SourceLines(self._length, first, last, verbatim)
        before = self._source_lines[-1] if self._source_lines else None
        if before is not None and not verbatim and before[1:] == block[1:]:
            self._waiting_lines = None
        else:
            self._waiting_lines = block

    def extend_source_lines(self, last: int) -> None:
        """Set the last line of the text since `set_source_lines`, if it is after the one set."""
        if self._source_lines and last > self._source_lines[-1].last:
            self._source_lines[-1] = self._source_lines[-1]._replace(last=last)

    @property
    def is_at_line_start(self) -> bool:
        """True if the next text begins a line."""
        return self._newlines > 0 or self._line_start

    def _flush(self) -> None:
        if self._newlines and self._length:
            self._append("\n" * self._newlines)
            self._line_start = True
        elif self._space and not self._line_start:
            self._append(" ")
        self._newlines, self._space = 0, False
        if self._waiting_lines is not None:
            self._source_lines.append(self._waiting_lines._replace(start=self._length))
            self._waiting_lines = None
        if self._line_start:
            self._append(self._indent if self._bullet is None else self._bullet)
            self._bullet, self._line_start = None, False
        if self._waiting_marks:
            for mark in self._waiting_marks:
                mark.start, mark.part = self._length, len(self._parts)
            self._waiting_marks.clear()
        if self._waiting_anchors and not self._in_heading:
            self._place_anchors()

    def _place_anchors(self) -> None:
        self._aliases += [(name, len(self._headings) - 1) for name in self._waiting_anchors]
        self._waiting_anchors.clear()

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def write(self, text: str) -> None:
        """Write text unchanged; further lines get the indentation of the current block."""
        if not text:
            return
        if self.one_line:
            text = text.replace("\n", " ")
        breaks = 0
        if text[-1] == "\n":
            breaks = len(text) - len(text.rstrip("\n"))
            text = text[:-breaks]
            if not text:
                self._newlines += breaks
                return
        if self._word_ends:
            self._word_ends = False
            self._space = self._space or (text[0].isalnum() and bool(self._parts) and self._parts[-1][-1:].isalnum())
        self._flush()
        if self._indent and "\n" in text:
            first, *others = text.split("\n")
            text = "\n".join([first, *(self._indent + line if line.strip() else line for line in others)])
        self._append(text)
        self._newlines = breaks

    def write_words(self, text: str) -> None:
        """Write text with each run of white space as a single space."""
        words = " ".join(text.split())
        if words:
            if text[0].isspace():
                self._space = True
            self.write(words)
            self._space = text[-1].isspace()
        elif text:
            self._space = True

    def add_space(self) -> None:
        """Write a space before the next text, unless that begins a line."""
        self._space = True

    def end_word(self) -> None:
        """Keep the words before and after this place apart, as beside a picture."""
        self._word_ends = True

    def begin_line(self) -> None:
        """Begin a new line."""
        if self.one_line:
            self._space = True
        elif self._bullet is None:  # else the text of an item begins on the line of its bullet
            self._newlines = max(self._newlines, 1)

    def begin_block(self) -> None:
        """Begin a new paragraph."""
        if self.one_line:
            self._space = True
        elif self._bullet is None:
            self._newlines = 2

    def indent(self, indent: str, bullet: str | None = None) -> None:
        """Indent the following lines until `dedent`; the first line gets the bullet instead."""
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
            self._flush()
        self._indent = self._indents.pop()

    def begin_list(self, start: int | None = None) -> None:
        """Begin a list, with bullets or with numbers from `start`."""
        self.open_lists.append(start)

    def end_list(self) -> None:
        """End the innermost list."""
        self.open_lists.pop()

    def begin_item(self) -> None:
        """Begin an item of the innermost list."""
        bullet = "- "
        if self.open_lists and (number := self.open_lists[-1]) is not None:
            bullet = f"{number}. "
            self.open_lists[-1] = number + 1
        self.begin_line()
        self.indent(" " * len(bullet), bullet)

    def end_item(self) -> None:
        """End an item or another indented block."""
        self.dedent()
        self.begin_line()

    def begin_code(self) -> Mark:
        """Begin a code block, and return its mark for `end_code`."""
        self.begin_block()
        return self.add_mark()

    def end_code(self, mark: Mark) -> None:
        """End a code block."""
        if mark.start is not None:
            self._code.append((mark.start, self._length))
        self.begin_block()

    def write_code(self, text: str) -> None:
        """Write a code block verbatim."""
        mark = self.begin_code()
        self.write(text.rstrip())
        self.end_code(mark)

    def add_reference(self, mark: Mark, target: str) -> None:
        """Record the text since the mark as a link."""
        if target:
            start = self._length if mark.start is None else mark.start
            self._references.append(Reference(start, self._length, target))

    def write_with_urls(self, text: str) -> None:
        """Write text, and record bare web addresses as links."""
        done = 0
        for start, end in find_addresses(text):
            self.write(text[done:start])
            mark = self.add_mark()
            self.write(text[start:end])
            self.add_reference(mark, text[start:end])
            done = end
        self.write(text[done:])

    def add_anchor(self, name: str) -> None:
        """Record an anchor of the heading around or right after it, else of the current section."""
        self._waiting_anchors.append(name)

    def place_anchor(self, name: str) -> None:
        """Record an anchor of the current section, also right before a heading."""
        self._aliases.append((name, len(self._headings) - 1))

    @property
    def waiting_anchors(self) -> list[str]:
        """Anchors without following text, apart from the heading being written."""
        return list(self._waiting_anchors)

    def begin_heading(self) -> Mark:
        """Begin the line of a heading, and return its mark for `end_heading`."""
        self.begin_block()
        self._in_heading = True
        return self.add_mark()

    def end_heading(self, mark: Mark, level: int, slug: str | None, slug_of: Callable[[str], str]) -> None:
        """End the line of a heading, with its explicit slug, or one made from its title."""
        title = "" if mark.part is None else "".join(self._parts[mark.part :])
        self._space = self._in_heading = False
        if mark.start is not None:
            if self.in_quote:
                self._quoted[len(self._slugs)] = len(self._headings) - 1
            else:
                self._headings.append(Heading(level, title, mark.start))
            self._slugs.append(slug or slug_of(title))
            self._place_anchors()
        self.begin_block()

    def build(self) -> ConvertedText:
        """Return the text and its structure."""
        self._place_anchors()
        unique = unique_slugs(self._slugs)
        slugs = [slug for place, slug in enumerate(unique) if place not in self._quoted]
        quoted = [(unique[place], index) for place, index in self._quoted.items()]
        aliases: dict[str, str] = {}
        for name, index in (*self._aliases, *quoted):
            aliases.setdefault(name, slugs[index] if index >= 0 else "")
        return ConvertedText(
            text="".join(self._parts),
            headings=self._headings,
            slugs=slugs,
            references=sorted(self._references),
            code=self._code,
            aliases=aliases,
            source_lines=self._source_lines,
        )
