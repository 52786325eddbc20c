"""Serialisation, validation and optional packages of splitters and cleaners."""

from importlib.util import find_spec
from typing import ClassVar, Self

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.component import component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject


class CallableParameters(Serializable):
    """A component with parameters that may be functions, which are serialised by name."""

    _callable_parameters: ClassVar[tuple[str, ...]] = ()
    _encoding_parameters: ClassVar[tuple[str, ...]] = ()
    """Those that may also be the name of an encoding, which has no dot."""

    def _init_parameters(self) -> JsonObject:
        parameters = super()._init_parameters()
        for name in self._callable_parameters:
            value = parameters.get(name)
            if callable(value) and not hasattr(value, "to_dict"):
                parameters[name] = serialize_callable(value)
        return parameters

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the component that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or a function's module is not allowed
            (see `spaniel.core.serialization.allow_deserialization_module`).
        """
        parameters = dict(data.get("init_parameters") or {})
        for name in cls._callable_parameters:
            value = parameters.get(name)
            if isinstance(value, str) and ("." in value or name not in cls._encoding_parameters):
                parameters[name] = deserialize_callable(value)
        return default_from_dict(cls, {**data, "init_parameters": parameters})


class TextSplitter(Serializable):
    """A component that splits documents with text into chunks."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the chunks of each document, in order.

        :param documents: documents with text; they are not changed.
        :returns: ``{"documents": [...]}``. The chunks share nothing mutable with the input.
        :raises TypeError: the input is not a list of documents.
        :raises ValueError: a document's content is None.
        """
        self._validate(documents)
        return {"documents": [chunk for document in documents for chunk in self._split(document)]}

    def _validate(self, documents: list[Document]) -> None:
        validate_documents(self, documents)
        validate_contents(self, documents)

    def _split(self, document: Document) -> list[Document]:
        """Return the chunks of a document."""
        raise NotImplementedError


def require_package(module: str, extra: str) -> None:
    """Check that an optional package is installed.

    :param module: the name of its module.
    :param extra: the extra of Spaniel that installs it.
    :raises ImportError: it is not; the message has the command that installs it.

    >>> require_package("json", "none")
    """
    if find_spec(module) is None:
        raise ImportError(
            f"The module '{module}' is required here and not installed. Install it with: pip install 'spaniel[{extra}]'"
        )


def validate_documents(component: object, documents: list[Document]) -> None:
    """Check that the input of a component is a list of documents.

    :raises TypeError: it is not.
    """
    if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
        raise TypeError(f"{type(component).__name__} expects a List of Documents as input.")


def validate_contents(component: object, documents: list[Document]) -> None:
    """Check that documents have text.

    :raises ValueError: the content of a document is None.
    :raises TypeError: it is not a string.
    """
    name = type(component).__name__
    for document in documents:
        if document.content is None:
            raise ValueError(
                f"{name} only works with text documents but content for document ID {document.id} is None."
            )
        if not isinstance(document.content, str):
            raise TypeError(f"{name} only works with text documents (str content).")
