"""Files by MIME type."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from spaniel.components.routers.mime_types import MimeTypes
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

_REST, _FAILED = "unclassified", "failed"


@component
class FileTypeRouter(Serializable):
    """Returns files by their MIME type: a path's follows from its extension, a byte stream has one.

    :param mime_types: the outputs: MIME types, or regular expressions for them, such as ``audio/.*``. The first that fits
        counts.
    :param additional_mimetypes: extensions by MIME type, such as ``{"application/x-notes": ".notes"}``.
    :param raise_on_failure: whether a file that can't be read is an error; else it goes to ``failed``.
    :raises ValueError: there is no MIME type, or one is named ``unclassified`` or ``failed`` or is no regular expression.

    >>> page = ByteStream.from_string("<p>Hello</p>", mime_type="text/html")
    >>> song = ByteStream(b"...", mime_type="audio/mpeg")
    >>> list(FileTypeRouter(["text/html", "image/.*"]).run([page, song]))
    ['text/html', 'unclassified']
    """

    def __init__(
        self, mime_types: list[str], additional_mimetypes: dict[str, str] | None = None, raise_on_failure: bool = False
    ) -> None:
        self._types = MimeTypes(mime_types, additional_mimetypes, reserved=[_REST, _FAILED])
        self.mime_types = copy_value(mime_types)
        self.additional_mimetypes = copy_value(additional_mimetypes)
        self.raise_on_failure = raise_on_failure
        # Converters take strings, too: so a list of paths and byte streams alone could not be connected to them.
        component.set_output_types(self, **dict.fromkeys([_REST, _FAILED, *mime_types], list[str | Path | ByteStream]))

    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[ByteStream | Path]]:
        """Return the files under the MIME type that fits, or under ``unclassified`` or ``failed``.

        Outputs without any are left out.

        :param sources: paths and byte streams.
        :param meta: metadata for all files, or one a file; a file that gets any becomes a byte stream.
        :raises TypeError: a source is neither.
        :raises ValueError: `meta` is a list of another length than `sources`, or neither list nor dictionary.
        :raises OSError: a file can't be read, and `raise_on_failure` is set.
        """
        routed: dict[str, list[ByteStream | Path]] = {}
        for source, extra in zip(sources, _metas(meta, len(sources)), strict=True):
            output, routed_source = self._route(_checked(source), extra)
            routed.setdefault(output, []).append(routed_source)
        return routed

    def _route(self, source: Path | ByteStream, meta: dict[str, Any]) -> tuple[str, ByteStream | Path]:
        mime_type = self._types.of_path(source) if isinstance(source, Path) else source.mime_type
        output = self._types.fitting(mime_type) or _REST
        try:
            if isinstance(source, Path) and not source.exists():
                raise FileNotFoundError(f"File not found: {source}")
            return output, _with_meta(source, meta) if meta else source
        except OSError as error:
            if self.raise_on_failure:
                raise
            logger.warning("Could not read %s. Skipping it. Error: %s", source, error)
            return _FAILED, source


def _checked(source: object) -> Path | ByteStream:
    if isinstance(source, str):
        return Path(source)
    if not isinstance(source, Path | ByteStream):
        raise TypeError(f"Unsupported data source type: {type(source).__name__}. Give a path or a ByteStream.")
    return source


def _metas(meta: object, count: int) -> list[dict[str, Any]]:
    if meta is None or isinstance(meta, dict):
        return [meta or {}] * count
    if not isinstance(meta, list):
        raise ValueError(
            f"meta must be either None, a dictionary or a list of dictionaries. It is {type(meta).__name__}."
        )
    if len(meta) != count:
        raise ValueError(f"The length of the metadata list ({len(meta)}) must match the number of sources ({count}).")
    return meta


def _with_meta(source: Path | ByteStream, meta: dict[str, Any]) -> ByteStream:
    """Return a source with more metadata; the caller's own stream stays as it is."""
    if isinstance(source, Path):
        source = ByteStream.from_file_path(source, meta={"file_path": str(source)})
    return replace(source, meta={**source.meta, **copy_value(meta)})
