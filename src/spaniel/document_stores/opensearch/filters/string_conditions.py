"""Conditions on strings: equality, substrings, prefixes, patterns."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from spaniel.document_stores.opensearch.filters.clauses import (
    NONE,
    Query,
    QueryBounds,
    all_of,
    any_of,
    exact,
    join_bounds,
    script,
    terms,
)
from spaniel.document_stores.opensearch.filters.date_conditions import equal_dates
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.mapping import utf16_length
from spaniel.filters.dates import parse_iso_instant
from spaniel.json_types import Json

# A server compiles a pattern to an automaton, which explodes for "%a_________". A script matches
# those.
_MAX_WILDCARDS = 4
_MAX_PATTERN = 128

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

Piece: TypeAlias = str | None
"""Of a pattern: a character, `_ONE` for any character, `_ANY` for any run."""


def equal_strings(field: Field, values: Sequence[Json]) -> QueryBounds:
    """Return the bounds of strings equal to a value, or denoting the same instant as a date."""
    texts = [value for value in values if isinstance(value, str)]
    short = [text for text in texts if _fits(field, text) and _is_unicode(text)]
    parts = [exact(terms(str(field.keyword), short) if short else NONE)]
    moments = [when for when in map(parse_iso_instant, values) if when is not None]
    unindexed = any(not _fits(field, text) for text in texts) or ("" in texts and not field.indexes_empty)
    if unindexed or (moments and field.may_hide_dates):
        parts.append(QueryBounds(NONE, field.query_unindexed_strings()))
    if moments and field.keyword != "_id":
        parts.append(equal_dates(field, moments))
    return join_bounds(parts, any_of)


def containing(field: Field, part: str) -> QueryBounds:
    """Return the bounds of strings with a substring."""
    return _pattern(field, [_ANY, *part, _ANY])


def starting_with(field: Field, prefix: str) -> QueryBounds:
    """Return the bounds of strings with a prefix."""
    if not _is_unicode(prefix):
        return exact(NONE)
    if not _fits(field, prefix):
        return _add_unindexed(field, NONE)
    if field.keyword == "_id":  # it has no substring queries
        return field.verify_all()
    return _add_unindexed(field, {"prefix": {str(field.keyword): {"value": prefix}}})


def like(field: Field, pattern: str) -> QueryBounds:
    """Return the bounds of strings that match a pattern as a whole."""
    return _pattern(field, list(_pieces(pattern)))


def _pattern(field: Field, pieces: list[Piece]) -> QueryBounds:
    if not _is_unicode("".join(piece or "" for piece in pieces)):
        return exact(NONE)
    if field.keyword == "_id":  # it has no substring queries
        return field.verify_all()
    if all(pieces):  # no wildcard
        return _add_unindexed(field, equal_text(field, "".join(piece or "" for piece in pieces)))
    simple = sum(piece == _ONE for piece in pieces) <= _MAX_WILDCARDS and pieces.count(_ANY) <= _MAX_WILDCARDS
    if simple and len(pieces) <= _MAX_PATTERN:
        return _add_unindexed(field, _wildcard(field, pieces))
    run = max(_runs(pieces), key=len)[: _MAX_PATTERN // 2]
    rough = _wildcard(field, [_ANY, *run, _ANY]) if run else field.visible()
    if not field.readable:
        return QueryBounds(NONE, any_of([rough, field.query_unindexed_strings()]))
    signs = [-1 if piece is _ANY else -2 if piece == _ONE else ord(piece) for piece in pieces]
    return _add_unindexed(field, all_of([rough, script(_LIKE, field=field.keyword, pattern=signs)]))


def equal_text(field: Field, text: str) -> Query:
    """Return the query for exactly this string: a date in another spelling does not match."""
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


def _add_unindexed(field: Field, query: Query) -> QueryBounds:
    unindexed = field.query_unindexed_strings()
    return exact(query) if unindexed == NONE else QueryBounds(query, any_of([query, unindexed]))


def _fits(field: Field, text: str) -> bool:
    return field.max_length is None or utf16_length(text) <= field.max_length


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no server stores
        return False
    return True
