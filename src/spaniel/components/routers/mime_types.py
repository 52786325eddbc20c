"""MIME types of files, and patterns that match them."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from spaniel.dataclasses.byte_stream import mime_type_of


class MimeTypes:
    """MIME types, or regular expressions, of a router's outputs; the first match counts."""

    def __init__(self, names: Sequence[str], extra: Mapping[str, str] | None, *, reserved: Collection[str]) -> None:
        if not names:
            raise ValueError("The list of mime types cannot be empty.")
        if taken := sorted(set(names) & set(reserved)):
            raise ValueError(f"{taken} can't be MIME types: they are reserved for other outputs. Rename them.")
        self._patterns = {name: _compile_pattern(name) for name in names}
        self._additional = {extension.lower(): name for name, extension in (extra or {}).items()}

    def guess(self, path: Path) -> str | None:
        """Return the MIME type of a file by its name, None if it is unknown."""
        return self._additional.get(path.suffix.lower()) or mime_type_of(path)

    def match(self, mime_type: object) -> str | None:
        """Return the first name that is, or matches, a MIME type; None if there is no match."""
        if not isinstance(mime_type, str) or not mime_type:
            return None
        found = (name for name, pattern in self._patterns.items() if mime_type == name or pattern.fullmatch(mime_type))
        return next(found, None)


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"Invalid MIME type or regex pattern '{pattern}'. Invalid regex pattern: {error}.") from error
