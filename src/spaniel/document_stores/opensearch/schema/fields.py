"""The fields of an index by the names that filters use, derived from its mapping."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema import rules
from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.mapping import MARKS
from spaniel.filters.field import FieldPath, field_path

_OWN_FIELDS = frozenset(Document.__dataclass_fields__)
# `Document.to_dict` leaves these under "meta".
_RESERVED = _OWN_FIELDS | {"content_type", "id_hash_keys", "dataframe"}


class Fields:
    """The fields of an index, by the names that filters use.

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
        conservative: bool = False,
        content: str = CONTENT,
    ) -> None:
        self.properties = properties
        self.marked = properties.get(MARKS, {}).get("type") == "keyword"
        """True if documents have marks: see `build_marks`."""
        self._content = content
        self._root = {"dynamic": dynamic, "enabled": enabled}
        self._conservative = conservative  # any field may hold a value that the index hides
        self._copy_targets = rules.copy_targets(properties)
        self._cache: dict[str, Field] = {}

    @classmethod
    def of(cls, mappings: Iterable[rules.Rule], content: str = CONTENT) -> "Fields":
        """Return the fields that all indices of an alias have in common."""
        root = rules.merge_mappings(list(mappings))
        return cls(root.get("properties", {}), root.get("dynamic", True), root.get("enabled", True), content=content)

    def conservative(self) -> "Fields":
        """Return the same fields for a filter that selects documents to delete or change."""
        return Fields(self.properties, **self._root, conservative=True, content=self._content)

    def includes(self, other: "Fields") -> bool:
        """Return True if each field of another mapping is here, with the same type."""
        own = self.properties
        return all(name in own and own[name].get("type") == rule.get("type") for name, rule in other.properties.items())

    @property
    def hides_unmapped(self) -> bool:
        """True if documents may have fields without a rule in the mapping."""
        return self._root["enabled"] is False or rules.hides_unmapped(self._root["dynamic"])

    @property
    def nested(self) -> set[str]:
        """The lists of objects that are mapped as ``nested``."""
        return {name for name, rule in self.properties.items() if rule.get("type") == "nested"}

    @property
    def id_order(self) -> str:
        """The field to sort by id."""
        return self.get("id").keyword or "_id"

    def get(self, name: str) -> Field:
        """Return a field by the name that filters use."""
        return self.find(field_path(name))

    def knows(self, name: str) -> bool:
        """Return True if the mapping has the field."""
        return self.get(name).mapped

    def find(self, path: FieldPath) -> Field:
        """Return a field.

        >>> Fields({"year": {"type": "long"}}).find(("meta", "year")).kind
        'number'
        """
        place = server_path(path, self._content)
        if place not in self._cache:
            self._cache[place] = self._find(place)
        return self._cache[place]

    def text_path(self, name: str) -> str | None:
        """Return the path to search the words of a field, which may be a sub-field, or None.

        >>> Fields({"body": {"type": "keyword", "fields": {"words": {"type": "text"}}}}).text_path("body")
        'body.words'
        """
        path, rule = name, self._rule(name)
        if rule.get("type") == "alias":
            path = str(rule["path"])
            rule = self._rule(path)
        ways = [(path, rule), *((f"{path}.{key}", each) for key, each in rule.get("fields", {}).items())]
        return next((way for way, each in ways if rules.is_text(each)), None)

    def has_search_analyzer(self, path: str) -> bool:
        """Return True if queries are analyzed differently than documents."""
        rule = self._rule(path)
        return "search_analyzer" in rule or bool({"synonyms", "index_prefixes"} & rule.keys())

    def type_of(self, name: str) -> str | None:
        """Return the type of a field beside the metadata, or None if the mapping lacks it.

        >>> Fields({"embedding": {"type": "knn_vector", "dimension": 3}}).type_of("embedding")
        'knn_vector'
        """
        rule = self._rule(name)
        return str(rule.get("type", "object")) if rule else None

    def alias_target(self, path: FieldPath) -> str | None:
        """Return the path behind an alias, or None for another field."""
        rule = self._rule(server_path(path, self._content))
        return str(rule["path"]) if rule.get("type") == "alias" else None

    def _rule(self, place: str) -> rules.Rule:
        rule: rules.Rule = {"properties": self.properties}
        for step in place.split("."):
            rule = rule.get("properties", {}).get(step, {})
        return rule

    def _find(self, place: str) -> Field:
        rule: rules.Rule = {**self._root, "properties": self.properties}
        nested, dynamic, steps = None, self._root["dynamic"], place.split(".")
        for index, step in enumerate(steps):
            if not rules.is_object(rule):
                return self._field_without_rule(place, nested, hidden=not rules.rejects_objects(rule))
            dynamic = rule.get("dynamic", dynamic)
            inner = rule.get("properties", {}).get(step)
            if rule.get("enabled") is False or not isinstance(inner, Mapping):
                if place == "id":  # other software may store ids only as `_id`
                    return Field(place, "string", mapped=False, keyword="_id", readable=False)
                return self._field_without_rule(
                    place, nested, hidden=rule.get("enabled") is False or rules.hides_unmapped(dynamic)
                )
            rule = inner
            if rule.get("type") == "alias":
                return self._find(str(rule["path"]))
            if rule.get("type") == "nested" and index < len(steps) - 1:
                nested = ".".join(steps[: index + 1])
        return self._field(place, rule, nested, dynamic)

    def _field_without_rule(self, place: str, nested: str | None, *, hidden: bool) -> Field:
        if hidden:
            return Field(place, "other", "hidden", mapped=False, nested_path=nested)
        return Field(place, "missing", mapped=False, nested_path=nested, marked=self.marked and nested is None)

    def _field(self, place: str, rule: rules.Rule, nested: str | None, dynamic: object) -> Field:
        kind, presence = rules.KINDS.get(rule.get("type", "object"), "other"), rules.presence_of(rule)
        if "null_value" in rule or place in self._copy_targets:  # the index may show a value that the document lacks
            presence = "hidden"
        if presence == "hidden" or (kind != "object" and rule.get("index") is False):
            kind = "other"
        if kind == "other" and presence == "shown" and "ignore_above" in rule:
            presence = "partly"
        marked = self.marked and nested is None
        ignored = place if kind in ("number", "date") or rule.get("ignore_malformed") else None
        unreliable = self._conservative or not self.marked
        drops = unreliable and not marked and kind == "string" and "ignore_above" in rule
        field = Field(
            place, kind, presence, nested_path=nested, marked=marked, ignored_path=ignored, may_drop_long=drops
        )
        if kind == "object":
            is_nested, below = rule.get("type") == "nested", rule.get("dynamic", dynamic)
            children = tuple(
                self._field(f"{place}.{key}", each, nested, below) for key, each in rule.get("properties", {}).items()
            )
            # An object that is empty, or holds only hidden fields, is not shown.
            return replace(field, children=children, is_nested=is_nested, presence="shown" if is_nested else "partly")
        if presence == "shown" and rule.get("ignore_malformed") and unreliable:
            field = replace(field, presence="partly")  # an object in its place is neither indexed nor recorded
        subfields: Mapping[str, rules.Rule] = rule.get("fields", {})
        if kind in ("string", "text"):
            return rules.locate_strings(field, rule, subfields)
        if kind == "number":
            return rules.locate_numbers(field, rule, subfields)
        return replace(field, readable=rule.get("doc_values") is not False)


def server_path(path: FieldPath, content: str = CONTENT) -> str:
    """Return the path of a field in the stored form of a document.

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
