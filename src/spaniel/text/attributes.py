"""Attribute lists of Markdown dialects: ``{#id .class key=value}``, kramdown's ``{: #id}``."""

import re
from typing import NamedTuple

_VALUE = r"""(?:"[^"\n]*+"|'[^'\n]*+'|[^\s"'{}=]++)"""
_ITEM = rf"""(?:[#.][\w.:-]++|[\w:-]++={_VALUE}|-(?=[\s}}]))"""
_LIST = re.compile(rf"\{{(?:[ \t]*+(?:{_ITEM}[ \t]*+)++|:[ \t]*+(?:(?:{_ITEM}|[\w:-]++)[ \t]*+)*+)\}}")
_MDX_ID = re.compile(r"\{/\*\s*+#([\w.:-]++)\s*+\*/\}")
_ID = re.compile(r"""(?<![\w="'.])#([\w.:-]+)""")


class AttributeList(NamedTuple):
    """The id that an attribute list gives, or "", and its end in the text."""

    id: str
    end: int


def match_attributes(text: str, start: int = 0) -> AttributeList | None:
    """Return the attribute list that begins at an offset of the text.

    The notations are those of Pandoc, Python-Markdown, kramdown, and of headings in MDX.

    >>> match_attributes("{#own .wide}"), match_attributes("{: .wide #own }"), match_attributes("{/* #own */}")
    (AttributeList(id='own', end=12), AttributeList(id='own', end=15), AttributeList(id='own', end=12))
    >>> match_attributes("{x: 1}")
    """
    found = _LIST.match(text, start)
    if found is not None:
        named = _ID.search(found[0])
        return AttributeList(named[1] if named else "", found.end())
    found = _MDX_ID.match(text, start)
    return None if found is None else AttributeList(found[1], found.end())


def split_attributes(title: str) -> tuple[str, str | None]:
    """Return a title without the attribute list at its end, and the id in that list.

    >>> split_attributes("Set up { #setup }"), split_attributes("Set up {.wide}"), split_attributes("Plain")
    (('Set up', 'setup'), ('Set up', None), ('Plain', None))
    """
    opening = title.rfind("{") if title.endswith("}") else -1
    found = match_attributes(title, opening) if opening >= 0 else None
    if found is None or found.end != len(title):
        return title, None
    return title[:opening].rstrip(), found.id or None
