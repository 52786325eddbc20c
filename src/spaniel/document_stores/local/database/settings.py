"""How the documents of a local store are indexed: as the folder says, unless it is new."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spaniel.core.callables import serialize_callable
from spaniel.document_stores.embedded.store_state import CJK, SEARCH_SCOPES, IndexSettings
from spaniel.document_stores.embedded.tokenizers import DEFAULT_REGEX
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.document_stores.local.files import DATABASE
from spaniel.errors import DocumentStoreError, SerializationError, StoreFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import apsw

    from spaniel.document_stores.embedded.store_state import Tokenizer

EMBEDDING_TYPES = ("float16", "float32", "float64")
DEFAULTS: dict[str, Any] = {
    "search": "leaves",
    "cjk": "characters",
    "bm25_tokenization_regex": DEFAULT_REGEX,
    "bm25_tokenizer": None,
    "embedding_dtype": None,
}


def plain_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they are kept: a tokenizer by its name.

    :param given: those of `DEFAULTS`; None stands for no choice.
    """
    plain = {name: DEFAULTS[name] if given[name] is None else given[name] for name in DEFAULTS}
    if plain["bm25_tokenizer"] is not None:
        plain["bm25_tokenizer"] = _name_of(plain["bm25_tokenizer"])
    return plain


def checked_settings(given: Mapping[str, Any], kept: Mapping[str, Any], folder: Path) -> None:
    """Check that what is given is what is kept.

    :raises DocumentStoreError: the documents are indexed otherwise.
    :raises StoreFileError: what is kept makes no sense.
    """
    if not _are_known(kept):
        raise StoreFileError(
            f"The settings in '{folder / DATABASE}' are none that Spaniel writes, so it is damaged. Restore it from a backup."
        )
    asked = plain_settings(given)
    for name, value in asked.items():
        if given[name] is not None and value != kept.get(name):
            raise DocumentStoreError(
                f"The documents in '{folder}' are indexed with {name}={kept.get(name)!r}, but {value!r} is asked for. Leave "
                f"{name} out, or export the documents and import them into a new store."
            )
    if kept.get("bm25_tokenizer") is not None and given["bm25_tokenizer"] is None:
        raise DocumentStoreError(
            f"The documents in '{folder}' are cut into tokens by '{kept['bm25_tokenizer']}'. Pass it as bm25_tokenizer."
        )


def _are_known(kept: Mapping[str, Any]) -> bool:
    try:
        re.compile(kept["bm25_tokenization_regex"])
        return (
            kept["search"] in SEARCH_SCOPES
            and kept["cjk"] in CJK
            and kept["embedding_dtype"] in (None, *EMBEDDING_TYPES)
            and isinstance(kept["bm25_tokenizer"], str | None)
        )
    except (KeyError, TypeError, re.error):
        return False


def indexing_of(kept: Mapping[str, Any], tokenizer: Tokenizer | None) -> IndexSettings:
    """Return what is kept, for the indexes."""
    return IndexSettings(kept["search"], kept["cjk"], kept["bm25_tokenization_regex"], tokenizer)


def read_settings(connection: apsw.Connection) -> dict[str, Any]:
    """Return how the documents are indexed."""
    return {name: from_json(str(value)) for name, value in connection.execute("SELECT name, value FROM settings")}


def write_settings(connection: apsw.Connection, settings: Mapping[str, Any]) -> None:
    """Note how the documents are indexed."""
    rows = [(name, to_json(value, f"the setting '{name}'")) for name, value in settings.items()]
    connection.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)


def _name_of(tokenizer: Tokenizer) -> str:
    try:
        return serialize_callable(tokenizer)
    except SerializationError:  # a local function; whoever opens the store must have it
        named: Any = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
        return ".".join(filter(None, (getattr(named, "__module__", None), named.__qualname__)))
