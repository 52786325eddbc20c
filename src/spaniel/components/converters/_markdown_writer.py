"""Tokens of Markdown as plain text."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spaniel.components.converters._markdown_html import HTMLWithMarkdown
from spaniel.components.converters._markdown_templates import expand_target
from spaniel.text.link_resolver import parse_role
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import Mark, TextBuilder

if TYPE_CHECKING:
    from markdown_it.token import Token

_BREAKS = frozenset({"softbreak", "hardbreak"})
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class MarkdownWriter:
    """Writes the tokens of a Markdown text to a builder.

    :param table_to_single_line: write a table as a single line.
    :param lines_above: lines of the file above the text, such as a front matter.
    """

    def __init__(self, *, table_to_single_line: bool = False, lines_above: int = 0) -> None:
        self.builder = TextBuilder()
        self.labels: list[str] = []  # names that other files may link to
        self._row_end = self.builder.write_words if table_to_single_line else (lambda _: self.builder.begin_line())
        self._first_line = lines_above + 1
        self._links: list[tuple[Mark, str]] = []
        self._heading: Mark | None = None
        self._heading_id: str | None = None
        self._quotes = 0
        self._column = 0

    def write(self, tokens: "Sequence[Token]") -> None:
        """Write all tokens of a text."""
        if any(_has_html(token) for token in tokens):
            self._write_with_html(tokens)
        else:
            self._write_tokens(tokens)

    def _write_tokens(self, tokens: "Sequence[Token]") -> None:
        for token in tokens:
            if (write := _WRITERS.get(token.type)) is not None:
                write(self, token)

    def _write_with_html(self, tokens: "Sequence[Token]") -> None:
        page = HTMLWithMarkdown()
        run: list[Token] = []

        def end_run() -> None:
            if run:
                page.add_step(partial(self._write_tokens, list(run)), is_block=True, is_heading=_begins_section(run))
                run.clear()

        for token in tokens:
            if token.type == "html_block":
                end_run()
                page.add_step(partial(self._set_lines, token), is_block=False)
                page.add_html(token.content)
            elif not _has_html(token):
                run.append(token)
            else:
                end_run()
                page.add_step(partial(self._set_lines, token), is_block=False)
                for child in token.children or []:
                    if _is_html(child):
                        page.add_html(child.content)
                    else:
                        page.add_step(partial(self._write_tokens, [child]), is_block=False)
        end_run()
        page.write(self.builder)

    def _set_lines(self, token: "Token", *, is_verbatim: bool = False, is_fenced: bool = False) -> None:
        if token.map:
            first, end = token.map
            first += self._first_line + is_fenced
            self.builder.set_source_lines(first, max(end + self._first_line - 1, first), verbatim=is_verbatim)

    def write_inline(self, token: "Token") -> None:
        children = token.children or []
        num_breaks = sum(child.type in _BREAKS for child in children)
        is_verbatim = 0 < num_breaks == token.content.count("\n") and not (
            self.builder.one_line or "<" in token.content
        )
        self._set_lines(token, is_verbatim=is_verbatim)
        for child in children:
            if (write := _WRITERS.get(child.type)) is not None:
                write(self, child)

    def open_heading(self, token: "Token") -> None:
        self.builder.begin_block()
        self.builder.in_quote = self._quotes > 0
        self._heading = self.builder.begin_heading()
        self._heading_id = str(token.attrs["id"]) if "id" in token.attrs else None
        self.builder.one_line = True

    def close_heading(self, token: "Token") -> None:
        self.builder.one_line = False
        if self._heading is not None:
            self.builder.end_heading(self._heading, int(token.tag[1]), self._heading_id, github_slug)
        self._heading = None
        self.builder.begin_block()

    def open_quote(self, _: "Token") -> None:
        self._quotes += 1
        self.builder.in_quote = True

    def close_quote(self, _: "Token") -> None:
        self._quotes -= 1
        self.builder.in_quote = self._quotes > 0

    def write_anchor(self, token: "Token") -> None:
        name = token.meta["name"]
        if token.meta.get("is_label"):
            self.labels.append(name)
        if self._heading is not None:
            self._heading_id = name
        else:
            self.builder.add_anchor(name)

    def write_inline_code(self, token: "Token") -> None:
        self.builder.write(token.content)

    def write_role(self, token: "Token") -> None:
        content, target = parse_role(token.meta["name"], token.content)
        mark = self.builder.add_mark()
        self.builder.write(content)
        self.builder.add_reference(mark, target)

    def write_entry(self, token: "Token") -> None:
        """Write an entry of a table of contents: ``page`` or ``title <page>``."""
        self._set_lines(token)
        content, target = parse_role("doc", token.content)
        self.builder.begin_line()
        mark = self.builder.add_mark()
        self.builder.write(content)
        self.builder.add_reference(mark, target)
        self.builder.begin_line()

    def write_text(self, token: "Token") -> None:
        self.builder.write(token.content)

    def write_math(self, token: "Token") -> None:
        self.builder.write(f"{token.markup}{token.content}{token.markup}")

    def write_line_break(self, _: "Token") -> None:
        self.builder.begin_line()

    def open_link(self, token: "Token") -> None:
        self._links.append((self.builder.add_mark(), expand_target(str(token.attrs.get("href", "")))))

    def close_link(self, _: "Token") -> None:
        self.builder.add_reference(*self._links.pop())

    def write_image(self, token: "Token") -> None:
        self.builder.end_word()
        for child in token.children or []:
            if child.type == "image":
                self.write_image(child)
            else:
                self.builder.write_words(" " if child.type in _BREAKS else child.content)
        self.builder.end_word()

    def write_code(self, token: "Token") -> None:
        is_fenced = token.type == "fence"
        self._set_lines(token, is_verbatim=True, is_fenced=is_fenced)
        self.builder.write_code(token.content.rstrip("\n"))

    def write_math_block(self, token: "Token") -> None:
        self._set_lines(token)
        self.builder.write_code(f"{token.markup}{token.content}{token.markup}")

    def open_inline_note(self, _: "Token") -> None:
        self.builder.write_words(" ")
        self.builder.write("(")

    def open_note(self, token: "Token") -> None:
        self.builder.begin_block()
        self.builder.indent("", f"[{token.meta['label']}] ")

    def close_note(self, _: "Token") -> None:
        self.builder.end_item()
        self.builder.begin_block()

    def open_list(self, token: "Token") -> None:
        self.open_quote(token)
        self.builder.begin_block() if token.level == 0 else self.builder.begin_line()
        self.builder.begin_list(int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None)

    def close_list(self, token: "Token") -> None:
        self.close_quote(token)
        self.builder.end_list()
        self.builder.begin_block() if token.level == 0 else self.builder.begin_line()

    def open_definition(self, _: "Token") -> None:
        self.builder.begin_line()
        self.builder.indent("   ")

    def open_cell(self, _: "Token") -> None:
        if self._column:
            self.builder.write_words(" | ")
        self._column += 1
        self.builder.one_line = True

    def close_cell(self, _: "Token") -> None:
        self.builder.one_line = False

    def close_row(self, _: "Token") -> None:
        self._column = 0
        self._row_end(" ")

    def open_paragraph(self, token: "Token") -> None:
        if not token.hidden:
            self.builder.begin_block()

    def close_paragraph(self, token: "Token") -> None:
        self.builder.begin_line() if token.hidden else self.builder.begin_block()


def _has_html(token: "Token") -> bool:
    return _is_html(token) or (token.type == "inline" and any(_is_html(child) for child in token.children or ()))


def _is_html(token: "Token") -> bool:
    """Return if a token is HTML, apart from a line break."""
    if token.type == "html_inline":
        return _LINE_BREAK.fullmatch(token.content) is None
    return token.type == "html_block"


def _begins_section(tokens: "Sequence[Token]") -> bool:
    return any(token.type == "heading_open" for token in tokens)


_WRITERS: dict[str, Callable[[MarkdownWriter, Any], None]] = {
    "heading_open": MarkdownWriter.open_heading,
    "heading_close": MarkdownWriter.close_heading,
    "paragraph_open": MarkdownWriter.open_paragraph,
    "paragraph_close": MarkdownWriter.close_paragraph,
    "inline": MarkdownWriter.write_inline,
    **dict.fromkeys(("fence", "code_block"), MarkdownWriter.write_code),
    "blockquote_open": MarkdownWriter.open_quote,
    "blockquote_close": MarkdownWriter.close_quote,
    **dict.fromkeys(("bullet_list_open", "ordered_list_open"), MarkdownWriter.open_list),
    **dict.fromkeys(("bullet_list_close", "ordered_list_close"), MarkdownWriter.close_list),
    "list_item_open": lambda writer, _: writer.builder.begin_item(),
    "list_item_close": lambda writer, _: writer.builder.end_item(),
    **dict.fromkeys(("dl_open", "dl_close"), lambda writer, _: writer.builder.begin_block()),
    **dict.fromkeys(("dt_open", "dt_close"), lambda writer, _: writer.builder.begin_line()),
    "dd_open": MarkdownWriter.open_definition,
    "dd_close": lambda writer, _: writer.builder.end_item(),
    **dict.fromkeys(("table_open", "table_close", "hr"), lambda writer, _: writer.builder.begin_block()),
    **dict.fromkeys(("th_open", "td_open"), MarkdownWriter.open_cell),
    **dict.fromkeys(("th_close", "td_close"), MarkdownWriter.close_cell),
    "tr_close": MarkdownWriter.close_row,
    **dict.fromkeys(("math_block", "math_block_label", "amsmath"), MarkdownWriter.write_math_block),
    "footnote_reference_open": MarkdownWriter.open_note,
    "footnote_reference_close": MarkdownWriter.close_note,
    "toctree_entry": MarkdownWriter.write_entry,
    "anchor": MarkdownWriter.write_anchor,
    **dict.fromkeys(("text", "raw_text"), MarkdownWriter.write_text),
    "code_inline": MarkdownWriter.write_inline_code,
    "myst_role": MarkdownWriter.write_role,
    **dict.fromkeys(("math_inline", "math_inline_double"), MarkdownWriter.write_math),
    "footnote_ref": lambda writer, token: writer.builder.write(f"[{token.meta['label']}]"),
    "note_open": MarkdownWriter.open_inline_note,
    "note_close": lambda writer, _: writer.builder.write(")"),
    **dict.fromkeys(("softbreak", "hardbreak", "html_inline"), MarkdownWriter.write_line_break),
    "link_open": MarkdownWriter.open_link,
    "link_close": MarkdownWriter.close_link,
    "image": MarkdownWriter.write_image,
}
