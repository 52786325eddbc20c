"""Routing of documents by the length of their text."""

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document


@component
class DocumentLengthRouter(Serializable):
    """Separates documents with little text, such as scanned pages, from the others.

    :param threshold: the maximum number of characters of a short document. A document without text
        is always short.

    >>> routed = DocumentLengthRouter(threshold=10).run([Document(content="Short"), Document(content="Much longer text")])
    >>> [document.content for document in routed["short_documents"]]
    ['Short']
    """

    _own_options = frozenset()

    def __init__(self, *, threshold: int = 10) -> None:
        self.threshold = threshold

    @component.output_types(short_documents=list[Document], long_documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return ``short_documents`` and ``long_documents``.

        :param documents: the documents.
        """
        routed: dict[str, list[Document]] = {"short_documents": [], "long_documents": []}
        for document in documents:
            short = document.content is None or len(document.content) <= self.threshold
            routed["short_documents" if short else "long_documents"].append(document)
        return routed
