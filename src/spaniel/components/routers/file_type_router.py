"""Routing of files by MIME type."""

import logging
from dataclasses import replace
from pathlib import Path

from spaniel.components.converters.utils import normalize_metadata
from spaniel.components.routers.mime_types import MimeTypes
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import Meta

logger = logging.getLogger(__name__)

_UNCLASSIFIED, _FAILED = "unclassified", "failed"


@component
class FileTypeRouter(Serializable):
    """Routes files by MIME type: that of a byte stream, or that of a path's extension.

    :param mime_types: the outputs: MIME types, or regular expressions for them, such as
        ``audio/.*``. The first match counts.
    :param additional_mimetypes: extensions by MIME type, such as ``{"application/x-notes":
        ".notes"}``.
    :param raise_on_failure: raise an error for a file that can't be read, instead of routing it to
        ``failed``.
    :raises ValueError: `mime_types` is empty, or contains ``unclassified``, ``failed`` or an
        invalid regular expression.

    >>> page = ByteStream.from_string("<p>Hello</p>", mime_type="text/html")
    >>> song = ByteStream(b"...", mime_type="audio/mpeg")
    >>> list(FileTypeRouter(["text/html", "image/.*"]).run([page, song]))
    ['text/html', 'unclassified']
    """

    def __init__(
        self, mime_types: list[str], additional_mimetypes: dict[str, str] | None = None, raise_on_failure: bool = False
    ) -> None:
        self._types = MimeTypes(mime_types, additional_mimetypes, reserved=[_UNCLASSIFIED, _FAILED])
        self.mime_types = copy_value(mime_types)
        self.additional_mimetypes = copy_value(additional_mimetypes)
        self.raise_on_failure = raise_on_failure
        # With strings, since converters take strings too and an output must be connectable to them.
        component.set_output_types(
            self, **dict.fromkeys([_UNCLASSIFIED, _FAILED, *mime_types], list[str | Path | ByteStream])
        )

    def run(
        self, sources: list[str | Path | ByteStream], meta: Meta | list[Meta] | None = None
    ) -> dict[str, list[ByteStream | Path]]:
        """Return the files under the matching MIME type, or under ``unclassified`` or ``failed``.

        Empty outputs are left out.

        :param sources: file paths or byte streams.
        :param meta: metadata of all files, or a dictionary for each file; a file with metadata
            becomes a byte stream.
        :raises TypeError: a source is neither a path nor a byte stream.
        :raises ValueError: `meta` is a list of another length than `sources`, or neither list nor
            dictionary.
        :raises OSError: a file can't be read, and `raise_on_failure` is set.
        """
        routed: dict[str, list[ByteStream | Path]] = {}
        for source, extra in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            output, routed_source = self._route(source, extra)
            routed.setdefault(output, []).append(routed_source)
        return routed

    def _route(self, source: str | Path | ByteStream, meta: Meta) -> tuple[str, ByteStream | Path]:
        source = Path(source) if isinstance(source, str) else source
        if not isinstance(source, Path | ByteStream):
            raise TypeError(f"Unsupported data source type: {type(source).__name__}. Give a path or a ByteStream.")
        mime_type = self._types.guess(source) if isinstance(source, Path) else source.mime_type
        output = self._types.match(mime_type) or _UNCLASSIFIED
        try:
            if isinstance(source, Path) and not source.exists():
                raise FileNotFoundError(f"File not found: {source}")
            return output, _add_meta(source, meta) if meta else source
        except OSError as error:
            if self.raise_on_failure:
                raise
            logger.warning("Could not read %s. Skipping it. Error: %s", source, error)
            return _FAILED, source


def _add_meta(source: Path | ByteStream, meta: Meta) -> ByteStream:
    if isinstance(source, Path):
        source = ByteStream.from_file_path(source, meta={"file_path": str(source)})
    return replace(source, meta={**source.meta, **copy_value(meta)})
