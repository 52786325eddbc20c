"""Encodings that a file declares, by the labels of the WHATWG Encoding Standard.

https://encoding.spec.whatwg.org/#names-and-labels
"""

import codecs
import re

_PRESCAN = 1024  # bytes of a page that may contain the declaration
_HEAD = 65536  # bytes with a late declaration, which counts if the page is not UTF-8
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml\s[^>]{0,200}?\bencoding\s*=\s*[\"']\s*([A-Za-z0-9._:-]+)\s*[\"']")
# Emacs, Vim, Python and docutils: in a comment in one of the first two lines.
_COMMENT = re.compile(rb"(?:[^\n]{0,200}\n)?[^\n]{0,200}?coding[:=][ \t]*([A-Za-z0-9._-]+)")
_LINE_ENDS = re.compile(r"-(?:unix|dos|mac)$")

# Where Python's codec of a standard's encoding lacks its extensions.
_SUPERSETS = {
    "gbk": ("gb18030",),
    "euc-jp": ("euc_jp", "euc_jis_2004"),
    "iso-2022-jp": ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004"),
    "x-user-defined": ("cp1252",),
    # A page can't be read as UTF-16 if its declaration could be.
    **dict.fromkeys(("utf-16le", "utf-16be"), ("utf-8",)),
}
# Encodings that browsers do not read for security, and code pages of old systems.
_OTHERS = re.compile(r"hz(?:-gb-2312)?$|iso-2022-kr$|(?:cp|ibm)-?(?:437|72[07]|737|775|85\d|86\d|874|1006|1125)$")


def has_page_suffix(name: str) -> bool:
    """Return if a file is HTML by its name.

    >>> has_page_suffix("Index.HTM.gz"), has_page_suffix("page.md")
    (True, False)
    """
    return name.lower().removesuffix(".gz").endswith((".html", ".htm", ".xhtml"))


def find_page_encoding(data: bytes) -> tuple[str, ...] | None:
    """Return the codecs of an HTML page by its ``<meta>`` or XML declaration.

    :returns: Python's codecs, of which the first that decodes the page without error counts; None
        if nothing known is declared.

    >>> find_page_encoding(b'<meta charset="gb2312">')
    ('gb18030',)
    """
    head = data[:_PRESCAN]
    xml = _XML.match(head)
    return _find_meta(head) or (find_codecs(xml[1].decode("ascii")) if xml else None) or _find_late_declaration(data)


def find_comment_encoding(data: bytes) -> tuple[str, ...] | None:
    """Return the codecs of a text by a comment such as ``-*- coding: latin-1 -*-``.

    >>> find_comment_encoding(b".. -*- coding: latin-1 -*-")
    ('cp1252',)
    """
    match = _COMMENT.match(data)
    return find_codecs(_LINE_ENDS.sub("", match[1].decode("ascii"))) if match else None


def find_codecs(label: str) -> tuple[str, ...] | None:
    """Return Python's codecs for a label of an encoding; None if it is unknown.

    A label has the meaning of the standard: ``latin1`` is Windows-1252.

    >>> find_codecs("shift_jis"), find_codecs("unicode_escape")
    (('cp932',), None)
    """
    from webencodings import Encoding, lookup

    encoding: Encoding | None
    spellings = (label, label.replace("_", "-"), label.replace("-", "").replace("_", ""))
    encoding = next((found for spelling in spellings if (found := lookup(spelling))), None)
    if encoding is not None and encoding.name != "replacement":
        return _SUPERSETS.get(encoding.name) or (str(encoding.codec_info.name),)
    lowered = label.lower().replace("_", "-")
    return (codecs.lookup(lowered).name,) if _OTHERS.match(lowered) else None


def decode_as(data: bytes, encodings: tuple[str, ...]) -> str:
    """Return a text in the first encoding that fits; damaged characters become U+FFFD."""
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    return data.decode(encodings[-1], "replace")


def _find_late_declaration(data: bytes) -> tuple[str, ...] | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _find_meta(data[:_HEAD])
    return None


def _find_meta(head: bytes) -> tuple[str, ...] | None:
    """Return the codecs of the first `meta` element with a known encoding."""
    from selectolax.lexbor import LexborHTMLParser

    if b"charset" not in head.lower():
        return None
    for meta in LexborHTMLParser(head.decode("latin-1")).css("meta"):
        attributes = meta.attributes
        label = attributes.get("charset")
        if not label and (attributes.get("http-equiv") or "").lower() == "content-type":
            match = _CHARSET.search(attributes.get("content") or "")
            label = match[1] if match else None
        if label and (found := find_codecs(label)) is not None:
            return found
    return None
