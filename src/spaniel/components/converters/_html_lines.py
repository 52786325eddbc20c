"""The lines of an HTML page where its texts are: a parser's tree has no positions."""

import re
from collections.abc import Sequence
from html import unescape

_TAGS = re.compile(r"\s*(?:<[^>]{0,10000}>\s*)*")
_TEXT_ENDS = ("<", "\n", " ", "")
_TAG = re.compile("<[^>]*>")
_MAX_LEFT_OUT = 200  # texts of the page that are left out before the next one
_MIN_LENGTH = 4  # of a text that is looked for so far
_MAX_LEFT_OUT_NEAR = 30  # before a shorter one


class LineFinder:
    r"""Finds the lines of texts in the order of a page, in time linear to its length.

    The text between two tags is compared with the next one of the tree. A text that the parser has
    moved, or a short one after much that is left out, is not found; its lines are then those of the
    text before it.

    >>> finder = LineFinder("<h1>Guide</h1>\n<p>One &amp;\n<b>two</b>")
    >>> finder.begin_block(["Guide"]), finder.end_block()
    (1, 1)
    >>> finder.begin_block(["One &\n", "two"]), finder.end_block()
    (2, 3)
    """

    def __init__(self, page: str) -> None:
        self._page = page
        self._place = 0  # the end of the last text that was found
        self._line = (0, 1)  # a place, and its line
        self._unread = len(page)  # texts to compare without success, in total

    def skip_to(self, mark: str) -> None:
        """Go to a mark, such as the tag of the main content, if it is in the rest of the page."""
        self._place = max(self._page.find(mark, self._place), self._place)

    def begin_block(self, texts: Sequence[str]) -> int:
        """Return the line of the first word of texts, and go to their end.

        :param texts: adjacent nodes that are not blank.
        """
        line = self._line_of(self._follow(texts[0]))
        self.continue_block(texts[1:])
        return line

    def continue_block(self, texts: Sequence[str]) -> None:
        """Go to the end of texts."""
        for text in texts:
            self._follow(text)

    def end_block(self) -> int:
        """Return the line of the last word so far."""
        return self._line_of(self._place)

    def _follow(self, text: str) -> int:
        """Go to the end of a text if it is found; return its start, or the current place."""
        text = text.strip()
        place = self._place
        if (match := _TAGS.match(self._page, place)) and self._page.startswith(text, start := match.end()):
            end = start + len(text)
            if self._page[end : end + 1] in _TEXT_ENDS:  # the common case
                self._place = end
                return start
        count, limit = 0, _MAX_LEFT_OUT if len(text) >= _MIN_LENGTH and self._unread > 0 else _MAX_LEFT_OUT_NEAR
        while count < limit and place < len(self._page):
            start, end, place, found = self._read(place)
            while found and found != text and text.startswith(found):  # an ignored tag may divide the text
                _, end, place, following = self._read(place)
                rest = text[len(found) :]
                if not following or not rest.lstrip().startswith(following):
                    break
                found = text[: len(rest) - len(rest.lstrip()) + len(found) + len(following)]
            if found == text:
                self._unread -= count
                self._place = end
                return start
            count += bool(found)
        self._unread -= count
        return self._place

    def _read(self, place: int) -> tuple[int, int, int, str]:
        """Return the start and end of the text after some tags, the place of the next, and it."""
        match = _TAGS.match(self._page, place)
        start = match.end() if match else place
        place = self._page.find("<", start)
        if place < 0:
            place = len(self._page)
        text = self._page[start:place].strip()
        end = start + len(text)
        if place == start:  # a tag that is very long, or not closed
            place += 1
        return start, end, place, unescape(text).strip() if "&" in text else text

    def find_code(self, text: str, first_text: str) -> tuple[int, int, bool]:
        """Return the first and last line of a code block; True if its lines are those of the page.

        :param text: all of the block.
        :param first_text: its first text that is not blank.
        """
        start = self._follow(first_text)
        first = self._line_of(start) - text[: len(text) - len(text.lstrip())].count("\n")
        end = self._page.find("</pre", start)
        end = start + len(self._page[start : end if end >= 0 else None].rstrip())
        if unescape(_TAG.sub("", self._page[start:end])).strip() != text.strip():  # another tag ends the block
            end = min(start + len(text.strip()), end)
        self._place = max(self._place, end)
        last = max(self._line_of(end), first)
        return first, last, last - first == text.rstrip().count("\n")

    def _line_of(self, place: int) -> int:
        before, line = self._line
        line += self._page.count("\n", before, place) if place >= before else -self._page.count("\n", place, before)
        self._line = place, line
        return line
