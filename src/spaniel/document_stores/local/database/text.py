"""Text as SQLite stores it: UTF-8, or bytes if it holds lone surrogates."""

StoredText = str | bytes


def encode_text(text: str) -> StoredText:
    """Return text for SQLite: unchanged, or as bytes if it holds lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(stored: StoredText) -> str:
    """Return the text that `encode_text` was given."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
