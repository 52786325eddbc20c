"""What the mapping of an index says of a field: where it lies, what kind of values it has, what of them can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.clauses import ALL, NONE, Query, all_of, any_of, between, none_of, term, terms
from spaniel.document_stores.opensearch.mapping import MARKS, kept_mark, list_mark, long_mark
from spaniel.filters.field import FieldPath, field_path

Kind = Literal["missing", "string", "text", "number", "boolean", "date", "object", "other"]
"""``text`` is known by its words only; ``other`` is anything whose values no filter can be asked for."""

_INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64, "unsigned_long": 64}
_REALS = {"double": 1.8e308, "float": 3.4028234e38, "half_float": 65_504.0, "scaled_float": 1.8e308}
_LARGEST = 1.7976931348623157e308
_KINDS: dict[str, Kind] = {"keyword": "string", "wildcard": "string", "text": "text", "boolean": "boolean"}
_KINDS |= {"match_only_text": "text", "date": "date", "date_nanos": "date", "object": "object", "nested": "object"}
_KINDS |= dict.fromkeys([*_INTEGERS, *_REALS], "number")

# What `Document.to_dict` leaves under "meta", as it is no key beside a document's own fields.
_OWN_FIELDS = frozenset(Document.__dataclass_fields__)
_RESERVED = _OWN_FIELDS | {"content_type", "id_hash_keys", "dataframe"}


@dataclass(frozen=True)
class Numbers:
    """A field that holds numbers.

    :param path: where it lies.
    :param smallest: what a query may name at least.
    :param largest: and at most.
    """

    path: str
    smallest: float
    largest: float


@dataclass(frozen=True)
class Field:
    """One field of an index.

    :param path: where it lies.
    :param kind: of what kind its values are.
    :param nested: the list of objects that it lies in, where that is mapped as ``nested``.
    :param keyword: where its strings lie whole.
    :param longest: the longest string there; None: any.
    :param values: whether a script can read its strings.
    :param dates: where those of its strings that are dates lie as such.
    :param integers: where its integers lie to the last digit.
    :param reals: where all its numbers lie.
    :param marked: whether each document says which of its values are lists, or too long.
    :param ignores: where values lie that are left out if they are no such values.
    :param leaves: for an object: the fields inside.
    :param apart: for an object: whether each is a document of its own.
    """

    path: str
    kind: Kind
    nested: str | None = None
    keyword: str | None = None
    longest: int | None = None
    values: bool = True
    dates: str | None = None
    integers: Numbers | None = None
    reals: Numbers | None = None
    marked: bool = False
    ignores: str | None = None
    leaves: tuple["Field", ...] = ()
    apart: bool = False

    @property
    def distinct(self) -> str | None:
        """Where its values can be counted and put in order; None: nowhere."""
        if self.nested or "*" in self.path:
            return None
        if self.kind == "string":
            return self.keyword if self.values else None
        if self.kind == "number":
            numbers = self.reals or self.integers
            return None if numbers is None else numbers.path
        return self.path if self.kind in {"boolean", "date"} else None

    @property
    def whole(self) -> bool:
        """Whether its numbers are integers first of all."""
        return self.integers is not None and self.integers.path == self.path

    def exists(self) -> Query:
        """Return the query for the documents that have a value."""
        if self.kind == "missing":
            return NONE
        if self.keyword == "_id":
            return ALL
        parts = [self._indexed()]
        if self.ignores and not self.nested:
            parts.append(term("_ignored", self.ignores))
        if self.marked:
            parts.append(terms(MARKS, [long_mark(self.path), kept_mark(self.path)]))
        if self.kind == "object" and not self.nested:
            parts.append({"prefix": {"_ignored": {"value": f"{self.path}."}}})
            parts += [{"prefix": {MARKS: {"value": long_mark(f"{self.path}.")}}}] if self.marked else []
        return any_of(parts)

    def is_list(self) -> Query:
        """Return the query for the documents whose value is a list; meaningless where no document says so."""
        return term(MARKS, list_mark(self.path))

    def unseen(self) -> Query:
        """Return the query for the documents that have a value of which the server knows nothing."""
        if self.nested:
            return NONE  # marks lie at the document, not at its nested objects
        parts = [terms(MARKS, [long_mark(self.path), kept_mark(self.path)])] if self.marked else []
        if self.keyword and self.keyword != self.path and self.longest is not None:
            parts.append(all_of([self._has(self.path), none_of(self._has(self.keyword))]))
        return any_of(parts)

    def _indexed(self) -> Query:
        if self.kind == "number":
            return self._has((self.reals or self.integers or Numbers(self.path, 0, 0)).path)
        if self.apart:
            return {"nested": {"path": self.path, "query": ALL}}
        if self.kind == "object" and "*" in self.path:
            return any_of(leaf.exists() for leaf in self.leaves)
        return self._has(self.path)

    def _has(self, path: str) -> Query:
        if "*" not in path:
            return {"exists": {"field": path}}
        # There the star would stand for other fields too.
        if self.kind == "boolean":
            return terms(path, [True, False])
        if self.kind == "number":
            return between(path, gte=-_LARGEST)
        if self.kind == "date":
            return between(path, gte="0000-01-01", format="strict_date")
        return {"wildcard": {path: {"value": "*"}}}


class Fields:
    """The fields of an index, by the names that filters give them.

    :param properties: ``mappings.properties`` of the answer to ``GET index/_mapping``.

    >>> fields = Fields({"year": {"type": "long"}, "author": {"properties": {"name": {"type": "keyword"}}}})
    >>> fields.knows("meta.year"), fields.knows("author.name"), fields.knows("meta.lang")
    (True, True, False)
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._properties = properties
        self.marked = properties.get(MARKS, {}).get("type") == "keyword"
        """Whether documents say which of their values are lists or too long: see `mapping.marks`."""
        self._found: dict[str, Field] = {}

    @property
    def properties(self) -> Mapping[str, Any]:
        """The mapping's own words."""
        return self._properties

    @property
    def nested(self) -> set[str]:
        """The lists of objects that are mapped as ``nested``."""
        return {name for name, rule in self._properties.items() if rule.get("type") == "nested"}

    def named(self, name: str) -> Field:
        """Return a field by the name that filters give it."""
        return self.find(field_path(name))

    def knows(self, name: str) -> bool:
        """Return whether the mapping has the field: if it hasn't, no document had it when the mapping was read."""
        return self.find(field_path(name)).kind != "missing"

    def find(self, path: FieldPath) -> Field:
        """Return a field.

        :param path: as `field_path` returns it.

        >>> Fields({"year": {"type": "long"}}).find(("meta", "year")).kind
        'number'
        """
        place = server_path(path)
        if place not in self._found:
            self._found[place] = self._find(place)
        return self._found[place]

    def _find(self, place: str) -> Field:
        properties, nested, steps = self._properties, None, place.split(".")
        for index, step in enumerate(steps):
            if not isinstance(rule := properties.get(step), Mapping):
                if place == "id":  # an index of someone else may have the documents' ids as their address only
                    return Field(place, "string", keyword="_id", values=False)
                return Field(place, "missing", nested, marked=self.marked and nested is None)
            if rule.get("type") == "alias":
                return self._find(str(rule["path"]))
            if index == len(steps) - 1:
                return self._field(place, rule, nested)
            if rule.get("type") == "nested":
                nested = ".".join(steps[: index + 1])
            properties = rule.get("properties", {})
        raise AssertionError("a path has at least one step")  # pragma: no cover

    def _field(self, place: str, rule: Mapping[str, Any], nested: str | None) -> Field:
        kind = _KINDS.get(rule.get("type", "object"), "other")
        if rule.get("enabled") is False or (rule.get("index") is False and kind != "other"):
            kind = "other"
        ignores = place if rule.get("ignore_malformed") else None
        field = Field(place, kind, nested, marked=self.marked and nested is None, ignores=ignores)
        inner: Mapping[str, Mapping[str, Any]] = rule.get("fields", {})
        if kind == "object":
            leaves = tuple(
                self._field(f"{place}.{key}", each, nested) for key, each in rule.get("properties", {}).items()
            )
            return replace(field, leaves=leaves, apart=rule.get("type") == "nested")
        if kind in ("string", "text"):
            return _with_strings(field, rule, inner)
        return _with_numbers(field, rule, inner) if kind == "number" else field


def server_path(path: FieldPath) -> str:
    """Return where a field lies in a document of the server.

    :param path: as `field_path` returns it.

    >>> server_path(("meta", "author", "name")), server_path(("id",)), server_path(("meta", "id"))
    ('author.name', 'id', 'meta.id')
    """
    if len(path) == 1:
        return path[0] if path[0] not in _RESERVED - _OWN_FIELDS else f"meta.{path[0]}"
    return ".".join(path if path[1] in _RESERVED else path[1:])


def _with_strings(field: Field, rule: Mapping[str, Any], inner: Mapping[str, Mapping[str, Any]]) -> Field:
    ways = [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in inner.items())]
    whole = [(path, each) for path, each in ways if _KINDS.get(each.get("type", "")) == "string" and _is_plain(each)]
    if not whole:
        return replace(field, kind="text")
    # The way that takes the longest strings.
    path, best = max(whole, key=lambda way: way[1].get("ignore_above", float("inf")))
    dates = [path for path, each in ways if each.get("type") == "date" and each.get("ignore_malformed")]
    return replace(
        field,
        kind="string",
        keyword=path,
        longest=best.get("ignore_above"),
        values=best["type"] == "keyword" and best.get("doc_values", True) is not False,
        dates=dates[0] if dates else None,
    )


def _is_plain(rule: Mapping[str, Any]) -> bool:
    return rule.get("index") is not False and not rule.get("normalizer")


def _with_numbers(field: Field, rule: Mapping[str, Any], inner: Mapping[str, Mapping[str, Any]]) -> Field:
    integers = reals = ignores = None
    for path, each in [(field.path, rule), *((f"{field.path}.{name}", each) for name, each in inner.items())]:
        numbers = _numbers(path, str(each.get("type")))
        if numbers is None or each.get("index") is False:
            continue
        if each["type"] in _INTEGERS:
            integers = integers or numbers
        elif reals is None:
            reals = numbers
            ignores = path if each.get("ignore_malformed") else None
    return replace(field, integers=integers, reals=reals, ignores=ignores if reals else field.ignores)


def _numbers(path: str, type_name: str) -> Numbers | None:
    if type_name in _REALS:
        return Numbers(path, -_REALS[type_name], _REALS[type_name])
    if type_name == "unsigned_long":
        return Numbers(path, 0, 2**64 - 1)
    bits = _INTEGERS.get(type_name)
    return None if bits is None else Numbers(path, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
