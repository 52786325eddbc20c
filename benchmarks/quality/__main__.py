"""Measure the knowledge base's search on judged sets, print the scores, and write the page.

usage: python -m benchmarks.quality [--sets scifact,hotpotqa100] [--part dev|held-out|all]
    [--kinds rankings,contexts,links] [--measures nDCG@10,R@100] [--peers]
    [--search KEY=VALUE]... [--open KEY=VALUE]... [--save FILE] [--against FILE]
    [--json FILE] [--page FILE]

VALUE is a literal of Python, or else text: `--search merge=False --open analyzer=english`.
`--save` keeps the score of each query; `--against` compares with the scores of such a file.
`--json` and `--page` write both halves of the queries, and need `--part all`.
"""

import argparse
import ast
import json
from pathlib import Path
from typing import Any

from benchmarks.quality import page
from benchmarks.quality.measuring import KINDS, Request, list_ours, measure
from benchmarks.quality.ranking import MEASURES, Scores
from benchmarks.quality.rows import make_rows
from benchmarks.quality.sets import REPORTED, SETS
from benchmarks.quality.tables import format_text, make_tables, tabulate_store
from spaniel.evaluation import compare_over_sets


def option(text: str) -> tuple[str, Any]:
    """Return the name and the value of KEY=VALUE."""
    name, mark, value = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE.")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def names(text: str) -> list[str]:
    """Return the names in a list with commas."""
    return [name for name in text.split(",") if name]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=names, default=REPORTED, help=f"of {', '.join(SETS)}")
    parser.add_argument("--part", choices=["dev", "held-out", "all"], default="dev")
    parser.add_argument("--kinds", type=names, default=["rankings"], help=f"of {', '.join(KINDS)}")
    parser.add_argument("--measures", type=names, default=list(MEASURES), help="in the notation of ir-measures")
    parser.add_argument("--peers", action="store_true", help="beside other libraries")
    parser.add_argument("--search", action="append", default=[], type=option, help="an option of kb.search")
    parser.add_argument("--open", action="append", default=[], type=option, help="an option of spaniel.open")
    parser.add_argument("--save", type=Path, help="a file for the scores of all queries")
    parser.add_argument("--against", type=Path, help="a file of such scores")
    parser.add_argument("--json", type=Path, help="where to write the means")
    parser.add_argument("--page", type=Path, help="the page whose tables are replaced")
    options = parser.parse_args()
    if (options.json or options.page) and options.part != "all":
        parser.error("--json and --page write both halves: add --part all.")
    given = (options.sets, options.part, options.kinds, options.measures, options.peers)
    quality = measure(Request(*given, dict(options.search), dict(options.open)))
    for table in make_tables(make_rows(quality, options.part)):
        print(f"{format_text(table)}\n")
    if quality.stores:
        print(format_text(tabulate_store(quality.stores)))
    scores = list_ours(quality)
    if options.against:
        print_comparison(scores, json.loads(options.against.read_text(encoding="utf-8")))
    if options.save:
        options.save.write_text(json.dumps(scores), encoding="utf-8")
    if options.json or options.page:
        page.write(page.collect(quality), options.json, options.page)


def print_comparison(ours: dict[str, Scores], theirs: dict[str, Scores]) -> None:
    """Print the differences of each set, and of all sets together, that both have."""
    for measure_name in [name for name in ours if name in theirs]:
        common = [name for name in ours[measure_name] if name in theirs[measure_name]]
        pairs = {name: (ours[measure_name][name], theirs[measure_name][name]) for name in common}
        rows = {name: [pair] for name, pair in pairs.items()}
        if len(pairs) > 1:
            rows["mean"] = list(pairs.values())
        for label, chosen in rows.items():
            result = compare_over_sets(chosen)
            interval = f"{result.low:+.4f} to {result.high:+.4f}"
            print(f"{measure_name:32}{label:14}{result.difference:+10.4f}  p {result.p:.4f}  90 % {interval}")


if __name__ == "__main__":
    main()
