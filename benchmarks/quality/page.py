"""The page docs/quality.md and its JSON: both halves of the queries."""

import json
from pathlib import Path
from typing import Any

from benchmarks.quality.measuring import Quality
from benchmarks.quality.peers import list_versions
from benchmarks.quality.rows import make_rows
from benchmarks.quality.tables import format_markdown, make_tables, tabulate_store
from spaniel.evaluation import Part

Data = dict[str, Any]
START, END = "<!-- results: written by `make quality` -->", "<!-- end of results -->"
PARTS: dict[str, Part] = {"Held-out half": "held-out", "Development half": "dev"}
_DIGITS = 4


def collect(quality: Quality) -> Data:
    """Return the rows of both halves, rounded, and the versions of the other libraries."""
    parts = {part: make_rows(quality, part) for part in PARTS.values()}
    rounded = {part: {kind: [*map(_round, rows)] for kind, rows in kinds.items()} for part, kinds in parts.items()}
    return {
        "versions": list_versions(),
        "store": {n: _round(sizes) for n, sizes in quality.stores.items()},
        "parts": rounded,
    }


def write(data: Data, json_file: Path | None, page: Path | None) -> None:
    """Write the data, and replace the section between the marks of the page."""
    if json_file is not None:
        json_file.write_text(format_json(data), encoding="utf-8")
    if page is not None:
        page.write_text(replace_results(page.read_text(encoding="utf-8"), data), encoding="utf-8")


def format_json(data: Data) -> str:
    """Return JSON with a line for each row, so that two runs can be compared line by line."""
    first = [f"{json.dumps(key)}: {json.dumps(data[key])}," for key in ("versions", "store")]
    lines = ["{", *first, '"parts": {']
    for place, (part, kinds) in enumerate(data["parts"].items(), 1):
        lines.append(f"{json.dumps(part)}: {{")
        for number, (kind, rows) in enumerate(kinds.items(), 1):
            written = ",\n".join(json.dumps(row) for row in rows)
            lines.append(f"{json.dumps(kind)}: [\n{written}\n]{',' * (number < len(kinds))}")
        lines.append("}" + "," * (place < len(data["parts"])))
    return "\n".join([*lines, "}", "}"]) + "\n"


def replace_results(page: str, data: Data) -> str:
    """Return the page with new tables between its marks.

    :raises ValueError: the page has no such marks.
    """
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"The page needs the lines '{START}' and '{END}'.")
    return f"{before}{START}\n\n{format_results(data)}\n{END}{after}"


def format_results(data: Data) -> str:
    """Return the section of tables."""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(data["versions"].items()))
    lines = [f"Other libraries: {versions}.\n"] if versions else []
    for title, part in PARTS.items():
        lines.append(f"### {title}\n")
        lines += [f"{format_markdown(table)}\n" for table in make_tables(data["parts"][part])]
    if data["store"]:
        lines += ["### Store\n", f"{format_markdown(tabulate_store(data['store']))}\n"]
    return "\n".join(lines)


def _round(row: Data) -> Data:
    return {key: round(value, _DIGITS) if isinstance(value, float) else value for key, value in row.items()}
