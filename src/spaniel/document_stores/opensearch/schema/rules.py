"""The rules of a mapping: hidden values, locations of values, and merged mappings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spaniel.document_stores.opensearch.schema.field import Field, Kind, Numbers, Presence
from spaniel.json_types import JsonObject

Rule = Mapping[str, Any]

HIDDEN: Rule = {"type": "object", "enabled": False}
"""The rule of a field that is stored without being indexed."""

_TEXTS: dict[str, Kind] = {"text": "text", "match_only_text": "text", "search_as_you_type": "text"}
_STRINGS: dict[str, Kind] = {"keyword": "string", "wildcard": "string"}
_DATES: dict[str, Kind] = {"date": "date", "date_nanos": "date"}
_INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "unsigned_long": 64}
_REALS = {"double": 1.8e308, "float": 3.4028234e38, "half_float": 65_504.0, "scaled_float": 1.8e308}

KINDS: dict[str, Kind] = {**_TEXTS, **_STRINGS, **_DATES, "boolean": "boolean", "object": "object", "nested": "object"}
KINDS |= dict.fromkeys([*_INTEGERS, *_REALS], "number")

_VISIBLE_OTHERS = {"ip", "geo_point", "geo_shape", "flat_object", "knn_vector", "completion", "rank_feature"}
_VISIBLE_OTHERS |= {f"{each}_range" for each in ("integer", "long", "float", "double", "date", "ip")}
"""Types that no filter can compare, though the server knows the documents that have a value."""
_IN_COLUMNS: set[str] = {"keyword", "boolean", "ip", *_DATES, *_INTEGERS, *_REALS}
"""Types that a server also stores in a column, unless ``doc_values`` is false."""
_REJECT_OBJECTS: set[str] = {*_TEXTS, *_STRINGS, "boolean", "ip"}


def is_object(rule: Rule) -> bool:
    """Return True for the rule of an object, whose fields have rules of their own."""
    return rule.get("type", "object") in ("object", "nested")


def is_text(rule: Rule) -> bool:
    """Return True for a field that is searchable by the words of its text."""
    return rule.get("type") in _TEXTS and rule.get("index") is not False


def hides_unmapped(dynamic: object) -> bool:
    """Return True if an object with this ``dynamic`` stores unknown fields without indexing them.

    >>> [hides_unmapped(each) for each in (True, "true", "strict", False, "false", "false_allow_templates")]
    [False, False, False, True, True, True]
    """
    return str(dynamic).lower().startswith("false")


def rejects_objects(rule: Rule) -> bool:
    """Return True if a server rejects documents with an object in place of a value."""
    kind = rule.get("type")
    numbers_or_dates = kind in _INTEGERS or kind in _REALS or kind in _DATES
    return kind in _REJECT_OBJECTS or (numbers_or_dates and not rule.get("ignore_malformed"))


def copy_targets(properties: Rule) -> set[str]:
    """Return the paths of the fields that receive copies of others' values (``copy_to``)."""
    paths: set[str] = set()
    for rule in properties.values():
        if isinstance(rule, Mapping):
            targets = rule.get("copy_to", ())
            paths.update([targets] if isinstance(targets, str) else targets)
            paths |= copy_targets(rule.get("properties", {}))
    return paths


def presence_of(rule: Rule) -> Presence:
    """Return the visibility of a field's values in an index."""
    kind = rule.get("type", "object")
    if rule == HIDDEN or rule.get("enabled") is False or (kind not in KINDS and kind not in _VISIBLE_OTHERS):
        return "hidden"
    if rule.get("index") is False and not (kind in _IN_COLUMNS and rule.get("doc_values") is not False):
        return "shown" if kind in ("geo_point", "geo_shape", "wildcard", "knn_vector") else "hidden"
    return "shown"


def locate_strings(field: Field, rule: Rule, subfields: Mapping[str, Rule]) -> Field:
    """Return a field of strings or text with the path of its whole strings, if any."""
    ways = [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in subfields.items())]
    whole = [(path, each) for path, each in ways if each.get("type") in _STRINGS and _is_unmodified(each)]
    if field.may_drop_long:
        field = replace(field, presence="partly")
    if not whole:
        return replace(field, kind="text")
    path, best = max(whole, key=lambda way: way[1].get("ignore_above", float("inf")))
    dates = [path for path, each in ways if each.get("type") == "date" and each.get("ignore_malformed")]
    if best["type"] == "wildcard" and path == field.path:
        field = replace(field, presence="partly")
    return replace(
        field,
        kind="string",
        keyword=path,
        max_length=best.get("ignore_above"),
        readable=best["type"] == "keyword" and best.get("doc_values", True) is not False,
        dates=dates[0] if dates else None,
        indexes_empty=best["type"] == "keyword",
    )


def _is_unmodified(rule: Rule) -> bool:
    return rule.get("index") is not False and not rule.get("normalizer") and "null_value" not in rule


def locate_numbers(field: Field, rule: Rule, subfields: Mapping[str, Rule]) -> Field:
    """Return a field of numbers with the paths of its integers and of all its numbers."""
    integers = reals = ignored_path = None
    readable = True
    for path, each in [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in subfields.items())]:
        numbers = _numbers(path, str(each.get("type")))
        if numbers is None or each.get("index") is False or "null_value" in each:
            continue
        readable = readable and each.get("doc_values") is not False
        if each["type"] in _INTEGERS:
            integers = integers or numbers
        elif reals is None:
            reals = numbers
            ignored_path = path if each.get("ignore_malformed") else None
    ignored_path = ignored_path if reals else field.ignored_path
    return replace(field, integers=integers, reals=reals, readable=readable, ignored_path=ignored_path)


def _numbers(path: str, type_name: str) -> Numbers | None:
    if type_name in _REALS:
        return Numbers(path, -_REALS[type_name], _REALS[type_name])
    if type_name == "unsigned_long":
        return Numbers(path, 0, 2**64 - 1)
    bits = _INTEGERS.get(type_name)
    return None if bits is None else Numbers(path, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def merge_mappings(mappings: Sequence[Rule]) -> JsonObject:
    """Return the mapping that holds in each index; fields that differ between them are hidden."""
    if len(mappings) == 1:
        return dict(mappings[0])
    return _merge_objects(list(mappings), True) if mappings else {}


def _merge_objects(rules: list[Rule], dynamic: object) -> JsonObject:
    each = [rule.get("dynamic", dynamic) for rule in rules]
    hides = next((value for value in each if hides_unmapped(value)), each[0])
    names = dict.fromkeys(name for rule in rules for name in rule.get("properties", {}))
    properties = {name: _merge_fields(name, rules, hides) for name in names}
    kind = {"type": "nested"} if rules[0].get("type") == "nested" else {}
    enabled = {"enabled": False} if any(rule.get("enabled") is False for rule in rules) else {}
    return {**kind, **enabled, "dynamic": hides, "properties": properties}


def _merge_fields(name: str, rules: list[Rule], dynamic: object) -> JsonObject:
    fields = list(_rules_of(name, rules, dynamic))
    first = fields[0]
    if all(rule == first for rule in fields):
        return dict(first)
    kinds = {rule.get("type", "object") for rule in fields}
    if len(kinds) == 1 and is_object(first) and not any(rule.get("enabled") is False for rule in fields):
        return _merge_objects(fields, dynamic)
    return dict(HIDDEN)


def _rules_of(name: str, rules: list[Rule], dynamic: object) -> Iterator[Rule]:
    for rule in rules:
        inner = rule.get("properties", {}).get(name)
        if inner is not None:
            yield inner
        elif hides_unmapped(rule.get("dynamic", dynamic)):
            yield HIDDEN
