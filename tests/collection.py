"""Real collections: one that the project holds, and larger ones beside the project, if they exist."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

OWN = Path(__file__).parent / "data" / "peps.jsonl"
"""Sections of 25 PEPs (tests/data/README.md)."""

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_shared_data = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data does not exist")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_own() -> tuple[list[dict[str, Any]], list[str]]:
    """Return the sections of the project's own collection, and the first sentences of every tenth
    one as queries.
    """
    rows = read_jsonl(OWN)
    return rows, [re.split(r"(?<=[.:])\s", row["text"].strip(), maxsplit=1)[0][:300] for row in rows[::10]]


def read_shared(name: str, corpus: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows and queries of a shared collection.

    :param corpus: the name of its corpus file.
    """
    return read_jsonl(SHARED / name / corpus), read_jsonl(SHARED / name / "queries.jsonl")
