"""Fill a budget with the best passages in order; those that touch become one text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.filters import matches, parse_filter
from spaniel.json_types import Filters
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.scores import deduplicate
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.assembly import merge_documents_text
from spaniel.strategies.windows.layout import BY_SPLIT_ID, InRoot, InSource
from spaniel.strategies.windows.limits import cut_at_gaps
from spaniel.tracing import Recorder
from spaniel.tracing.events import BudgetSpent, Chosen, Dropped, GaveWay, Neighbour, United

MIN_BUDGET_FOR_NEIGHBOURS = 800
"""With fewer tokens, neighbours take the place of better passages."""

_LAYOUT, _IN_SECTION = InRoot(), InSource(BY_SPLIT_ID)


@dataclass(frozen=True, eq=False)
class Passage:
    """A candidate: a hit, or a chunk beside the hit `beside`, `distance` chunks after it."""

    document: Document
    beside: str | None = None
    distance: int = 0


def fill_budget(
    hits: Sequence[Document],
    *,
    budget: int,
    length: Length | None = None,
    neighbours: int = 0,
    filters: Filters | None = None,
    record: Recorder | None = None,
) -> StrategyRun[tuple[list[Document], list[str], int]]:
    """Return the passages that fit a budget, the text of each, and the number of their tokens.

    The hits are taken best first; one that does not fit is passed over. From 800 tokens on, the
    best hit is followed by the `neighbours` chunks of its section on each side, which must match
    `filters`; they take a request. Passages of a document that touch or overlap are one text, at
    the place of the best one, whose document represents it.
    """
    count = length or estimate_tokens
    candidates = [Passage(hit) for hit in deduplicate(hits)]
    if neighbours and candidates and budget >= MIN_BUDGET_FOR_NEIGHBOURS and not _IN_SECTION.missing_in(hits[0]):
        beside = yield from _find_neighbours(candidates[0].document, neighbours, filters)
        candidates = _insert_neighbours(candidates, beside)
    taken = _take(candidates, budget, count, record)
    documents, texts, spent = list[Document](), list[str](), 0
    for group in _group_touching(list(taken)):
        for best, parts, text in _unite(group, taken, count):
            documents.append(best.document)
            texts.append(text)
            spent += count(text)
            if record is not None:
                record(_trace_text(best, parts, count(text)))
    if record is not None:
        record(BudgetSpent("", spent, budget, len(documents)))
    return documents, texts, spent


def _insert_neighbours(candidates: Sequence[Passage], beside: Sequence[Passage]) -> list[Passage]:
    """Return the candidates with the chunks beside the best one after it; hits among them once."""
    found, ids = {each.document.id: each for each in candidates}, {each.document.id for each in beside}
    rest = [each for each in candidates[1:] if each.document.id not in ids]
    return [candidates[0], *(found.get(each.document.id, each) for each in beside), *rest]


def _take(candidates: Sequence[Passage], budget: int, count: Length, record: Recorder | None) -> dict[Passage, int]:
    """Return the candidates that fit, in order, with their tokens."""
    taken: dict[Passage, int] = {}
    ids, spent = set[str](), 0
    for candidate in candidates:
        if candidate.beside is not None and candidate.beside not in ids:
            continue
        cost = count(candidate.document.content or "")
        if spent + cost <= budget:
            taken[candidate] = cost
            ids.add(candidate.document.id)
            spent += cost
        elif record is not None:
            reason = f"over budget: it needs {cost:,} tokens, and {spent:,} of {budget:,} are spent for better passages"
            record(Dropped(candidate.document.id, reason, "over_budget"))
    return taken


def _unite(
    group: Sequence[Passage], costs: Mapping[Passage, int], count: Length
) -> list[tuple[Passage, list[Passage], str]]:
    """Return the best passage of a group with its parts and text; or each one alone."""
    parts = sorted(group, key=lambda each: each.document.meta.get(START, 0))
    text = merge_documents_text([each.document for each in parts], offset=START)
    if len(group) == 1 or count(text) <= sum(costs[each] for each in group):
        return [(group[0], parts, text)]
    # A tokenizer may need more tokens for a text than for its parts.
    return [(each, [each], each.document.content or "") for each in group]


def _find_neighbours(hit: Document, number: int, filters: Filters | None) -> StrategyRun[list[Passage]]:
    """Return the leaves beside a hit without missing text between, the following ones first."""
    fetched: list[Document] = yield _IN_SECTION.request([hit], number, number)
    condition = parse_filter(filters) if filters else None
    allowed = [leaf for leaf in fetched if condition is None or matches(condition, leaf)]
    row = _IN_SECTION.rows(allowed).get(_IN_SECTION.row_of(hit))
    if row is None:
        return []
    low, high = cut_at_gaps(row, hit, row.reach(hit, number, number))
    first, last = row.centre(hit)
    after = [Passage(row.documents[at], hit.id, at - last + 1) for at in range(last, high)]
    before = [Passage(row.documents[at], hit.id, at - first) for at in range(first - 1, low - 1, -1)]
    return [*after, *before]


def _group_touching(taken: Sequence[Passage]) -> list[list[Passage]]:
    """Return passages whose texts touch together, best first, in the order of their best ones."""
    ranks = {passage.document.id: rank for rank, passage in enumerate(taken)}
    groups: list[list[Passage]] = [[passage] for passage in taken if _LAYOUT.missing_in(passage.document)]
    by_root: dict[str, list[Passage]] = {}
    for passage in taken:
        if not _LAYOUT.missing_in(passage.document):
            by_root.setdefault(passage.document.meta[ROOT], []).append(passage)
    for passages in by_root.values():
        end = -1
        for passage in sorted(passages, key=lambda each: (each.document.meta[START], each.document.meta[END])):
            if end >= passage.document.meta[START]:
                groups[-1].append(passage)
            else:
                groups.append([passage])
            end = max(end, passage.document.meta[END])
    for group in groups:
        group.sort(key=lambda each: (each.beside is not None, ranks[each.document.id]))
    return sorted(groups, key=lambda group: min(ranks[each.document.id] for each in group))


def _trace_text(
    best: Passage, parts: Sequence[Passage], tokens: int
) -> Iterator[Chosen | United | GaveWay | Neighbour]:
    hits = tuple(each.document.id for each in parts if each.beside is None)
    yield Chosen(best.document.id, "leaf", hits, tokens, best.document.score or 0.0)
    if len(parts) > 1:
        yield United(best.document.id, tuple(each.document.id for each in parts), tokens)
    for each in parts:
        if each.beside is not None:
            yield Neighbour(each.document.id, each.beside, each.distance)
        elif each is not best:
            yield GaveWay(each.document.id, best.document.id)
