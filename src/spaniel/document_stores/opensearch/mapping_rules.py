"""The rules of a mapping that leave values out of an index, and the mappings of several indices as one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
