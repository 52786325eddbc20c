"""The evaluation collections that lie beside the project, read only where they are."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"

needs_shared_data = pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/data is not there")


def read_jsonl(collection: str, name: str) -> list[dict[str, Any]]:
    """Return the rows of one file of a collection."""
    lines = (FOLDER / collection / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
