"""The tables of a store's database, and the index settings in it (see docs/format.md)."""

import re
import uuid
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, get_args

import apsw

from spaniel.core.callables import serialize_callable
from spaniel.document_stores.embedded.indexing import (
    ANALYZERS,
    SEARCH_SCOPES,
    STANDARD,
    Analyzer,
    IndexSettings,
    validate_analyzer,
    validate_fields,
)
from spaniel.document_stores.embedded.tokenizers import DEFAULT_REGEX, Tokenizer, regex_tokenizer
from spaniel.document_stores.local.database.ids import ID_KEY
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.document_stores.local.database.view import VIEW
from spaniel.document_stores.local.files import DATABASE
from spaniel.document_stores.validation import validate_choice
from spaniel.errors import DocumentStoreError, SerializationError, StoreFileError
from spaniel.json_types import Json, JsonObject

FORMAT = 3
APPLICATION_ID = int.from_bytes(b"Span", "big")

_TABLES = f"""
CREATE TABLE nodes (
    slot INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    searched INTEGER,
    tree INTEGER,
    parent INTEGER,
    shape INTEGER,
    first_piece INTEGER,
    last_piece INTEGER,
    length INTEGER,
    updated INTEGER,
    children TEXT,
    shared TEXT,
    meta TEXT,
    content TEXT
);
CREATE INDEX nodes_by_id ON nodes ({ID_KEY}) WHERE searched IS NOT NULL;
CREATE INDEX nodes_by_update ON nodes (updated) WHERE updated IS NOT NULL;
CREATE TABLE attachments (
    slot INTEGER PRIMARY KEY,
    score TEXT,
    embedding_type TEXT,
    embedding BLOB,
    sparse_embedding TEXT,
    blob_type TEXT,
    blob_meta TEXT,
    blob BLOB
);
CREATE TABLE trees (
    number INTEGER PRIMARY KEY, last_slot INTEGER NOT NULL, documents INTEGER NOT NULL, shared TEXT NOT NULL,
    items TEXT
);
CREATE TABLE shapes (number INTEGER PRIMARY KEY, keys TEXT NOT NULL);
CREATE TABLE lookups (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE lookup_runs (
    lookup INTEGER NOT NULL, hash INTEGER NOT NULL, first_slot INTEGER NOT NULL, last_slot INTEGER NOT NULL,
    PRIMARY KEY (lookup, hash, first_slot, last_slot)
) WITHOUT ROWID;
CREATE TABLE tombstones (slot INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE INDEX tombstones_by_change ON tombstones (change);
CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    change INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    next_slot INTEGER NOT NULL,
    forgotten INTEGER NOT NULL,
    lineage TEXT NOT NULL
);
{VIEW}
"""

EmbeddingType = Literal["float16", "float32", "float64"]
EMBEDDING_TYPES: tuple[EmbeddingType, ...] = get_args(EmbeddingType)
DEFAULTS: JsonObject = {
    "search": "leaves",
    "analyzer": STANDARD,
    "fields": {},
    "bm25_tokenization_regex": DEFAULT_REGEX,
    "embedding_dtype": None,
}
_CHOICES: Mapping[str, Collection[str]] = {"search": SEARCH_SCOPES, "embedding_dtype": EMBEDDING_TYPES}


def create_tables(connection: apsw.Connection, settings: Mapping[str, Json]) -> None:
    """Create the tables of an empty database, unless another process has done so."""
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _read_number(connection, "user_version") == 0:
            connection.execute(_TABLES)
            connection.execute("INSERT INTO state VALUES (1, 0, 0, 0, 0, ?)", (uuid.uuid4().hex,))
            write_settings(connection, settings)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def has_tables(connection: apsw.Connection, file: Path) -> bool:
    """Return if a database is a store; an empty database is not yet."""
    application, version = _read_number(connection, "application_id"), _read_number(connection, "user_version")
    if application == 0 and version == 0 and not connection.execute("SELECT 1 FROM sqlite_schema").fetchall():
        return False
    if application != APPLICATION_ID:
        raise StoreFileError(f"'{file}' is a database of another application, not a store. Choose a new folder.")
    if version != FORMAT:
        cure = "Use a newer version." if version > FORMAT else "Index the documents again, into a new folder."
        raise StoreFileError(
            f"'{file}' has format {version}, but this version of Spaniel reads format {FORMAT}. {cure}"
        )
    return True


def _read_number(connection: apsw.Connection, pragma: str) -> int:
    value = connection.pragma(pragma)
    return value if isinstance(value, int) else 0


def validate_choices(given: Mapping[str, Json]) -> None:
    """Check the values of settings before a folder is created."""
    for name, choices in _CHOICES.items():
        if given[name] is not None:
            validate_choice(name, given[name], choices)
    if given["analyzer"] is not None:
        validate_analyzer(given["analyzer"])
    validate_fields(given["fields"])
    if given["bm25_tokenization_regex"] is not None:
        regex_tokenizer(given["bm25_tokenization_regex"])


def complete_settings(given: Mapping[str, Json]) -> JsonObject:
    """Return settings as they are stored: with defaults, and an analyzer as JSON."""
    settings = {name: DEFAULTS[name] if given[name] is None else given[name] for name in DEFAULTS}
    settings["analyzer"] = _encode_analyzer(settings["analyzer"])
    settings["fields"] = dict(validate_fields(settings["fields"]))
    return settings


def make_index_settings(given: Mapping[str, Json], stored: Mapping[str, Json]) -> IndexSettings:
    """Return the settings of the indexes: those stored, with a function that was given."""
    analyzer: Analyzer = given["analyzer"]
    if isinstance(stored["analyzer"], str):
        analyzer = stored["analyzer"]
    elif "pattern" in stored["analyzer"]:
        analyzer = re.compile(stored["analyzer"]["pattern"], stored["analyzer"]["flags"])
    return IndexSettings(
        stored["search"], analyzer, stored["bm25_tokenization_regex"], validate_fields(stored["fields"])
    )


def change_analyzer(stored: Mapping[str, Json], analyzer: Analyzer | None, fields: Json) -> JsonObject:
    """Return the stored settings with another analyzer or other fields; None keeps them."""
    changed = dict(stored)
    if analyzer is not None:
        validate_analyzer(analyzer)
        changed["analyzer"] = _encode_analyzer(analyzer)
    if fields is not None:
        changed["fields"] = dict(validate_fields(fields))
    return changed


def follow_settings(indexing: IndexSettings, stored: Mapping[str, Json]) -> IndexSettings:
    """Return the settings of the indexes after another process has changed those stored."""
    function = stored["analyzer"].get("function") if isinstance(stored["analyzer"], dict) else None
    if function is not None and _encode_analyzer(indexing.analyzer) != stored["analyzer"]:
        raise DocumentStoreError(
            f"Another process has rebuilt the store with analyzer={function}. Close it, and open it with that function."
        )
    return make_index_settings({"analyzer": indexing.analyzer}, stored)


def write_settings(connection: apsw.Connection, settings: Mapping[str, Json]) -> None:
    """Write settings in place of those of the same names."""
    rows = [(name, to_json(value, f"the setting '{name}'")) for name, value in settings.items()]
    connection.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)


def _encode_analyzer(analyzer: Analyzer) -> Json:
    if isinstance(analyzer, str):
        return analyzer
    if isinstance(analyzer, re.Pattern):
        return {"pattern": analyzer.pattern, "flags": analyzer.flags}
    return {"function": _name_tokenizer(analyzer)}


def validate_settings(given: Mapping[str, Json], stored: Mapping[str, Json], folder: Path) -> None:
    """Check that the given settings agree with the stored settings."""
    if not _are_valid(stored):
        raise StoreFileError(f"The settings in '{folder / DATABASE}' are damaged. Restore it from a backup.")
    for name, value in complete_settings(given).items():
        if given[name] is not None and value != stored.get(name):
            remedy = (
                f"change it: store.rebuild({name}=...), or spaniel rebuild --analyzer NAME"
                if name in ("analyzer", "fields")
                else "export the documents and import them into a new store"
            )
            raise DocumentStoreError(
                f"'{folder}' is indexed with {name}={stored.get(name)!r}, got {value!r}. Omit {name}, or {remedy}."
            )
    if isinstance(stored["analyzer"], dict) and "function" in stored["analyzer"] and given["analyzer"] is None:
        raise DocumentStoreError(f"'{folder}' is indexed with analyzer={stored['analyzer']['function']}. Pass it.")


def read_settings(connection: apsw.Connection) -> JsonObject:
    """Return the settings in a database."""
    return {name: from_json(str(value)) for name, value in connection.execute("SELECT name, value FROM settings")}


def _are_valid(stored: Mapping[str, Json]) -> bool:
    try:
        re.compile(stored["bm25_tokenization_regex"])
        return (
            stored["search"] in SEARCH_SCOPES
            and stored["embedding_dtype"] in (None, *EMBEDDING_TYPES)
            and _is_valid_analyzer(stored["analyzer"])
            and validate_fields(stored["fields"]) is not None
        )
    except (KeyError, TypeError, ValueError, re.error):
        return False


def _is_valid_analyzer(stored: Json) -> bool:
    if isinstance(stored, dict) and "pattern" in stored:
        re.compile(stored["pattern"], stored["flags"])
        return True
    return stored in ANALYZERS or (isinstance(stored, dict) and isinstance(stored.get("function"), str))


def _name_tokenizer(tokenizer: Tokenizer) -> str:
    try:
        return serialize_callable(tokenizer)
    except SerializationError:  # a local function: every caller that opens the store must pass it
        named: Json = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
        return ".".join(filter(None, (getattr(named, "__module__", None), named.__qualname__)))
