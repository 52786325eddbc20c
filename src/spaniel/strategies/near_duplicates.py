"""Passages whose text another passage has: equal, or nearly so.

The measure is the containment of word shingles (A. Broder, *On the resemblance and containment of
documents*, 1997), on the tokens of the texts, so without case, punctuation and markup:

    containment(a, b) = |shingles(a) & shingles(b)| / |shingles(a)|

It is directed: a short text gives way to a longer one that has it, never the reverse.
"""

import math
from collections.abc import Sequence
from heapq import nsmallest

from spaniel._engine import token_spans

CONTAINMENT = 0.9
"""The minimum share of the shingles of a text that is a near duplicate."""
SAME_PAGE_CONTAINMENT = 0.5
"""The same for a page and its source, which are cut at different places."""
SHINGLE_WORDS = 4

_SOURCES, _SOURCE_SUFFIX = "_sources", ".txt"

Shingles = frozenset[tuple[str, ...]]


def make_shingles(text: str) -> Shingles:
    """Return the sequences of four words of a text; of a shorter one, all its words.

    >>> sorted(make_shingles("One two, THREE four five"))
    [('one', 'two', 'three', 'four'), ('two', 'three', 'four', 'five')]
    """
    words = [word for word, _, _ in token_spans(text)] or [text.strip()]
    return frozenset(zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False)) or frozenset({tuple(words)})


def find_page(path: str) -> str:
    """Return the page that a file is the source of, as Sphinx names it; of others the path itself.

    >>> find_page("docs/_sources/guide/x.rst.txt"), find_page("docs/guide/x.html"), find_page("x.md")
    ('docs/guide/x.html', 'docs/guide/x.html', 'x.md')
    """
    *folders, name = path.split("/")
    if _SOURCES not in folders or not name.endswith(_SOURCE_SUFFIX):
        return path
    folders.remove(_SOURCES)
    stem = name.removesuffix(_SOURCE_SUFFIX)
    return "/".join([*folders, f"{stem.rpartition('.')[0] or stem}.html"])


class NearDuplicates:
    """Distinct texts, each with a number from 0, in which a text is looked up.

    Of n shingles, n - k + 1 include one of any k: the rarest ones lead to the few texts to compare
    (S. Chaudhuri, V. Ganti, R. Kaushik, *A primitive operator for similarity joins*, 2006), so a
    look-up takes time linear in the text, and misses none.
    """

    def __init__(self) -> None:
        self._texts: list[tuple[Shingles, str | None]] = []
        self._by_shingle: dict[tuple[str, ...], list[int]] = {}
        self._by_page: dict[str, list[int]] = {}

    def add(self, shingles: Shingles, path: str | None) -> None:
        """Add a text of a file under the next number."""
        number = len(self._texts)
        self._texts.append((shingles, path))
        for shingle in shingles:
            self._by_shingle.setdefault(shingle, []).append(number)
        if path is not None:
            self._by_page.setdefault(find_page(path), []).append(number)

    def find(self, shingles: Shingles, path: str | None) -> int | None:
        """Return the lowest number of a text that has this one; None if none has."""
        needed = math.ceil(CONTAINMENT * len(shingles))
        rare = nsmallest(len(shingles) - needed + 1, shingles, key=self._count_texts)
        near = {number for shingle in rare for number in self._by_shingle.get(shingle, ())}
        if (found := self._find_first(sorted(near), shingles, needed)) is not None or path is None:
            return found
        same_page = self._by_page.get(find_page(path), ())
        others = [number for number in same_page if self._texts[number][1] != path]
        return self._find_first(others, shingles, math.ceil(SAME_PAGE_CONTAINMENT * len(shingles)))

    def _count_texts(self, shingle: tuple[str, ...]) -> int:
        return len(self._by_shingle.get(shingle, ()))

    def _find_first(self, numbers: Sequence[int], shingles: Shingles, needed: int) -> int | None:
        return next((number for number in numbers if len(shingles & self._texts[number][0]) >= needed), None)
