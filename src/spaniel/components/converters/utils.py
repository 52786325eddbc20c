"""Formats of links, and metadata of sources."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from spaniel.components.option_enum import OptionEnum
from spaniel.json_types import Meta

LinkFormatName: TypeAlias = Literal["markdown", "plain", "none"]


class LinkFormat(OptionEnum):
    """Text of a link: ``[words](address)``, ``words (address)``, or the words alone."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    NONE = "none"

    def write(self, words: str, address: str) -> str:
        """Return a link as text.

        >>> LinkFormat.PLAIN.write("manual", "api.md")
        'manual (api.md)'
        """
        return {LinkFormat.MARKDOWN: f"[{words}]({address})", LinkFormat.PLAIN: f"{words} ({address})"}.get(self, words)


def normalize_metadata(meta: Meta | Sequence[Meta] | None, sources_count: int) -> list[Meta]:
    """Return the metadata of each source.

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
