"""Routing of documents by metadata."""

from typing import Any

from spaniel.core.component import component
from spaniel.core.type_names import TypeParameter
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import FilterError
from spaniel.filters import matches, parse_filter
from spaniel.filters.parse import Filter
from spaniel.json_types import Filters

_UNMATCHED = "unmatched"


@component
class MetadataRouter(TypeParameter):
    """Routes documents, or byte streams, to the output of every filter that they match.

    :param rules: filters by the name of their output; they are validated by the constructor.
    :param output_type: the type of every output.
    :param strict_datetime_comparison: never match dates without a time zone against dates with one.
        Else the former take the zone of the latter.
    :raises ValueError: a rule is named ``unmatched``, or is not a filter (`FilterError`).

    >>> router = MetadataRouter({"german": {"field": "meta.lang", "operator": "==", "value": "de"}})
    >>> routed = router.run([Document(content="Hallo", meta={"lang": "de"}), Document(content="Hello")])
    >>> {output: [document.content for document in documents] for output, documents in routed.items()}
    {'german': ['Hallo'], 'unmatched': ['Hello']}
    """

    _own_options = frozenset()

    _type_parameter = "output_type"

    def __init__(
        self, rules: dict[str, Filters], output_type: Any = list[Document], *, strict_datetime_comparison: bool = False
    ) -> None:
        if _UNMATCHED in rules:
            raise ValueError(f"No rule can be named '{_UNMATCHED}', the output of items without a match. Rename it.")
        self._filters = {name: _parse_rule(name, rule) for name, rule in rules.items()}
        self.rules = copy_value(rules)
        self.output_type = output_type
        self.strict_datetime_comparison = strict_datetime_comparison
        component.set_output_types(self, **dict.fromkeys([_UNMATCHED, *rules], output_type))

    def run(self, documents: list[Document] | list[ByteStream]) -> dict[str, list[Document] | list[ByteStream]]:
        """Return the documents under the name of each matching rule, or under ``unmatched``.

        :param documents: documents or byte streams.
        """
        routed: dict[str, list[Any]] = {name: [] for name in (*self._filters, _UNMATCHED)}
        for document in documents:
            names = [name for name, rule in self._filters.items() if self._matches(rule, document)]
            for name in names or [_UNMATCHED]:
                routed[name].append(document)
        return routed

    def _matches(self, rule: Filter, document: Document | ByteStream) -> bool:
        return matches(rule, document, strict_datetime_comparison=self.strict_datetime_comparison)


def _parse_rule(name: str, rule: Filters) -> Filter:
    try:
        return parse_filter(rule)
    except FilterError as error:
        raise FilterError(f"The rule '{name}' is not a filter: {error}") from error
