"""From results to a table on the screen and the page of the documentation."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chart import chart
from benchmarks.rows import Row
from benchmarks.targets import TARGETS

Data = dict[str, Any]
START, END = "<!-- results: written by `make bench` -->", "<!-- end of results -->"
_NOT_MEASURED = "not measured"
_TEXTS = {"against", "beside", "queries", "label", "unit", "note", ""}
"""Columns that are not numbers."""


def collected(results: Sequence[dict[str, Any]], machine: Data, versions: dict[str, str]) -> Data:
    """Return everything as one value for JSON. Every target has a row in it, measured or not."""
    rows: list[Row] = [row for result in results for row in result["rows"]]
    failures = [
        {"part": result["part"], "size": result["size"], "error": result["error"]}
        for result in results
        if result["error"]
    ]
    known = {(row["against"], row["label"], row["size"]) for row in rows}
    rows += [
        Row(
            against=target.against,
            label=target.label,
            size=target.size,
            ratio=None,
            target=target.ratio,
            stretch=target.stretch,
            ours=None,
            theirs=None,
            unit="",
            note=_NOT_MEASURED,
        )
        for target in TARGETS
        if target[:3] not in known
    ]
    return {"machine": machine, "versions": versions, "rows": rows, "failures": failures}


def as_json(data: Data) -> str:
    """Return JSON with a line for each row, so that two runs can be compared line by line."""

    def value(part: Any) -> str:
        if not isinstance(part, list):
            return json.dumps(part, ensure_ascii=False)
        return "[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in part) + "\n]"

    return "{\n" + ",\n".join(f"{json.dumps(key)}: {value(part)}" for key, part in data.items()) + "\n}\n"


def verdict(row: Row) -> str:
    """Return whether a row reaches its target."""
    if row["ratio"] is None or row["target"] is None:
        return _NOT_MEASURED
    if row["ratio"] < row["target"]:
        return "missed"
    return "met" if row["stretch"] is None or row["ratio"] < row["stretch"] else "met, stretch too"


def targeted(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that have a target, in the order of the table of targets; others at the end."""
    places = {target[:3]: place for place, target in enumerate(TARGETS)}
    return sorted(
        (row for row in rows if row["target"] is not None),
        key=lambda row: places.get((row["against"], row["label"], row["size"]), len(places)),
    )


def text(data: Data) -> str:
    """Return all rows as aligned lines, those with a target first."""
    first = targeted(data["rows"])
    rest = [row for row in data["rows"] if row["target"] is None]
    head = ("against", "label", "size", "ratio", "target", "stretch", "", "spaniel", "other", "unit")
    table = [head, *((*_cells(row)[:6], verdict(row), *_cells(row)[6:]) for row in first)]
    table += [head, *((*_cells(row)[:6], "", *_cells(row)[6:]) for row in rest)]
    widths = [max(len(line[column]) for line in table) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
    lines.insert(len(first) + 1, "")
    return "\n".join(lines + [f"{each['part']} {each['size']:,}: {each['error']}" for each in data["failures"]])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row["against"],
        row["label"],
        f"{row['size']:,}",
        _times(row["ratio"]),
        _times(row["target"]),
        _times(row["stretch"]),
        _number(row["ours"]),
        _number(row["theirs"]),
        row["unit"],
    )


def _number(value: float | None) -> str:
    """Return a number with about three digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(value: float | None) -> str:
    return "" if value is None else f"{_number(value)}x"


# --- the page -------------------------------------------------------------------------------------


def write_page(page: Path, data: Data) -> None:
    """Replace the section between the marks, and the chart beside the page."""
    page.write_text(with_results(page.read_text(encoding="utf-8"), data, page.stem), encoding="utf-8")
    page.with_suffix(".svg").write_text(chart(targeted(data["rows"])), encoding="utf-8")


def with_results(page: str, data: Data, name: str = "performance") -> str:
    """Return the page with its section of results written from the data."""
    before, rest = page.split(START)
    return f"{before}{START}\n\n{_section(data, name)}\n\n{END}{rest.split(END)[1]}"


def _section(data: Data, name: str) -> str:
    machine, rows = data["machine"], data["rows"]
    measured_on = (
        f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}, "
        f"Python {machine['python']}, with "
        + ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    )
    first = targeted(rows)
    counts = [sum(verdict(row).startswith(start) for row in first) for start in ("met", "missed", _NOT_MEASURED)]
    return "\n\n".join(
        [
            f"{measured_on}.",
            f"![Ratios beside their targets]({name}.svg)",
            "## Targets",
            f"{counts[0]} met, {counts[1]} missed, {counts[2]} not measured. A ratio is how many times better Spaniel is.",
            _target_table(first),
            "## Growth",
            "Spaniel alone: milliseconds of CPU time, unless the unit says otherwise.",
            _growth_table([row for row in rows if row["against"] == "alone"]),
            "## Two threads",
            "Queries a second of wall time, in a pool of one thread and of two.",
            _thread_table([row for row in rows if " thread" in row["label"]]),
            "## Every result",
            _all_tables(rows),
            *_failures(data["failures"]),
        ]
    )


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruler = "|".join("---" if name in _TEXTS else "---:" for name in head)
    return "\n".join([f"| {' | '.join(head)} |", f"|{ruler}|", *(f"| {' | '.join(line)} |" for line in lines)])


def _target_table(rows: Iterable[Row]) -> str:
    head = ("against", "label", "size", "Spaniel", "other", "ratio", "target", "stretch", "")
    lines = []
    for row in rows:
        against, label, size, ratio, target, stretch, ours, theirs, unit = _cells(row)
        result = verdict(row)
        lines.append(
            (
                against,
                label,
                size,
                f"{ours} {unit}".strip(),
                f"{theirs} {unit}".strip(),
                f"**{ratio}**" if ratio else "",
                target,
                stretch,
                result,
            )
        )
    return _table(head, lines)


def _growth_table(rows: Sequence[Row]) -> str:
    sizes = sorted({row["size"] for row in rows})
    named: dict[tuple[str, str], dict[int, str]] = {}
    for row in rows:
        named.setdefault((row["label"], row["unit"]), {})[row["size"]] = _number(row["ours"])
    head = ("label", "unit", *(f"{size:,}" for size in sizes))
    return _table(head, ((*names, *(costs.get(size, "") for size in sizes)) for names, costs in named.items()))


def _thread_table(rows: Sequence[Row]) -> str:
    costs: dict[tuple[str, str, int], dict[str, list[float]]] = {}
    for row in rows:
        kind, threads = row["label"].rsplit(", ", 1)
        for side, cost in (("Spaniel", row["ours"]), (row["against"], row["theirs"])):
            if cost:
                costs.setdefault((row["against"], kind, row["size"]), {}).setdefault(side, []).append(1000 / cost)
        del threads
    head = ("beside", "queries", "documents", "Spaniel: 1", "2", "gain", "other: 1", "2", "gain")
    lines = []
    for (against, kind, size), sides in costs.items():
        cells = [cell for one, two in sides.values() for cell in (_number(one), _number(two), f"{two / one:.2f}x")]
        lines.append((against, kind, f"{size:,}", *cells))
    return _table(head, lines)


def _all_tables(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row["against"] for row in rows if row["against"] not in {"alone", "limit"}))
    head = ("label", "size", "Spaniel", "other", "unit", "ratio", "note")
    tables = []
    for name in names:
        lines = [
            (label, size, ours, theirs, unit, ratio, row["note"])
            for row in rows
            if row["against"] == name and row["ratio"] is not None
            for _, label, size, ratio, _, _, ours, theirs, unit in [_cells(row)]
        ]
        if lines:
            tables.append(f"### {name}\n\n{_table(head, lines)}")
    return "\n\n".join(tables)


def _failures(failures: Sequence[dict[str, Any]]) -> list[str]:
    if not failures:
        return []
    lines = (f"- {each['part']}, {each['size']:,}: {each['error']}" for each in failures)
    return ["## Not measured", "\n".join(lines)]
