"""Slugs: the names of sections in addresses, as in ``guide.md#first-steps``."""

import re
import unicodedata
from collections.abc import Iterable

_NOT_GITHUB = re.compile(r"[^\w\- ]")
_NOT_DOCUTILS = re.compile(r"[^a-z0-9]+")
_HYPHENS = re.compile(r"[-_\s]+")
_UNNAMED = "section"  # for titles without letters and digits


def github_slug(title: str) -> str:
    """Return the anchor that GitHub gives a heading.

    >>> github_slug("What's new in C++?")
    'whats-new-in-c'
    """
    return _NOT_GITHUB.sub("", title.strip().lower()).replace(" ", "-") or _UNNAMED


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
    """Return the form in which slugs of different site builders are equal: no case, single hyphens.

    >>> loose_slug("Read--Write_mode")
    'read-write-mode'
    """
    return _HYPHENS.sub("-", slug.casefold()).strip("-")
