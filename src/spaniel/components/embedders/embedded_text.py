"""The texts that embedders give to their models."""

from collections.abc import Sequence

from spaniel.dataclasses import Document


def check_text(text: object, embedder: str) -> None:
    """Raise TypeError unless the input of a text embedder is a text."""
    if not isinstance(text, str):
        other = embedder.replace("Text", "Document")
        raise TypeError(f"{embedder} expects a string, not {type(text).__name__}. Use {other} for documents.")


def check_documents(documents: object, embedder: str) -> None:
    """Raise TypeError unless the input of a document embedder is a list of documents."""
    if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
        other = embedder.replace("Document", "Text")
        raise TypeError(f"{embedder} expects a list of Documents. Use {other} for a string.")


def prepare_texts(
    documents: Sequence[Document], keys: Sequence[str], separator: str, prefix: str, suffix: str
) -> list[str]:
    """Return the texts to embed: values of metadata, then the content.

    :param keys: the metadata keys whose values come first; a missing value is left out.

    >>> prepare_texts([Document(content="in Rome", meta={"title": "Pizza"})], ["title", "year"], " | ", "", ".")
    ['Pizza | in Rome.']
    """
    texts = []
    for document in documents:
        values = [document.meta.get(key) for key in keys]
        parts = [str(value) for value in values if value is not None]
        texts.append(prefix + separator.join([*parts, document.content or ""]) + suffix)
    return texts
