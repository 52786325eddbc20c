"""Markdown files as documents."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from spaniel.components.converters._file_converter import UTF_8, TextConverter
from spaniel.components.converters._html_fragments import HTMLFragmentWriter
from spaniel.components.converters._markdown_parser import MAX_DEPTH, parse
from spaniel.core.component import component
from spaniel.text.converted_text import ConvertedText
from spaniel.text.front_matter import read_front_matter
from spaniel.text.headings import extract_id
from spaniel.text.link_resolver import parse_role
from spaniel.text.plain_text import convert_text
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import Mark, TextBuilder

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["MarkdownToDocument", "convert_markdown"]

_MAX_CHARACTERS = 5_000_000  # a larger file is read as plain text, which needs no tree in memory
# Attributes after a link or image.
_ATTRIBUTES = re.compile(r"\{:?[ ]*(?:[.#][\w-]+|[\w-]+=(?:\"[^\"]*\"|[\w-]+))(?:[ ]+[^{}\n]*)?\}")
_ROLE = re.compile(r"\{([a-z][\w:+.-]*)\}$")


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


def convert_markdown(text: str, *, table_to_single_line: bool = False) -> ConvertedText:
    r"""Return the plain text of a Markdown file with its headings and links.

    Marks of headings and emphasis are removed; links become their words, images their alternative
    text, rows of tables become lines; lists keep ``- ``, code is unchanged. The title is that of
    the front matter, which becomes the first heading of a text without headings of level 1. All
    fields of the front matter are `meta`. HTML tags are removed, their text stays. A file above 5
    million characters, or with more than 150 nested blocks, is read as plain text.

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
    tokens = parse(text[front_matter.end :])
    if any(token.level >= MAX_DEPTH - 1 for token in tokens):
        return convert_text(text)
    writer = _MarkdownWriter(table_to_single_line)
    if title and not any(token.type == "heading_open" and token.tag == "h1" for token in tokens):
        mark = writer.builder.begin_heading()
        writer.builder.write(title)
        writer.builder.end_heading(mark, 1, None, github_slug)
    writer.write_blocks(tokens)
    problems = [front_matter.problem] if front_matter.problem else []
    return replace(writer.builder.build(), title=title, meta=front_matter.fields, problems=problems)


class _MarkdownWriter:
    """Writes the tokens of a Markdown text to a builder."""

    def __init__(self, table_to_single_line: bool) -> None:
        self.builder = TextBuilder()
        self.html = HTMLFragmentWriter(self.builder)
        self._row_end = self.builder.write_words if table_to_single_line else (lambda _: self.builder.begin_line())
        self._links: list[tuple[Mark, str]] = []
        self._heading: Mark | None = None
        self._column = 0

    def write_blocks(self, tokens: Sequence["Token"]) -> None:
        for token in tokens:
            if (write := _BLOCKS.get(token.type)) is not None:
                write(self, token)

    def open_heading(self, token: "Token") -> None:
        self.builder.begin_block()
        self._heading = self.builder.begin_heading() if token.level == 0 else None
        self.html.headings_allowed = False

    def close_heading(self, token: "Token") -> None:
        self.html.headings_allowed = True
        if self._heading is not None:
            self.builder.end_heading(self._heading, int(token.tag[1]), self._explicit, github_slug)
        self._heading = None
        self.builder.begin_block()

    def write_inline(self, token: "Token") -> None:
        self._explicit = None
        children = token.children or []
        if self._heading is not None and children and children[-1].type == "text":
            children[-1].content, self._explicit = extract_id(children[-1].content)
        for child, following in zip_longest(children, children[1:]):
            if following is not None and following.type == "code_inline" and child.type == "text":
                self.write_role(child, following)
            elif (write := _INLINE.get(child.type)) is not None:
                write(self, child)

    def write_role(self, text: "Token", code: "Token") -> None:
        """Write the text before inline code, which may end with a MyST role such as ``{doc}``."""
        match = _ROLE.search(text.content)
        if match is None:
            self.write_text(text)
            return
        text.content = text.content[: match.start()]
        self.write_text(text)
        code.content, target = parse_role(match.group(1), code.content)
        code.meta["target"] = target

    def write_inline_code(self, token: "Token") -> None:
        mark = self.builder.add_mark()
        self.builder.write(token.content)
        self.builder.add_reference(mark, token.meta.get("target", ""))

    def write_text(self, token: "Token") -> None:
        if self.html.hidden:
            return
        text = _ATTRIBUTES.sub("", token.content) if "{" in token.content else token.content
        if self._links:
            self.builder.write(text)
        else:
            self.builder.write_with_urls(text)

    def write_line_break(self, _: "Token") -> None:
        if self._heading is None:
            self.builder.begin_line()
        else:
            self.builder.write_words(" ")

    def open_link(self, token: "Token") -> None:
        self._links.append((self.builder.add_mark(), str(token.attrs.get("href", ""))))

    def close_link(self, _: "Token") -> None:
        self.builder.add_reference(*self._links.pop())

    def write_code(self, token: "Token") -> None:
        self.builder.write_code(token.content.rstrip("\n"))

    def write_html_block(self, token: "Token") -> None:
        self.builder.begin_block()
        self.html.headings_allowed = token.level == 0
        self.html.write(token.content)
        self.html.headings_allowed = True
        self.builder.begin_block()

    def open_list(self, token: "Token") -> None:
        self.builder.begin_block() if token.level == 0 else self.builder.begin_line()
        self.builder.begin_list(int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None)

    def close_list(self, token: "Token") -> None:
        self.builder.end_list()
        self.builder.begin_block() if token.level == 0 else self.builder.begin_line()

    def open_cell(self, _: "Token") -> None:
        if self._column:
            self.builder.write_words(" | ")
        self._column += 1

    def close_row(self, _: "Token") -> None:
        self._column = 0
        self._row_end(" ")

    def open_paragraph(self, token: "Token") -> None:
        if not token.hidden:
            self.builder.begin_block()

    def close_paragraph(self, token: "Token") -> None:
        self.builder.begin_line() if token.hidden else self.builder.begin_block()


_BLOCKS: dict[str, Callable[[_MarkdownWriter, "Token"], None]] = {
    "heading_open": _MarkdownWriter.open_heading,
    "heading_close": _MarkdownWriter.close_heading,
    "paragraph_open": _MarkdownWriter.open_paragraph,
    "paragraph_close": _MarkdownWriter.close_paragraph,
    "inline": _MarkdownWriter.write_inline,
    **dict.fromkeys(("fence", "code_block"), _MarkdownWriter.write_code),
    "html_block": _MarkdownWriter.write_html_block,
    **dict.fromkeys(("bullet_list_open", "ordered_list_open"), _MarkdownWriter.open_list),
    **dict.fromkeys(("bullet_list_close", "ordered_list_close"), _MarkdownWriter.close_list),
    "list_item_open": lambda writer, _: writer.builder.begin_item(),
    "list_item_close": lambda writer, _: writer.builder.end_item(),
    **dict.fromkeys(("table_open", "table_close", "hr"), lambda writer, _: writer.builder.begin_block()),
    **dict.fromkeys(("th_open", "td_open"), _MarkdownWriter.open_cell),
    "tr_close": _MarkdownWriter.close_row,
}

_INLINE: dict[str, Callable[[_MarkdownWriter, "Token"], None]] = {
    "text": _MarkdownWriter.write_text,
    "code_inline": _MarkdownWriter.write_inline_code,
    **dict.fromkeys(("softbreak", "hardbreak"), _MarkdownWriter.write_line_break),
    "link_open": _MarkdownWriter.open_link,
    "link_close": _MarkdownWriter.close_link,
    "image": lambda writer, token: writer.builder.write_words(token.content),
    "html_inline": lambda writer, token: writer.html.write(token.content),
}
