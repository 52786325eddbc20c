"""Options that several commands share."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from spaniel.cli.filter_syntax import parse_filters
from spaniel.document_stores.embedded.indexing import ANALYZERS

if TYPE_CHECKING:
    from spaniel.knowledge_base import SearchOptions

WordMatch = Literal["any", "all"]
BudgetFit = Literal["rank", "utility"]
_MAX_NUMBER = 1_000_000


def _check_analyzer(name: str | None) -> str | None:
    if name is not None and name not in ANALYZERS:
        raise typer.BadParameter(f"'{name}' is none of {', '.join(ANALYZERS)}.")
    return name


def parse_kinds(given: list[str]) -> dict[str, str]:
    """Return the kinds of ``SUFFIX=KIND``; empty text is dropped, so that ``--as ''`` names none.

    >>> parse_kinds([".txt=rst", "adoc=txt", ""])
    {'.txt': 'rst', 'adoc': 'txt'}
    """
    pairs = [text.partition("=") for text in given if text]
    for suffix, mark, kind in pairs:
        if not mark or not kind:
            raise typer.BadParameter(f"'{suffix}{mark}' is not of the form SUFFIX=KIND, such as '.txt=rst'.")
    return {suffix: kind for suffix, _, kind in pairs}


DEFAULT_STORE = ".spaniel"
Store = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="SPANIEL_STORE",
        help="The folder of the knowledge base, or its URL: opensearch://HOST:9200/INDEX.",
        metavar="PLACE",
        show_default="./.spaniel",
    ),
]
Analyzer = Annotated[
    str | None,
    typer.Option(
        "--analyzer",
        help=f"The words of texts and queries: {', '.join(ANALYZERS)}.",
        metavar="NAME",
        callback=_check_analyzer,
        show_default=False,
    ),
]
TopK = Annotated[
    int | None,
    typer.Option(
        "--top-k", "-k", min=1, max=_MAX_NUMBER, help="Maximum number of passages.", show_default="10; 20 for --budget"
    ),
]
Offset = Annotated[
    int, typer.Option(min=0, max=_MAX_NUMBER, help="Number of better passages to skip, for further pages.")
]
PerFile = Annotated[
    int | None, typer.Option(min=1, max=_MAX_NUMBER, help="Maximum number of passages of a file.", show_default="any")
]
PathPattern = Annotated[
    list[str] | None,
    typer.Option(
        "--path", help="Only files that match, such as 'docs/**/*.md'; repeat it for others.", metavar="PATTERN"
    ),
]
NotPath = Annotated[list[str] | None, typer.Option(help="Only files that do not match.", metavar="PATTERN")]
Fold = Annotated[
    bool, typer.Option("--fold/--no-fold", help="Count passages with the text of a better one instead of showing them.")
]
Merge = Annotated[
    bool, typer.Option("--merge/--no-merge", help="Show a section in place of its parts where enough of them match.")
]
Window = Annotated[
    int, typer.Option(min=0, max=_MAX_NUMBER, help="Number of chunks to show before and after each passage.")
]
Follow = Annotated[
    str | None,
    typer.Option(help="Add linked passages: metadata keys that hold links, such as 'links'.", metavar="KEY[,KEY]"),
]
Depth = Annotated[
    int | None,
    typer.Option(min=0, max=_MAX_NUMBER, help="Maximum number of hops; needs --follow.", show_default="1"),
]
Filter = Annotated[
    list[str] | None,
    typer.Option("--filter", help="'FIELD OPERATOR VALUE' or JSON; repeated filters must all match.", metavar="FILTER"),
]
MinScore = Annotated[float | None, typer.Option(help="Leave out passages with a lower score.")]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=_MAX_NUMBER,
        help="Maximum number of tokens of all passages; the best ones that fit are shown.",
        metavar="TOKENS",
    ),
]

Match = Annotated[
    WordMatch, typer.Option(help="The words of the query that a passage must contain.", show_default="any")
]
MinWords = Annotated[
    str | None,
    typer.Option(help="Minimum number of the words in a passage, or a share such as 75%.", metavar="NUMBER"),
]
Synonyms = Annotated[
    str | None,
    typer.Option(
        help="A file of synonyms: lines such as 'car, automobile', or 'ml => machine learning'.", metavar="FILE"
    ),
]
Operators = Annotated[
    bool, typer.Option("--operators/--no-operators", help="Read operators such as -word; or take all as words.")
]

Count = Annotated[bool, typer.Option("--count", help="Count all passages that match.")]

KeywordsOnly = Annotated[
    bool, typer.Option("--keywords-only", help="Search the words alone, also if passages have vectors.")
]


def parse_min_words(text: str | None) -> float | None:
    """Return a number of words, or a share.

    :raises typer.BadParameter: it is neither.

    >>> parse_min_words("2"), parse_min_words("75%")
    (2, 0.75)
    """
    if text is None:
        return None
    number = text.removesuffix("%")
    if not number.isascii() or not number.isdigit():
        raise typer.BadParameter("Give a number such as 2, or a share such as 75%.", param_hint="--min-words")
    return int(number) / 100 if number != text else int(number)


def parse_links(follow: str | None, depth: int | None) -> tuple[list[str], int]:
    """Return the keys whose links are followed, and the number of hops.

    :raises typer.BadParameter: a depth without keys.
    """
    if depth is not None and follow is None:
        raise typer.BadParameter("It needs --follow KEY, such as --follow links.", param_hint="--depth")
    keys = [] if follow is None else [key.strip() for key in follow.split(",")]
    return keys, 1 if depth is None else depth


Fit = Annotated[
    BudgetFit,
    typer.Option(
        help="What fills a budget: the best passages, or those with the highest utility.", show_default="rank"
    ),
]
Neighbours = Annotated[
    int,
    typer.Option(
        min=0, max=_MAX_NUMBER, help="Chunks beside the best hit that follow it, with a budget of 800 tokens or more."
    ),
]
LinkShare = Annotated[
    float | None,
    typer.Option(
        min=0, max=1, help="The share of its score that a passage adds to those it links to.", show_default="0.3"
    ),
]
RepeatShare = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        max=1,
        help="For its place, the share of its score that a passage keeps for each better one of its file.",
        show_default="0.9",
    ),
]


@dataclass(frozen=True)
class SearchFlags:
    """The options of commands that search."""

    top_k: TopK = None
    offset: Offset = 0
    path: PathPattern = None
    not_path: NotPath = None
    per_file: PerFile = None
    repeat_share: RepeatShare = None
    filter: Filter = None
    min_score: MinScore = None
    budget: Budget = None
    fit: Fit = "rank"
    neighbours: Neighbours = 0
    follow: Follow = None
    depth: Depth = None
    link_share: LinkShare = None
    merge: Merge = False
    window: Window = 0
    fold: Fold = True
    match: Match = "any"
    min_words: MinWords = None
    synonyms: Synonyms = None
    operators: Operators = True
    count: Count = False
    keywords_only: KeywordsOnly = False

    def make_options(self) -> "SearchOptions":
        """Return the options of the search.

        :raises typer.BadParameter: a depth without keys, or a malformed filter or number.
        """
        from spaniel.knowledge_base import SearchOptions

        given = {name: value for name, value in vars(self).items() if name != "filter" and value is not None}
        keys, hops = parse_links(self.follow, self.depth)
        given |= {"filters": parse_filters(self.filter or []), "follow": keys, "depth": hops}
        if self.min_words is not None:
            given["min_words"] = parse_min_words(self.min_words)
        return SearchOptions(**given)


def with_search_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of a search in place of its parameter ``flags``."""
    signature = inspect.signature(command)
    hints = get_type_hints(SearchFlags, include_extras=True)
    flags = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(SearchFlags)
    ]
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        parameters += flags if parameter.name == "flags" else [parameter]

    @wraps(command)
    def run(**values: Any) -> None:
        given = {each.name: values.pop(each.name) for each in flags}
        command(**values, flags=SearchFlags(**given))

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by Typer
    return run
