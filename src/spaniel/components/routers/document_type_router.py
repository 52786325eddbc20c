"""Documents by MIME type."""

import os
from pathlib import Path

from spaniel.components.routers.mime_types import MimeTypes
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

_REST = "unclassified"


@component
class DocumentTypeRouter(Serializable):
    """Returns documents by their MIME type, which stands in their metadata or follows from the path there.

    :param mime_types: the outputs: MIME types, or regular expressions for them, such as ``audio/.*``. The first that fits
        counts.
    :param mime_type_meta_field: the metadata key of the MIME type.
    :param file_path_meta_field: the metadata key of a path, for documents without a MIME type.
    :param additional_mimetypes: extensions by MIME type, such as ``{"application/x-notes": ".notes"}``.
    :raises ValueError: there is no MIME type, one is named ``unclassified`` or is no regular expression, or neither key is
        given.

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
        self._types = MimeTypes(mime_types, additional_mimetypes, reserved=[_REST])
        if mime_type_meta_field is None and file_path_meta_field is None:
            raise ValueError(
                "At least one of 'mime_type_meta_field' or 'file_path_meta_field' must be provided: the MIME type of a "
                "document is read from its metadata."
            )
        self.mime_types = copy_value(mime_types)
        self.mime_type_meta_field = mime_type_meta_field
        self.file_path_meta_field = file_path_meta_field
        self.additional_mimetypes = copy_value(additional_mimetypes)
        component.set_output_types(self, **dict.fromkeys([_REST, *mime_types], list[Document]))

    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the documents under the MIME type that fits, or under ``unclassified``; outputs without any are left out.

        :param documents: what to route.
        """
        routed: dict[str, list[Document]] = {}
        for document in documents:
            output = self._types.fitting(self._mime_type(document)) or _REST
            routed.setdefault(output, []).append(document)
        return routed

    def _mime_type(self, document: Document) -> object:
        mime_type = None if self.mime_type_meta_field is None else document.meta.get(self.mime_type_meta_field)
        path = None if self.file_path_meta_field is None else document.meta.get(self.file_path_meta_field)
        if mime_type is None and path and isinstance(path, str | os.PathLike):
            return self._types.of_path(Path(path))
        return mime_type
