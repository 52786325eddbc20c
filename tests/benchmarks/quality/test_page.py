"""The page of results follows from the numbers it was written from."""

import json
from pathlib import Path

import pytest

from benchmarks.quality import page
from benchmarks.quality.rows import make_rows

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_page_follows_from_the_data():
    data = json.loads((DOCS / "quality.json").read_text(encoding="utf-8"))
    written = (DOCS / "quality.md").read_text(encoding="utf-8")

    assert page.replace_results(written, data) == written


def test_the_json_has_a_line_for_each_row(quality):
    data = {"versions": {"bm25s": "1"}, "store": {"pages": {"ratio": 2.0}}, "parts": {"dev": make_rows(quality, "dev")}}

    lines = page.format_json(data).splitlines()

    assert json.loads("\n".join(lines))["store"] == {"pages": {"ratio": 2.0}}
    assert sum('"set"' in line for line in lines) == sum(map(len, data["parts"]["dev"].values()))


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="needs the lines"):
        page.replace_results("# Quality\n", {"versions": {}, "store": {}, "parts": {}})
