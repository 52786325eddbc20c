"""Metadata that fits a query, whatever the documents say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.reading.documents import Reading, id_order
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.search.hits import several
from spaniel.document_stores.validation import validate_count, validate_number
from spaniel.errors import DocumentStoreError
from spaniel.filters.field import field_path, field_value
from spaniel.runtime import Program, async_method, sync_method

Mode: TypeAlias = Literal["strict", "fuzzy"]

MODES: tuple[Mode, ...] = ("strict", "fuzzy")
_CANDIDATES = 1_000
"""Documents that are looked at for each part of a query."""


class MetadataSearch(Reading):
    """The search in metadata."""

    search_type: str

    @sync_method
    def metadata_search(
        self,
        query: str,
        fields: Sequence[str],
        *,
        mode: Mode = "fuzzy",
        top_k: int = 20,
        exact_match_weight: float = 0.6,
        fuzziness: int | Literal["AUTO"] = 2,
        prefix_length: int = 0,
        max_expansions: int = 200,
        tie_breaker: float = 0.7,
        jaccard_n: int = 3,
        filters: dict[str, Any] | None = None,
    ) -> Program[list[dict[str, Any]]]:
        """Return the metadata that fits a query best, each combination of values once, best first.

        The server finds documents with a fitting value, at most a thousand for each part of the query, in one request for
        all parts; they are scored here, by `MetadataScoring`. Equal scores stand in the order of ids.

        :param query: text; commas separate parts, of which a document should have as many as possible.
        :param fields: the metadata fields that are searched and returned; their values are text, or lists of texts.
        :param mode: ``strict``: a part stands in a value as it is, in any case. ``fuzzy``: or a value differs by a few edits.
        :param top_k: how many results at most.
        :param exact_match_weight: what a part adds to the score that stands in a value as it is.
        :param fuzziness: how many edits a value may differ by: 0, 1, 2 or ``AUTO``.
        :param prefix_length: how many characters at the start must be equal.
        :param max_expansions: how many spellings are tried.
        :param tie_breaker: how much the other fields count beside the best one, in ``fuzzy`` mode.
        :param jaccard_n: how long the pieces of text are that are compared.
        :param filters: what the documents must match.
        :raises ValueError: the mode is unknown, or a number is out of its range.
        :raises FilterError: the filter is malformed.
        """
        if mode not in MODES:
            raise ValueError("mode must be either 'strict' or 'fuzzy'")
        top_k = validate_count("top_k", top_k)
        scoring = MetadataScoring(
            validate_number("exact_match_weight", exact_match_weight),
            validate_number("tie_breaker", tie_breaker) if mode == "fuzzy" else 0.0,
            validate_count("jaccard_n", jaccard_n, positive=True),
        )
        names = [name.removeprefix("meta.") for name in fields]
        parts = parts_of(query)
        if not (names and parts and top_k):
            return []
        condition = yield from self._query(filters)
        known = yield from self._index.fields(names)
        edits = {"fuzziness": fuzziness, "prefix_length": prefix_length, "max_expansions": max_expansions}
        searches = [
            _search(list(_clauses(known, names, part, edits if mode == "fuzzy" else None)), condition, names, known)
            for part in parts
        ]
        documents: dict[str, Document] = {}
        for found in (yield from several(self._index, searches, self.search_type)):
            if isinstance(found, DocumentStoreError):
                raise found
            documents |= {document.id: document for document in map(self._read_document(), found)}
        return _best(documents, names, parts, scoring)[:top_k]

    metadata_search_async = async_method(metadata_search)


def _search(
    clauses: list[dict[str, Any]], condition: dict[str, Any] | None, names: list[str], known: Fields
) -> dict[str, Any]:
    if not clauses:
        return {"query": {"match_none": {}}}
    query = {"bool": {"must": [{"dis_max": {"queries": clauses}}], **({"filter": condition} if condition else {})}}
    order = ["_score", {id_order(known): "asc"}]  # where there are too many, those that fit best, and always the same
    return {"query": query, "size": _CANDIDATES, "sort": order, "_source": ["id", *names, "meta"]}


def _clauses(known: Fields, names: list[str], part: str, edits: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield what a document is found by; the closer a value, the higher.

    :param edits: how much a value may differ; None: not at all.
    """
    for name in names:
        field = known.named(f"meta.{name}")
        for clause in _of_field(field, part, edits or {}):
            yield {"nested": {"path": field.nested, "query": clause}} if field.nested else clause


def _of_field(field: Field, part: str, edits: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if field.keyword is not None:
        yield _worth(3, {"term": {field.keyword: {"value": part, "case_insensitive": True}}})
        inside = {"value": f"*{_escaped(part)}*", "case_insensitive": True}
        yield _worth(2, {"wildcard": {field.keyword: inside}})
        for spelling in _spellings(part) if edits else ():
            yield _worth(1, {"fuzzy": {field.keyword: {"value": spelling, **edits}}})
    elif field.kind == "text":
        yield _worth(2, {"match_phrase_prefix": {field.path: {"query": part}}})
        if edits:
            yield _worth(1, {"match": {field.path: {"query": part, **edits}}})


def _worth(score: int, query: dict[str, Any]) -> dict[str, Any]:
    return {"constant_score": {"filter": query, "boost": score}}


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\*?" else character for character in text)


def _spellings(part: str) -> list[str]:
    """Return a text in the usual cases: the server counts another case as an edit."""
    return list(dict.fromkeys((part, part.lower(), part.upper(), part.capitalize(), part.title())))


@dataclass(frozen=True)
class MetadataScoring:
    """How metadata is scored.

    :param exact_match_weight: what a part of the query adds that stands in some value as it is, in any case.
    :param tie_breaker: how much the other fields count beside the best one, for each part of the query.
    :param jaccard_n: how long the pieces are, in characters.
    """

    exact_match_weight: float = 0.6
    tie_breaker: float = 0.0
    jaccard_n: int = 3

    def score(self, parts: Sequence[str], values: Mapping[str, Any]) -> float:
        """Return how well the values of some fields fit the parts of a query; 0 where nothing is alike.

        The sum over all parts: how similar the most similar field is, and a share of what the others are.

        >>> MetadataScoring().score(["python"], {"topic": "Python", "level": "basic"})
        1.6
        >>> MetadataScoring(exact_match_weight=0).score(["pythn"], {"topic": "Python"})
        0.4
        """
        texts = {name: [text.casefold() for text in _texts(value)] for name, value in values.items()}
        return sum(self._part(part.casefold(), texts) for part in parts)

    def _part(self, part: str, texts: Mapping[str, Sequence[str]]) -> float:
        by_field = [
            max((similarity(part, text, self.jaccard_n) for text in own), default=0.0) for own in texts.values()
        ]
        best = max(by_field, default=0.0)
        rest = sum(by_field) - best
        found = any(part in text for own in texts.values() for text in own)
        return best + self.tie_breaker * rest + (self.exact_match_weight if found else 0.0)


def parts_of(query: str) -> list[str]:
    """Return the parts of a query, which commas separate, each once.

    >>> parts_of("Python, active,, Python")
    ['Python', 'active']
    """
    return list(dict.fromkeys(part for piece in query.split(",") if (part := piece.strip())))


def similarity(first: str, second: str, n: int) -> float:
    """Return the Jaccard similarity of two texts: of all their pieces of `n` characters, the share that is in both.

    Where a text is shorter than `n`, the pieces are as long as it is.

    >>> similarity("python", "python", 3), similarity("python", "pythons", 3), similarity("py", "python", 3)
    (1.0, 0.8, 0.2)
    """
    length = min(n, len(first), len(second))
    if not length:
        return 0.0
    own, other = _pieces(first, length), _pieces(second, length)
    return len(own & other) / len(own | other)


def _pieces(text: str, length: int) -> set[str]:
    return {text[start : start + length] for start in range(len(text) - length + 1)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _best(
    documents: Mapping[str, Document], names: list[str], parts: list[str], scoring: MetadataScoring
) -> list[dict[str, Any]]:
    paths = {name: field_path(f"meta.{name}") for name in names}
    rows: dict[str, dict[str, Any]] = {}
    for _, document in sorted(documents.items()):
        values = {name: field_value(document, path) for name, path in paths.items()}
        row = {name: value for name, value in values.items() if value is not None}
        rows.setdefault(repr(row), row)
    return sorted(rows.values(), key=lambda row: -scoring.score(parts, row))
