"""Measure hybrid search with models on judged sets, print the table, and write it into a page.

usage: python -m benchmarks.quality.models [--sets scifact,xquad_de] [--models NAME,NAME]
    [--page FILE]

A model is installed before: `spaniel models add NAME`. Passages are embedded for each set and
model: some minutes for `scifact`.
"""

import argparse
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.quality.ranking import Scores, score_ours
from benchmarks.quality.sets import read_set
from benchmarks.quality.tables import Table, format_markdown, format_text
from spaniel.embedding.multilingual_encoder import MULTILINGUAL_MODEL
from spaniel.evaluation import JudgedSet, compare_scores

WORDS = "words"
ENGLISH = ("scifact", "hotpotqa100", "musique100", "peps_mini", "xquad_en")
LANGUAGES = ("xquad_en", "xquad_de", "xquad_zh", "de to en", "zh to en")
MODELS = {"all-MiniLM-L6-v2": ENGLISH, "bge-small-en-v1.5": ENGLISH, MULTILINGUAL_MODEL: LANGUAGES}
"""The sets on which a model is measured."""
_MEASURE = "nDCG@10"
_MARKS = "<!-- results -->", "<!-- end of results -->"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets = list(dict.fromkeys([*ENGLISH, *LANGUAGES]))
    parser.add_argument("--sets", type=lambda text: text.split(","), default=sets)
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--page", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    scores: dict[str, Scores] = {}
    for name in options.sets:
        judged = read_languages(name)
        for model in [WORDS, *(model for model in options.models if name in MODELS[model])]:
            started = time.perf_counter()
            opened = {} if model == WORDS else {"embedder": model}
            found = score_ours(judged, [_MEASURE], open_options=opened)[_MEASURE]
            scores.setdefault(name, {})[model] = found
            print(f"{name}, {model}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    table = make_table(scores, [WORDS, *options.models])
    print(format_text(table))
    if options.page:
        text, (begin, end) = options.page.read_text(encoding="utf-8"), _MARKS
        results = f"{begin}\n\n{format_markdown(table)}\n\n{end}"
        options.page.write_text(re.sub(f"{begin}.*{end}", lambda _: results, text, flags=re.DOTALL), encoding="utf-8")


def read_languages(name: str) -> JudgedSet:
    """Return a set; `de to en` has the questions of one language, and the passages of the other."""
    asked, to, answered = name.partition(" to ")
    if not to:
        return read_set(name)
    questions, passages = read_set(f"xquad_{asked}"), read_set(f"xquad_{answered}")
    return replace(passages, queries=questions.queries, judgments=questions.judgments)


def make_table(scores: Mapping[str, Scores], methods: list[str]) -> Table:
    """Return the mean scores by set and method, with the p-value of each difference from words."""
    lines = []
    for name, found in scores.items():
        line = [name, f"{len(found[WORDS]):,}"]
        for method in methods:
            if method not in found:
                line.append("")
                continue
            mean = sum(found[method].values()) / len(found[method])
            p = "" if method == WORDS else f" ({_format_p(compare_scores(found[method], found[WORDS]).p)})"
            line.append(f"{mean:.3f}{p}".replace("0.", ".", 1))
        lines.append(line)
    return Table(_MEASURE, ["set", "queries", *methods], lines)


def _format_p(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p {p:.3f}".replace("0.", ".")


if __name__ == "__main__":
    main()
