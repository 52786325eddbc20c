"""The bytes of a file, unpacked where it is compressed as Debian's documentation is."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spaniel.errors import ConversionError

_LARGEST_UNPACKED = 512 * 1024 * 1024


def opened(file: Path) -> gzip.GzipFile | io.BufferedReader:
    """Return a file, open to be read; a ``.gz`` file is unpacked as it is read.

    :raises OSError: it can't be opened. To read from a damaged ``.gz`` file raises OSError, EOFError or `zlib.error`.
    """
    return gzip.GzipFile(file) if file.suffix == ".gz" else file.open("rb")


@contextmanager
def unpacked(file: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    """Open a file as `opened` does; damage is told as such.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    try:
        with opened(file) as data:
            yield data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConversionError(f"damaged .gz file: {error}") from error


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file; those of a ``.gz`` file unpacked.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file, or unpacks to more than 512 MiB.
    """
    if file.suffix != ".gz":
        return file.read_bytes()
    with unpacked(file) as packed:
        data = packed.read(_LARGEST_UNPACKED + 1)
    if len(data) > _LARGEST_UNPACKED:
        raise ConversionError("it unpacks to more than 512 MiB")
    return data
