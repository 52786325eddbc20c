"""Splits Python code between its functions, methods and statements."""

import logging
from collections.abc import Iterator

from spaniel.components.preprocessors.chunks import cut_units
from spaniel.components.preprocessors.python_units import CodeUnit, parse_code_units
from spaniel.components.preprocessors.text_splitter import TextSplitter, validate_contents
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import Meta

logger = logging.getLogger(__name__)


@component
class PythonCodeSplitter(TextSplitter):
    r"""Splits Python code between functions, methods and statements; a chunk reads like its file.

    Neighbouring units are joined while the chunk gets closer to `max_effective_lines`. Length is
    counted in lines of `expected_chars_per_line` characters, rounded up. A unit that is much longer
    is cut at line breaks, with an overlap. The code is parsed, never run; invalid Python raises a
    SyntaxError. Documents without text are omitted, with a warning.

    Each chunk's metadata has ``source_id``, ``split_id``, ``start_line``, ``end_line``,
    ``unit_kinds``, and if there are any ``include_classes``, ``decorators`` and ``docstrings``. A
    piece of a unit that was too long has ``secondary_split``, ``secondary_split_index``,
    ``secondary_split_total`` and ``qualified_name``.

    :param min_effective_lines: a shorter chunk takes the next unit, of any length.
    :param max_effective_lines: the target length of a chunk.
    :param expected_chars_per_line: the number of characters per line.
    :param oversized_factor: units above this multiple of `max_effective_lines` are cut.
    :param strip_docstrings: move docstrings of functions and classes from the text to the metadata.
    :param preserve_class_definition: begin a chunk of methods with the head of their class.
    :param secondary_split_overlap: the lines shared by the pieces of a unit cut at line breaks.
    :param secondary_split_length: the number of lines per such piece; None: `max_effective_lines`.
    :raises ValueError: an invalid number.

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
                raise ValueError(f"{name} must be at least 1, got {number}.")
        if min_effective_lines > max_effective_lines:
            raise ValueError(
                f"min_effective_lines must not be greater than max_effective_lines, got {min_effective_lines} and "
                f"{max_effective_lines}."
            )
        if secondary_split_overlap < 0:
            raise ValueError(f"secondary_split_overlap must be non-negative, got {secondary_split_overlap}.")
        self.min_effective_lines = min_effective_lines
        self.max_effective_lines = max_effective_lines
        self.expected_chars_per_line = expected_chars_per_line
        self.oversized_factor = oversized_factor
        self.strip_docstrings = strip_docstrings
        self.preserve_class_definition = preserve_class_definition
        self.secondary_split_overlap = secondary_split_overlap
        self.secondary_split_length = secondary_split_length

    def _validate(self, documents: list[Document]) -> None:
        validate_contents(self, documents)

    def _split(self, document: Document) -> list[Document]:
        source = document.content or ""
        if not source.strip():
            logger.warning("The document %s has no text.", document.id)
            return []
        try:
            source_units = parse_code_units(source, remove_docstrings=self.strip_docstrings)
        except Exception as error:
            error.add_note(f"PythonCodeSplitter: the error is in the document {document.id}.")
            raise
        chunks: list[Document] = []
        for units in self._join(source_units):
            meta = self._build_meta(document, units)
            if self._is_oversized(units[0]):
                chunks.extend(self._cut_unit(units[0], meta, len(chunks)))
            else:
                meta["split_id"] = len(chunks)
                chunks.append(Document(content=self._build_text(units), meta=meta))
        return chunks

    def _count_lines(self, unit: CodeUnit) -> int:
        return -(-len(unit.text) // self.expected_chars_per_line)

    def _is_oversized(self, unit: CodeUnit) -> bool:
        return self._count_lines(unit) > self.oversized_factor * self.max_effective_lines

    def _join(self, units: list[CodeUnit]) -> Iterator[list[CodeUnit]]:
        """Yield the units of each chunk; a unit that is too long is alone."""
        chunk: list[CodeUnit] = []
        length = 0
        for unit in units:
            num_lines = self._count_lines(unit)
            oversized = self._is_oversized(unit)
            if chunk and (oversized or not self._fits(length, num_lines)):
                yield chunk
                chunk, length = [], 0
            if oversized:
                yield [unit]
            else:
                chunk.append(unit)
                length += num_lines
        if chunk:
            yield chunk

    def _fits(self, length: int, num_lines: int) -> bool:
        missing = self.max_effective_lines - length
        return length < self.min_effective_lines or abs(missing - num_lines) < abs(missing)

    def _build_meta(self, document: Document, units: list[CodeUnit]) -> Meta:
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

    def _build_text(self, units: list[CodeUnit]) -> str:
        heads: dict[str | None, str] = {}
        if self.preserve_class_definition:
            with_head = {unit.class_name for unit in units if unit.kind in ("class", "class_header")}
            heads = {unit.class_name: unit.class_lines for unit in units if unit.class_name not in with_head}
        return "".join((*heads.values(), *(unit.text for unit in units)))

    def _cut_unit(self, unit: CodeUnit, meta: Meta, first_id: int) -> list[Document]:
        name = unit.name or unit.kind
        qualified_name = f"{unit.class_name}.{name}" if unit.class_name and unit.name else name
        logger.warning(
            "Oversized %s '%s' in the lines %s to %s (%s effective lines) is cut at line breaks: more than %s times "
            "max_effective_lines, %s.",
            unit.kind,
            qualified_name,
            unit.start_line,
            unit.end_line,
            self._count_lines(unit),
            self.oversized_factor,
            self.max_effective_lines,
        )
        length = self.secondary_split_length or self.max_effective_lines
        pieces = cut_units(unit.text, "line", length=length, overlap=min(self.secondary_split_overlap, length - 1))
        documents = []
        for index, piece in enumerate(pieces):
            piece_meta = copy_value(meta)
            piece_meta.update(
                secondary_split=True,
                secondary_split_index=index,
                secondary_split_total=len(pieces),
                qualified_name=qualified_name,
            )
            document = Document(content=piece.text, meta=piece_meta)
            document.meta["split_id"] = first_id + index  # after the id is made, as in Haystack
            documents.append(document)
        return documents
