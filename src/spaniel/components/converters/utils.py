"""Formats of links, and metadata of sources."""

from collections.abc import Sequence
from enum import Enum
from typing import Literal, TypeAlias, TypeVar

from spaniel.json_types import Meta

FormatT = TypeVar("FormatT", bound=Enum)
LinkFormatName: TypeAlias = Literal["markdown", "plain", "none"]


class LinkFormat(Enum):
    """Text of a link: ``[words](address)``, ``words (address)``, or the words alone."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    NONE = "none"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "LinkFormat":
        """Return the format of this name, in any case.

        :raises ValueError: the name is unknown.
        """
        return parse_format(LinkFormat, string, "link format")

    def write(self, words: str, address: str) -> str:
        """Return a link as text.

        >>> LinkFormat.PLAIN.write("manual", "api.md")
        'manual (api.md)'
        """
        return {LinkFormat.MARKDOWN: f"[{words}]({address})", LinkFormat.PLAIN: f"{words} ({address})"}.get(self, words)


def parse_format(formats: type[FormatT], name: str | FormatT, label: str) -> FormatT:
    """Return the member of an enum by its value, in any case; a member is returned as it is.

    :param label: name of the option in the error message.
    :raises ValueError: the name is unknown.
    """
    if isinstance(name, formats):
        return name
    try:
        return formats(str(name).lower())
    except ValueError:
        supported = [member.value for member in formats]
        raise ValueError(f"Unknown {label} '{name}'. Supported formats are: {supported}") from None


def normalize_metadata(meta: Meta | Sequence[Meta] | None, sources_count: int) -> list[Meta]:
    """Return one dictionary of metadata per source.

    :param meta: metadata of all sources, or a list with one dictionary per source.
    :param sources_count: the number of sources.
    :raises ValueError: `meta` is a list of another length, or neither list nor dictionary.

    >>> normalize_metadata({"lang": "en"}, 2)
    [{'lang': 'en'}, {'lang': 'en'}]
    """
    if meta is None or isinstance(meta, dict):
        return [meta or {}] * sources_count
    if not isinstance(meta, list):
        raise ValueError(
            f"meta must be either None, a dictionary or a list of dictionaries. It is {type(meta).__name__}."
        )
    if len(meta) != sources_count:
        raise ValueError(
            f"The length of the metadata list ({len(meta)}) must match the number of sources ({sources_count})."
        )
    return meta
