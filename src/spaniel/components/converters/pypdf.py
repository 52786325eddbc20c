"""PDF files as documents."""

from enum import Enum
from pathlib import Path
from typing import Any

from spaniel.components.converters._extra import needed
from spaniel.components.converters._pdf_text import convert_pdf
from spaniel.components.converters._sources import convert_binary_sources
from spaniel.components.converters.utils import LinkFormat, format_named
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.text.converted_text import ConvertedText

__all__ = ["PyPDFExtractionMode", "PyPDFToDocument", "convert_pdf"]


class PyPDFExtractionMode(Enum):
    """How pypdf writes text: in the order of the file, or laid out as on the page."""

    PLAIN = "plain"
    LAYOUT = "layout"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "PyPDFExtractionMode":
        """Return the mode of this name.

        :raises ValueError: there is none.
        """
        return format_named(PyPDFExtractionMode, string, "extraction mode")


@component
class PyPDFToDocument(Serializable):
    r"""Makes a document of each PDF file: its text, ``\f`` between pages, its outline and links in the metadata.

    It needs the ``convert`` extra: ``pip install 'spaniel[convert]'``. Text is not read from pictures.

    :param extraction_mode: ``plain``, or ``layout``: spaces keep the layout of the page.
    :param plain_mode_orientations: in degrees; text that is turned otherwise is left out.
    :param plain_mode_space_width: of a space, where the font does not say.
    :param layout_mode_space_vertically: whether gaps between lines are empty lines.
    :param layout_mode_scale_weight: pypdf's factor for the width of a character.
    :param layout_mode_strip_rotated: whether turned text is left out.
    :param layout_mode_font_height_weight: pypdf's factor for the height of an empty line.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :param link_format: write the addresses of a page's links below its text: ``markdown``, ``plain`` or ``none``.
    :raises ConversionError: the extra is not installed.
    :raises ValueError: a mode or format is unknown.
    """

    def __init__(
        self,
        *,
        extraction_mode: str | PyPDFExtractionMode = PyPDFExtractionMode.PLAIN,
        plain_mode_orientations: tuple[int, ...] = (0, 90, 180, 270),
        plain_mode_space_width: float = 200.0,
        layout_mode_space_vertically: bool = True,
        layout_mode_scale_weight: float = 1.25,
        layout_mode_strip_rotated: bool = True,
        layout_mode_font_height_weight: float = 1.0,
        store_full_path: bool = False,
        link_format: str | LinkFormat = LinkFormat.NONE,
    ) -> None:
        needed("pypdf", type(self).__name__)
        mode = extraction_mode
        self.extraction_mode = PyPDFExtractionMode.from_str(mode) if isinstance(mode, str) else mode
        self.plain_mode_orientations = tuple(plain_mode_orientations)
        self.plain_mode_space_width = plain_mode_space_width
        self.layout_mode_space_vertically = layout_mode_space_vertically
        self.layout_mode_scale_weight = layout_mode_scale_weight
        self.layout_mode_strip_rotated = layout_mode_strip_rotated
        self.layout_mode_font_height_weight = layout_mode_font_height_weight
        self.store_full_path = store_full_path
        self.link_format = LinkFormat.from_str(link_format) if isinstance(link_format, str) else link_format

    # All options are Haystack's.
    _own_options = frozenset()

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Return a document for each source that can be read; the others are reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`.
        """
        documents = convert_binary_sources(sources, meta, self._convert, store_full_path=self.store_full_path)
        return {"documents": documents}

    def _convert(self, data: bytes, name: str) -> ConvertedText:
        extraction = {
            "orientations": self.plain_mode_orientations,
            "extraction_mode": self.extraction_mode.value,
            "space_width": self.plain_mode_space_width,
            "layout_mode_space_vertically": self.layout_mode_space_vertically,
            "layout_mode_scale_weight": self.layout_mode_scale_weight,
            "layout_mode_strip_rotated": self.layout_mode_strip_rotated,
            "layout_mode_font_height_weight": self.layout_mode_font_height_weight,
        }
        converted = convert_pdf(data, name, link_format=self.link_format, extraction=extraction)
        if not converted.text.strip():
            converted.problems.append("it holds no text; it may be a scan")
        return converted
