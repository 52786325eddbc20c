"""Blocks of Markdown that site builders added, rewritten to what every parser reads."""

import re

# MkDocs' `!!! note "Title"`, `??? tip`, `=== "Tab"`: a title, then an indented block.
_INDENTED_BLOCK = re.compile(
    r"""^(?P<indent>[ ]*)(?:!!!|\?\?\?\+?|===[!+]*|///)[ ]+(?P<kind>[\w -]*?)[ ]*(?:["'](?P<title>.*)["'])?[ ]*$"""
)
# Docusaurus' and MyST's `:::note[Title]` ... `:::`
_FENCED_BLOCK = re.compile(
    r"^[ ]*:{3,}[ ]*(?:\{?[\w-]+\}?)?[ ]*(?:\[(?P<title>.*)\]|(?P<words>[^{\[]*))?(?:\{.*\})?[ ]*$"
)
_DROPPED = re.compile(
    r"""^[ ]*(?:--8<--|\{%|\{:[^}]*\}[ ]*$|///[ ]*$|\[TOC\][ ]*$|import[ ].*[ ]from[ ]["'][^"']+["'];?[ ]*$)"""
)
_LABEL = re.compile(r"^(?P<indent>[ ]*)\((?P<name>[\w.:-]+)\)=[ ]*$")  # MyST's
_FENCE = re.compile(r"^[ ]{0,12}(?:[-*+>]|\d+[.)])?[ ]*(`{3,}|~{3,})")
_SIGNS = re.compile(r"^[ ]*(?:!!!|\?\?\?|===|///|:::|--8<--|\{[%:]|\[TOC\]|import |\([\w.:-]+\)=)", re.MULTILINE)
_BODY = 4  # how far MkDocs indents a block


def plain_markdown(text: str) -> str:
    r"""Return the text without the block markers of MkDocs, Docusaurus and Jekyll; titles and bodies stay.

    >>> plain_markdown('!!! note "Beware"\n    It bites.\n')
    '\nBeware\n\nIt bites.\n'
    """
    if _SIGNS.search(text) is None:
        return text
    lines: list[str] = []
    bodies: list[int] = []  # the indentation of the blocks that are open, as the source has it
    fence = ""
    for line in text.split("\n"):
        width = len(line) - len(line.lstrip(" "))
        while bodies and line.strip() and width < bodies[-1]:
            bodies.pop()
        shown = line[min(_BODY * len(bodies), width) :]
        opened = _FENCE.match(line)
        if fence or opened:
            lines.append(shown)
            fence = _still_open(fence, opened, line)
        elif block := _INDENTED_BLOCK.match(line):
            indent = shown[: len(shown) - len(shown.lstrip(" "))]
            lines += ["", indent + (block["title"] or block["kind"].strip().title()), ""]
            bodies.append(width + _BODY)
        else:
            lines += _rewritten(line, shown)
    return "\n".join(lines)


def _still_open(fence: str, mark: re.Match[str] | None, line: str) -> str:
    """Return the fence that is open after a line: "" outside of code."""
    if not fence:
        return mark.group(1) if mark else ""
    closes = mark is not None and mark.group(1).startswith(fence) and line.strip() == mark.group(1)
    return "" if closes else fence


def _rewritten(line: str, shown: str) -> list[str]:
    """Return what stands for a line outside of code that begins no indented block."""
    if fenced := _FENCED_BLOCK.match(line):
        return ["", (fenced["title"] or fenced["words"] or "").strip(), ""]
    if label := _LABEL.match(line):
        return [f'{label["indent"]}<a id="{label["name"]}"></a>', ""]
    return [] if _DROPPED.match(line) else [shown]
