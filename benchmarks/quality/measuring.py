"""All measurements: rankings, contexts within budgets, linked passages; a score for each query."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.quality import links, peers
from benchmarks.quality.contexts import measure_contexts
from benchmarks.quality.evidence import read_articles, read_sentences
from benchmarks.quality.ours import Options
from benchmarks.quality.ranking import MEASURES, Scores, score_ours
from benchmarks.quality.sets import read_set
from benchmarks.quality.store import SUFFIXES, Sizes, measure_store
from spaniel.evaluation import Part, score_rankings

OURS = "Spaniel"
EVIDENCE = {"xquad_en": read_articles, "scifact": read_sentences}
KINDS = ("rankings", "contexts", "links", "store")


@dataclass
class Quality:
    """The scores of each query.

    :param rankings: by set and method.
    :param contexts: by set, method and budget.
    :param links: by set and method.
    :param stores: by set, the sizes of its text and its store.
    """

    rankings: dict[str, dict[str, Scores]] = field(default_factory=dict)
    contexts: dict[str, dict[str, dict[int, Scores]]] = field(default_factory=dict)
    links: dict[str, dict[str, Scores]] = field(default_factory=dict)
    stores: dict[str, Sizes] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """The measurements to make.

    :param sets: their names.
    :param part: of their queries.
    :param kinds: of `KINDS`.
    :param measures: of rankings.
    :param peers: also of other libraries.
    :param search_options: of the knowledge base's search.
    :param open_options: of `spaniel.open`.
    """

    sets: Sequence[str]
    part: Part = "all"
    kinds: Sequence[str] = KINDS
    measures: Sequence[str] = MEASURES
    peers: bool = False
    search_options: Options = field(default_factory=dict)
    open_options: Options = field(default_factory=dict)


def measure(request: Request) -> Quality:
    """Return the scores that a request asks for; the duration of each goes to standard error."""
    quality = Quality()
    options: dict[str, Any] = {"search_options": request.search_options, "open_options": request.open_options}
    for name in request.sets:
        judged = read_set(name, request.part)
        if "rankings" in request.kinds:
            with _timed(f"{name}: rankings"):
                quality.rankings[name] = {OURS: score_ours(judged, request.measures, **options)}
                if request.peers:
                    quality.rankings[name] |= _score_peers(name, request)
        if "contexts" in request.kinds and name in EVIDENCE:
            with _timed(f"{name}: contexts"):
                quality.contexts[name] = measure_contexts(EVIDENCE[name](judged), **options)
        if "links" in request.kinds and name in links.BUDGETS:
            with _timed(f"{name}: links"):
                quality.links[name] = links.measure_links(judged, **options)
    for name in SUFFIXES if "store" in request.kinds else ():
        with _timed(f"{name}: store"):
            quality.stores[name] = measure_store(name, request.open_options)
    return quality


def list_ours(quality: Quality) -> dict[str, Scores]:
    """Return the scores of the knowledge base's search by measure, set and query."""
    ours: dict[str, Scores] = {}
    for name, methods in quality.rankings.items():
        for measure_name, scores in methods[OURS].items():
            ours.setdefault(measure_name, {})[name] = scores
    for name, contexts in quality.contexts.items():
        for method in ("default", "leaves"):
            for budget, measures in contexts[method].items():
                ours.setdefault(f"{method}: recall at {budget:,}", {})[name] = measures["recall"]
    for name, by_method in quality.links.items():
        for method, measures in by_method.items():
            ours.setdefault(f"{method}: all", {})[name] = measures["all"]
    return ours


def _score_peers(name: str, request: Request) -> dict[str, Scores]:
    judged, whole = read_set(name, request.part), read_set(name)
    found = {peer: peers.read_rankings(peer, whole) for peer in peers.PEERS}
    return {
        peers.PEERS[peer].name: score_rankings(request.measures, judged.judgments, rankings)
        for peer, rankings in found.items()
        if rankings is not None
    }


@contextmanager
def _timed(label: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{label}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
