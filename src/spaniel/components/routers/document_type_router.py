"""Routing of documents by MIME type."""

import os
from pathlib import Path

from spaniel.components.routers.mime_types import MimeTypes
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

_UNCLASSIFIED = "unclassified"


@component
class DocumentTypeRouter(Serializable):
    """Routes documents by MIME type, which is in their metadata or derived from the path there.

    :param mime_types: the outputs: MIME types, or regular expressions for them, such as
        ``audio/.*``. The first match counts.
    :param mime_type_meta_field: the metadata key of the MIME type.
    :param file_path_meta_field: the metadata key of a path, for documents without a MIME type.
    :param additional_mimetypes: extensions by MIME type, such as ``{"application/x-notes":
        ".notes"}``.
    :raises ValueError: `mime_types` is empty, or contains ``unclassified`` or an invalid regular
        expression, or neither key is given.

    >>> router = DocumentTypeRouter(mime_types=["text/plain"], file_path_meta_field="path")
    >>> routed = router.run([Document(id="a", meta={"path": "a.txt"}), Document(id="b", meta={"path": "b.pdf"})])
    >>> {output: [document.id for document in documents] for output, documents in routed.items()}
    {'text/plain': ['a'], 'unclassified': ['b']}
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        mime_types: list[str],
        mime_type_meta_field: str | None = None,
        file_path_meta_field: str | None = None,
        additional_mimetypes: dict[str, str] | None = None,
    ) -> None:
        self._types = MimeTypes(mime_types, additional_mimetypes, reserved=[_UNCLASSIFIED])
        if mime_type_meta_field is None and file_path_meta_field is None:
            raise ValueError(
                "At least one of 'mime_type_meta_field' or 'file_path_meta_field' must be provided: the MIME type of a "
                "document is read from its metadata."
            )
        self.mime_types = copy_value(mime_types)
        self.mime_type_meta_field = mime_type_meta_field
        self.file_path_meta_field = file_path_meta_field
        self.additional_mimetypes = copy_value(additional_mimetypes)
        component.set_output_types(self, **dict.fromkeys([_UNCLASSIFIED, *mime_types], list[Document]))

    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the documents under the matching MIME type, or under ``unclassified``.

        Empty outputs are left out.

        :param documents: the documents.
        """
        routed: dict[str, list[Document]] = {}
        for document in documents:
            output = self._types.match(self._find_mime_type(document)) or _UNCLASSIFIED
            routed.setdefault(output, []).append(document)
        return routed

    def _find_mime_type(self, document: Document) -> object:
        mime_type = None if self.mime_type_meta_field is None else document.meta.get(self.mime_type_meta_field)
        path = None if self.file_path_meta_field is None else document.meta.get(self.file_path_meta_field)
        if mime_type is None and path and isinstance(path, str | os.PathLike):
            return self._types.guess(Path(path))
        return mime_type
