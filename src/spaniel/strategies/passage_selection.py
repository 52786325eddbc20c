"""The selection of passages from a ranking: no text twice, few of a file, one page of the result."""

from collections import Counter
from collections.abc import Sequence

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import ROOT
from spaniel.strategies.near_duplicates import NearDuplicates, find_page, make_shingles
from spaniel.strategies.scores import limit_to_top_k
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Folded


def select_passages(
    ranked: Sequence[Document],
    *,
    top_k: int,
    offset: int = 0,
    fold: bool = False,
    per_file: int | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return `top_k` of the distinct passages of a ranking, after the first `offset` ones.

    `fold` leaves out a passage whose text a better one has, and `per_file` all but the best ones of
    a file. Both look at better passages alone, so one page continues another.
    """
    yield from ()
    found = list_distinct(ranked, fold=fold, per_file=per_file, limit=offset + top_k, record=record)
    if record is not None:
        earlier = enumerate(found[:offset], 1)
        record(Dropped(each.id, f"rank {rank}, and offset is {offset}", "offset") for rank, each in earlier)
    return limit_to_top_k(found[offset:], top_k, record)


def list_distinct(
    ranked: Sequence[Document], *, fold: bool, per_file: int | None, limit: int, record: Recorder | None = None
) -> list[Document]:
    """Return the distinct passages of a ranking; beyond `limit` they are not compared.

    >>> ranked = [Document(id=str(n), content=text) for n, text in enumerate(["Red.", "red", "blue"])]
    >>> [passage.content for passage in list_distinct(ranked, fold=True, per_file=None, limit=9)]
    ['Red.', 'blue']
    """
    known, counts, kept = NearDuplicates(), Counter[str](), list[Document]()
    for passage in ranked:
        path = passage.meta.get("path")
        path = path if isinstance(path, str) else None
        file = str(passage.meta.get(ROOT, passage.id)) if path is None else find_page(path)
        text = (passage.content or "").strip() if fold else ""
        shingles = make_shingles(text) if text else None
        same = known.find(shingles, path) if shingles else None
        if same is not None:
            if record is not None:
                record(Folded(passage.id, kept[same].id))
        elif per_file is not None and counts[file] >= per_file:
            if record is not None:
                record(Dropped(passage.id, f"per_file is {per_file}, and better ones are from {file}", "per_file"))
        else:
            if len(kept) < limit:
                known.add(shingles or frozenset(), path)
            counts[file] += 1
            kept.append(passage)
    return kept
