"""Markdown files as documents."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from spaniel.components.converters._file_converter import UTF_8, TextConverter
from spaniel.components.converters._markdown_parser import MAX_DEPTH, parse
from spaniel.components.converters._markdown_writer import MarkdownWriter
from spaniel.core.component import component
from spaniel.text.converted_text import ConvertedText, Reference
from spaniel.text.front_matter import read_front_matter
from spaniel.text.link_resolver import normalize_label
from spaniel.text.plain_text import convert_text
from spaniel.text.slugs import github_slug

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["MarkdownToDocument", "convert_markdown", "convert_mdx"]

_MAX_CHARACTERS = 5_000_000  # a larger file is read as plain text, which needs no tree in memory
_MAIN_HEADING = re.compile(r"<h1[\s>]", re.IGNORECASE)


@component
class MarkdownToDocument(TextConverter):
    r"""Converts Markdown files to documents: plain text, with headings and links in the metadata.

    :param table_to_single_line: write a table as a single line.
    :param progress_bar: accepted for compatibility; no progress bar is shown.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :param encoding: encoding of the files; the default detects it. ``meta["encoding"]`` of a source
        takes precedence.
    :param extract_frontmatter: add all fields of the front matter to the metadata instead of its
        title only.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string("# Guide\n\nSee *this*.", meta={"path": "guide.md"})
    >>> document = MarkdownToDocument().run([source])["documents"][0]
    >>> document.content, document.meta["title"], document.meta["headings"]
    ('Guide\n\nSee this.', 'Guide', [[1, 'Guide', 0]])
    """

    _own_options = frozenset()

    def __init__(
        self,
        table_to_single_line: bool = False,
        progress_bar: bool = True,
        store_full_path: bool = False,
        encoding: str = UTF_8,
        *,
        extract_frontmatter: bool = False,
    ) -> None:
        super().__init__(encoding, store_full_path)
        self.table_to_single_line = table_to_single_line
        self.progress_bar = progress_bar
        self.extract_frontmatter = extract_frontmatter

    def _convert_text(self, text: str) -> ConvertedText:
        converted = convert_markdown(text, table_to_single_line=self.table_to_single_line)
        return converted if self.extract_frontmatter else replace(converted, meta={})


def convert_markdown(text: str, *, table_to_single_line: bool = False, mdx: bool = False) -> ConvertedText:
    r"""Return the plain text of a Markdown file with its headings and links.

    Marks of headings and emphasis are removed; links become their words, images their alternative
    text, rows of tables become lines; lists keep ``- ``, code is unchanged. The title is that of
    the front matter, which becomes the first heading of a text without headings of level 1. All
    fields of the front matter are `meta`. HTML is read as in an HTML file. A file above 5 million
    characters, or with more than 150 nested blocks, is read as plain text.

    :param mdx: read imports, exports, comments and components of MDX, which has no HTML.

    >>> converted = convert_markdown("# Guide\n\nSee *the* [manual](api.md#run).")
    >>> converted.text
    'Guide\n\nSee the manual.'
    >>> converted.headings, converted.references
    ([Heading(level=1, title='Guide', start=0)], [Reference(start=15, end=21, target='api.md#run')])
    """
    if len(text) > _MAX_CHARACTERS:
        return convert_text(text)
    front_matter = read_front_matter(text)
    field = front_matter.fields.get("title")
    title = None if field is None or isinstance(field, (list, dict)) else " ".join(str(field).split()) or None
    tokens = parse(text[front_matter.end :], mdx=mdx)
    if any(token.level >= MAX_DEPTH - 1 for token in tokens):
        return convert_text(text)
    lines_above = text.count("\n", 0, front_matter.end)
    writer = MarkdownWriter(table_to_single_line=table_to_single_line, lines_above=lines_above)
    if title and not any(_is_main_heading(token) for token in tokens):
        writer.builder.set_source_lines(1, lines_above)
        mark = writer.builder.begin_heading()
        writer.builder.write(title)
        writer.builder.end_heading(mark, 1, None, github_slug)
    writer.write(tokens)
    problems = [front_matter.problem] if front_matter.problem else []
    converted = writer.builder.build()
    anchors = converted.anchors
    names = {f":ref:{normalize_label(name)}": name for name in writer.labels}
    labels = {normalize_label(name): anchors.get(name, "") for name in writer.labels}
    references = [_lead_to_label(reference, names) for reference in converted.references]
    return replace(
        converted, title=title, meta=front_matter.fields, problems=problems, labels=labels, references=references
    )


def _lead_to_label(reference: Reference, names: Mapping[str, str]) -> Reference:
    """Return a link; one to a label of this file leads to its anchor."""
    if not reference.target.startswith(":ref:"):
        return reference
    name = names.get(f":ref:{normalize_label(reference.target.removeprefix(':ref:'))}")
    return reference if name is None else reference._replace(target=f"#{name}")


def convert_mdx(text: str) -> ConvertedText:
    r"""Return the plain text of an MDX file, as `convert_markdown` does.

    Imports, exports and comments are left out; of a component its title, label and link stay.

    >>> convert_mdx('import X from "x"\n\n<X title="Dogs">\n\nThey **bark**.\n\n</X>').text
    'Dogs\n\nThey bark.'
    """
    return convert_markdown(text, mdx=True)


def _is_main_heading(token: "Token") -> bool:
    if token.type == "html_block":
        return _MAIN_HEADING.search(token.content) is not None
    return token.type == "heading_open" and token.tag == "h1" and token.level == 0
