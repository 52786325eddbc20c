"""The bytes of a file, unpacked where it is compressed as Debian's documentation is."""

import gzip
import zlib
from pathlib import Path

from spaniel.errors import ConversionError

_LARGEST_UNPACKED = 512 * 1024 * 1024


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file; those of a ``.gz`` file unpacked.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file, or unpacks to more than 512 MiB.
    """
    if file.suffix != ".gz":
        return file.read_bytes()
    try:
        with gzip.open(file) as packed:
            data = packed.read(_LARGEST_UNPACKED + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConversionError(f"damaged .gz file: {error}") from error
    if len(data) > _LARGEST_UNPACKED:
        raise ConversionError("it unpacks to more than 512 MiB")
    return data
