"""Random HTML against a walk over the tree of another parser."""

import random
import re
from itertools import count

import pytest
import tinyhtml5

from spaniel.components.converters.html import convert_html
from spaniel.text.source_lines import LineLookup

NUM_PAGES = 4_000
WORD = re.compile(r"w[\dw]*")
HIDDEN = {"script", "style", "template", "head", "title", "select", "textarea", "button", "nav", "noscript", "iframe"}
BREAKS = {
    *("address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div", "dl"),
    *("dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"),
    *("legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "th", "thead", "tr"),
    *("ul", "html"),
}
IN_TABLE = {"caption", "colgroup", "thead", "tbody", "tfoot", "script", "style", "form"}
TAGS = [  # without figures, details and select, for which the other parser has older rules
    *("a", "b", "i", "em", "code", "span", "sup", "font", "kbd", "wbr", "x-tab", "label", "del"),
    *("p", "div", "section", "article", "aside", "footer", "header", "blockquote"),
    *("ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h6", "br", "hr", "pre", "center"),
    *("table", "tr", "td", "th", "caption", "thead", "tbody", "script", "style", "nav", "form", "fieldset"),
]


def make_page(seed):
    chance, number = random.Random(seed), count()
    parts, opened = [], []
    for _ in range(chance.randint(1, 40)):
        kind = chance.random()
        if kind < 0.4:
            parts.append(
                chance.choice(["", " ", "\n"])
                + f"w{next(number)}"
                + chance.choice(["", "", " ", " &amp; ", "<!-- w -->"])
            )
        elif kind < 0.75:
            tag = chance.choice(TAGS)
            href = f' href="t{next(number)}"' if tag == "a" else ""
            parts.append(f"<{tag}{href}{chance.choice(['', '', ' class=x', ' id=i'])}>")
            opened.append(tag)
            if tag in ("script", "style"):
                parts.append(f"w{next(number)}</{opened.pop()}>")
        elif opened:
            tag = opened.pop(chance.choice([-1, -1, -1, 0]))
            parts.append(f"</{tag}>")
    return "<!doctype html><main>w" + "".join(parts)


def walk(node, found, links, headings, hidden=False):
    """Append the text of a tree to `found`, with a line break at each block."""
    tag = node.tag if isinstance(node.tag, str) else "#comment"
    if tag in HIDDEN or tag == "#comment":
        return
    found.append("\n" * (tag in BREAKS))
    if tag == "sup" and node.find(".//a") is not None:
        found.append(" ")
    start = len(found)
    found.append(node.text or "")
    for child in node:
        walk(child, found, links, headings)
        found.append(child.tail or "")
    words = WORD.findall("".join(found[start:]))
    if tag == "a" and words:
        links.append((words, node.get("href")))
    if re.fullmatch("h[1-6]", tag) and words:
        headings.append((int(tag[1]), words, node))
    found.append("\n" * (tag in BREAKS))


@pytest.mark.parametrize("start", range(0, NUM_PAGES, NUM_PAGES // 8))
def test_random_pages_have_the_words_headings_and_links_of_another_parser(start):
    for seed in range(start, start + NUM_PAGES // 8):
        page = make_page(seed)
        converted = convert_html(page)
        tree = tinyhtml5.parse(page, namespace_html_elements=False)
        if any(child.tag not in IN_TABLE for table in tree.iter("table") for child in table):
            continue  # a fault of the other parser: such elements belong before the table
        found, links, headings = [], [], []
        walk(tree, found, links, headings)
        assert WORD.findall(converted.text) == WORD.findall("".join(found)), (seed, page)
        spans = [(WORD.findall(converted.text[start:end]), target) for start, end, target in converted.references]
        spans = [(words, target) for words, target in spans if words]
        assert sorted(spans) == sorted(links), (seed, page)
        inner = [child for _, _, node in headings for child in node.iter() if child is not node]
        outer = [(level, words) for level, words, node in headings if node not in inner]
        titles = [(level, WORD.findall(title)) for level, title, _ in converted.headings if WORD.search(title)]
        assert titles == sorted(outer, key=lambda heading: titles.index(heading) if heading in titles else -1), (
            seed,
            page,
        )
        assert not any("\n" in title for _, title, _ in converted.headings), (seed, page)
        if "<table" not in page:  # else the parser moves texts
            lines = LineLookup(converted.text, converted.source_lines)
            for word in WORD.finditer(converted.text):
                first, last = lines.find(*word.span())
                assert word[0].rpartition("w")[2] in "\n".join(page.split("\n")[first - 1 : last]), (
                    seed,
                    page,
                    word[0],
                )
