"""How converters write links."""

from enum import Enum
from typing import TypeVar

FormatT = TypeVar("FormatT", bound=Enum)


class LinkFormat(Enum):
    """How links are written: ``[words](address)``, ``words (address)``, or as their words alone."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    NONE = "none"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "LinkFormat":
        """Return the format of this name, in any case.

        :raises ValueError: there is none.
        """
        return format_named(LinkFormat, string, "link format")

    def write(self, words: str, address: str) -> str:
        """Return a link as text.

        >>> LinkFormat.PLAIN.write("manual", "api.md")
        'manual (api.md)'
        """
        return {LinkFormat.MARKDOWN: f"[{words}]({address})", LinkFormat.PLAIN: f"{words} ({address})"}.get(self, words)


def format_named(formats: type[FormatT], name: str, what: str) -> FormatT:
    """Return a member of an enum by its value, in any case.

    :param what: what it is, for the error.
    :raises ValueError: there is none.
    """
    try:
        return formats(name.lower())
    except ValueError:
        supported = [member.value for member in formats]
        raise ValueError(f"Unknown {what} '{name}'. Supported formats are: {supported}") from None
