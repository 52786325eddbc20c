"""The command that says why: why a passage is in a result, why one is not, and how two searches differ."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spaniel.cli.filter_syntax import parse_filters
from spaniel.cli.options import (
    DEFAULT_STORE,
    Budget,
    Depth,
    Filters,
    Follow,
    Merge,
    MinScore,
    Store,
    TopK,
    Window,
    links_to_follow,
)
from spaniel.cli.terminal import Json, exit_on_error, plain, print_json, print_text
from spaniel.errors import MissingDocumentError
from spaniel.knowledge_base import SearchOptions, open_knowledge_base, retriever_for

if TYPE_CHECKING:
    from spaniel.knowledge_base import KnowledgeBase
    from spaniel.tracing import Trace

SCHEMA = 1
"""The version of what ``spaniel explain --json`` prints."""

_REFERENCE = "An id, the start of one, a file's path, or 'path#section'."


def explain(
    query: Annotated[str | None, typer.Argument(help="What to look for.", show_default=False)] = None,
    store: Store = DEFAULT_STORE,
    top_k: TopK = 10,
    merge: Merge = True,
    window: Window = 0,
    follow: Follow = None,
    depth: Depth = None,
    filter: Filters = None,
    min_score: MinScore = None,
    budget: Budget = None,
    why: Annotated[
        list[str] | None, typer.Option(help=f"Say why a passage is there. {_REFERENCE}", metavar="ID")
    ] = None,
    why_not: Annotated[
        list[str] | None, typer.Option(help=f"Say why a document is not there. {_REFERENCE}", metavar="ID")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Do not search: print how often the store would be asked at most.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Also write the search to a file.", metavar="FILE")] = None,
    load: Annotated[Path | None, typer.Option(help="Explain a saved search instead.", metavar="FILE")] = None,
    diff: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Compare two saved searches instead.", metavar="FILE FILE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search, and print every step; or say why a document is in the result, or is not.

    Of a saved search, --why-not asks the knowledge base as it is now.
    """
    keys, hops = links_to_follow(follow, depth)
    if sum(given is not None for given in (query, load, diff)) != 1:
        raise typer.BadParameter("Give either what to look for, or --load FILE, or --diff FILE FILE.")
    with exit_on_error():
        if diff is not None:
            _print_difference(*diff, as_json=as_json)
            return
        kb = open_knowledge_base(store)
        options = SearchOptions(
            top_k,
            parse_filters(filter or []),
            merge,
            window=window,
            follow=keys,
            depth=hops,
            min_score=min_score,
            budget=budget,
        )
        if plan:
            _print_plan(kb, options, as_json=as_json)
            return
        trace = _searched(kb, query, options) if query is not None else _loaded(load)
        if save is not None:
            trace.save(save)
        there = [trace.why(_id(kb, reference)[0]) for reference in why or []]
        missing = [_why_not(kb, trace, reference, live=query is not None) for reference in why_not or []]
        if as_json:
            print_json(_data(query, trace, there, missing))
        else:
            told = [*map(str, there), *(text for text, _ in missing)] or [_shown(trace)]
            print_text(plain("\n\n".join(told)))


def _searched(kb: "KnowledgeBase", query: str, options: SearchOptions) -> "Trace":
    return kb.search(
        query,
        top_k=options.top_k,
        filters=options.filters,
        merge=options.merge,
        window=options.window,
        follow=options.follow,
        depth=options.depth,
        min_score=options.min_score,
        budget=options.budget,
    ).trace


def _loaded(path: Path | None) -> "Trace":
    from spaniel.tracing import Trace

    return Trace.load(path or "")


def _id(kb: "KnowledgeBase", reference: str) -> tuple[str, str]:
    """Return the id that a reference means, or the reference itself and what is wrong with it."""
    if not kb.exists:
        return reference, ""
    try:
        return kb.find(reference).id, ""
    except MissingDocumentError as error:
        return reference, str(error)


def _why_not(kb: "KnowledgeBase", trace: "Trace", reference: str, *, live: bool) -> tuple[str, dict[str, Any]]:
    id, fault = _id(kb, reference)
    answer = trace.why_not(id, None if live or not kb.exists else kb.document_store)
    told = f"{answer}\n{fault}" if fault else str(answer)
    return told, {"reference": reference, **answer.to_dict()}


def _data(query: str | None, trace: "Trace", why: list[Any], why_not: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {"schema": SCHEMA, "query": query}
    if not why and not why_not:
        return {**data, "trace": trace.to_dict()}
    return {
        **data,
        "why": [{"id": each.id, "rank": each.rank, "lines": list(each.lines)} for each in why],
        "why_not": [answer for _, answer in why_not],
    }


def _shown(trace: "Trace") -> str:
    told = io.StringIO()
    trace.show(told)
    return told.getvalue().rstrip("\n")


def _print_plan(kb: "KnowledgeBase", options: SearchOptions, *, as_json: bool) -> None:
    parts = retriever_for(kb.document_store, options).plan()
    if as_json:
        print_json({"schema": SCHEMA, "plan": [vars(part) for part in parts]})
        return
    bounds = [part.requests for part in parts]
    total = "no bound is known" if None in bounds else f"at most {sum(bound or 0 for bound in bounds)}"
    print_text("\n".join([*map(str, parts), f"together: {total}"]))


def _print_difference(before: Path, after: Path, *, as_json: bool) -> None:
    difference = _loaded(before).diff(_loaded(after))
    if as_json:
        kinds = {"entered": difference.entered, "left": difference.left, "moved": difference.moved}
        print_json({"schema": SCHEMA, **{kind: [vars(each) for each in changes] for kind, changes in kinds.items()}})
    else:
        print_text(plain(str(difference)))
