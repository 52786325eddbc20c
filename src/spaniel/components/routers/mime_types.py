"""Which MIME type a file has, and which of the wanted ones that is."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from spaniel.dataclasses.byte_stream import mime_type_of


class MimeTypes:
    """MIME types that a router tells apart.

    :param wanted: MIME types, or regular expressions for them, such as ``audio/.*``; the first that fits counts.
    :param additional: extensions of files by MIME type, such as ``{"application/x-notes": ".notes"}``. They hold for this
        object alone, and come before what is known already.
    :param reserved: names that may not be wanted, as they are outputs already.
    :raises ValueError: none is wanted, a reserved one is, or one is no regular expression.
    """

    def __init__(
        self, wanted: Sequence[str], additional: Mapping[str, str] | None, *, reserved: Collection[str]
    ) -> None:
        if not wanted:
            raise ValueError("The list of mime types cannot be empty.")
        if taken := sorted(set(wanted) & set(reserved)):
            raise ValueError(f"{taken} can't be wanted MIME types: they are reserved for outputs. Rename them.")
        self._patterns = {name: _compiled(name) for name in wanted}
        self._additional = {extension.lower(): name for name, extension in (additional or {}).items()}

    def of_path(self, path: Path) -> str | None:
        """Return the MIME type that a file's name stands for, None if it is unknown."""
        return self._additional.get(path.suffix.lower()) or mime_type_of(path)

    def fitting(self, mime_type: object) -> str | None:
        """Return the first wanted MIME type that is this one, or a regular expression for it; None if none is."""
        if not isinstance(mime_type, str) or not mime_type:
            return None
        fits = (name for name, pattern in self._patterns.items() if mime_type == name or pattern.fullmatch(mime_type))
        return next(fits, None)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"Invalid MIME type or regex pattern '{pattern}'. Invalid regex pattern: {error}.") from error
