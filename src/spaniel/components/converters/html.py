"""HTML files as documents."""

from dataclasses import replace
from typing import TYPE_CHECKING

from spaniel.components.converters._file_converter import Source, SourceMeta, TextConverter
from spaniel.components.converters._html_limits import limit_nesting
from spaniel.components.converters._html_lines import LineFinder
from spaniel.components.converters._html_writer import HTMLWriter, find_anchors
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject
from spaniel.text.converted_text import ConvertedText
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["HTMLToDocument", "convert_html"]

_MAIN = ("main:not([hidden]), [role=main]", "article")


@component
class HTMLToDocument(TextConverter):
    r"""Converts HTML files to documents: plain text, with headings and links in the metadata.

    :param extraction_kwargs: Trafilatura's options in Haystack. Spaniel does not use it, so the
        value must be empty.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :param encoding: encoding of the files; None detects it. ``meta["encoding"]`` of a source takes
        precedence.
    :raises ValueError: `extraction_kwargs` has options.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = HTMLToDocument().run([ByteStream.from_string("<h1>Guide</h1><p>See <b>this</b>.")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n\nSee this.', [[1, 'Guide', 0]])
    """

    _is_page = True

    def __init__(
        self, extraction_kwargs: JsonObject | None = None, store_full_path: bool = False, encoding: str | None = None
    ) -> None:
        _reject_options(extraction_kwargs)
        self.extraction_kwargs = copy_value(extraction_kwargs or {})
        self.store_full_path = store_full_path
        self.encoding = encoding

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[Source], meta: SourceMeta = None, extraction_kwargs: JsonObject | None = None
    ) -> dict[str, list[Document]]:
        """Convert files to documents. Files that cannot be read are skipped with a warning.

        :param sources: file paths or byte streams.
        :param meta: metadata of all documents, or a dictionary for each source; it takes precedence
            over the source's own.
        :param extraction_kwargs: must be empty.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or
            `extraction_kwargs` has options.
        """
        _reject_options(extraction_kwargs)
        return super().run(sources, meta)

    def _convert_text(self, text: str) -> ConvertedText:
        return convert_html(text)


def _reject_options(extraction_kwargs: JsonObject | None) -> None:
    if extraction_kwargs:
        raise ValueError(
            f"extraction_kwargs are options of Trafilatura, which Spaniel does not use: leave out {sorted(extraction_kwargs)}."
        )


def convert_html(text: str) -> ConvertedText:
    r"""Return the plain text of an HTML page with its headings and links.

    The page is its main content: ``<main>``, ``role="main"`` or a single ``<article>``, else its
    body without header, footer and side notes. Scripts, styles, controls of forms and navigation
    are left out, unless the page has nothing else. ``pre`` is unchanged, rows of tables are lines.
    The slug of a section is the id of its heading, of an anchor in it, of the element around it or
    of an anchor before it, else GitHub's.

    >>> converted = convert_html('<h1 id="top">Guide</h1><p>See <a href="api.html">the  manual</a>.')
    >>> converted.text, converted.slugs, converted.references
    ('Guide\n\nSee the manual.', ['top'], [Reference(start=11, end=21, target='api.html')])
    """
    from selectolax.lexbor import LexborHTMLParser

    html = limit_nesting(text)
    tree = LexborHTMLParser(html, scripting=True)
    converted = _write_page(tree, text, is_complete=False)
    if not converted.text.strip():
        converted = _write_page(LexborHTMLParser(html), text, is_complete=True)  # with the content of `noscript`
    title = tree.css_first("head > title") or next(
        (title for title in tree.css("title") if not _is_in_svg(title)), None
    )
    shown = " ".join(title.text().split()) if title is not None else ""
    return replace(converted, title=shown) if shown else converted


def _write_page(tree: "LexborHTMLParser", page: str, *, is_complete: bool) -> ConvertedText:
    builder = TextBuilder()
    body = tree.body
    if body is None:
        return builder.build()
    root = body if is_complete else _find_main(body)
    base = next((target for base in tree.css("base[href]") if (target := base.attributes.get("href"))), "")
    lines = LineFinder(page)
    writer = HTMLWriter(builder, is_complete=is_complete, in_main=root != body, base=base.strip(), lines=lines)
    lines.skip_to("<body")
    if root != body:
        _write_title(writer, body, root)
        lines.skip_to('role="main"' if root.attributes.get("role") else f"<{root.tag}")
    writer.write_element(root)
    converted = builder.build()
    if root == body:
        return converted
    return replace(converted, aliases={**dict.fromkeys(find_anchors(body), ""), **converted.aliases})


def _find_main(body: "LexborNode") -> "LexborNode":
    for selector in _MAIN:
        found = body.css(selector)
        if len(found) == 1 and found[0].text().strip():
            return found[0]
    return body


def _write_title(writer: HTMLWriter, body: "LexborNode", root: "LexborNode") -> None:
    """Write the page's heading if it is not in the main content, as in a header before it."""
    if root.css_first("h1") is not None:
        return
    titles = [title for title in body.css("h1") if title not in body.css("nav h1, aside h1, footer h1")]
    if len(titles) == 1:
        writer.write_element(titles[0])


def _is_in_svg(node: "LexborNode") -> bool:
    return node.parent is not None and node.parent.tag not in ("head", "body")
