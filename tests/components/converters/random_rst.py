"""Random reStructuredText documents, and their words, headings and links as docutils reads them."""

import html.parser
import random
import re

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree

SETTINGS = {
    "report_level": 5,
    "halt_level": 6,
    "warning_stream": False,
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "initial_header_level": 1,
    "embed_stylesheet": False,
}
WORDS = ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "theta", "übung", "naïve"]
SIGNS = "=-~^"


class DocumentMaker:
    """Makes a document with unique words, so that a lost or joined one shows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.labels = []
        self.titles = []
        self.tail = []

    def word(self):
        self.count += 1
        return f"{self.random.choice(WORDS)}{self.count}"

    def words(self, most=4):
        return " ".join(self.word() for _ in range(self.random.randint(1, most)))

    def inline(self):
        pick = self.random.randrange(15)
        text = self.words(2)
        if pick == 0 and self.labels:
            return f"`{self.random.choice(self.labels)}`_"
        if pick == 1 and self.titles:
            return f"`{self.random.choice(self.titles)}`_"
        if pick == 2:
            self.tail.append(f"__ https://example.org/{self.word()}")
            return f"`{text}`__"
        if pick == 3:
            self.tail.append(f".. [#n{self.count}] {self.words()}")
            return f"{text} [#n{self.count}]_"
        if pick == 4:
            self.tail.append(f".. |s{self.count}| replace:: {self.words()}")
            return f"|s{self.count}|"
        return [
            f"*{text}*",
            f"**{text}**",
            f"``{text}``",
            f"`{text} <https://example.org/{self.word()}>`_",
            f":emphasis:`{text}`\\ {self.word()}",
            f"{self.word()}\\ **{self.word()}**\\ {self.word()}",
            f"_`{text}`",
            f"https://example.org/{self.word()}",
            f"\\*{text}\\*",
            f"{text} -- ({self.word()})",
            f":sup:`{text}`",
            text,
            text,
            text,
            text,
        ][pick]

    def line(self):
        return " ".join(self.inline() for _ in range(self.random.randint(1, 4)))

    def paragraph(self):
        return "\n".join(self.line() for _ in range(self.random.randint(1, 2)))

    def block(self, depth=0):
        pick = self.random.randrange(23 if depth < 2 else 8)
        if pick >= 8:
            return self._block_of_blocks(pick, depth)
        if pick == 0:
            self.labels.append(label := self.words(2))
            return f".. _{label}:\n\n{self.paragraph()}"
        if pick == 1:
            return "::\n\n" + indent(f"{self.words()}\n\n  {self.words()}", "   ")
        if pick == 2:
            return f".. {self.words()}"
        if pick == 3:
            return "\n".join(f"| {self.line()}" for _ in range(2))
        return self.paragraph()

    def _block_of_blocks(self, pick, depth):
        inner = self.block(depth + 1) if pick in (11, 12, 13, 14, 15, 22) else ""
        if pick in (8, 9):
            return "\n\n".join(f"- {indent(self.item(depth), '  ')[2:]}" for _ in range(2))
        if pick == 10:
            return "\n\n".join(f"{number}. {indent(self.item(depth), '   ')[3:]}" for number in (1, 2))
        if pick == 11:
            return f"{self.words()}\n{indent(inner, '   ')}"
        if pick == 12:
            return f":{self.words(2)}: {self.line()}\n\n{indent(inner, '   ')}"
        if pick == 13:
            return f"{self.paragraph()}\n\n{indent(inner, '    ')}"
        if pick == 14:
            return f".. note::\n\n{indent(inner, '   ')}"
        if pick == 15:
            return f".. admonition:: {self.line()}\n\n{indent(inner, '   ')}"
        if pick == 16 and depth == 0:
            return f".. topic:: {self.words()}\n\n{indent(self.paragraph(), '   ')}"
        if pick == 17:
            cells = "\n".join(f"   * - {self.line()}\n     - {self.words()}" for _ in range(2))
            return f".. list-table:: {self.words()}\n   :header-rows: 1\n\n{cells}"
        if pick == 18:
            rows = [[self.words(2) for _ in range(2)] for _ in range(3)]
            rule = "=" * 30 + "  " + "=" * 30
            head, *body = [f"{a:30}  {b:30}".rstrip() for a, b in rows]
            return "\n".join([rule, head, rule, *body, rule])
        if pick == 19:
            rule = "+" + "-" * 32 + "+" + "-" * 32 + "+"
            rows = [f"| {self.words(2):30} | {self.words(2):30} |" for _ in range(2)]
            return "\n".join([rule, rows[0], rule, rows[1], rule])
        if pick == 20:
            return f".. figure:: {self.word()}.png\n\n   {self.line()}\n\n   {self.paragraph()}"
        if pick == 21:
            return f"-a, --all  {self.words()}\n-b         {self.words()}"
        if pick == 22:
            return f".. container:: xxx\n\n{indent(inner, '   ')}"
        return self.paragraph()

    def item(self, depth):
        return self.paragraph() if self.random.random() < 0.6 else f"{self.paragraph()}\n\n{self.block(depth + 1)}"

    def make(self):
        parts = []
        level = -1
        for _ in range(self.random.randint(1, 4)):
            if self.random.random() < 0.8:
                level = self.random.randint(0, min(level + 1, 3))
                for _ in range(self.random.choice((0, 0, 1, 2))):
                    self.labels.append(label := self.words(2))
                    parts.append(f".. _{label}:")
                title = self.words(2)
                if self.random.random() < 0.3:
                    title += f" :emphasis:`{self.word()}`"
                else:
                    self.titles.append(title)
                parts.append(f"{title}\n{SIGNS[level] * (len(title) + 2)}")
            parts += [self.block() for _ in range(self.random.randint(1, 3))]
        return "\n\n".join([*parts, "..", *self.tail]) + "\n"


def indent(text, by):
    return "\n".join(by + line if line else line for line in text.split("\n"))


class _TextOfHTML(html.parser.HTMLParser):
    """The text of a page, with a space at the ends of all elements that are not inline."""

    INLINE = frozenset(("a", "em", "strong", "cite", "code", "span", "tt", "sup", "sub", "kbd"))
    HIDDEN = frozenset(("head", "style", "script"))

    def __init__(self):
        super().__init__()
        self.parts = []
        self.hidden = 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in self.HIDDEN
        if tag not in self.INLINE or ("class", "backrefs") in attrs:
            self.parts.append(" ")

    def handle_endtag(self, tag):
        self.hidden -= tag in self.HIDDEN
        if tag not in self.INLINE:
            self.parts.append(" ")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def read_with_docutils(source):
    """Return the words, headings and links of a source by docutils' parser, transforms and writer."""
    tree = publish_doctree(source, settings_overrides=SETTINGS)
    headings = [(_level(title.parent), title.astext()) for title in tree.findall(nodes.title) if _is_section(title)]
    links = []
    for node in tree.findall(nodes.reference):
        if "refuri" in node:
            links.append((squeeze(node.astext()), node["refuri"]))
        elif "refid" in node:
            links.append((squeeze(node.astext()), _section_of(tree.ids[node["refid"]])))
    for message in list(tree.findall(nodes.system_message)):
        message.parent.remove(message)
    page = _TextOfHTML()
    page.feed(publish_from_doctree(tree, writer="html5", settings_overrides=SETTINGS).decode())
    return find_words("".join(page.parts)), headings, sorted(links)


def find_words(text):
    return re.findall(r"[a-zü]\w*", text)


def squeeze(text):
    return " ".join(text.split())


def _is_section(title):
    return isinstance(title.parent, nodes.section)


def _level(section):
    return 0 if isinstance(section, nodes.document) else 1 + _level(section.parent)


def _section_of(node):
    while not isinstance(node, (nodes.section, nodes.document)):
        node = node.parent
    return node.next_node(nodes.title).astext() if isinstance(node, nodes.section) else ""
