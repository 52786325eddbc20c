"""The two steps from a file to its documents: conversion to text, and division into passages.

Between them the links of all files are resolved, so that each file is read and converted once.
"""

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from spaniel.components.converters._file_converter import build_document
from spaniel.components.converters.files import convert_with_labels, holds_rows
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.knowledge_base.file_limits import OutOfTimeError
from spaniel.knowledge_base.file_links import FileLinks
from spaniel.knowledge_base.indexed_file import IndexedFile
from spaniel.knowledge_base.text_language import label_language, recognise_language
from spaniel.text.converted_text import ConvertedText
from spaniel.text.link_resolver import LinkResolver


@dataclass(frozen=True)
class FileSource:
    """A file to convert.

    :param path: in the knowledge base.
    :param place: on disk.
    :param kind: the suffix whose converter reads it; None: its own.
    :param size: in bytes.
    """

    path: str
    place: Path
    kind: str | None
    size: int

    @property
    def holds_rows(self) -> bool:
        """True if each of its rows is a document."""
        return holds_rows(self.path, kind=self.kind)


@dataclass(frozen=True)
class ConvertedFile:
    """A file that was converted.

    :param path: in the knowledge base.
    :param file: its version, without its root and links.
    :param labels: addresses in it that other files may link to, by name.
    :param text: its text and structure; pickled if it comes from another process.
    :param size: in bytes, as text.
    """

    path: str
    file: IndexedFile
    labels: dict[str, str]
    text: ConvertedText | bytes
    size: int


@dataclass(frozen=True)
class SplitFile:
    """The documents of a file.

    :param file: its version.
    :param tree: its documents, root first; empty for a file without text.
    :param warnings: of its converter.
    """

    file: IndexedFile
    tree: list[Document]
    warnings: list[str]


@dataclass(frozen=True)
class Failure:
    """A file that could not be read.

    :param path: in the knowledge base.
    :param reason: for the report.
    """

    path: str
    reason: str


Outcome: TypeAlias = ConvertedFile | SplitFile | Failure


class FileSteps:
    """The steps, and their resolver of links.

    :param splitter: divides the text of a file.
    :param packs: pickle texts, for the way to another process.
    """

    def __init__(self, splitter: SectionSplitter, *, packs: bool = False) -> None:
        self.resolver = LinkResolver()
        self._splitter = splitter
        self._packs = packs

    def run(self, argument: FileSource | ConvertedFile) -> Outcome:
        """Execute the next step of a file; any error in it is the failure of the file."""
        try:
            return self.convert(argument) if isinstance(argument, FileSource) else self.split(argument)
        except (KeyboardInterrupt, OutOfTimeError):
            raise
        except BaseException as error:  # noqa: BLE001 (any, a panic of Rust too)
            return Failure(argument.path, describe_error(error, argument.path))

    def convert(self, source: FileSource) -> ConvertedFile:
        """Read a file once, and return its text and labels."""
        file, data = IndexedFile.read(source.place, source.kind)
        text, list_labels = convert_with_labels(data, source.path, kind=source.kind)
        packed = pickle.dumps(text, pickle.HIGHEST_PROTOCOL) if self._packs else text
        size = len(packed) if isinstance(packed, bytes) else len(text.text)
        return ConvertedFile(source.path, file, list_labels(), packed, size)

    def split(self, converted: ConvertedFile) -> SplitFile:
        """Return the documents of a converted file, with links resolved by `resolver`."""
        text = converted.text
        if isinstance(text, bytes):
            text = pickle.loads(text)  # noqa: S301 (from a process of this run)
        warnings: list[str] = []
        root = build_document(text, converted.path, resolver=self.resolver, report=warnings.append)
        tree = self._splitter.run([root])["documents"] if (root.content or "").strip() else []
        label_language(tree, recognise_language(root.content or ""))
        links = FileLinks.resolve(converted.path, text, converted.labels, self.resolver)
        file = replace(
            converted.file,
            root_id=tree[0].id if tree else "",
            broken_links=len(tree[0].meta.get("broken_links", ())) if tree else 0,
            links=links.pack(),
            title=tree[0].meta.get("title") if tree else None,
        )
        return SplitFile(file.with_passages(tree), tree, warnings)


def describe_error(error: BaseException, path: str) -> str:
    """Return the reason why a file could not be read.

    >>> describe_error(ConversionError("a.md: is binary, not text."), "a.md"), describe_error(KeyError("x"), "a.md")
    ('is binary, not text.', "an error in its converter: KeyError: 'x'")
    """
    if isinstance(error, ConversionError):
        return str(error).removeprefix(path).lstrip(" :")
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if isinstance(error, MemoryError):
        return "needs more memory than is allowed or there is; --max-memory (`max_memory`) allows more"
    message = " ".join(f"{type(error).__name__}: {error}".split())
    return f"an error in its converter: {message[:300].rstrip(': ')}"
