"""Search in metadata: candidates from the server, scored by n-grams and exact matches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.clauses import Query
from spaniel.document_stores.opensearch.reading.resolved_filter import filter_to_query
from spaniel.document_stores.opensearch.schema.document_source import to_document
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.search.search_target import SearchTarget
from spaniel.document_stores.validation import validate_count, validate_number
from spaniel.errors import DocumentStoreError
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Filters, Json, JsonObject, Meta
from spaniel.runtime import Program

Mode: TypeAlias = Literal["strict", "fuzzy"]

_CANDIDATES = 1_000
"""Documents per part of the query."""


@dataclass(frozen=True)
class MetadataSearcher:
    """Searches metadata, independent of the text of documents."""

    target: SearchTarget

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
        filters: Filters | None = None,
    ) -> Program[list[Meta]]:
        """Return the metadata that matches a query best, without duplicates, best first.

        The server finds documents with a similar value, at most a thousand per part of the query,
        in a single request for all parts. The store scores them; ties are ordered by id.

        :param query: text; commas separate parts, and results that match more parts rank higher.
        :param fields: the metadata fields to search and return; their values are texts or lists of
            texts.
        :param mode: ``strict``: a value contains a part, in any case. ``fuzzy``: or differs by a
            few edits.
        :param top_k: maximum number of results.
        :param exact_match_weight: score of a part that a value contains.
        :param fuzziness: edits per value: 0, 1, 2 or ``AUTO``.
        :param prefix_length: number of initial characters that must be equal.
        :param max_expansions: maximum number of spellings.
        :param tie_breaker: weight of the fields beside the best, in ``fuzzy`` mode.
        :param jaccard_n: length of the n-grams, in characters.
        :param filters: restricts the documents.
        :raises ValueError: the mode is unknown, or a number is out of range.
        :raises FilterError: the filter is malformed.
        """
        if mode not in get_args(Mode):
            raise ValueError("mode must be either 'strict' or 'fuzzy'")
        top_k = validate_count("top_k", top_k)
        scoring = MetadataScoring(
            validate_number("exact_match_weight", exact_match_weight),
            validate_number("tie_breaker", tie_breaker) if mode == "fuzzy" else 0.0,
            validate_count("jaccard_n", jaccard_n, positive=True),
        )
        names = [name.removeprefix("meta.") for name in fields]
        parts = split_query(query)
        if not (names and parts and top_k):
            return []
        index = self.target.index
        condition = yield from filter_to_query(index, filters)
        known = yield from index.fields(names)
        edits: JsonObject = {}
        if mode == "fuzzy":
            edits = {"fuzziness": fuzziness, "prefix_length": prefix_length, "max_expansions": max_expansions}
        searches = [_candidate_search(known, names, part, edits, condition) for part in parts]
        documents: dict[str, Document] = {}
        for hits in (yield from self.target.multi_search(searches)):
            if isinstance(hits, DocumentStoreError):
                raise hits
            for hit in hits:
                document = to_document(hit, content=index.content_field)
                documents[document.id] = document
        return _best_rows(documents, names, parts, scoring)[:top_k]


def _candidate_search(
    known: Fields, names: list[str], part: str, edits: Mapping[str, Json], condition: Query | None
) -> JsonObject:
    """Return the search for documents with a similar value, scored by similarity."""
    clauses: list[Query] = []
    for name in names:
        field = known.get(f"meta.{name}")
        for clause in _clauses(field, part, edits):
            nested = field.nested_path
            clauses.append({"nested": {"path": nested, "query": clause}} if nested else clause)
    if not clauses:
        return {"query": {"match_none": {}}}
    query = {"bool": {"must": [{"dis_max": {"queries": clauses}}], **({"filter": condition} if condition else {})}}
    order = ["_score", {known.id_order: "asc"}]  # the same candidates in each search
    return {"query": query, "size": _CANDIDATES, "sort": order, "_source": ["id", *names, "meta"]}


def _clauses(field: Field, part: str, edits: Mapping[str, Json]) -> Iterator[Query]:
    if field.keyword is not None:
        yield _with_score(3, {"term": {field.keyword: {"value": part, "case_insensitive": True}}})
        inside = {"value": f"*{_escape(part)}*", "case_insensitive": True}
        yield _with_score(2, {"wildcard": {field.keyword: inside}})
        for spelling in _spellings(part) if edits else ():
            yield _with_score(1, {"fuzzy": {field.keyword: {"value": spelling, **edits}}})
    elif field.kind == "text":
        yield _with_score(2, {"match_phrase_prefix": {field.path: {"query": part}}})
        if edits:
            yield _with_score(1, {"match": {field.path: {"query": part, **edits}}})


def _with_score(score: int, query: Query) -> Query:
    return {"constant_score": {"filter": query, "boost": score}}


def _escape(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\*?" else character for character in text)


def _spellings(part: str) -> list[str]:
    """Return a text in the usual cases: the server counts another case as an edit."""
    return list(dict.fromkeys((part, part.lower(), part.upper(), part.capitalize(), part.title())))


@dataclass(frozen=True)
class MetadataScoring:
    """The parameters of scores; `tie_breaker` is the weight of the fields beside the best."""

    exact_match_weight: float = 0.6
    tie_breaker: float = 0.0
    jaccard_n: int = 3

    def score(self, parts: Sequence[str], values: Mapping[str, Json]) -> float:
        """Return the score of some fields, summed over the parts of a query; 0 without any
        similarity.

        >>> MetadataScoring().score(["python"], {"topic": "Python", "level": "basic"})
        1.6
        >>> MetadataScoring(exact_match_weight=0).score(["pythn"], {"topic": "Python"})
        0.4
        """
        texts = {name: [text.casefold() for text in _texts(value)] for name, value in values.items()}
        return sum(self._score_part(part.casefold(), texts) for part in parts)

    def _score_part(self, part: str, texts: Mapping[str, Sequence[str]]) -> float:
        by_field = [
            max((similarity(part, text, self.jaccard_n) for text in own), default=0.0) for own in texts.values()
        ]
        best = max(by_field, default=0.0)
        others = sum(by_field) - best
        is_contained = any(part in text for own in texts.values() for text in own)
        return best + self.tie_breaker * others + (self.exact_match_weight if is_contained else 0.0)


def split_query(query: str) -> list[str]:
    """Return the distinct parts of a query, which commas separate.

    >>> split_query("Python, active,, Python")
    ['Python', 'active']
    """
    return list(dict.fromkeys(part for piece in query.split(",") if (part := piece.strip())))


def similarity(first: str, second: str, n: int) -> float:
    """Return the Jaccard similarity of the n-grams of two texts; `n` is at most the length of the
    shorter.

    >>> similarity("python", "python", 3), similarity("python", "pythons", 3), similarity("py", "python", 3)
    (1.0, 0.8, 0.2)
    """
    length = min(n, len(first), len(second))
    if not length:
        return 0.0
    own, other = _ngrams(first, length), _ngrams(second, length)
    return len(own & other) / len(own | other)


def _ngrams(text: str, length: int) -> set[str]:
    return {text[start : start + length] for start in range(len(text) - length + 1)}


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _best_rows(
    documents: Mapping[str, Document], names: list[str], parts: list[str], scoring: MetadataScoring
) -> list[Meta]:
    paths = {name: field_path(f"meta.{name}") for name in names}
    rows: dict[str, Meta] = {}
    for _, document in sorted(documents.items()):
        values = {name: field_value(document, path) for name, path in paths.items()}
        row = {name: value for name, value in values.items() if value is not None}
        rows.setdefault(repr(row), row)
    return sorted(rows.values(), key=lambda row: -scoring.score(parts, row))
