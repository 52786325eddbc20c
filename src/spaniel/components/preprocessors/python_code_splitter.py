"""Cuts Python code between its functions, methods and statements."""

import logging
from collections.abc import Iterator
from typing import Any

from spaniel.components.preprocessors.chunks import chunks_of_units
from spaniel.components.preprocessors.python_units import CodeUnit, code_units
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)


@component
class PythonCodeSplitter(Serializable):
    r"""Cuts Python code between its functions, methods and statements, so that a chunk reads like the file it is from.

    Neighbouring units are joined as long as the chunk comes closer to `max_effective_lines`. Length is counted in lines of
    `expected_chars_per_line` characters, begun ones too. A unit that is much longer is cut at line breaks, with an overlap, as
    the only one.

    Each chunk's metadata has ``source_id``, ``split_id``, ``start_line``, ``end_line``, ``unit_kinds``, and where there are any
    ``include_classes``, ``decorators`` and ``docstrings``. A piece of a unit that was too long has ``secondary_split``,
    ``secondary_split_index``, ``secondary_split_total`` and ``qualified_name``.

    :param min_effective_lines: a chunk that is shorter takes the next unit, whatever its length.
    :param max_effective_lines: the length that a chunk comes close to.
    :param expected_chars_per_line: how many characters make a line.
    :param oversized_factor: a unit longer than so many times `max_effective_lines` is cut at line breaks.
    :param strip_docstrings: take the docstrings of functions and classes out of the text; they come into ``docstrings``.
    :param preserve_class_definition: a chunk of methods without the head of their class begins with that: its decorators and
        its ``class`` lines.
    :param secondary_split_overlap: how many lines the pieces of such a unit share.
    :param secondary_split_length: how many lines such a piece has; None: `max_effective_lines`.
    :raises ValueError: a number that can't be.

    >>> code = "import os\n\n\ndef here():\n    return os.getcwd()\n\n\ndef there():\n    return os.sep\n"
    >>> splitter = PythonCodeSplitter(min_effective_lines=1, max_effective_lines=2)
    >>> chunks = splitter.run([Document(content=code)])["documents"]
    >>> [(chunk.meta["start_line"], chunk.meta["end_line"], chunk.meta["unit_kinds"]) for chunk in chunks]
    [(1, 5, ['imports', 'function']), (8, 9, ['function'])]
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        min_effective_lines: int = 20,
        max_effective_lines: int = 100,
        expected_chars_per_line: int = 45,
        oversized_factor: int = 3,
        strip_docstrings: bool = False,
        preserve_class_definition: bool = True,
        secondary_split_overlap: int = 5,
        secondary_split_length: int | None = None,
    ) -> None:
        at_least_one = {
            "min_effective_lines": min_effective_lines,
            "max_effective_lines": max_effective_lines,
            "expected_chars_per_line": expected_chars_per_line,
            "oversized_factor": oversized_factor,
            "secondary_split_length": secondary_split_length,
        }
        for name, number in at_least_one.items():
            if number is not None and number < 1:
                raise ValueError(f"{name} must be at least 1. It is {number}.")
        if min_effective_lines > max_effective_lines:
            raise ValueError(
                f"min_effective_lines must not be greater than max_effective_lines. They are {min_effective_lines} and "
                f"{max_effective_lines}."
            )
        if secondary_split_overlap < 0:
            raise ValueError(f"secondary_split_overlap must be non-negative. It is {secondary_split_overlap}.")
        self.min_effective_lines = min_effective_lines
        self.max_effective_lines = max_effective_lines
        self.expected_chars_per_line = expected_chars_per_line
        self.oversized_factor = oversized_factor
        self.strip_docstrings = strip_docstrings
        self.preserve_class_definition = preserve_class_definition
        self.secondary_split_overlap = secondary_split_overlap
        self.secondary_split_length = secondary_split_length

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the chunks of each document in turn, under ``documents``.

        :param documents: documents of Python code. It is parsed, never run. Those without text are left out, with a warning.
        :raises ValueError: a document's content is None.
        :raises TypeError: a document's content is no string.
        :raises SyntaxError: a document is no Python.
        """
        for document in documents:
            _check_content(document)
        chunks: list[Document] = []
        for document in documents:
            source = document.content or ""
            if source.strip():
                chunks.extend(self._split(document, source))
            else:
                logger.warning("The document %s has no text.", document.id)
        return {"documents": chunks}

    def _split(self, document: Document, source: str) -> list[Document]:
        try:
            units_of_source = code_units(source, take_docstrings=self.strip_docstrings)
        except Exception as error:
            error.add_note(f"PythonCodeSplitter: this is in the document {document.id}.")
            raise
        chunks: list[Document] = []
        for units in self._joined(units_of_source):
            meta = self._meta(document, units)
            if self._is_oversized(units[0]):
                chunks.extend(self._pieces(units[0], meta, len(chunks)))
            else:
                meta["split_id"] = len(chunks)
                chunks.append(Document(content=self._text(units), meta=meta))
        return chunks

    def _lines(self, unit: CodeUnit) -> int:
        return -(-len(unit.text) // self.expected_chars_per_line)

    def _is_oversized(self, unit: CodeUnit) -> bool:
        return self._lines(unit) > self.oversized_factor * self.max_effective_lines

    def _joined(self, units: list[CodeUnit]) -> Iterator[list[CodeUnit]]:
        """Yield the units of each chunk; one that is too long is alone."""
        chunk: list[CodeUnit] = []
        length = 0
        for unit in units:
            more = self._lines(unit)
            oversized = self._is_oversized(unit)
            if chunk and (oversized or not self._fits(length, more)):
                yield chunk
                chunk, length = [], 0
            if oversized:
                yield [unit]
            else:
                chunk.append(unit)
                length += more
        if chunk:
            yield chunk

    def _fits(self, length: int, more: int) -> bool:
        missing = self.max_effective_lines - length
        return length < self.min_effective_lines or abs(missing - more) < abs(missing)

    def _meta(self, document: Document, units: list[CodeUnit]) -> dict[str, Any]:
        # The order of the keys is part of the ids.
        meta = {key: copy_value(value) for key, value in document.meta.items() if key != "split_id"}
        meta.update(
            source_id=document.id,
            start_line=units[0].start_line,
            end_line=units[-1].end_line,
            unit_kinds=[unit.kind for unit in units],
        )
        classes = dict.fromkeys(unit.class_name for unit in units if unit.class_name)
        decorators = dict.fromkeys(decorator for unit in units for decorator in unit.decorators)
        docstrings = [unit.docstring for unit in units if unit.docstring]
        for key, values in (("include_classes", classes), ("decorators", decorators), ("docstrings", docstrings)):
            if values:
                meta[key] = list(values)
        return meta

    def _text(self, units: list[CodeUnit]) -> str:
        heads: dict[str | None, str] = {}
        if self.preserve_class_definition:
            headed = {unit.class_name for unit in units if unit.kind in ("class", "class_header")}
            heads = {unit.class_name: unit.class_lines for unit in units if unit.class_name not in headed}
        return "".join((*heads.values(), *(unit.text for unit in units)))

    def _pieces(self, unit: CodeUnit, meta: dict[str, Any], first_id: int) -> list[Document]:
        name = unit.name or unit.kind
        qualified_name = f"{unit.class_name}.{name}" if unit.class_name and unit.name else name
        logger.warning(
            "Oversized %s '%s' in the lines %s to %s (%s effective lines) is cut at line breaks: more than %s times "
            "max_effective_lines, %s.",
            unit.kind,
            qualified_name,
            unit.start_line,
            unit.end_line,
            self._lines(unit),
            self.oversized_factor,
            self.max_effective_lines,
        )
        length = self.secondary_split_length or self.max_effective_lines
        pieces = chunks_of_units(
            unit.text, "line", length=length, overlap=min(self.secondary_split_overlap, length - 1)
        )
        documents = []
        for index, piece in enumerate(pieces):
            own = copy_value(meta)
            own.update(
                secondary_split=True,
                secondary_split_index=index,
                secondary_split_total=len(pieces),
                qualified_name=qualified_name,
            )
            document = Document(content=piece.text, meta=own)
            document.meta["split_id"] = first_id + index  # after the id is made, as in Haystack
            documents.append(document)
        return documents


def _check_content(document: Document) -> None:
    if document.content is None:
        raise ValueError(
            f"PythonCodeSplitter only works with text documents but content for document ID {document.id} is None."
        )
    if not isinstance(document.content, str):
        raise TypeError("PythonCodeSplitter only works with text documents (str content).")
