"""Ids of documents as SQLite stores them: 64 hexadecimal digits, the usual case, as 32 bytes."""

import re

ID_KEY = "CASE typeof(id) WHEN 'blob' THEN substr(id, 1, 6) ELSE id END"
"""The part of an id that is in the SQL index: a few bytes tell hashes apart."""

_HASH = re.compile("[0-9a-f]{64}")
_DIGITS = re.compile("[0-9a-f]{0,64}")
_HASH_BYTES, _KEY_BYTES = 32, 6
_ESCAPE = "\1"
"""Begins an id that is stored as the hexadecimal digits of its bytes."""

StoredId = str | bytes


def encode_id(id: str) -> StoredId:
    r"""Return an id for SQLite: as bytes, unchanged, or escaped if it holds lone surrogates.

    >>> encode_id("0f" * 32) == bytes([15] * 32), encode_id("a"), encode_id("\ud800")
    (True, 'a', '\x01eda080')
    """
    if _HASH.fullmatch(id):
        return bytes.fromhex(id)
    return id if is_plain(id) else _ESCAPE + id.encode("utf-8", "surrogatepass").hex()


def decode_id(stored: StoredId) -> str:
    """Return the id that `encode_id` was given."""
    if isinstance(stored, bytes):
        return stored.hex()
    return bytes.fromhex(stored[1:]).decode("utf-8", "surrogatepass") if stored.startswith(_ESCAPE) else stored


def is_plain(id: str) -> bool:
    """Return if an id is stored as it is, or as bytes."""
    if id.startswith(_ESCAPE):
        return False
    try:
        return id.isascii() or bool(id.encode())
    except UnicodeEncodeError:
        return False


def make_key(stored: StoredId) -> StoredId:
    """Return the `ID_KEY` of a stored id."""
    return stored if isinstance(stored, str) else stored[:_KEY_BYTES]


def find_next_hash(id: str) -> bytes | None:
    """Return the lowest 32 bytes whose digits are a text after another; None if there are none.

    >>> find_next_hash("ab").hex()[:4], find_next_hash("ag").hex()[:4], find_next_hash("x")
    ('ab00', 'b000', None)
    """
    digits = _DIGITS.match(id).group()  # type: ignore[union-attr]  # it matches any text
    rest, missing = id[len(digits) :], 2 * _HASH_BYTES - len(digits)
    number = int(digits or "0", 16)
    if not missing:
        number += 1
    elif rest:
        number = 16 * number + (0 if rest < "0" else 10 if rest < "a" else 16)
        missing -= 1
    number <<= 4 * missing
    return number.to_bytes(_HASH_BYTES) if number < 1 << 8 * _HASH_BYTES else None
