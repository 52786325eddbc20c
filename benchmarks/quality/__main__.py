"""Print the scores of the knowledge base's search on judged sets.

usage: python -m benchmarks.quality [--sets scifact,hotpotqa100] [--part dev|held-out|all]
    [--measures nDCG@10,R@100] [--search KEY=VALUE]... [--open KEY=VALUE]...

VALUE is a literal of Python, or else text: `--search merge=False --open analyzer=english`.
"""

import argparse
import ast
import time
from math import fsum
from typing import Any

from benchmarks.quality.ranking import MEASURES, score_ours
from benchmarks.quality.sets import REPORTED, SETS, read_set
from spaniel.evaluation import mean_scores


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
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=names, default=REPORTED, help=f"of {', '.join(SETS)}")
    parser.add_argument("--part", choices=["dev", "held-out", "all"], default="dev")
    parser.add_argument("--measures", type=names, default=list(MEASURES), help="in the notation of ir-measures")
    parser.add_argument("--search", action="append", default=[], type=option, help="an option of kb.search")
    parser.add_argument("--open", action="append", default=[], type=option, help="an option of spaniel.open")
    options = parser.parse_args()
    print(f"{'set':14}{'queries':>8}" + "".join(f"{name:>10}" for name in options.measures) + f"{'seconds':>9}")
    rows = []
    for name in options.sets:
        judged, start = read_set(name, options.part), time.perf_counter()
        scores = mean_scores(score_ours(judged, options.measures, dict(options.search), dict(options.open)))
        rows.append(list(scores.values()))
        _print_row(name, len(judged.queries), rows[-1], time.perf_counter() - start)
    if rows:
        means = [fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        _print_row("mean", sum(len(read_set(name, options.part).queries) for name in options.sets), means, 0)


def _print_row(name: str, queries: int, scores: list[float], seconds: float) -> None:
    values = "".join(f"{score:10.4f}" for score in scores)
    print(f"{name:14}{queries:8,}{values}{seconds:9.1f}", flush=True)


if __name__ == "__main__":
    main()
