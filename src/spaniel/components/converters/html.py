"""HTML files as documents."""

from pathlib import Path
from typing import Any

from spaniel.components.converters._html_text import convert_html
from spaniel.components.converters._sources import convert_sources
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value

__all__ = ["HTMLToDocument", "convert_html"]


@component
class HTMLToDocument(Serializable):
    r"""Makes a document of each HTML file: plain text, with its headings and links in the metadata.

    :param extraction_kwargs: Trafilatura's options in Haystack; Spaniel does not use it, so only an empty value is taken.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :param encoding: of the files; None finds out. A source's ``meta["encoding"]`` wins.
    :raises ValueError: `extraction_kwargs` holds options.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = HTMLToDocument().run([ByteStream.from_string("<h1>Guide</h1><p>See <b>this</b>.")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n\nSee this.', [[1, 'Guide', 0]])
    """

    def __init__(
        self,
        extraction_kwargs: dict[str, Any] | None = None,
        store_full_path: bool = False,
        encoding: str | None = None,
    ) -> None:
        _refuse(extraction_kwargs)
        self.extraction_kwargs = copy_value(extraction_kwargs or {})
        self.store_full_path = store_full_path
        self.encoding = encoding

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
        extraction_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """Return a document for each source that can be read; the others are reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source.
        :param extraction_kwargs: only an empty value is taken.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or `extraction_kwargs` holds options.
        """
        _refuse(extraction_kwargs)
        documents = convert_sources(
            sources, meta, convert_html, encoding=self.encoding, store_full_path=self.store_full_path
        )
        return {"documents": documents}


def _refuse(extraction_kwargs: dict[str, Any] | None) -> None:
    if extraction_kwargs:
        raise ValueError(
            f"extraction_kwargs are options of Trafilatura, which Spaniel does not use: leave out {sorted(extraction_kwargs)}."
        )
