"""Conditions on strings: equal to one of several, a part, a beginning, a pattern."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Bounds,
    Query,
    all_of,
    any_of,
    exact,
    joined,
    script,
    terms,
)
from spaniel.document_stores.opensearch.filters.date_conditions import equal_dates
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.mapping import units
from spaniel.filters.dates import iso_instant

# A server makes an automaton of a pattern, which explodes for patterns such as "%a_________". Those are left to a script.
_MOST_SIGNS = 4
_LONGEST_PATTERN = 128

_LACK = "no script can read its strings, which a pattern of this size needs. Map it as a keyword"

_ANY, _ONE = None, ""

_LIKE = """
boolean fits(int[] text, List pattern) {
  int t = 0;
  int p = 0;
  int star = -1;
  int mark = 0;
  while (t < text.length) {
    if (p < pattern.size() && pattern[p] == -1) {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == -2 || pattern[p] == text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == -1) p++;
  return p == pattern.size();
}
for (String s : doc[params.field]) {
  if (fits(s.codePoints().toArray(), params.pattern)) return true;
}
return false;
"""

Piece = str | None
"""Of a pattern: a character, `_ONE` for any character, `_ANY` for any run."""


def equal_strings(field: Field, values: Sequence[Any]) -> Bounds:
    """Return the condition that a field's string is one of `values`, or the same moment; dates count, all else doesn't."""
    texts = [value for value in values if isinstance(value, str)]
    short = [text for text in texts if _fits(field, text) and _is_unicode(text)]
    parts = [exact(terms(str(field.keyword), short) if short else NONE)]
    moments = [when for when in map(iso_instant, values) if when is not None]
    hidden = any(not _fits(field, text) for text in texts) or ("" in texts and not field.finds_empty)
    if hidden or (moments and field.hides_dates):
        parts.append(Bounds(NONE, field.unseen()))
    if moments and field.keyword != "_id":
        parts.append(equal_dates(field, moments))
    return joined(parts, any_of)


def containing(field: Field, part: str) -> Bounds:
    """Return the condition that a string of a field has `part` in it."""
    return _pattern(field, [_ANY, *part, _ANY])


def starting_with(field: Field, prefix: str) -> Bounds:
    """Return the condition that a string of a field starts with `prefix`."""
    if not _is_unicode(prefix):
        return exact(NONE)
    if not _fits(field, prefix):
        return _with_unseen(field, NONE)
    if field.keyword == "_id":
        return _unasked(field)
    return _with_unseen(field, {"prefix": {str(field.keyword): {"value": prefix}}})


def like(field: Field, pattern: str) -> Bounds:
    """Return the condition that a string of a field fits a pattern as a whole."""
    return _pattern(field, list(_pieces(pattern)))


def _pattern(field: Field, pieces: list[Piece]) -> Bounds:
    if not _is_unicode("".join(piece or "" for piece in pieces)):
        return exact(NONE)
    if field.keyword == "_id":
        return _unasked(field)
    if all(pieces):  # no sign in it
        return _with_unseen(field, equal_text(field, "".join(piece or "" for piece in pieces)))
    simple = sum(piece == _ONE for piece in pieces) <= _MOST_SIGNS and pieces.count(_ANY) <= _MOST_SIGNS
    if simple and len(pieces) <= _LONGEST_PATTERN:
        return _with_unseen(field, _wildcard(field, pieces))
    run = max(_runs(pieces), key=len)[: _LONGEST_PATTERN // 2]
    rough = _wildcard(field, [_ANY, *run, _ANY]) if run else field.found()
    if not field.values:
        return Bounds(
            NONE, any_of([rough, field.unseen()]), "a pattern of this size needs strings that a script can read"
        )
    signs = [-1 if piece is _ANY else -2 if piece == _ONE else ord(piece) for piece in pieces]
    return _with_unseen(field, all_of([rough, script(_LIKE, field=field.keyword, pattern=signs)]))


def equal_text(field: Field, text: str) -> Query:
    """Return the query for exactly this string: a date in another spelling doesn't count."""
    return terms(str(field.keyword), [text]) if _fits(field, text) else NONE


def _pieces(pattern: str) -> Iterable[Piece]:
    for piece in re.findall(r"\\?.", pattern, re.DOTALL):
        yield _ANY if piece == "%" else _ONE if piece == "_" else piece[-1]


def _runs(pieces: list[Piece]) -> list[str]:
    runs = [""]
    for piece in pieces:
        if piece:
            runs[-1] += piece
        else:
            runs.append("")
    return runs


def _wildcard(field: Field, pieces: Iterable[Piece]) -> Query:
    signs = (
        "*" if piece is _ANY else "?" if piece == _ONE else re.sub(r"([\\*?])", r"\\\1", piece) for piece in pieces
    )
    return {"wildcard": {str(field.keyword): {"value": "".join(signs)}}}


def _with_unseen(field: Field, query: Query) -> Bounds:
    unseen = field.unseen()
    return exact(query) if unseen == NONE else Bounds(query, any_of([query, unseen]))


def _unasked(field: Field) -> Bounds:
    return Bounds(
        NONE,
        field.has_value().may,
        "'id': the documents have their id only as their address, of which no part can be asked for. Write it into a field",
    )


def _fits(field: Field, text: str) -> bool:
    return field.longest is None or units(text) <= field.longest


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which no document on a server holds
        return False
    return True
