"""Binary data with metadata."""

import mimetypes
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.mutation import WarnOnMutation

_SHOWN_BYTES = 100

# What the standard tables of some platforms lack.
_MIME_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".msg": "application/vnd.ms-outlook"}


def mime_type_of(path: Path) -> str | None:
    """Return the MIME type that a file's name stands for, None if it is unknown.

    >>> mime_type_of(Path("notes.MD"))
    'text/markdown'
    """
    return _MIME_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.as_posix())[0]


@dataclass(init=False, repr=False)
class ByteStream(WarnOnMutation):
    """Binary data: a file's content before it is converted, or a document's blob.

    :param data: the bytes.
    :param meta: metadata.
    :param mime_type: such as ``text/markdown``.

    >>> ByteStream.from_string("hello", mime_type="text/plain").to_string()
    'hello'
    """

    data: bytes
    meta: dict[str, Any] = field(default_factory=dict, hash=False)
    mime_type: str | None = None

    def __init__(self, data: bytes, meta: dict[str, Any] | None = None, mime_type: str | None = None) -> None:
        self.__dict__.update(data=data, meta={} if meta is None else meta, mime_type=mime_type)

    @classmethod
    def from_file_path(
        cls,
        filepath: str | PathLike[str],
        mime_type: str | None = None,
        meta: dict[str, Any] | None = None,
        guess_mime_type: bool = False,
    ) -> "ByteStream":
        """Return the content of a file.

        :param filepath: the file to read.
        :param mime_type: its type, if known.
        :param meta: metadata to keep beside the bytes.
        :param guess_mime_type: derive the type from the file name where `mime_type` is not given.
        """
        path = Path(filepath)
        if not mime_type and guess_mime_type:
            mime_type = mime_type_of(path)
        return cls(path.read_bytes(), meta=meta or {}, mime_type=mime_type)

    @classmethod
    def from_string(
        cls, text: str, encoding: str = "utf-8", mime_type: str | None = None, meta: dict[str, Any] | None = None
    ) -> "ByteStream":
        """Return `text` as bytes in `encoding`."""
        return cls(text.encode(encoding), meta=meta or {}, mime_type=mime_type)

    def to_file(self, destination_path: str | PathLike[str]) -> None:
        """Write the bytes to a file; the metadata is not written."""
        Path(destination_path).write_bytes(self.data)

    def to_string(self, encoding: str = "utf-8") -> str:
        """Return the bytes as text.

        :raises UnicodeDecodeError: the bytes are not text in `encoding`.
        """
        return self.data.decode(encoding)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the bytes as a list of integers, `meta`, `mime_type`."""
        return {"data": list(self.data), "meta": copy_value(self.meta), "mime_type": self.mime_type}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ByteStream":
        """Return the stream that `to_dict` wrote."""
        return cls(bytes(data["data"]), meta=data.get("meta", {}), mime_type=data.get("mime_type"))

    def __repr__(self) -> str:
        shown = self.data if len(self.data) <= _SHOWN_BYTES else self.data[:_SHOWN_BYTES] + b"..."
        return f"{type(self).__name__}(data={shown!r}, meta={self.meta!r}, mime_type={self.mime_type!r})"
