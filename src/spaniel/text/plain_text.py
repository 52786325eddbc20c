"""Plain text, unchanged, with its headings and links."""

import re
from bisect import bisect_right

from spaniel.text.converted_text import ConvertedText, Reference, Span
from spaniel.text.headings import find_structure
from spaniel.text.slugs import github_slug, unique_slugs
from spaniel.text.source_lines import SourceLines
from spaniel.text.web_addresses import match_address

_LINK = re.compile(
    r"""(?<![\w!\]\\])\[(?P<text>[^\[\]\n]{1,300}(?:\n[^\[\]\n]{1,300}){0,2})\]\((?P<target>[^\s()<>]{1,500}(?:\([^\s()]*\))?)(?:[ ]+"[^"\n]*")?\)
    |(?<![\w`])`(?P<rst>[^`<>]{1,300}?)\s+<(?P<rst_target>[^\s<>`]{1,500})>`_{1,2}(?!\w)
    |(?P<url>https?://)""",
    re.VERBOSE,
)
_LIKE_A_FILE = re.compile(r"[./#:]")


def convert_text(text: str) -> ConvertedText:
    """Return the unchanged text with its headings and links.

    >>> convert_text("See also: [other](other.txt)").references
    [Reference(start=11, end=16, target='other.txt')]
    """
    structure = find_structure(text)
    slugs = unique_slugs(
        slug or github_slug(heading.title) for heading, slug in zip(structure.headings, structure.slugs, strict=True)
    )
    return ConvertedText(
        text=text,
        headings=structure.headings,
        slugs=slugs,
        references=_find_references(text, structure.code),
        code=structure.code,
        source_lines=[SourceLines(0, 1, text.count("\n") + 1, verbatim=True)],
    )


def _find_references(text: str, code: list[Span]) -> list[Reference]:
    found: list[Reference] = []
    for match in _LINK.finditer(text):
        block = bisect_right(code, (match.start(), len(text))) - 1
        if block >= 0 and match.start() < code[block][1]:
            continue
        if match["url"]:
            url = match_address(text, match.start())
            if not found or match.start() >= found[-1].end:  # else an address in an address
                found.append(Reference(match.start(), match.start() + len(url), url))
        elif match["rst_target"]:
            found.append(Reference(*match.span("rst"), match["rst_target"]))
        elif _LIKE_A_FILE.search(match["target"]):  # f[i](x) is not a link
            found.append(Reference(*match.span("text"), match["target"]))
    return found
