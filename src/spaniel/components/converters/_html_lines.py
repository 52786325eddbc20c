"""The lines of an HTML page where its texts are: a parser's tree has no positions."""

import re
from collections.abc import Sequence

_KEY = re.compile("[^&<>\"'\u00a0-\u00bf]{1,40}")  # without characters that a page may write as entities
_ASCII = re.compile("[^&<>\"'\u0080-\U0010ffff]{1,40}")
_WORD = re.compile(r"\w+")
_NEAR = 4_096  # characters, in which a short text is looked for
_MIN_FAR = 12  # characters of a text that is looked for further away
_MAX_CODE_BLOCKS = 4  # such as one with numbers before one with code


class LineFinder:
    r"""Finds the lines of blocks of text in the order of a page, in time linear to its length.

    A block follows a tag. One that begins with an entity, or a short one after much text that is
    left out, may not be found; its lines are then those of the block before it.

    >>> finder = LineFinder("<h1>Guide</h1>\n<p>One\n<b>two</b>")
    >>> finder.begin_block("Guide"), finder.end_block()
    (1, 1)
    >>> finder.begin_block("One\n"), finder.continue_block(["two"]), finder.end_block()
    (2, None, 3)
    """

    def __init__(self, page: str) -> None:
        self._page = page
        self._place = 0
        self._line = (0, 1)  # a place, and its line
        self._first_text = ""
        self._last_texts: Sequence[str] = ()  # of the current block, after the first
        self._unread = 20 * len(page) + 10 * _NEAR  # characters to search far away, in total

    def skip_to(self, mark: str) -> None:
        """Go to a mark, such as the tag of the main content, if it is in the rest of the page."""
        self._place = max(self._page.find(mark, self._place), self._place)

    def begin_block(self, text: str) -> int:
        """Return the line of the first word of a block.

        :param text: the first text of the block.
        """
        place = self._search(_KEY, text)
        if place < 0 and not text.isascii():
            place = self._search(_ASCII, text)
        if place >= 0:
            self._place = place + len(text) - len(text.lstrip())
        self._first_text, self._last_texts = text, ()
        return self._line_of(self._place)

    def continue_block(self, texts: Sequence[str]) -> None:
        """Set the last texts of the block."""
        self._last_texts = texts

    def end_block(self) -> int:
        """Return the line of the last word of the block."""
        text = next((text for text in reversed(self._last_texts) if text.strip()), "")
        if text:
            self._place = max(self._search(_KEY, text), self._place)
        self._place = min(self._place + len((text or self._first_text).strip()), len(self._page))
        self._first_text, self._last_texts = "", ()
        return self._line_of(self._place)

    def _search(self, pattern: re.Pattern[str], text: str) -> int:
        match = pattern.match(text)
        if match is None or match[0].isspace():
            return -1
        key = match[0] if self._place == 0 and not self._page.startswith("<") else f">{match[0]}"
        place = self._page.find(key, max(self._place - 1, 0), self._place + _NEAR)
        if place < 0 and len(key) >= _MIN_FAR and self._unread > 0:
            place = self._page.find(key, self._place)
            self._unread -= (place if place >= 0 else len(self._page)) - self._place
        return place if place < 0 else place + key.startswith(">")

    def find_code(self, text: str) -> tuple[int, int, bool] | None:
        """Return the first and last line of a `pre` element; True if its lines are those of the
        page.
        """
        word = _WORD.search(text)
        start = self._place
        for _ in range(_MAX_CODE_BLOCKS if word else 0):
            start = self._page.find("<pre", start)
            start = self._page.find(">", start) + 1 if start >= 0 else 0
            end = self._page.find("</pre", start)
            if not start or end < 0:
                return None
            if word is not None and self._page.find(word[0], start, end) >= 0:
                self._place = end
                return self._measure_code(text, start, end)
            start = end
        return None

    def _measure_code(self, text: str, start: int, end: int) -> tuple[int, int, bool]:
        if self._page.startswith("\n", start):
            start += 1  # which is not part of the element
        end = start + len(self._page[start:end].rstrip())
        first, last = self._line_of(start), self._line_of(end)
        return first, last, last - first == text.rstrip().count("\n")

    def _line_of(self, place: int) -> int:
        before, line = self._line
        line += self._page.count("\n", before, place) if place >= before else -self._page.count("\n", place, before)
        self._line = place, line
        return line
