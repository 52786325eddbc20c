"""The bytes of a file, unpacked where it is compressed as Debian's documentation is."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spaniel.errors import ConversionError

_LARGEST_UNPACKED = 512 * 1024 * 1024
_BLOCK = 1 << 20


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file; those of a ``.gz`` file unpacked.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file, or unpacks to more than 512 MiB.
    """
    if file.suffix != ".gz":
        return file.read_bytes()
    with _unpacked(file) as packed:
        data = packed.read(_LARGEST_UNPACKED + 1)
    if len(data) > _LARGEST_UNPACKED:
        raise ConversionError("it unpacks to more than 512 MiB")
    return data


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_of_file(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, unpacked; it is read in blocks.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    digest = hashlib.sha256()
    with _unpacked(file) as data:
        while block := data.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def _unpacked(file: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as data:
            yield data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConversionError(f"damaged .gz file: {error}") from error
