"""The options of the commands that search."""

from typing import Annotated

import typer

_MOST = 1_000_000

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
DEFAULT_STORE = ".spaniel"

TopK = Annotated[
    int,
    typer.Option(
        "--top-k",
        "-k",
        min=1,
        max=_MOST,
        help="How many passages; with --follow, as many linked ones may come on top.",
    ),
]
Merge = Annotated[
    bool, typer.Option("--merge/--no-merge", help="Show a section in place of its parts where enough of them match.")
]
Window = Annotated[int, typer.Option(min=0, max=_MOST, help="How many chunks to show before and after each passage.")]
Follow = Annotated[
    str | None,
    typer.Option(
        help="Add what passages link to: metadata keys that hold links, such as 'links'.", metavar="KEY[,KEY]"
    ),
]
Depth = Annotated[
    int | None, typer.Option(min=0, max=_MOST, help="How many hops to follow; needs --follow.", show_default="1")
]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", help="'FIELD OPERATOR VALUE' or JSON; several must all hold.", metavar="FILTER"),
]
MinScore = Annotated[float | None, typer.Option(help="Leave out passages that score less.")]

Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=_MOST,
        help="How many tokens the passages may have together; each is then a hit, a window, a section or a file.",
        metavar="TOKENS",
    ),
]


def links_to_follow(follow: str | None, depth: int | None) -> tuple[list[str], int]:
    """Return the keys whose links are followed, and how many hops.

    :raises typer.BadParameter: hops are asked for, but no links.
    """
    if depth is not None and follow is None:
        raise typer.BadParameter("It needs --follow KEY, such as --follow links.", param_hint="--depth")
    keys = [] if follow is None else [key.strip() for key in follow.split(",")]
    return keys, 1 if depth is None else depth
