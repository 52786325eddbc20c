"""The base class of splitters, and the validation of their input."""

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document


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


def validate_documents(component: object, documents: list[Document]) -> None:
    """Check that the input of a component is a list of documents."""
    if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
        raise TypeError(f"{type(component).__name__} expects a List of Documents as input.")


def validate_contents(component: object, documents: list[Document]) -> None:
    """Check that documents have text."""
    name = type(component).__name__
    for document in documents:
        if document.content is None:
            raise ValueError(
                f"{name} only works with text documents but content for document ID {document.id} is None."
            )
        if not isinstance(document.content, str):
            raise TypeError(f"{name} only works with text documents (str content).")
