"""Print the scores of the knowledge base's search on judged sets.

usage: python -m benchmarks.quality [--sets scifact,hotpotqa100] [--part dev|held-out|all]
    [--measures nDCG@10,R@100] [--search KEY=VALUE]... [--open KEY=VALUE]...
    [--save FILE] [--against FILE]

VALUE is a literal of Python, or else text: `--search merge=False --open analyzer=english`.
`--save` keeps the score of each query; `--against` compares with scores that were kept.
"""

import argparse
import ast
import json
import time
from math import fsum
from pathlib import Path
from typing import Any

from benchmarks.quality.ranking import MEASURES, Scores, score_ours
from benchmarks.quality.sets import REPORTED, SETS, read_set
from spaniel.evaluation import compare_over_sets, mean_scores


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
    parser.add_argument("--save", type=Path, help="a file for the scores of all queries")
    parser.add_argument("--against", type=Path, help="a file of such scores")
    options = parser.parse_args()
    kept: dict[str, Scores] = {}
    print(f"{'set':14}{'queries':>8}" + "".join(f"{name:>10}" for name in options.measures) + f"{'seconds':>9}")
    rows = []
    for name in options.sets:
        judged, start = read_set(name, options.part), time.perf_counter()
        kept[name] = score_ours(judged, options.measures, dict(options.search), dict(options.open))
        rows.append(list(mean_scores(kept[name]).values()))
        _print_row(name, len(judged.queries), rows[-1], time.perf_counter() - start)
    if rows:
        means = [fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        _print_row("mean", sum(len(read_set(name, options.part).queries) for name in options.sets), means, 0)
    if options.against:
        print_comparison(kept, json.loads(options.against.read_text(encoding="utf-8")))
    if options.save:
        options.save.write_text(json.dumps(kept), encoding="utf-8")


def print_comparison(ours: dict[str, Scores], theirs: dict[str, Scores]) -> None:
    """Print the differences of each set, and of all sets together, that both have."""
    common = [name for name in ours if name in theirs]
    for measure in next(iter(ours.values()), {}):
        pairs = {name: (ours[name][measure], theirs[name][measure]) for name in common if measure in theirs[name]}
        for label, chosen in {**{name: [pair] for name, pair in pairs.items()}, "mean": [*pairs.values()]}.items():
            result = compare_over_sets(chosen)
            interval = f"{result.low:+.4f} to {result.high:+.4f}"
            print(f"{measure:10}{label:14}{result.difference:+10.4f}  p {result.p:.4f}  90 % {interval}")


def _print_row(name: str, queries: int, scores: list[float], seconds: float) -> None:
    values = "".join(f"{score:10.4f}" for score in scores)
    print(f"{name:14}{queries:8,}{values}{seconds:9.1f}", flush=True)


if __name__ == "__main__":
    main()
