"""Random Markdown documents, and how GitHub's parser and an HTML5 parser read them."""

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options

from spaniel.text.converted_text import ConvertedText

WORD = re.compile(r"[^\W_]+")
_SIGNS = "*_`[]()<>#-+ \n\t|\\&!~>=."
_BLOCKS = frozenset(
    (
        *("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "table", "tr", "td", "th", "pre", "hr"),
        *("blockquote", "br", "details", "summary", "section", "dl", "dt", "dd", "img", "center", "thead", "tbody"),
    )
)
_HIDDEN = frozenset(("script", "style", "template", "select", "button", "textarea", "iframe", "title", "noscript"))
_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE


class Reading(NamedTuple):
    """The words, headings and links of a document."""

    words: list[str]
    headings: list[tuple[int, list[str]]]
    links: list[tuple[list[str], str]]


def split_words(text: str) -> list[str]:
    """Return the words of a text without numbers, which lists and notes add."""
    return [word for word in WORD.findall(text) if not word.isdigit()]


def read_converted(converted: ConvertedText) -> Reading:
    """Return the reading of a converted text. Bare web addresses do not count as links."""
    links = [(split_words(converted.text[start:end]), target) for start, end, target in converted.references]
    return Reading(
        split_words(converted.text),
        [(level, words) for level, title, _ in converted.headings if (words := split_words(title))],
        [(words, target) for words, target in links if words and words != split_words(target)],
    )


def read_rendered(source: str) -> Reading:
    """Return the reading of a Markdown document as GitHub renders it."""
    html = cmarkgfm.cmark.markdown_to_html_with_extensions(source, _OPTIONS, ["table", "strikethrough"])
    page = html5lib.parseFragment(html, namespaceHTMLElements=False)
    pieces: list[str] = []
    headings: list[tuple[int, list[str]]] = []
    links: list[tuple[list[str], str]] = []

    def walk(node: object, in_quote: bool) -> None:
        tag = node.tag  # type: ignore[attr-defined]
        is_text = isinstance(tag, str)
        attributes = node.attrib  # type: ignore[attr-defined]
        if is_text and (tag in _HIDDEN or ("footnote" in attributes.get("class", "") and tag in ("a", "sup"))):
            pieces.append(" ")
        elif is_text:
            separator = " " if tag in _BLOCKS else ""
            start = len(pieces)
            pieces.append(separator + (attributes.get("alt", "") if tag == "img" else "") + separator)
            pieces.append(node.text or "")  # type: ignore[attr-defined]
            for child in node:  # type: ignore[attr-defined]
                walk(child, in_quote or tag in ("blockquote", "li"))
            words = split_words("".join(pieces[start:]))
            if re.fullmatch("h[1-6]", tag) and not in_quote and words:
                headings.append((int(tag[1]), words))
            if tag == "a" and attributes.get("href") and words and words != split_words(attributes["href"]):
                links.append((words, unquote(attributes["href"])))
            pieces.append(separator)
        pieces.append(node.tail or "")  # type: ignore[attr-defined]

    walk(page, False)
    return Reading(split_words("".join(pieces)), headings, [link for link in links if not link[1].startswith("#fn")])


class Author:
    """Writes random documents of the constructs of CommonMark and GitHub."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._count = 0
        self._definitions: list[str] = []
        self._notes: list[str] = []

    def write(self) -> str:
        """Return a document."""
        blocks = [self.block(0) for _ in range(self.random.randint(1, 6))]
        source = "\n\n".join((*blocks, *self._definitions, *self._notes)) + "\n"
        return f"\n{source}" if source.startswith("---") else source  # else a front matter

    def write_damaged(self) -> str:
        """Return a document with random changes of its characters."""
        source = self.write()
        for _ in range(self.random.randint(1, 4)):
            place = self.random.randrange(len(source))
            added = self.random.choice(_SIGNS) if self.random.random() < 0.6 else ""
            source = source[:place] + added + source[place + self.random.randint(0, 1) :]
        return source

    def word(self) -> str:
        self._count += 1
        return self.random.choice(["w", "é", "字", "w"]) + "abcdefghij"[self._count % 10] + str(self._count)

    def words(self) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(1, 4)))

    def target(self) -> str:
        return self.random.choice(["a.md", "b/c.md#d", "#e", "https://f.org/g_h", "../i.md"])

    def inline(self, depth: int) -> str:
        pieces = [self._inline_piece(depth) for _ in range(self.random.randint(1, 4))]
        return " ".join(pieces)

    def _inline_piece(self, depth: int) -> str:
        if depth > 2 or self.random.random() < 0.4:
            return self.words()
        inner: Callable[[], str] = lambda: self.inline(depth + 1)  # noqa: E731
        plain = self.words
        kind = self.random.randrange(22)
        if kind == 0:
            return f"*{inner()}*"
        if kind == 1:
            return f"**{inner()}**"
        if kind == 2:
            return f"_{plain()}_"
        if kind == 3:
            return f"~~{plain()}~~"
        if kind == 4:
            return f"`{plain()} *{self.word()}* <b>`"
        if kind == 5:
            return f"`` {self.word()} ` {self.word()} ``"
        if kind in (6, 7):
            title = self.random.choice(["", ' "t"', " 't'"])
            return f"[{plain()} *{self.word()}*]({self.target()}{title})"
        if kind in (8, 9):
            label = self.word()
            self._definitions.append(f"[{label}]: {self.target()}")
            return self.random.choice([f"[{plain()}][{label}]", f"[{label}][]", f"[{label}]"])
        if kind == 10:
            return f"![{plain()}](i.png)"
        if kind == 11:
            return f"<https://{self.word().encode('ascii', 'ignore').decode() or 'w'}.org>"
        if kind == 12:
            tag = self.random.choice(["b", "span", "kbd", "em", "sub"])
            return f"<{tag}>{inner()}</{tag}>"
        if kind == 13:
            return f"{self.word()}<br>{self.word()}"
        if kind == 14:
            return f"{self.word()} &amp; {self.word()} &copy; \\* \\[ {self.word()}"
        if kind == 15:
            return f"{self.word()}  \n{self.word()}"
        if kind == 16:
            return f"{self.word()}\n{self.word()}"
        if kind == 17:
            return f"{self.word()} <!-- {self.word()} --> {self.word()}"
        if kind == 18:
            label = self.random.randint(1, 10**9)
            self._notes.append(f"[^{label}]: {self.words()}")
            return f"{self.word()}[^{label}]"
        if kind == 19:
            return f"{self.word()}*{self.word()}*{self.word()} {self.word()}_{self.word()}_"
        if kind == 20:
            return f'<a href="{self.target()}">{plain()}</a>'
        return f"[![{plain()}](j.png)]({self.target()})"

    def line(self) -> str:
        return self.inline(1).replace("  \n", " ").replace("\n", " ")

    def block(self, depth: int) -> str:
        kind = self.random.randrange(18)
        if depth > 2 and kind in (5, 6, 7, 8, 14, 15):
            kind = 0
        if kind == 1:
            return "#" * self.random.randint(1, 6) + f" {self.line()}" + self.random.choice(["", " ##"])
        if kind == 2:
            return f"{self.line()}\n" + self.random.choice(["===", "---"])
        if kind == 3:
            marks = self.random.choice(["```", "~~~", "````"])
            code = "\n".join(f"{self.word()} *{self.word()}* # {self.word()}" for _ in range(self.random.randint(1, 3)))
            return f"{marks}{self.random.choice(['', 'python'])}\n{code}\n\n<b>{self.word()}\n{marks}"
        if kind == 4:
            return f"    {self.words()} *{self.word()}*\n    <b> ::: {self.word()}"
        if kind == 5:
            inner = "\n\n".join(self.block(depth + 1) for _ in range(self.random.randint(1, 2)))
            return "\n".join(f"> {line}" for line in inner.split("\n"))
        if kind in (6, 7):
            return self._list(depth)
        if kind == 8:
            return f"- {self.words()}\n  - {self.line()}\n    1. {self.words()}\n- [ ] {self.words()}"
        if kind in (9, 10):
            width = self.random.randint(1, 3)
            rows = [
                " | ".join(self.line().replace("|", "") for _ in range(width)) for _ in range(self.random.randint(2, 4))
            ]
            return "\n".join((f"| {rows[0]} |", "|" + "---|" * width, *(f"| {row} |" for row in rows[1:])))
        if kind == 11:
            return self.random.choice(["***", "---", "___"])
        if kind == 12:
            return self._html()
        if kind == 13:
            return f"<div>\n\n{self.block(depth + 1)}\n\n</div>"
        if kind == 14:
            return f"<details>\n<summary>{self.words()}</summary>\n\n{self.block(depth + 1)}\n\n</details>"
        if kind == 15:
            cells = "\n".join(f"<td>\n\n{self.line()}\n\n</td>" for _ in range(2))
            return f"<table>\n<tr>\n{cells}\n</tr>\n</table>"
        return self.inline(0)

    def _list(self, depth: int) -> str:
        marks = self.random.choice(["- ", "* ", "1. ", "7) "])
        between = self.random.choice(["\n", "\n\n"])
        items = []
        for _ in range(self.random.randint(1, 3)):
            block = self.block(depth + 1) if self.random.random() < 0.5 else self.inline(1)
            first, *others = block.split("\n")
            items.append("\n".join((marks + first, *(" " * len(marks) + line if line else "" for line in others))))
        return between.join(items)

    def _html(self) -> str:
        words = self.words
        return self.random.choice(
            [
                f"<p align=center>{words()} <b>{words()}</b> &amp; {words()}</p>",
                f"<h3>{words()} <em>{words()}</em></h3>",
                f"<table><tr><td>{words()}</td><td>{words()}<br>{words()}</td></tr><tr><td>{words()}</table>",
                f"<ul>\n<li>{words()}</li>\n<li>{words()}\n</ul>",
                f"<pre>\n{words()} *{words()}*\n\n{words()}\n</pre>",
                f"<!-- {words()}\n\n{words()} -->",
                f"<script>\n{words()}\n</script>",
                f'<div title="a > b">{words()} <a href="{self.target()}">{words()}</a></div>',
                f'<img src="a.png" alt="{words()}">',
                f"<dl><dt>{words()}<dd>{words()}</dl>",
                f"<center>{words()}\n\n*{words()}*\n\n</center>",
            ]
        )
