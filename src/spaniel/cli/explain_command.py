"""The explain command: reasons for a result or its absence, and differences of two searches."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spaniel.cli import options
from spaniel.cli.terminal import JsonOption, exit_on_error, print_json, print_text, sanitize
from spaniel.errors import MissingDocumentError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base import open_knowledge_base, retriever_for

if TYPE_CHECKING:
    from spaniel.knowledge_base import KnowledgeBase, SearchOptions
    from spaniel.strategies.structured_retrieval import SearchMode
    from spaniel.tracing import Trace

SCHEMA = 1
"""Version of the output of ``spaniel explain --json``."""

_REFERENCE = "An id, the start of one, a file's path, or 'path#section'."


@options.with_search_flags
def explain(
    query: Annotated[str | None, typer.Argument(help="The words to look for.", show_default=False)] = None,
    store: options.Store = options.DEFAULT_STORE,
    *,
    flags: options.SearchFlags,
    why: Annotated[
        list[str] | None, typer.Option(help=f"Explain why a passage is found. {_REFERENCE}", metavar="ID")
    ] = None,
    why_not: Annotated[
        list[str] | None, typer.Option(help=f"Explain why a document is not found. {_REFERENCE}", metavar="ID")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Do not search: print the maximum number of requests to the store.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Also write the search to a file.", metavar="FILE")] = None,
    load: Annotated[Path | None, typer.Option(help="Explain a saved search instead.", metavar="FILE")] = None,
    diff: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Compare two saved searches instead.", metavar="FILE FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Search, and print every step; or explain why a document is found, or is not.

    For a saved search, --why-not reads the knowledge base in its current state.
    """
    if sum(given is not None for given in (query, load, diff)) != 1:
        raise typer.BadParameter("Give either words to look for, or --load FILE, or --diff FILE FILE.")
    with exit_on_error():
        if diff is not None:
            _print_difference(*diff, as_json=as_json)
            return
        kb = open_knowledge_base(store)
        search_options = flags.make_options()
        if plan:
            _print_plan(kb, search_options, as_json=as_json)
            return
        trace = kb.search(query, **vars(search_options)).trace if query is not None else _load_trace(load)
        if save is not None:
            trace.save(save)
        found = [trace.why(_find_id(kb, reference)[0]) for reference in why or []]
        missing = [_explain_missing(kb, trace, reference, live=query is not None) for reference in why_not or []]
        if as_json:
            data: JsonObject = {"schema": SCHEMA, "query": query}
            if found or missing:
                data["why"] = [{"id": each.id, "rank": each.rank, "lines": list(each.lines)} for each in found]
                data["why_not"] = [answer for _, answer in missing]
            else:
                data["trace"] = trace.to_dict()
            print_json(data)
        else:
            answers = [*map(str, found), *(text for text, _ in missing)]
            print_text(sanitize("\n\n".join(answers)) if answers else format_trace(trace))


def format_trace(trace: "Trace") -> str:
    """Return the steps of a search as text that is safe to print."""
    buffer = io.StringIO()
    trace.show(buffer)
    return sanitize(buffer.getvalue().rstrip("\n"))


def _load_trace(path: Path | None) -> "Trace":
    from spaniel.tracing import Trace

    return Trace.load(path or "")


def _find_id(kb: "KnowledgeBase", reference: str) -> tuple[str, str]:
    """Return the id of a document; or the reference itself, and why there is no such document."""
    if not kb.exists:
        return reference, ""
    try:
        return kb.find(reference).id, ""
    except MissingDocumentError as error:
        return reference, str(error)


def _explain_missing(kb: "KnowledgeBase", trace: "Trace", reference: str, *, live: bool) -> tuple[str, JsonObject]:
    id, fault = _find_id(kb, reference)
    answer = trace.why_not(id, None if live or not kb.exists else kb.document_store)
    return f"{answer}\n{fault}" if fault else str(answer), {"reference": reference, **answer.to_dict()}


def _print_plan(kb: "KnowledgeBase", search_options: "SearchOptions", *, as_json: bool) -> None:
    mode: SearchMode = "hybrid" if kb.has_vectors and not search_options.keywords_only else "bm25"
    parts = retriever_for(kb.document_store, search_options, mode).plan()
    if as_json:
        print_json({"schema": SCHEMA, "plan": [vars(part) for part in parts]})
        return
    bounds = [part.requests for part in parts]
    total = "no bound is known" if None in bounds else f"at most {sum(bound or 0 for bound in bounds)}"
    print_text("\n".join([*map(str, parts), f"together: {total}"]))


def _print_difference(before: Path, after: Path, *, as_json: bool) -> None:
    difference = _load_trace(before).diff(_load_trace(after))
    if as_json:
        kinds = {"entered": difference.entered, "left": difference.left, "moved": difference.moved}
        print_json({"schema": SCHEMA, **{kind: [vars(each) for each in changes] for kind, changes in kinds.items()}})
    else:
        print_text(sanitize(str(difference)))
