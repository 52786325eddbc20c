"""Documents by their metadata."""

from typing import Any, Self

from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.core.type_names import build_type_parameter, serialize_type
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import FilterError
from spaniel.filters import matches, parse_filter
from spaniel.filters.parse import Filter

_REST = "unmatched"


@component
class MetadataRouter(Serializable):
    """Returns documents, or byte streams, by the filters that they pass: under every rule that they match.

    :param rules: filters by the name of their output. They are checked whole when the router is built.
    :param output_type: the type of every output.
    :param strict_datetime_comparison: a date without a time zone never compares to one with a zone. Else it takes the
        other's zone.
    :raises ValueError: a rule is named ``unmatched``, or is no filter (`FilterError`).

    >>> router = MetadataRouter({"german": {"field": "meta.lang", "operator": "==", "value": "de"}})
    >>> routed = router.run([Document(content="Hallo", meta={"lang": "de"}), Document(content="Hello")])
    >>> {output: [document.content for document in documents] for output, documents in routed.items()}
    {'german': ['Hallo'], 'unmatched': ['Hello']}
    """

    _own_options = frozenset()

    def __init__(
        self,
        rules: dict[str, dict[str, Any]],
        output_type: Any = list[Document],
        *,
        strict_datetime_comparison: bool = False,
    ) -> None:
        if _REST in rules:
            raise ValueError(f"No rule can be named '{_REST}': that is the output for what no rule matches. Rename it.")
        self._filters = {name: _parsed(name, rule) for name, rule in rules.items()}
        self.rules = copy_value(rules)
        self.output_type = output_type
        self.strict_datetime_comparison = strict_datetime_comparison
        component.set_output_types(self, **dict.fromkeys([_REST, *rules], output_type))

    def run(self, documents: list[Document] | list[ByteStream]) -> dict[str, list[Document] | list[ByteStream]]:
        """Return the documents under the name of each rule that they match; those that match none under ``unmatched``.

        :param documents: documents or byte streams.
        """
        routed: dict[str, list[Any]] = {name: [] for name in (*self._filters, _REST)}
        for document in documents:
            names = [name for name, rule in self._filters.items() if self._matches(rule, document)]
            for name in names or [_REST]:
                routed[name].append(document)
        return routed

    def _matches(self, rule: Filter, document: Document | ByteStream) -> bool:
        return matches(rule, document, strict_datetime_comparison=self.strict_datetime_comparison)

    def _init_parameters(self) -> dict[str, Any]:
        return {**super()._init_parameters(), "output_type": serialize_type(self.output_type)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the router that `to_dict` wrote.

        :raises DeserializationError: the rules are missing, or the type of the outputs is not known.
        """
        return default_from_dict(cls, build_type_parameter(data, "output_type"))


def _parsed(name: str, rule: dict[str, Any]) -> Filter:
    try:
        return parse_filter(rule)
    except FilterError as error:
        raise FilterError(f"The rule '{name}' is no filter: {error}") from error
