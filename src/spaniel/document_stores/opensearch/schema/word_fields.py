"""The fields of an index in which words are searched, as its mapping records them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spaniel.document_stores.embedded.indexing import FILE_NAME, STANDARD, WORD_ANALYZERS
from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.fields import server_path
from spaniel.document_stores.opensearch.schema.mapping import DATE, KEYWORD, LAYOUT
from spaniel.document_stores.opensearch.schema.word_analysis import has_stems, make_analysis, make_word_fields
from spaniel.errors import DocumentStoreError
from spaniel.filters.field import field_path
from spaniel.json_types import JsonObject

AUTO = "auto"
_WORDS, _META, _TEMPLATE = "words", "spaniel", "words of "
_NO_LANGUAGES = frozenset({AUTO, "code"})

WordPaths = list[tuple[str, float]]
"""The paths of fields, with their weights."""


@dataclass(frozen=True)
class WordFields:
    """The searched fields of an index.

    :param analyzer: ``auto``, or a language of `WORD_ANALYZERS`.
    :param weights: metadata keys that are searched with the text, and their weights.
    :param languages: of the stems; ``auto`` adds those of the texts that are written.
    :param content: the field with the text of documents.
    """

    analyzer: str
    weights: Mapping[str, float]
    languages: tuple[str, ...] = ()
    content: str = CONTENT

    @classmethod
    def make(cls, analyzer: str, weights: Mapping[str, float], content: str = CONTENT) -> "WordFields | None":
        """Return the searched fields of a new index; None for the analyzer ``standard``.

        :raises DocumentStoreError: a cluster has no such analyzer, or can't have such a weight.
        """
        if analyzer == STANDARD and not weights:
            return None
        if analyzer not in WORD_ANALYZERS:
            raise DocumentStoreError(
                f"On a cluster the analyzer must be one of {', '.join(WORD_ANALYZERS)}, or standard without fields, got {analyzer!r}."
            )
        if low := {key: weight for key, weight in weights.items() if weight < 1}:
            raise DocumentStoreError(f"On a cluster the weights of fields must be at least 1, got {low}.")
        return cls(analyzer, dict(weights), () if analyzer in _NO_LANGUAGES else (analyzer,), content)

    @classmethod
    def read(cls, mappings: Sequence[Mapping[str, Any]], content: str = CONTENT) -> "WordFields | None":
        """Return the searched fields that all indexes of a name have in common, or None."""
        found = {repr(notes): notes for each in mappings for notes in [_read_notes(each)]}
        if len(found) != 1 or not (notes := next(iter(found.values()))):
            return None
        return cls(notes["analyzer"], notes["fields"], tuple(notes["languages"]), content)

    def list_paths(self, language: str | None = None, field: str | None = None) -> WordPaths:
        """Return the fields with words as they are written, or with their stems.

        :param language: of the stems; None: as written.
        :param field: a searched key, or ``content``; None: all.
        """
        ending = "" if language is None else f"_{language}"
        content = self.content if language is None else f"{self.content}.{_WORDS}{ending}"
        paths = [(content, 1.0)] if field in (None, CONTENT) else []
        for key, weight in self.weights.items():
            if field in (None, key):
                paths += [(f"{place}.{name}{ending}", weight) for place, name in _list_places(key)]
        return paths

    def list_stem_languages(self) -> list[str]:
        """Return the languages of which the index has stems."""
        return [language for language in self.languages if has_stems(language)]

    def complete_mapping(self, mapping: JsonObject) -> JsonObject:
        """Return the mapping of a new index, with the searched fields."""
        properties = {**mapping["properties"], self.content: self._content_rule()}
        templates = [*self._templates(), *mapping.get("dynamic_templates", ())]
        return {**mapping, "_meta": self._notes(), "dynamic_templates": templates, "properties": properties}

    def complete_settings(self, settings: JsonObject | None) -> JsonObject:
        """Return the settings of a new index, with its analyzers."""
        return {**(settings or {}), "analysis": make_analysis()}

    def add_languages(self, languages: Iterable[str]) -> "WordFields":
        """Return the fields with stems of further languages."""
        return replace(self, languages=tuple(dict.fromkeys([*self.languages, *languages])))

    def extend_mapping(self, mapping: Mapping[str, Any]) -> JsonObject:
        """Return the change of the mapping of an existing index that adds its missing languages."""
        others = [each for each in mapping.get("dynamic_templates", ()) if not next(iter(each)).startswith(_TEMPLATE)]
        change: JsonObject = {"properties": {self.content: self._content_rule()}}
        for key in self.weights:
            for place, name in _list_places(key):
                rule = _find_rule(mapping, place)
                if name in rule.get("fields", {}):
                    fields = {**rule["fields"], **self._subfields(name)}
                    _set_rule(change, mapping, place, {**rule, "fields": fields})
        return {**change, "_meta": self._notes(), "dynamic_templates": [*self._templates(), *others]}

    def _notes(self) -> JsonObject:
        words = {"analyzer": self.analyzer, "fields": dict(self.weights), "languages": list(self.languages)}
        return {_META: {"layout": LAYOUT, _WORDS: words}}

    def _content_rule(self) -> JsonObject:
        fields = {f"{_WORDS}_{language}": make_word_fields(language) for language in self.list_stem_languages()}
        return {**make_word_fields(None), **({"fields": fields} if fields else {})}

    def _subfields(self, name: str) -> JsonObject:
        languages = [None, *self.list_stem_languages()]
        return {
            name if language is None else f"{name}_{language}": make_word_fields(language, file_name=name == FILE_NAME)
            for language in languages
        }

    def _templates(self) -> list[JsonObject]:
        """Return the rules for searched keys, which hold until their first value maps them."""
        templates = []
        for key in self.weights:
            for place, name in _list_places(key):
                fields = self._subfields(name)
                for kind, more in {"string": {}, "date": {"date": DATE}}.items():
                    rule = {
                        "path_match": place,
                        "match_mapping_type": kind,
                        "mapping": {**KEYWORD, "fields": {**fields, **more}},
                    }
                    templates.append({f"{_TEMPLATE}{place} {kind}": rule})
        return templates


def _read_notes(mapping: Mapping[str, Any]) -> JsonObject:
    notes = mapping.get("_meta", {})
    words = notes.get(_META, {}) if isinstance(notes, Mapping) else {}
    found: JsonObject = words.get(_WORDS, {}) if isinstance(words, Mapping) else {}
    return found


def _list_places(key: str) -> list[tuple[str, str]]:
    """Return the fields with the text of a key, each with the name of its sub-field of words."""
    place = server_path(field_path(f"meta.{key.removeprefix('meta.')}"))
    return [(place, _WORDS), *([("path", FILE_NAME)] if key == FILE_NAME else [])]


def _find_rule(mapping: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    rule = mapping
    for step in place.split("."):
        rule = rule.get("properties", {}).get(step, {})
    return rule


def _set_rule(change: JsonObject, mapping: Mapping[str, Any], place: str, rule: JsonObject) -> None:
    *parents, last = place.split(".")
    for step in parents:
        mapping = mapping.get("properties", {}).get(step, {})
        nested = {"type": "nested"} if mapping.get("type") == "nested" else {}
        change = change.setdefault("properties", {}).setdefault(step, dict(nested))
    change.setdefault("properties", {})[last] = rule
