"""docs/parity.md names existing tests."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line
    for line in (ROOT / "docs" / "parity.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| case ")
]


def test_every_row_names_existing_tests():
    for row in ROWS:
        cell = row.rstrip(" |").rpartition(" | ")[2]
        files = re.findall(r"\]\(\.\./(tests/[\w/.]+)\)((?:<br>`\w+`)*)", cell)
        assert files, row
        for file, names in files:
            source = (ROOT / file).read_text(encoding="utf-8")
            assert [name for name in re.findall(r"`(\w+)`", names) if f"def {name}(" not in source] == []


def test_rows_are_many_and_distinct():
    assert len(ROWS) > 40
    assert len(set(ROWS)) == len(ROWS)
