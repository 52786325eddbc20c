"""Web addresses in the words of a text."""

import re
from collections.abc import Iterator

from spaniel.text.converted_text import Span

# Quotation marks, and the punctuation of Chinese and Japanese, end an address without a blank.
_ADDRESS = re.compile(
    r"""https?://[^\s<>"'`{}|\\^\[\]\u2018-\u201f\u2026\u00ab\u00bb\u2039\u203a\u3001-\u3011"""
    r"""\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]{1,4000}"""
)
_BRACKET = re.compile(r"[()]")
_TAIL = ".,;:!?*_"


def find_addresses(text: str) -> Iterator[Span]:
    """Yield the spans of web addresses. Punctuation after an address, and a closing bracket without
    its opening one, are not part of it, as in GitHub's autolinks.

    >>> text = "See https://a.org/b_(c), (https://d.org)."
    >>> [text[start:end] for start, end in find_addresses(text)]
    ['https://a.org/b_(c)', 'https://d.org']
    """
    if "://" not in text:
        return
    for match in _ADDRESS.finditer(text):
        address = trim_address(match.group())
        if not address.endswith("://"):
            yield match.start(), match.start() + len(address)


def match_address(text: str, start: int) -> str:
    """Return the web address at an offset of the text, or ""."""
    match = _ADDRESS.match(text, start)
    return "" if match is None else trim_address(match.group())


def trim_address(address: str) -> str:
    """Return the address without punctuation, and without unbalanced closing brackets, at its end.

    >>> trim_address("https://a.org/b_(c)),")
    'https://a.org/b_(c)'
    """
    depth, end = 0, len(address)
    for bracket in _BRACKET.finditer(address):
        depth += 1 if bracket[0] == "(" else -1
        if depth < 0:
            end = bracket.start()
            break
    return address[:end].rstrip(_TAIL)
