"""The kind of a field's values, and where they lie, by the rule that its mapping has for it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from spaniel.document_stores.opensearch.field import Field, Kind, Numbers, Presence
from spaniel.document_stores.opensearch.mapping_rules import HIDDEN

_INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "unsigned_long": 64}
_REALS = {"double": 1.8e308, "float": 3.4028234e38, "half_float": 65_504.0, "scaled_float": 1.8e308}
TEXTS = ("text", "match_only_text", "search_as_you_type")
KINDS: dict[str, Kind] = {"keyword": "string", "wildcard": "string", "boolean": "boolean"}
KINDS |= {
    "text": "text",
    "match_only_text": "text",
    "search_as_you_type": "text",
    "date": "date",
    "date_nanos": "date",
}
KINDS |= {"object": "object", "nested": "object"}
KINDS |= dict.fromkeys([*_INTEGERS, *_REALS], "number")

_SHOWN_OTHERS = {"ip", "geo_point", "geo_shape", "flat_object", "knn_vector", "completion", "rank_feature"}
_SHOWN_OTHERS |= {f"{each}_range" for each in ("integer", "long", "float", "double", "date", "ip")}
"""Types whose values no filter can be asked for, though the server knows which documents have one."""
_IN_COLUMNS: set[str] = {"keyword", "boolean", "date", "date_nanos", "ip", *_INTEGERS, *_REALS}
"""Types that a server also keeps in a column, unless ``doc_values`` is false."""


def presence_of(rule: Mapping[str, Any]) -> Presence:
    """Return whether an index shows which documents have a value of a field."""
    kind = rule.get("type", "object")
    if rule == HIDDEN or rule.get("enabled") is False or (kind not in KINDS and kind not in _SHOWN_OTHERS):
        return "hidden"
    if rule.get("index") is False and not (kind in _IN_COLUMNS and rule.get("doc_values") is not False):
        return "shown" if kind in ("geo_point", "geo_shape", "wildcard", "knn_vector") else "hidden"
    return "shown"


def with_strings(field: Field, rule: Mapping[str, Any], inner: Mapping[str, Mapping[str, Any]]) -> Field:
    """Return a field of strings or text with the place where its strings lie whole, if there is one.

    :param rule: of the field, and `inner`: of the fields inside it.
    """
    ways = [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in inner.items())]
    whole = [(path, each) for path, each in ways if KINDS.get(each.get("type", "")) == "string" and _is_plain(each)]
    if field.drops_long:
        field = replace(field, presence="partly")
    if not whole:
        return replace(field, kind="text")
    # The way that takes the longest strings.
    path, best = max(whole, key=lambda way: way[1].get("ignore_above", float("inf")))
    dates = [path for path, each in ways if each.get("type") == "date" and each.get("ignore_malformed")]
    if best["type"] == "wildcard" and path == field.path:
        field = replace(field, presence="partly")
    return replace(
        field,
        kind="string",
        keyword=path,
        longest=best.get("ignore_above"),
        values=best["type"] == "keyword" and best.get("doc_values", True) is not False,
        dates=dates[0] if dates else None,
        finds_empty=best["type"] == "keyword",
    )


def _is_plain(rule: Mapping[str, Any]) -> bool:
    return rule.get("index") is not False and not rule.get("normalizer") and "null_value" not in rule


def with_numbers(field: Field, rule: Mapping[str, Any], inner: Mapping[str, Mapping[str, Any]]) -> Field:
    """Return a field of numbers with the places where its integers and all its numbers lie.

    :param rule: of the field, and `inner`: of the fields inside it.
    """
    integers = reals = ignores = None
    values = True
    for path, each in [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in inner.items())]:
        numbers = _numbers(path, str(each.get("type")))
        if numbers is None or each.get("index") is False or "null_value" in each:
            continue
        values = values and each.get("doc_values") is not False
        if each["type"] in _INTEGERS:
            integers = integers or numbers
        elif reals is None:
            reals = numbers
            ignores = path if each.get("ignore_malformed") else None
    return replace(field, integers=integers, reals=reals, values=values, ignores=ignores if reals else field.ignores)


def _numbers(path: str, type_name: str) -> Numbers | None:
    if type_name in _REALS:
        return Numbers(path, -_REALS[type_name], _REALS[type_name])
    if type_name == "unsigned_long":
        return Numbers(path, 0, 2**64 - 1)
    bits = _INTEGERS.get(type_name)
    return None if bits is None else Numbers(path, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
