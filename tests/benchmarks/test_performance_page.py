"""The page of results agrees with the numbers it was written from, and no target is left out."""

import json
from pathlib import Path

import pytest

from benchmarks import chart, report
from benchmarks.rows import Row
from benchmarks.targets import TARGETS

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))


def a_row(ratio: float | None, target: float | None = 2, stretch: float | None = 4) -> Row:
    return Row(
        against="peer",
        label="natural",
        size=1000,
        ratio=ratio,
        target=target,
        stretch=stretch,
        ours=1.0,
        theirs=ratio,
        unit="ms",
        note="",
    )


def test_the_page_follows_from_the_data() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    assert report.with_results(page, DATA) == page


def test_the_chart_follows_from_the_data() -> None:
    assert chart.chart(report.targeted(DATA["rows"])) == (DOCS / "performance.svg").read_text(encoding="utf-8")


def test_every_target_has_one_row_with_its_ratio() -> None:
    rows = {(row["against"], row["label"], row["size"]): row["target"] for row in DATA["rows"]}
    assert {target[:3]: rows.get(target[:3]) for target in TARGETS} == {target[:3]: target.ratio for target in TARGETS}


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(None, "not measured"), (1.9, "missed"), (2.0, "met"), (4.0, "met, stretch too")],
)
def test_a_ratio_is_judged_by_its_target(ratio: float | None, expected: str) -> None:
    assert report.verdict(a_row(ratio)) == expected


def test_a_target_without_a_measurement_gets_a_row() -> None:
    data = report.collected([], {}, {})
    assert [row["note"] for row in data["rows"]] == ["not measured"] * len(TARGETS)


def test_the_numbers_are_read_as_they_were_written() -> None:
    assert json.loads(report.as_json(DATA)) == DATA


def test_a_part_that_failed_is_named() -> None:
    failed = {"part": "pisa", "size": 100_000, "rows": [], "error": "ModuleNotFoundError: no PISA", "seconds": 1.0}
    assert "pisa 100,000: ModuleNotFoundError: no PISA" in report.text(report.collected([failed], {}, {}))


def test_only_the_section_between_the_marks_changes() -> None:
    data = {"machine": DATA["machine"], "versions": {}, "rows": [a_row(3.0)], "failures": []}
    page = report.with_results(f"before\n{report.START}\nold\n{report.END}\nafter\n", data)
    assert page.startswith("before\n")
    assert page.endswith("\nafter\n")
    assert "old" not in page
    assert "**3x**" in page
