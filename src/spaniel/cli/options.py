"""Options that several commands share."""

from typing import Annotated

import typer

_MAX_NUMBER = 1_000_000

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
TopK = Annotated[
    int,
    typer.Option(
        "--top-k",
        "-k",
        min=1,
        max=_MAX_NUMBER,
        help="Maximum number of passages; --follow adds up to the same number of linked passages.",
    ),
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
        help="Maximum number of tokens of all passages; each is then a hit, a window, a section or a file.",
        metavar="TOKENS",
    ),
]


def parse_links(follow: str | None, depth: int | None) -> tuple[list[str], int]:
    """Return the keys whose links are followed, and the number of hops.

    :raises typer.BadParameter: a depth without keys.
    """
    if depth is not None and follow is None:
        raise typer.BadParameter("It needs --follow KEY, such as --follow links.", param_hint="--depth")
    keys = [] if follow is None else [key.strip() for key in follow.split(",")]
    return keys, 1 if depth is None else depth
