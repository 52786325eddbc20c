"""The kinds of HTML elements, after the user agent style sheet of the HTML standard.

https://html.spec.whatwg.org/multipage/rendering.html
"""

import re
from functools import lru_cache

HIDDEN = frozenset(
    {
        *("area", "base", "basefont", "datalist", "head", "link", "meta", "noembed", "noframes", "noscript", "param"),
        *("script", "style", "template", "rp", "-comment", "!doctype"),
        # Replaced elements, whose content is for browsers that don't know them, and controls.
        *("audio", "canvas", "embed", "iframe", "meter", "object", "progress", "video"),
        *("input", "select", "textarea"),
        *("defs", "metadata", "symbol"),  # of SVG
    }
)
"""Elements whose content is not shown, or is not part of the document: form controls."""

BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl"),
        *("fieldset", "figcaption", "figure", "footer", "form", "frameset", "header", "hgroup", "hr", "html", "main"),
        *("nav", "p", "search", "section"),
    }
)
"""Elements that begin and end a paragraph."""

INLINE = frozenset(
    {
        *("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em", "font", "i", "ins"),
        *("kbd", "label", "mark", "s", "samp", "small", "span", "strike", "strong", "sub", "time", "tt", "u"),
        "var",
    }
)
"""Elements that may be within a word."""

SECTIONS = frozenset(
    {"article", "aside", "blockquote", "details", "dialog", "fieldset", "figure", "main", "section", "td", "th"}
)
"""Elements whose header, footer and side notes are their own, not the page's."""

HEADINGS = "h1, h2, h3, h4, h5, h6"
LEVELS = {f"h{level}": level for level in range(1, 7)}

ORDINARY = frozenset({"class", "id", "href", "title", "name", "src", "alt", "style", "rel", "width", "height", "align"})
"""Attributes for which no element is left out, except some classes."""

IN_LAYOUT = f"{HEADINGS}, pre"
"""Elements in a table that only arranges a page."""

LANDMARKS = frozenset({"nav", "search", "aside", "header", "footer"})
FURNITURE = frozenset(
    {
        *("navheader", "navfooter", "navigation", "nav", "nav-panel", "sphinxsidebar", "related", "breadcrumbs"),
        *("skip-link", "skipnav", "md-header", "md-footer", "md-sidebar", "srclink", "sidebar"),
        *("topNav", "subNav", "bottomNav"),
    }
)
"""Classes of navigation in pages that mark it by no element and role; it has no headings."""

IN_CODE = (
    ":is(:not(b, code, em, font, i, listing, mark, pre, small, span, strong, tt, u, var, xmp), code ~ code, [id], [role], [hidden],"
    " [aria-hidden], [class*=lineno], [class*=line-n], [class*=lineN], [class*=LineN], [class*=gutter], [class~=ln],"
    " [class~=lnt])"
)
"""Elements in code that are more than its colors."""

_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:line-?n(?:o|os|um|ums|umbers?)(?![a-z])|gutter|lnt?(?![\w-]))|codeLineNumber", re.IGNORECASE
)


def is_gutter(classes: str) -> bool:
    """Return if classes are those of numbers beside the lines of code.

    >>> is_gutter("code linenos"), is_gutter("line")
    (True, False)
    """
    return _GUTTER.search(classes) is not None


@lru_cache(maxsize=1024)
def is_notable(classes: str | None) -> bool:
    """Return if an element may be left out for its classes."""
    return bool(classes) and (is_gutter(classes or "") or not FURNITURE.isdisjoint((classes or "").split()))
