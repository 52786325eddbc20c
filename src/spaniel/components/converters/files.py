"""Files as documents: which converter reads which file."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from spaniel.components.converters._documents import document_of
from spaniel.components.converters.html import convert_html
from spaniel.components.converters.markdown import convert_markdown
from spaniel.components.converters.rst import convert_rst
from spaniel.components.converters.txt import convert_text
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.text.converted import ConvertedText
from spaniel.text.decoding import decode
from spaniel.text.links import LinkResolver
from spaniel.text.rst_labels import rst_labels

CONVERTERS: dict[str, Callable[[str], ConvertedText]] = {
    ".md": convert_markdown,
    ".markdown": convert_markdown,
    ".rst": convert_rst,
    ".html": convert_html,
    ".htm": convert_html,
    ".xhtml": convert_html,
    ".txt": convert_text,
    ".text": convert_text,
    ".debian": convert_text,  # README.Debian, NEWS.Debian, ...
    "": convert_text,  # README, LICENSE, ...
}
"""The converter of each suffix, in lower case; ``""`` is for names without one."""


def converter_for(name: str) -> Callable[[str], ConvertedText] | None:
    """Return what converts a file of this name, or None; ``.gz`` behind the name does not count.

    >>> converter_for("README.gz") is convert_text
    True
    """
    return CONVERTERS.get(PurePosixPath(name.removesuffix(".gz")).suffix.lower())


def convert_file(path: Path, relative: str, resolver: LinkResolver | None = None) -> Document:
    """Return the document of a file, ready for `SectionSplitter`.

    :param path: the file.
    :param relative: its path in the indexed folder, with ``/``: the ``path`` of the document.
    :param resolver: knows the folder's files; without it every relative target inside the folder counts as a link.
    :raises ConversionError: the file can't be read, is binary, holds no text, or has a suffix that no converter reads.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConversionError(f"{relative} can't be read: {error.strerror or error}.") from error
    document = convert_bytes(data, relative, resolver)
    if not (document.content or "").strip():
        raise ConversionError(f"{relative} holds no text.")
    return document


def convert_bytes(data: bytes, relative: str, resolver: LinkResolver | None = None) -> Document:
    """Return the document of a file's bytes, as `convert_file` does; its content may be empty.

    :raises ConversionError: they are binary, or the file has a suffix that no converter reads.
    """
    convert = converter_for(relative)
    if convert is None:
        known = ", ".join(suffix for suffix in CONVERTERS if suffix)
        raise ConversionError(
            f"{relative}: no converter reads this kind of file. Those that are read: {known}, and names without a suffix."
        )
    return document_of(convert(decode(data, relative)), relative, resolver=resolver)


def labels_of(text: str, relative: str) -> dict[str, str]:
    r"""Return the named places of a file, for `LinkResolver`: what other files may link to beside its sections.

    :param text: the source of the file, decoded.
    :param relative: its path in the indexed folder.

    >>> labels_of(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    >>> labels_of('<h1 id="top">Guide</h1><p id="note">Mind.', "guide.html")
    {'guide.html#note': 'guide.html#top'}
    """
    convert = converter_for(relative)
    if convert is convert_rst:
        return rst_labels(text, relative)
    if convert is convert_html or (convert is convert_markdown and _may_name_places(text)):
        converted = convert(text)
        own = set(converted.slugs)
        return {
            f"{relative}#{alias}": f"{relative}#{slug}" if slug else relative
            for alias, slug in converted.aliases.items()
            if alias not in own
        }
    return {}


def _may_name_places(text: str) -> bool:
    return "id=" in text or "name=" in text
