"""Aliases of JSON types for signatures."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Any JSON value: None, a boolean, a number, text, a list, or an object with text as keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: a request, an answer, the serialised form of a component."""

Meta: TypeAlias = dict[str, Any]
"""The metadata of a document: any JSON values, and dates, by key."""

Filters: TypeAlias = dict[str, Any]
"""A filter in Haystack's form (docs/filters.md); an empty filter matches every document."""
