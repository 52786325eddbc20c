"""What every converter does around the conversion: read sources, merge metadata, report what can't be read."""

import io
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

from spaniel.components.converters._documents import document_of
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText
from spaniel.text.decoding import decode, open_text

logger = logging.getLogger(__name__)

T = TypeVar("T")
Source = str | Path | ByteStream
Meta = dict[str, Any] | list[dict[str, Any]] | None
UTF_8 = "utf-8-sig"  # the default: tried first, then declared and guessed encodings


def convert_sources(
    sources: Sequence[Source],
    meta: Meta,
    convert: Callable[[str], ConvertedText],
    *,
    encoding: str | None,
    store_full_path: bool,
) -> list[Document]:
    """Return one document a source of text that can be read; the others are reported as warnings.

    :param sources: paths, or the content of files.
    :param meta: for all documents, or one a source; it wins over the source's own.
    :param convert: makes plain text of the decoded content.
    :param encoding: of the sources; a source's ``meta["encoding"]`` wins. None and UTF-8 mean: find out.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :raises ValueError: `meta` is a list of another length than `sources`, or neither list nor dictionary.
    """

    def converted(stream: ByteStream, shown: str) -> ConvertedText:
        return convert(_text(stream, stream.meta.get("encoding", encoding), shown))

    return _documents(sources, meta, converted, store_full_path)


def convert_binary_sources(
    sources: Sequence[Source],
    meta: Meta,
    convert: Callable[[bytes, str], ConvertedText],
    *,
    store_full_path: bool,
) -> list[Document]:
    """Return one document a source that can be read, as `convert_sources` does.

    :param convert: makes plain text of the bytes; it is also given the name of the source, for errors.
    """
    return _documents(sources, meta, lambda stream, shown: convert(stream.data, shown), store_full_path)


def _documents(
    sources: Sequence[Source],
    meta: Meta,
    convert: Callable[[ByteStream, str], ConvertedText],
    store_full_path: bool,
) -> list[Document]:
    read = each_source(sources, meta, convert, store_full_path=store_full_path)
    return [document_of(converted, path, meta=own) for converted, path, own in read]


def each_source(
    sources: Sequence[Source],
    meta: Meta,
    convert: Callable[[ByteStream, str], T],
    *,
    store_full_path: bool,
) -> Iterator[tuple[T, str | None, dict[str, Any]]]:
    """Yield what is made of each source that can be read, its path, and its metadata; the others are reported.

    :param convert: is given the source's content, and what to call it in an error.
    """
    for source, extra in zip(sources, _metas(meta, len(sources)), strict=True):
        shown = str(source if isinstance(source, str | Path) else source.meta.get("file_path", "the byte stream"))
        try:
            stream = _stream(source)
            result = convert(stream, shown)
        except (OSError, ConversionError, UnicodeError, LookupError) as error:
            logger.warning("Could not read %s. Skipping it. Error: %s", shown, error)
            continue
        own = copy_value(stream.meta)
        if not store_full_path and (path := own.get("file_path")):
            own["file_path"] = Path(path).name
        yield result, _path_of(source, stream), {**own, **copy_value(extra)}


def _metas(meta: Meta, count: int) -> list[dict[str, Any]]:
    if meta is None:
        return [{}] * count
    if isinstance(meta, dict):
        return [meta] * count
    if not isinstance(meta, list):
        raise ValueError(
            f"meta must be either None, a dictionary or a list of dictionaries. It is {type(meta).__name__}."
        )
    if len(meta) != count:
        raise ValueError(f"The length of the metadata list ({len(meta)}) must match the number of sources ({count}).")
    return meta


def _stream(source: Source) -> ByteStream:
    if isinstance(source, ByteStream):
        return source
    return ByteStream.from_file_path(source, meta={"file_path": str(source)})


def _text(stream: ByteStream, encoding: str | None, shown: str) -> str:
    if encoding is None or is_to_be_found(encoding):
        return decode(stream.data, shown)
    text = stream.data.decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def text_of(stream: ByteStream, encoding: str | None, shown: str) -> TextIO:
    """Return a source as text to be read line by line, its line ends as they are.

    :param encoding: None and UTF-8 mean: find out. The source's ``meta["encoding"]`` wins.
    :raises ConversionError: it is binary.
    """
    encoding = stream.meta.get("encoding", encoding)
    if encoding is None or is_to_be_found(encoding):
        return open_text(io.BytesIO(stream.data), shown)
    return io.StringIO(stream.data.decode(encoding).removeprefix("\ufeff"), newline="")


def whole_text(stream: ByteStream, encoding: str | None, shown: str) -> str:
    """Return the text of a source, as `text_of` reads it; damaged characters are U+FFFD."""
    return text_of(stream, encoding, shown).read().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_to_be_found(encoding: str | None) -> bool:
    """Return whether an encoding means: find out."""
    return encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", UTF_8)


def _path_of(source: Source, stream: ByteStream) -> str | None:
    """Return the address of a source: its path, below the working folder or as a bare name."""
    given = (
        stream.meta.get("path") or stream.meta.get("file_path") or (None if isinstance(source, ByteStream) else source)
    )
    if given is None:
        return None
    path = Path(given)
    if path.is_absolute():
        return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.name
    return path.as_posix()
