"""The command that compares Spaniel with Haystack."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from spaniel.cli.terminal import Json, errors_told, print_json, print_text, stderr, stdout

if TYPE_CHECKING:
    from spaniel.parity import Comparison


def parity(
    area: Annotated[
        list[str] | None,
        typer.Option("--area", help="One area, as the first column names it; again for more.", metavar="NAME"),
    ] = None,
    cases: Annotated[int, typer.Option("--cases", help="How many inputs an area.", min=1, metavar="N")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same inputs.", metavar="S")] = 0,
    as_json: Json = False,
) -> None:
    r"""Compare with Haystack: random inputs through both packages, and what is equal, corrected or different.

    Needs haystack-ai: pip install 'spaniel\[parity]'. Exits with 1 if something differs that docs/parity.md does not explain.
    """
    from spaniel.parity import AREAS, as_data, compare

    console = stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with errors_told(), Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=cases * len(area or AREAS))
        compared = compare(
            area or (), cases=cases, seed=seed, tell=lambda name: bar.update(task, advance=1, description=name)
        )
    if as_json:
        print_json({"seed": seed, "areas": as_data(compared)})
    else:
        _show(stdout(), compared)
    if any(each.different for each in compared):
        raise typer.Exit(1)


def _show(console: Console, compared: "list[Comparison]") -> None:
    from spaniel.parity import ENTRIES

    table = Table(box=None, pad_edge=False)
    table.add_column("area")
    for title in ("cases", "equal", "corrected", "different"):
        table.add_column(title, justify="right")
    for each in compared:
        numbers = (each.cases, each.equal, each.corrected.total(), each.different)
        table.add_row(each.area, *map(str, numbers))
    console.print(table)
    if any(each.corrected for each in compared):
        print_text("\nCorrected, as docs/parity.md says:")
    for each in compared:
        for anchor, count in each.corrected.most_common():
            print_text(f"  {count:6}  {ENTRIES[anchor].link:36} {ENTRIES[anchor].what}")
    for each in compared:
        if each.example is not None:
            print_text(f"\nDifferent in {each.area}, made small:")
            print_text(f"  given    {each.example.given}")
            print_text(f"  spaniel  {each.example.ours}")
            print_text(f"  haystack {each.example.theirs}")
