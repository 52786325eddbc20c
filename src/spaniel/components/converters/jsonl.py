"""Files of JSON lines as documents."""

from collections.abc import Iterable
from functools import partial

from spaniel.components.converters._file_converter import UTF_8, FileConverter, SourceFile
from spaniel.components.converters._rows import jsonl_rows, log_bad_row, row_documents
from spaniel.core.component import component
from spaniel.dataclasses import Document


@component
class JSONLToDocument(FileConverter):
    r"""Converts the lines of JSONL files (JSON lines, NDJSON) to documents.

    The text is the first of ``content``, ``text`` and ``body`` in a line, the id ``id`` or ``_id``.
    The entries of ``meta`` or ``metadata``, if it is a dictionary, and all other fields are the
    metadata, with their types. Metadata given to `run` takes precedence over that of a line.

    :param text_field: the field of the text.
    :param id_field: the field of the id.
    :param encoding: encoding of the files; the default detects it. ``meta["encoding"]`` of a source
        takes precedence.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.

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

    def _convert(self, source: SourceFile) -> Iterable[Document]:
        report = partial(log_bad_row, source.name)
        rows = jsonl_rows(source.open_text(self.encoding), report)
        return row_documents(
            rows, source.path, report, text_field=self.text_field, id_field=self.id_field, meta=source.meta
        )
