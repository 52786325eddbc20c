"""Files of JSON lines, one document a line."""

from pathlib import Path
from typing import Any

from spaniel.components.converters._rows import Report, Row, jsonl_rows, reporting, row_documents
from spaniel.components.converters._sources import UTF_8, each_source, text_of
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document


@component
class JSONLToDocument(Serializable):
    r"""Makes a document of each line of JSONL files (JSON lines, NDJSON).

    The text is the first of ``content``, ``text`` and ``body`` that is there, the id ``id`` or ``_id``. A dictionary
    ``meta`` or ``metadata`` and all other fields are the metadata; their types stay.

    :param text_field: the field that is the text.
    :param id_field: the field that is the id.
    :param encoding: of the files. The default finds out what a file that is not UTF-8 is in. A source's
        ``meta["encoding"]`` wins.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string('{"id": 7, "text": "Dogs bark.", "year": 2024}\n')
    >>> document = JSONLToDocument().run([source])["documents"][0]
    >>> document.id, document.content, document.meta
    ('7', 'Dogs bark.', {'year': 2024})
    """

    def __init__(
        self,
        text_field: str | None = None,
        id_field: str | None = None,
        encoding: str = UTF_8,
        store_full_path: bool = False,
    ) -> None:
        self.text_field = text_field
        self.id_field = id_field
        self.encoding = encoding
        self.store_full_path = store_full_path

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Return a document for each line; lines and sources that can't be read are reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source; it wins over that of the rows.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`.
        """
        documents: list[Document] = []
        for (rows, report), path, own in each_source(sources, meta, self._rows, store_full_path=self.store_full_path):
            documents += row_documents(
                iter(rows), path, report, text_field=self.text_field, id_field=self.id_field, meta=own
            )
        return {"documents": documents}

    def _rows(self, stream: ByteStream, shown: str) -> tuple[list[Row], Report]:
        report = reporting(shown)
        return list(jsonl_rows(text_of(stream, self.encoding, shown), report)), report
