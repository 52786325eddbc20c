"""Base classes of converters, their sources, and the document of a converted file."""

import io
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, TextIO, TypeAlias, TypeVar

from spaniel.components.converters.utils import normalize_metadata
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.json_types import Meta
from spaniel.text.converted_text import ConvertedText
from spaniel.text.decoding import decode, open_text
from spaniel.text.link_resolver import LinkResolver

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

    def decode(self, encoding: str | None, *, is_page: bool = False) -> str:
        r"""Return the text with ``\n`` as line end; an HTML page may declare its encoding."""
        if (encoding := self._choose_encoding(encoding)) is None:
            return decode(self.data, self.name, is_page=is_page)
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
    sources: list[Source], meta: SourceMeta, convert: Callable[[SourceFile], T], store_full_path: bool
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


class FileConverter(Serializable, ABC):
    """Base of the components that convert files to documents by `_convert`."""

    store_full_path: bool

    @component.output_types(documents=list[Document])
    def run(self, sources: list[Source], meta: SourceMeta = None) -> dict[str, list[Document]]:
        """Convert files to documents. Files that cannot be read are skipped with a warning.

        :param sources: file paths or byte streams.
        :param meta: metadata of all documents, or a dictionary for each source; it takes precedence
            over the source's own.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or neither list nor
            dictionary.
        """
        converted = convert_each(sources, meta, lambda source: list(self._convert(source)), self.store_full_path)
        return {"documents": [document for _, documents in converted for document in documents]}

    @abstractmethod
    def _convert(self, source: SourceFile) -> Iterable[Document]:
        """Return the documents of a file, or raise a `ConversionError`."""


class TextConverter(FileConverter):
    """Base of the components that convert a text file to a document."""

    encoding: str | None
    _is_page = False

    def __init__(self, encoding: str = UTF_8, store_full_path: bool = False) -> None:
        self.encoding = encoding
        self.store_full_path = store_full_path

    def _convert(self, source: SourceFile) -> Iterable[Document]:
        converted = self._convert_text(source.decode(self.encoding, is_page=self._is_page))
        return [build_document(converted, source.path, meta=source.meta)]

    @abstractmethod
    def _convert_text(self, text: str) -> ConvertedText:
        """Return the plain text of a file and its structure."""


def build_document(
    converted: ConvertedText,
    path: str | None,
    *,
    resolver: LinkResolver | None = None,
    meta: Meta | None = None,
    report: Callable[[str], None] | None = None,
) -> Document:
    """Return the document of a whole file, input of `SectionSplitter`.

    Its metadata are ``path``, ``title`` (the file's own, else the first heading, else the file's
    name), ``headings`` (``[level, title, start]``), ``heading_slugs``, ``references`` (``[start,
    end, target, kind]`` with the kinds ``link``, ``url`` and ``broken``) and ``code_blocks``
    (``[start, end]``). They take precedence over the file's own fields. Two more do not count for
    its id: ``source_lines`` (``[start, first, last, verbatim]``, see `SourceLines`), and
    ``source_pages``, the number of pages of a file that has pages.
    """
    resolver = resolver or LinkResolver()
    own = meta or {}
    path = own.get("path", path)
    for problem in converted.problems:
        if report is None:
            logger.warning("%s: %s.", path or "The file", problem)
        else:
            report(problem)
    references = []
    anchors = converted.anchors
    for start, end, written in converted.references:
        for target in resolver.expand(written, path or ""):
            link = resolver.resolve(target, path or "", anchors)
            if link is not None and (path is not None or link.kind == "url"):
                references.append([start, end, link.target, link.kind])
    first_heading = converted.headings[0].title if converted.headings else None
    title = converted.title or first_heading or (PurePosixPath(path).name if path else None)
    structure = {
        **({} if path is None else {"path": path}),
        **({} if title is None else {"title": title}),
        "headings": [list(heading) for heading in converted.headings],
        "heading_slugs": list(converted.slugs),
        "references": references,
        "code_blocks": [list(span) for span in converted.code],
    }
    document = Document(content=converted.text, meta={**converted.meta, **structure, **own})
    if converted.source_lines:
        document.meta["source_lines"] = [list(block) for block in converted.source_lines]
    if converted.has_pages:
        document.meta["source_pages"] = converted.text.count("\f") + 1
    return document


def import_package(module: str, user: str) -> Any:
    """Return a module of the ``convert`` extra; the error of a missing one names its user."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ConversionError(
            f"{user} needs the package {module}, which is not installed. Run: pip install 'spaniel[convert]'"
        ) from error


@contextmanager
def translate_errors(name: str, kind: str) -> Iterator[None]:
    """Raise any error of a package that reads a damaged file as a `ConversionError`."""
    try:
        yield
    except ConversionError:
        raise
    except Exception as error:
        raise ConversionError(f"{name} can't be read as {kind}: {shorten_message(error)}.") from error


def shorten_message(error: Exception) -> str:
    """Return the message of an error as a short line, or the name of its type."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
