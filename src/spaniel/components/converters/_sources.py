"""Sources of converters: paths and byte streams, their metadata and their text."""

import io
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeAlias, TypeVar

from spaniel.components.converters.utils import normalize_metadata
from spaniel.dataclasses import ByteStream
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.json_types import Meta
from spaniel.text.decoding import decode, open_text

logger = logging.getLogger(__name__)

T = TypeVar("T")
Source: TypeAlias = str | Path | ByteStream
SourceMeta: TypeAlias = Meta | list[Meta] | None
"""Metadata of all sources, or a dictionary for each source."""

UTF_8 = "utf-8-sig"
"""The default encoding: UTF-8 is tried first, then declared and guessed encodings."""

_DETECTED = ("utf-8", "utf8", UTF_8)


@dataclass(frozen=True)
class SourceFile:
    """A source that was read; its declared encoding takes precedence over a converter's."""

    data: bytes
    name: str
    path: str | None
    meta: Meta
    declared_encoding: str | None

    def decode(self, encoding: str | None) -> str:
        r"""Return the text with ``\n`` as line end."""
        if (encoding := self._choose_encoding(encoding)) is None:
            return decode(self.data, self.name)
        text = self.data.decode(encoding)
        return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")

    def open_text(self, encoding: str | None) -> TextIO:
        """Return the text as a file with unchanged line ends."""
        if (encoding := self._choose_encoding(encoding)) is None:
            return open_text(io.BytesIO(self.data), self.name)
        return io.StringIO(self.data.decode(encoding).removeprefix("\ufeff"), newline="")

    def read_text(self, encoding: str | None) -> str:
        """Return the text with unchanged line ends; damaged characters become U+FFFD."""
        return self.open_text(encoding).read().encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def _choose_encoding(self, encoding: str | None) -> str | None:
        chosen = self.declared_encoding or encoding
        return None if chosen is None or chosen.lower().replace("_", "-") in _DETECTED else chosen


def convert_each(
    sources: list[Source], meta: SourceMeta, convert: Callable[[SourceFile], T], *, store_full_path: bool
) -> Iterator[tuple[SourceFile, T]]:
    """Yield each source with its conversion. Unreadable sources are skipped with a warning."""
    for source, extra in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
        name = str(source if isinstance(source, str | Path) else source.meta.get("file_path", "the byte stream"))
        try:
            file = _read_source(source, name, extra, store_full_path=store_full_path)
            result = convert(file)
        except (OSError, ConversionError, UnicodeError, LookupError) as error:
            logger.warning("Could not read %s. Skipping it. Error: %s", name, error)
        else:
            yield file, result


def _read_source(source: Source, name: str, extra: Meta, *, store_full_path: bool) -> SourceFile:
    if not isinstance(source, ByteStream):
        source = ByteStream.from_file_path(source, meta={"file_path": str(source)})
    meta = copy_value(source.meta)
    given = meta.get("path") or meta.get("file_path")
    if not store_full_path and meta.get("file_path"):
        meta["file_path"] = Path(meta["file_path"]).name
    path = _relative_path(Path(given)) if given else None
    return SourceFile(source.data, name, path, {**meta, **copy_value(extra)}, source.meta.get("encoding"))


def _relative_path(path: Path) -> str:
    if path.is_absolute():
        return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.name
    return path.as_posix()
