"""Binary data with metadata."""

import mimetypes
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Self

from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.mutation import WarnOnMutation
from spaniel.json_types import JsonObject, Meta

_MAX_REPR_BYTES = 100

# Missing from the standard tables of some platforms.
_MIME_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".msg": "application/vnd.ms-outlook"}


def mime_type_of(path: Path) -> str | None:
    """Return the MIME type of a file by its name, None if it is unknown.

    >>> mime_type_of(Path("notes.MD"))
    'text/markdown'
    """
    return _MIME_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.as_posix())[0]


@dataclass(init=False, repr=False)
class ByteStream(WarnOnMutation):
    """Binary data with metadata: the content of a file, or the blob of a document.

    :param data: the bytes.
    :param meta: the metadata.
    :param mime_type: such as ``text/markdown``.

    >>> ByteStream.from_string("hello", mime_type="text/plain").to_string()
    'hello'
    """

    data: bytes
    meta: Meta = field(default_factory=dict, hash=False)
    mime_type: str | None = None

    def __init__(self, data: bytes, meta: Meta | None = None, mime_type: str | None = None) -> None:
        self.__dict__.update(data=data, meta={} if meta is None else meta, mime_type=mime_type)

    @classmethod
    def from_file_path(
        cls,
        filepath: str | PathLike[str],
        mime_type: str | None = None,
        meta: Meta | None = None,
        guess_mime_type: bool = False,
    ) -> Self:
        """Return the content of a file.

        :param filepath: the file to read.
        :param mime_type: its type, if known.
        :param meta: the metadata of the stream.
        :param guess_mime_type: derive the type from the file name if `mime_type` is not given.
        """
        path = Path(filepath)
        if not mime_type and guess_mime_type:
            mime_type = mime_type_of(path)
        return cls(path.read_bytes(), meta=meta or {}, mime_type=mime_type)

    @classmethod
    def from_string(
        cls, text: str, encoding: str = "utf-8", mime_type: str | None = None, meta: Meta | None = None
    ) -> Self:
        """Return `text` as bytes in `encoding`."""
        return cls(text.encode(encoding), meta=meta or {}, mime_type=mime_type)

    def to_file(self, destination_path: str | PathLike[str]) -> None:
        """Write the bytes to a file, without the metadata."""
        Path(destination_path).write_bytes(self.data)

    def to_string(self, encoding: str = "utf-8") -> str:
        """Return the bytes as text.

        :raises UnicodeDecodeError: the bytes are not text in `encoding`.
        """
        return self.data.decode(encoding)

    def to_dict(self) -> JsonObject:
        """Return plain data: the bytes as a list of integers, `meta`, `mime_type`."""
        return {"data": list(self.data), "meta": copy_value(self.meta), "mime_type": self.mime_type}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the stream that `to_dict` wrote."""
        return cls(bytes(data["data"]), meta=data.get("meta", {}), mime_type=data.get("mime_type"))

    def __repr__(self) -> str:
        shown = self.data if len(self.data) <= _MAX_REPR_BYTES else self.data[:_MAX_REPR_BYTES] + b"..."
        return f"{type(self).__name__}(data={shown!r}, meta={self.meta!r}, mime_type={self.mime_type!r})"
