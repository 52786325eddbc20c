"""Markdown and reStructuredText headings of plain text."""

import re
from itertools import pairwise
from typing import NamedTuple

from spaniel.text.attributes import split_attributes
from spaniel.text.converted_text import Heading, Span

# A fence, an ATX heading, or a line underlined with a repeated sign.
_CANDIDATE = re.compile(
    r"""^\f*(?:[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*
    |[ ]{0,3}(?P<marks>\#{1,6})[ \t]+(?P<atx>\S[^\n]*)
    |[ ]?(?P<title>\S[^\n]{0,198})\n(?P<sign>[=\-~^"'`*+\#.:_])(?P<under>(?P=sign){2,})[ \t]*$)""",
    re.MULTILINE | re.VERBOSE,
)
_MARKDOWN_LEVELS = {"=": 1, "-": 2}
_LABEL = re.compile(r"\.\. _|\.\. |:")  # allowed right above an underlined heading: a target, a field


class TextStructure(NamedTuple):
    """Headings, their explicit ids, and fenced code blocks of a plain text."""

    headings: list[Heading]
    slugs: list[str | None]
    code: list[Span]


def find_structure(text: str, *, marks: bool = True) -> TextStructure:
    r"""Return the headings of a text, their explicit ids, and its fenced code blocks.

    Headings are Markdown's ``# Title`` and lines underlined with a repeated sign (``=====``,
    ``*****``, ...), optionally overlined. The signs get their levels in the order of appearance, as
    in reStructuredText; in a text with ``#`` headings ``=`` is level 1 and ``-`` level 2. A code
    fence has no headings.

    :param marks: read ``# Title`` as a heading.

    >>> [(heading.level, heading.title) for heading in find_structure("Top\n***\n\nSub\n===\n").headings]
    [(1, 'Top'), (2, 'Sub')]
    """
    found, code = _find_candidates(text)
    if not marks:
        found = [match for match in found if not match["marks"]]
    has_marks = any(match["marks"] for match in found)
    styles: list[tuple[str, bool]] = []
    structure = TextStructure([], [], code)
    for match in found:
        if match["marks"]:
            level, start, group = len(match["marks"]), _page_start(match), "atx"
        else:
            start, overlined = _find_start(text, match)
            style = (match["sign"], overlined)
            if style not in styles:
                styles.append(style)
            level, group = styles.index(style) + 1, "title"
            if has_marks:
                level = _MARKDOWN_LEVELS.get(match["sign"], 3)
        title, slug = split_attributes(_drop_closing_marks(match[group]))
        structure.headings.append(Heading(level, title, start))
        structure.slugs.append(slug)
    return structure


def _drop_closing_marks(title: str) -> str:
    title = title.rstrip()
    bare = title.rstrip("#")
    return bare.rstrip() if bare[-1:].isspace() else title


def _find_candidates(text: str) -> tuple[list[re.Match[str]], list[Span]]:
    found: list[re.Match[str]] = []
    code: list[Span] = []
    fence, opened, place = "", 0, 0
    while (match := _CANDIDATE.search(text, place)) is not None:
        place = match.end()
        mark = match["fence"]
        if fence:
            if mark and mark[0] == fence[0] and len(mark) >= len(fence) and match.group().strip() == mark:
                code.append((opened, match.end()))
                fence = ""
            elif match["title"]:
                place = match.end("title")  # the next line may close the fence
        elif mark:
            if not (mark[0] == "`" and "`" in match.group().strip().lstrip("`")):  # inline code, not a fence
                fence, opened = mark, match.start()
        elif match["marks"] or _is_underlined(text, match):
            found.append(match)
        elif match["title"]:
            place = match.end("title")
    if fence:  # an unclosed fence ends with the file, as in CommonMark
        code.append((opened, len(text)))
    return _drop_comments(found), code


def _is_underlined(text: str, match: re.Match[str]) -> bool:
    title, sign, width = match["title"].rstrip(), match["sign"], match.end("under") - match.start("sign")
    if (
        not any(character.isalnum() for character in title)
        or title[0] == "|"
        or title.startswith((".. ", "- ", "* ", "> ", "```"))
    ):
        return False
    if sign == "`" and width < 4:  # a code fence right below a line
        return False
    if width < len(title) and (sign not in "=-" or width < 3):
        return False
    before = _line_before(text, match.start())
    return not before.strip() or before.strip() == sign * len(before.strip()) or _LABEL.match(before) is not None


def _line_before(text: str, start: int) -> str:
    return text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)] if start else ""


def _find_start(text: str, match: re.Match[str]) -> tuple[int, bool]:
    before = _line_before(text, match.start())
    if len(before) >= 3 and before.strip() == match["sign"] * len(before.strip()):
        return match.start() - len(before) - 1, True
    return _page_start(match), False


def _page_start(match: re.Match[str]) -> int:
    return match.start() + len(match.group()) - len(match.group().lstrip("\f"))


def _drop_comments(found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Drop consecutive lines with ``#`` of the same level: comments of a script."""
    comments = set()
    for at, (first, second) in enumerate(pairwise(found)):
        if first["marks"] and first["marks"] == second["marks"] and second.start() == first.end() + 1:
            comments |= {at, at + 1}
    return [match for at, match in enumerate(found) if at not in comments]
