"""The kind of a field's values, and where they lie, by the rule that its mapping has for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spaniel.document_stores.opensearch.schema.field import Field, Kind, Numbers, Presence

Rule = Mapping[str, Any]

HIDDEN: Rule = {"type": "object", "enabled": False}
"""The rule of a field whose values are stored and not indexed."""

_REFUSE_OBJECTS = {"text", "match_only_text", "search_as_you_type", "keyword", "wildcard", "boolean", "ip"}
_NUMBERS_AND_DATES = {"byte", "short", "integer", "long", "unsigned_long", "double", "float", "half_float"}
_NUMBERS_AND_DATES |= {"scaled_float", "date", "date_nanos"}


def is_object(rule: Rule) -> bool:
    """Return whether a rule is that of an object, whose fields have rules of their own."""
    return rule.get("type", "object") in ("object", "nested")


def hides_unmapped(dynamic: object) -> bool:
    """Return whether a field that an object's mapping does not name is stored without being indexed.

    :param dynamic: the ``dynamic`` of the object, or of the nearest one around it that has one.

    >>> [hides_unmapped(each) for each in (True, "true", "strict", False, "false", "false_allow_templates")]
    [False, False, False, True, True, True]
    """
    return str(dynamic).lower().startswith("false")


def refuses_objects(rule: Rule) -> bool:
    """Return whether a server refuses a document that has an object where the rule wants a value."""
    kind = rule.get("type")
    return kind in _REFUSE_OBJECTS or (kind in _NUMBERS_AND_DATES and not rule.get("ignore_malformed"))


def takes_copies(properties: Rule, below: str = "") -> set[str]:
    """Return the paths of the fields that get a copy of others' values (``copy_to``)."""
    found: set[str] = set()
    for name, rule in properties.items():
        if isinstance(rule, Mapping):
            targets = rule.get("copy_to", ())
            found.update([targets] if isinstance(targets, str) else targets)
            found |= takes_copies(rule.get("properties", {}), f"{below}{name}.")
    return found


def merged(mappings: Sequence[Rule]) -> dict[str, Any]:
    """Return the mapping of several indices: what holds for a field in each of them.

    A field that they map differently, or that one of them stores without indexing it, counts as not indexed.
    """
    if len(mappings) == 1:
        return dict(mappings[0])
    return _merged(list(mappings), True) if mappings else {}


def _merged(rules: list[Rule], dynamic: object) -> dict[str, Any]:
    """Return the rule of an object that several indices have."""
    each = [rule.get("dynamic", dynamic) for rule in rules]
    hides = next((value for value in each if hides_unmapped(value)), each[0])
    names = dict.fromkeys(name for rule in rules for name in rule.get("properties", {}))
    properties = {name: _field(name, rules, hides) for name in names}
    kind = {"type": "nested"} if rules[0].get("type") == "nested" else {}
    enabled = {"enabled": False} if any(rule.get("enabled") is False for rule in rules) else {}
    return {**kind, **enabled, "dynamic": hides, "properties": properties}


def _field(name: str, rules: list[Rule], dynamic: object) -> dict[str, Any]:
    found = list(_rules_of(name, rules, dynamic))
    first = found[0]
    if all(rule == first for rule in found):
        return dict(first)
    kinds = {rule.get("type", "object") for rule in found}
    if len(kinds) == 1 and is_object(first) and not any(rule.get("enabled") is False for rule in found):
        return _merged(found, dynamic)
    return dict(HIDDEN)


def _rules_of(name: str, rules: list[Rule], dynamic: object) -> Iterator[Rule]:
    """Yield the rule of a field in each index; one that lacks it has no document with it, unless it hides unmapped fields."""
    for rule in rules:
        inner = rule.get("properties", {}).get(name)
        if inner is not None:
            yield inner
        elif hides_unmapped(rule.get("dynamic", dynamic)):
            yield HIDDEN


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
