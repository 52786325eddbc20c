"""Blocks of Markdown that site builders added, rewritten to what every parser reads."""

import re

# MkDocs' `!!! note "Title"`, `??? tip`, `=== "Tab"`: a title, then an indented block.
_INDENTED_BLOCK = re.compile(r"""^(?P<indent>[ ]*)(?:!!!|\?\?\?\+?|===[!+]*|///)[ ]+(?P<kind>[\w -]*?)[ ]*(?:["'](?P<title>.*)["'])?[ ]*$""")
# Docusaurus' and MyST's `:::note[Title]` ... `:::`
_FENCED_BLOCK = re.compile(r"^[ ]*:{3,}[ ]*(?:\{?[\w-]+\}?)?[ ]*(?:\[(?P<title>.*)\]|(?P<words>[^{\[]*))?(?:\{.*\})?[ ]*$")
_DROPPED = re.compile(r"""^[ ]*(?:--8<--|\{%|\{:[^}]*\}[ ]*$|///[ ]*$|\[TOC\][ ]*$|import[ ].*[ ]from[ ]["'][^"']+["'];?[ ]*$)""")
_LABEL = re.compile(r"^(?P<indent>[ ]*)\((?P<name>[\w.:-]+)\)=[ ]*$")  # MyST's
_FENCE = re.compile(r"^[ ]{0,12}(?:[-*+>]|\d+[.)])?[ ]*(`{3,}|~{3,})")
_SIGNS = re.compile(r"^[ ]*(?:!!!|\?\?\?|===|///|:::|--8<--|\{[%:]|\[TOC\]|import |\([\w.:-]+\)=)", re.MULTILINE)
_BODY = 4  # how far MkDocs indents a block


def plain_markdown(text: str) -> str:
    """Return the text without the block markers of MkDocs, Docusaurus and Jekyll; titles and bodies stay.

    >>> plain_markdown('!!! note "Beware"\\n    It bites.\\n')
    '\\nBeware\\n\\nIt bites.\\n'
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
        if fence:
            if opened and opened.group(1).startswith(fence) and line.strip() == opened.group(1):
                fence = ""
            lines.append(shown)
        elif opened:
            fence = opened.group(1)
            lines.append(shown)
        elif block := _INDENTED_BLOCK.match(line):
            lines += ["", shown[: len(shown) - len(shown.lstrip(" "))] + (block["title"] or block["kind"].strip().title()), ""]
            bodies.append(width + _BODY)
        elif fenced := _FENCED_BLOCK.match(line):
            lines += ["", (fenced["title"] or fenced["words"] or "").strip(), ""]
        elif label := _LABEL.match(line):
            lines += [f'{label["indent"]}<a id="{label["name"]}"></a>', ""]
        elif _DROPPED.match(line) is None:
            lines.append(shown)
    return "\n".join(lines)
