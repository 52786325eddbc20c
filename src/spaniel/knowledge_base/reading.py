"""The bytes of a file, unpacked where it is compressed, and their digest."""

import hashlib
from pathlib import Path

from spaniel.components.converters.files import open_unpacked, read_bytes

__all__ = ["digest_of", "digest_of_file", "read_bytes"]

_BLOCK = 1 << 20


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_of_file(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, unpacked; it is read in blocks.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    digest = hashlib.sha256()
    with open_unpacked(file) as data:
        while block := data.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
