"""The selection of passages from a ranking: no text twice, few of a file, one page of the result."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import ROOT
from spaniel.strategies.near_duplicates import NearDuplicates, find_page, make_shingles
from spaniel.strategies.scores import limit_to_top_k
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Folded


@dataclass(frozen=True)
class Choice:
    """The distinct passages of a ranking; each option looks at better passages alone.

    :param fold: leave out a passage whose text a better one has.
    :param per_file: the maximum number of passages of a file.
    :param per_row: the maximum number of passages of a row.
    :param row_files: the ends of the paths of files whose documents are rows, such as ``.csv``.
    """

    fold: bool = False
    per_file: int | None = None
    per_row: int | None = None
    row_files: Sequence[str] = ()

    def holds_row(self, passage: Document) -> bool:
        """Return if a passage is of a row."""
        return str(passage.meta.get("path")).endswith(tuple(self.row_files))

    def list_set(self, ranked: Sequence[Document]) -> dict[str, Any]:
        """Return the options that can leave out passages of a ranking."""
        settings = {name: value for name, value in vars(self).items() if value}
        if not self.per_row or not any(map(self.holds_row, ranked)):
            settings = {name: value for name, value in settings.items() if "row" not in name}
        return settings


@dataclass
class _Quotas:
    """The numbers of passages of each file and row so far."""

    choice: Choice
    files: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, passage: Document) -> Dropped | None:
        """Count a passage; return the reason if there are enough of its file or row."""
        path, root = passage.meta.get("path"), str(passage.meta.get(ROOT, passage.id))
        file = find_page(path) if isinstance(path, str) else root
        per_file, per_row = self.choice.per_file, self.choice.per_row
        if per_file is not None and self.files[file] >= per_file:
            return Dropped(passage.id, f"per_file is {per_file}, and better ones are from {file}", "per_file")
        if per_row is not None and self.choice.holds_row(passage):
            if self.rows[root] >= per_row:
                return Dropped(passage.id, f"per_row is {per_row}, and better ones are from row {root}", "per_row")
            self.rows[root] += 1
        self.files[file] += 1
        return None


def select_passages(
    ranked: Sequence[Document],
    *,
    top_k: int,
    offset: int = 0,
    record: Recorder | None = None,
    **choice: Any,
) -> StrategyRun[list[Document]]:
    """Return `top_k` of the distinct passages of a ranking, after the first `offset` ones.

    :param choice: the options of `Choice`.
    """
    yield from ()
    found = list_distinct(ranked, Choice(**choice), limit=offset + top_k, record=record)
    if record is not None:
        earlier = enumerate(found[:offset], 1)
        record(Dropped(each.id, f"rank {rank}, and offset is {offset}", "offset") for rank, each in earlier)
    return limit_to_top_k(found[offset:], top_k, record)


def list_distinct(
    ranked: Sequence[Document], choice: Choice, *, limit: int, record: Recorder | None = None
) -> list[Document]:
    """Return the distinct passages of a ranking; beyond `limit` they are not compared.

    >>> ranked = [Document(id=str(n), content=text) for n, text in enumerate(["Red.", "red", "blue"])]
    >>> [passage.content for passage in list_distinct(ranked, Choice(fold=True), limit=9)]
    ['Red.', 'blue']
    """
    known, quotas, kept = NearDuplicates(), _Quotas(choice), list[Document]()
    for passage in ranked:
        path = passage.meta.get("path")
        path = path if isinstance(path, str) else None
        text = (passage.content or "").strip() if choice.fold else ""
        shingles = make_shingles(text) if text else None
        same = known.find(shingles, path) if shingles else None
        if same is not None:
            if record is not None:
                record(Folded(passage.id, kept[same].id))
        elif (dropped := quotas.add(passage)) is not None:
            if record is not None:
                record(dropped)
        else:
            if len(kept) < limit:
                known.add(shingles or frozenset(), path)
            kept.append(passage)
    return kept
