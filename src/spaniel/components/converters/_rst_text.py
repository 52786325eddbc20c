"""reStructuredText as plain text with its structure."""

import re
from dataclasses import replace

from spaniel.text.converted_text import ConvertedText
from spaniel.text.plain_text import convert_plain

_LARGEST = 2_000_000  # characters; a larger file is read as plain text, which needs no tree in memory
_LONGEST_LINE = 20_000  # docutils' patterns are slow on longer ones
_SEVERE = 4  # docutils lost a part of the file, such as a heading of a level that does not fit
_HEADER_TITLE = re.compile(r"\A(?:[\w-]+:.*\n(?:[ \t].*\n)*)*?Title:[ \t]*(?P<title>.+)")  # as PEPs have it


def convert_rst(text: str) -> ConvertedText:
    r"""Return the plain text of a reStructuredText file with its headings and links.

    Sphinx sources are understood without Sphinx: the text of every role stays, ``:ref:``, ``:doc:``, ``:pep:`` and
    ``:rfc:`` are links; a directive's body stays, a ``toctree`` links its files. Nothing is inserted from other files,
    no raw output is taken over. A file that docutils can't read whole is kept as plain text.

    :param text: the source.

    >>> converted = convert_rst("Guide\n=====\n\nSee :doc:`the manual </api>` and ``run()``.")
    >>> converted.text
    'Guide\n\nSee the manual and run().'
    >>> converted.references
    [Reference(start=11, end=21, target=':doc:/api')]
    """
    if len(text) > _LARGEST or max(map(len, text.splitlines()), default=0) > _LONGEST_LINE:
        return convert_plain(text)
    from docutils import nodes

    from spaniel.components.converters._rst_parser import parse
    from spaniel.components.converters._rst_writer import RstWriter

    try:
        document = parse(text)
        if any(message["level"] >= _SEVERE for message in document.findall(nodes.system_message)):
            return convert_plain(text)
        writer = RstWriter(document)
        writer.children(document)
    except (
        RecursionError,
        ValueError,
        AssertionError,
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
    ):  # docutils' own faults
        return convert_plain(text)
    converted = writer.builder.build()
    header = _HEADER_TITLE.match(text)
    return replace(
        converted,
        title=header["title"].strip() if header else converted.title,
        references=[writer.resolved(reference, converted) for reference in converted.references],
    )
