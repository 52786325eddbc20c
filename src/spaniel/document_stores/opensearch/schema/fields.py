"""The fields of an index by the names that filters give them, as its mapping has them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.mapping import MARKS
from spaniel.document_stores.opensearch.schema.rules import (
    KINDS,
    TEXTS,
    hides_unmapped,
    is_object,
    merged,
    presence_of,
    refuses_objects,
    takes_copies,
    with_numbers,
    with_strings,
)
from spaniel.filters.field import FieldPath, field_path

# What `Document.to_dict` leaves under "meta", as it is no key beside a document's own fields.
_OWN_FIELDS = frozenset(Document.__dataclass_fields__)
_RESERVED = _OWN_FIELDS | {"content_type", "id_hash_keys", "dataframe"}


class Fields:
    """The fields of an index, by the names that filters give them.

    :param properties: ``mappings.properties`` of the answer to ``GET index/_mapping``.
    :param dynamic: ``mappings.dynamic``: what happens with fields that the mapping does not name.
    :param enabled: ``mappings.enabled``: whether documents are indexed at all.
    :param content: the field for the text of documents.
    :param wary: whether a value of an unusual type, which the index does not show, counts as possible in every field.

    >>> fields = Fields({"year": {"type": "long"}, "author": {"properties": {"name": {"type": "keyword"}}}})
    >>> fields.knows("meta.year"), fields.knows("author.name"), fields.knows("meta.lang")
    (True, True, False)
    """

    def __init__(
        self,
        properties: Mapping[str, Any],
        dynamic: object = True,
        enabled: object = True,
        *,
        wary: bool = False,
        content: str = CONTENT,
    ) -> None:
        self._properties = properties
        self._content = content
        self._root = {"dynamic": dynamic, "enabled": enabled}
        self._wary = wary
        self._copied = takes_copies(properties)
        self.marked = properties.get(MARKS, {}).get("type") == "keyword"
        """Whether documents say which of their values are lists or too long: see `mapping.marks`."""
        self._found: dict[str, Field] = {}

    @classmethod
    def of(cls, mappings: Iterable[Mapping[str, Any]], content: str = CONTENT) -> "Fields":
        """Return the fields of one or several indices under one name.

        :param mappings: the ``mappings`` of each.
        :param content: the field for the text of documents.
        """
        root = merged(list(mappings))
        return cls(root.get("properties", {}), root.get("dynamic", True), root.get("enabled", True), content=content)

    def wary(self) -> "Fields":
        """Return the same fields for a filter that decides what is deleted or changed."""
        return Fields(self._properties, **self._root, wary=True, content=self._content)

    @property
    def properties(self) -> Mapping[str, Any]:
        """The mapping's own words."""
        return self._properties

    def has_all_of(self, other: "Fields") -> bool:
        """Return whether each field of another mapping is here, of the same type."""
        own = self._properties
        return all(name in own and own[name].get("type") == rule.get("type") for name, rule in other.properties.items())

    @property
    def hides_unmapped(self) -> bool:
        """Whether documents may have fields beside the mapping's."""
        return self._root["enabled"] is False or hides_unmapped(self._root["dynamic"])

    @property
    def nested(self) -> set[str]:
        """The lists of objects that are mapped as ``nested``."""
        return {name for name, rule in self._properties.items() if rule.get("type") == "nested"}

    def named(self, name: str) -> Field:
        """Return a field by the name that filters give it."""
        return self.find(field_path(name))

    def knows(self, name: str) -> bool:
        """Return whether the mapping has the field."""
        return self.find(field_path(name)).mapped

    def find(self, path: FieldPath) -> Field:
        """Return a field.

        :param path: as `field_path` returns it.

        >>> Fields({"year": {"type": "long"}}).find(("meta", "year")).kind
        'number'
        """
        place = server_path(path, self._content)
        if place not in self._found:
            self._found[place] = self._find(place)
        return self._found[place]

    def text_path(self, name: str) -> str | None:
        """Return the path of the words of a field, which may lie in a field inside it; None: they are not indexed.

        >>> Fields({"body": {"type": "keyword", "fields": {"words": {"type": "text"}}}}).text_path("body")
        'body.words'
        """
        path, rule = name, self._rule(name)
        if rule.get("type") == "alias":
            path = str(rule["path"])
            rule = self._rule(path)
        ways = [(path, rule), *((f"{path}.{key}", each) for key, each in rule.get("fields", {}).items())]
        return next((way for way, each in ways if each.get("type") in TEXTS and each.get("index") is not False), None)

    def has_search_analyzer(self, path: str) -> bool:
        """Return whether the words of a query are made by another analyzer than those of documents."""
        rule = self._rule(path)
        return "search_analyzer" in rule or bool({"synonyms", "index_prefixes"} & rule.keys())

    def type_of(self, name: str) -> str | None:
        """Return the type of a field that lies beside the metadata; None: the mapping lacks it.

        >>> Fields({"embedding": {"type": "knn_vector", "dimension": 3}}).type_of("embedding")
        'knn_vector'
        """
        rule = self._rule(name)
        return str(rule.get("type", "object")) if rule else None

    def alias_target(self, path: FieldPath) -> str | None:
        """Return the path that a field stands for, if it is an alias."""
        rule = self._rule(server_path(path, self._content))
        return str(rule["path"]) if rule.get("type") == "alias" else None

    def _rule(self, place: str) -> Mapping[str, Any]:
        rule: Mapping[str, Any] = {"properties": self._properties}
        for step in place.split("."):
            rule = rule.get("properties", {}).get(step, {})
        return rule

    def _find(self, place: str) -> Field:
        rule: Mapping[str, Any] = {**self._root, "properties": self._properties}
        nested, dynamic, steps = None, self._root["dynamic"], place.split(".")
        for index, step in enumerate(steps):
            if not is_object(rule):
                return self._unmapped(place, nested, hidden=not refuses_objects(rule))
            dynamic = rule.get("dynamic", dynamic)
            inner = rule.get("properties", {}).get(step)
            if rule.get("enabled") is False or not isinstance(inner, Mapping):
                if place == "id":  # an index of someone else may have the documents' ids as their address only
                    return Field(place, "string", mapped=False, keyword="_id", values=False)
                return self._unmapped(place, nested, hidden=rule.get("enabled") is False or hides_unmapped(dynamic))
            rule = inner
            if rule.get("type") == "alias":
                return self._find(str(rule["path"]))
            if rule.get("type") == "nested" and index < len(steps) - 1:
                nested = ".".join(steps[: index + 1])
        return self._field(place, rule, nested, dynamic)

    def _unmapped(self, place: str, nested: str | None, *, hidden: bool) -> Field:
        if hidden:
            return Field(place, "other", "hidden", mapped=False, nested=nested)
        return Field(place, "missing", mapped=False, nested=nested, marked=self.marked and nested is None)

    def _field(self, place: str, rule: Mapping[str, Any], nested: str | None, dynamic: object) -> Field:
        kind, presence = KINDS.get(rule.get("type", "object"), "other"), presence_of(rule)
        if "null_value" in rule or place in self._copied:  # the index may show a value that the document lacks
            presence = "hidden"
        if presence == "hidden" or (kind != "object" and rule.get("index") is False):
            kind = "other"
        if kind == "other" and presence == "shown" and "ignore_above" in rule:
            presence = "partly"
        marked = self.marked and nested is None
        ignores = place if kind in ("number", "date") or rule.get("ignore_malformed") else None
        doubtful = not marked and (self._wary or not self.marked)
        drops = doubtful and kind == "string" and "ignore_above" in rule
        field = Field(place, kind, presence, nested=nested, marked=marked, ignores=ignores, drops_long=drops)
        inner: Mapping[str, Mapping[str, Any]] = rule.get("fields", {})
        if kind == "object":
            apart, below = rule.get("type") == "nested", rule.get("dynamic", dynamic)
            leaves = tuple(
                self._field(f"{place}.{key}", each, nested, below) for key, each in rule.get("properties", {}).items()
            )
            # An object that holds nothing, or only what is not indexed, is not shown.
            return replace(field, leaves=leaves, apart=apart, presence="shown" if apart else "partly")
        if presence == "shown" and rule.get("ignore_malformed") and (self._wary or not self.marked):
            field = replace(field, presence="partly")  # an object in its place is neither indexed nor noted
        if kind in ("string", "text"):
            return with_strings(field, rule, inner)
        values = rule.get("doc_values") is not False
        return with_numbers(field, rule, inner) if kind == "number" else replace(field, values=values)


def server_path(path: FieldPath, content: str = CONTENT) -> str:
    """Return where a field lies in a document of the server.

    :param path: as `field_path` returns it.
    :param content: the field for the text of documents.

    >>> server_path(("meta", "author", "name")), server_path(("id",)), server_path(("meta", "id"))
    ('author.name', 'id', 'meta.id')
    """
    if path == (CONTENT,):
        return content
    if len(path) == 1 and path[0] != content:
        return path[0] if path[0] not in _RESERVED - _OWN_FIELDS else f"meta.{path[0]}"
    if len(path) == 1:
        path = ("meta", *path)
    return ".".join(path if path[1] in _RESERVED or path[1] == content else path[1:])
