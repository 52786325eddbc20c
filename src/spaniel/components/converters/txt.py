"""Text files as documents."""

from pathlib import Path
from typing import Any

from spaniel.components.converters._sources import UTF_8, convert_sources
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.text.plain_text import convert_plain as convert_text

__all__ = ["TextFileToDocument", "convert_text"]


@component
class TextFileToDocument(Serializable):
    r"""Makes a document of each text file: the text as it is, with its headings and links in the metadata.

    :param encoding: of the files. The default finds out what a file that is not UTF-8 is in. A source's
        ``meta["encoding"]`` wins.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = TextFileToDocument().run([ByteStream.from_string("Guide\n=====\n")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n=====\n', [[1, 'Guide', 0]])
    """

    def __init__(self, encoding: str = UTF_8, store_full_path: bool = False) -> None:
        self.encoding = encoding
        self.store_full_path = store_full_path

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Return a document for each source that can be read; the others are reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`.
        """
        documents = convert_sources(
            sources, meta, convert_text, encoding=self.encoding, store_full_path=self.store_full_path
        )
        return {"documents": documents}
