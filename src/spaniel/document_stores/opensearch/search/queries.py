"""The bodies of searches."""

from collections.abc import Mapping, Sequence
from typing import Any


def words(
    query: str, condition: dict[str, Any] | None, fuzziness: int | str, *, all_terms: bool, path: str = "content"
) -> dict[str, Any]:
    """Return the search for the words of a text.

    :param condition: the query of a filter.
    :param path: of the field with the text.
    :param fuzziness: how many edits a word may differ by.
    :param all_terms: whether a document needs all words.

    >>> words("apple", None, 0, all_terms=False)
    {'query': {'bool': {'must': [{'match': {'content': {'query': 'apple', 'operator': 'or'}}}]}}}
    """
    match: dict[str, Any] = {"query": query, "operator": "and" if all_terms else "or"}
    if fuzziness not in {0, "0"}:
        match["fuzziness"] = fuzziness
    return _found_by({"match": {path: match}} if query else {"match_all": {}}, condition)


def any_term(
    terms: Sequence[str], condition: dict[str, Any] | None, *, path: str, all_terms: bool = False
) -> dict[str, Any]:
    """Return the search for terms, as the analyzer makes them: that of `words`, with the score of each term in the answer.

    :param terms: one that the query has twice is there twice.
    :param condition: the query of a filter.
    :param path: of the field with the text.
    :param all_terms: whether a document needs all of them.

    >>> any_term(["apple"], None, path="content")["query"]["bool"]["must"]
    [{'bool': {'should': [{'term': {'content': {'value': 'apple', '_name': '0 apple'}}}], 'minimum_should_match': 1}}]
    """
    # Where the same clause stands twice, the server adds up the scores as it does for a text.
    each = [{"term": {path: {"value": term, "_name": f"{place} {term}"}}} for place, term in enumerate(terms)]
    wanted = len(each) if all_terms else 1
    return _found_by({"bool": {"should": each, "minimum_should_match": wanted}}, condition)


def _found_by(must: dict[str, Any], condition: dict[str, Any] | None) -> dict[str, Any]:
    return {"query": {"bool": {"must": [must], **({"filter": condition} if condition else {})}}}


def nearest(
    vector: Sequence[float],
    condition: dict[str, Any] | None,
    count: int,
    *,
    efficient: bool,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the search for the neighbours of a vector.

    :param condition: the query of a filter.
    :param count: how many neighbours.
    :param efficient: whether neighbours are looked for among the documents that match.
    :param options: further members of the query.
    """
    knn: dict[str, Any] = {"vector": list(vector), "k": count, **(options or {})}
    if condition and efficient:
        knn["filter"] = condition
    outside = {"filter": condition} if condition and not efficient else {}
    return {"query": {"bool": {"must": [{"knn": {"embedding": knn}}], **outside}}}


def filled_body(custom_query: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a search of the caller's with values in the place of the texts that name them.

    >>> filled_body({"query": {"match": {"title": "$query"}}}, {"$query": "apple"})
    {'query': {'match': {'title': 'apple'}}}
    """
    return {key: _filled(value, values) for key, value in custom_query.items()}


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(part, Mapping):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_filled(item, values) for item in part]
    return values.get(part, part) if isinstance(part, str) else part
