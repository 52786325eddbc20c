"""Tables of rows, for the screen and for the page of the documentation."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from benchmarks.quality.measuring import OURS
from benchmarks.quality.rows import MEANS, Row
from benchmarks.quality.sets import SETS

_P_LIMIT = 0.05


class Table(NamedTuple):
    """A table: its title, the line above its columns, and its lines."""

    title: str
    head: list[str]
    lines: list[list[str]]


def make_tables(rows: dict[str, list[Row]]) -> list[Table]:
    """Return the tables of a part of the queries."""
    tables: list[Table] = []
    if _values(rows["rankings"], "method") == [OURS]:
        tables.append(_tabulate_ours(rows["rankings"]))
        rows = rows | {"rankings": []}
    for measure in _values(rows["rankings"], "measure"):
        tables += _tabulate_ranking(measure, [row for row in rows["rankings"] if row["measure"] == measure])
    for name in _values(rows["contexts"], "set"):
        tables += _tabulate_contexts(name, [row for row in rows["contexts"] if row["set"] == name])
    if rows["links"]:
        tables.append(_tabulate_links(rows["links"]))
    return tables


def format_markdown(table: Table) -> str:
    """Return a table as Markdown, below its title."""
    lines = [table.head, ["---"] * len(table.head), *table.lines]
    return "\n".join([f"**{table.title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])


def format_text(table: Table) -> str:
    """Return a table with aligned columns, below its title."""
    lines = [table.head, *table.lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.head))]
    return "\n".join(
        [table.title]
        + ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    )


def _tabulate_ours(rows: Sequence[Row]) -> Table:
    """Return the scores without other libraries, each measure in a column."""
    measures, cells = _values(rows, "measure"), {(row["set"], row["measure"]): row for row in rows}
    lines = [
        [name, f"{cells[name, measures[0]]['queries']:,}"]
        + [_number(cells[name, measure]["score"], 4) for measure in measures]
        for name in _values(rows, "set")
    ]
    return Table(OURS, ["set", "queries", *measures], lines)


def _tabulate_ranking(measure: str, rows: Sequence[Row]) -> Iterable[Table]:
    methods, cells = _values(rows, "method"), {(row["set"], row["method"]): row for row in rows}
    lines = []
    for name in _values(rows, "set"):
        found = [cells.get((name, method)) for method in methods]
        lines.append([name, f"{cells[name, OURS]['queries']:,}", *(_score(row) for row in found)])
    means = [name for name in _values(rows, "set") if name.startswith("mean")]
    lines.sort(key=lambda line: line[0] in means)
    yield Table(measure, ["set", "queries", *methods], lines)
    against = [row for row in rows if row["set"] in means and row["method"] != OURS]
    if against:
        head = ["sets", "against", "difference", "p-value", "90 % interval", "sets above", "sets below"]
        yield Table(f"{measure}: {OURS} less the other", head, [_against(row, rows) for row in against])


def _against(row: Row, rows: Sequence[Row]) -> list[str]:
    of_method = [each for each in rows if each["method"] == row["method"] and each["set"] in SETS]
    averaged = [each for each in of_method if SETS[each["set"]].language in MEANS[row["set"]]]
    differing = [each for each in averaged if each.get("p_holm", 1) < _P_LIMIT]
    above = [each["set"] for each in differing if each["difference"] > 0]
    below = [each["set"] for each in differing if each["difference"] < 0]
    return [row["set"], row["method"], *_difference(row), ", ".join(above) or "-", ", ".join(below) or "-"]


def _tabulate_contexts(name: str, rows: Sequence[Row]) -> Iterable[Table]:
    cells = {(row["method"], row["budget"]): row for row in rows}
    budgets, queries = _values(rows, "budget"), rows[0]["queries"]
    for measure, label in (("recall", "span recall"), ("kept", "all of the answer kept")):
        lines = [
            [method, *(_context(cells[method, budget], measure) for budget in budgets)]
            for method in _values(rows, "method")
        ]
        head = ["method", *(f"{budget:,} tokens" for budget in budgets)]
        yield Table(f"{name}, {queries:,} queries: {label}", head, lines)


def _context(row: Row, measure: str) -> str:
    if measure != "recall" or "p" not in row:
        return _number(row[measure])
    return f"{_number(row[measure])} ({_p(row['p'])})"


def _tabulate_links(rows: Sequence[Row]) -> Table:
    head = ["set", "method", "queries", "tokens", "all found", "90 % interval", "all facts", "difference", "p-value"]
    lines = []
    for row in rows:
        interval = f"{_number(row['all_low'])} to {_number(row['all_high'])}"
        facts = _number(row["facts"]) if "facts" in row else ""
        start = [row["set"], row["method"], str(row["queries"]), f"{row['tokens']:.0f} of {row['budget']}"]
        lines.append(
            [*start, _number(row["all"]), interval, facts, *(_difference(row)[:2] if "p" in row else ["", ""])]
        )
    return Table("All gold passages found", head, lines)


def tabulate_store(sizes: dict[str, dict[str, float]]) -> Table:
    """Return the sizes of stores by set."""
    lines = [
        [name, f"{row['files']:.0f}", f"{row['text'] / 1e6:.2f}", f"{row['store'] / 1e6:.2f}", f"{row['ratio']:.2f}"]
        for name, row in sizes.items()
    ]
    return Table("Size of the store", ["set", "files", "text, MB", "store, MB", "store by text"], lines)


def _difference(row: Row) -> list[str]:
    return [f"{row['difference']:+.3f}", _p(row["p"]), f"{row['low']:+.3f} to {row['high']:+.3f}"]


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p {_number(value)}"


def _score(row: Row | None) -> str:
    """Return a score, marked if the difference is significant after Holm's correction."""
    if row is None:
        return ""
    if row.get("p_holm", 1) >= _P_LIMIT:
        return _number(row["score"])
    return f"{_number(row['score'])} {'-' if row['difference'] > 0 else '+'}"


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".removeprefix("0") if value < 1 else f"{value:.{digits}f}"


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))
