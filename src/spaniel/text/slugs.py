"""Slugs: the names of sections in addresses, as in ``guide.md#first-steps``."""

import re
import unicodedata
from collections.abc import Iterable

# Alphabetic symbols (Unicode's Other_Alphabetic): letters in circles and squares.
_LETTER_SYMBOLS = (range(0x24B6, 0x24EA), range(0x1F130, 0x1F14A), range(0x1F150, 0x1F16A), range(0x1F170, 0x1F18A))
_KEPT_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Me", "Nd", "Pc"))
_LATIN_MARKS = re.compile(r"[\u0300-\u036f]+")
_SEPARATORS = {ord("-"): None, ord("_"): None}
_NOT_DOCUTILS = re.compile(r"[^a-z0-9]+")
_UNNAMED = "section"  # for titles without letters and digits


class _GitHubTable(dict[int, str | None]):
    """The characters of a lower-case title as in its slug, for `str.translate`."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        is_kept = unicodedata.category(character) in _KEPT_CATEGORIES or any(code in span for span in _LETTER_SYMBOLS)
        self[code] = character if is_kept else None
        return self[code]


_GITHUB = _GitHubTable({ord(" "): "-", ord("-"): "-"})


def github_slug(title: str) -> str:
    """Return the anchor that GitHub gives a heading.

    The rule is that of github-slugger: alphabetic characters, marks, decimal digits, connectors and
    hyphens stay, a space becomes a hyphen, everything else goes. Its table is that of Unicode 13;
    this one is as new as Python's.

    >>> github_slug("What's new in C++?"), github_slug("हिन्दी भाषा")
    ('whats-new-in-c', 'हिन्दी-भाषा')
    """
    return title.lower().translate(_GITHUB) or _UNNAMED


def docutils_slug(title: str) -> str:
    """Return the id that docutils gives a section or target, or GitHub's slug if that is empty.

    >>> docutils_slug("It's new in 1.2"), docutils_slug("概要")
    ('it-s-new-in-1-2', '概要')
    """
    ascii_title = unicodedata.normalize("NFKD", title.lower()).encode("ascii", "ignore").decode("ascii")
    return _NOT_DOCUTILS.sub("-", ascii_title).strip("-").lstrip("0123456789-") or github_slug(title)


def unique_slugs(slugs: Iterable[str]) -> list[str]:
    """Return the slugs in order, with repeated ones numbered ``-1``, ``-2``, ... as GitHub does.

    >>> unique_slugs(["usage", "usage", "usage-1", "usage"])
    ['usage', 'usage-1', 'usage-1-1', 'usage-2']
    """
    taken: set[str] = set()
    last: dict[str, int] = {}
    unique = []
    for slug in slugs:
        number, name = last.get(slug, 0), slug
        while name in taken:
            number += 1
            name = f"{slug}-{number}"
        last[slug] = number
        taken.add(name)
        unique.append(name)
    return unique


def loose_slug(slug: str) -> str:
    """Return the letters and digits of a slug, equal for the slugs of different site builders.

    Builders differ in case, hyphens, signs, and accents of Latin letters.

    >>> loose_slug("What-s_new") == loose_slug("whats-new"), loose_slug("Über")
    (True, 'uber')
    """
    letters = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", slug.casefold()))
    return github_slug(unicodedata.normalize("NFC", letters)).translate(_SEPARATORS)
