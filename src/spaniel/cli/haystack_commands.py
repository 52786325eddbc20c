"""The commands for those who come from Haystack: pipelines and programs with our names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from spaniel.cli.terminal import Json, exit_on_error, plain, print_json, print_text, stderr, stdout
from spaniel.errors import DeserializationError, MigrationError

if TYPE_CHECKING:
    from spaniel.migration import MigratedCode

Foreign = Annotated[
    bool,
    typer.Option("--foreign", help="Take what Spaniel does not have from Haystack, which must be installed."),
]
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def convert(
    file: Annotated[Path, typer.Argument(help="A pipeline as YAML.", readable=False, show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a file instead of printing.", metavar="FILE", show_default=False),
    ] = None,
    foreign: Foreign = False,
) -> None:
    """Print a pipeline that Haystack wrote with Spaniel's names, and list what Spaniel does not have.

    Ends with 1 if anything is missing.
    """
    from spaniel.migration import convert_pipeline, replace_file

    with exit_on_error():
        try:
            converted = convert_pipeline(file.read_bytes().decode("utf-8-sig"), foreign=foreign)
        except (DeserializationError, UnicodeDecodeError) as error:
            raise DeserializationError(f"'{file}': {error}") from error
        if output is not None:
            replace_file(output, converted.text.encode())
    if output is None:
        print_text(plain("\n".join(converted.text.splitlines())))
    console = stderr()
    console.print(f"{_count(len(converted.renamed), 'name')} changed.")
    for note in converted.missing:
        console.print(Text(plain(f"'{file}', {note}"), style="red"))
    if converted.missing:
        raise typer.Exit(1)


def migrate(
    paths: Annotated[list[Path], typer.Argument(help="Python files, and folders of them.", show_default=False)],
    write: Annotated[bool, typer.Option("--write", help="Write the files; without it they stay as they are.")] = False,
) -> None:
    """Change the imports of programs from Haystack to Spaniel, and show the difference.

    What Spaniel does not have stays Haystack's, and is listed with its line. Ends with 1 if a file is no Python.
    """
    from spaniel.migration import migrate_code, python_files, replace_file

    changed, failed, noted = 0, 0, 0
    with exit_on_error():
        for file in (file for path in paths for file in python_files(path)):
            try:
                code = migrate_code(file.read_bytes())
            except MigrationError as error:
                failed += 1
                stderr().print(Text(plain(f"Error: '{file}': {error}"), style="red"))
                continue
            noted += len(code.notes)
            changed += code.after != code.before
            _show(file, code)
            if write and code.after != code.before:
                replace_file(file, code.after.encode(code.encoding))
    _tell(changed, noted, written=write)
    if failed:
        raise typer.Exit(1)


def _show(file: Path, code: "MigratedCode") -> None:
    for line in code.diff(file.as_posix().lstrip("/")).splitlines():
        style = "bold" if line.startswith(("+++", "---")) else _COLOURS.get(line[:1], "")
        stdout().print(Text(plain(line), style=style), soft_wrap=True)
    for note in code.notes:
        stderr().print(Text(plain(f"'{file}', {note}"), style="yellow"))


def _tell(changed: int, noted: int, *, written: bool) -> None:
    told = f"{_count(changed, 'file')} {'changed' if written else 'to change'}."
    if changed and not written:
        told += " Nothing is written; add --write to do it."
    if noted:
        told += f" {_count(noted, 'place')} to look at."
    stderr().print(told)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


if TYPE_CHECKING:
    from spaniel.parity import AreaResult


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
    with exit_on_error(), Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=cases * len(area or AREAS))
        compared = compare(
            area or (), cases=cases, seed=seed, progress=lambda name: bar.update(task, advance=1, description=name)
        )
    if as_json:
        print_json({"seed": seed, "areas": as_data(compared)})
    else:
        _show_areas(stdout(), compared)
    if any(each.different for each in compared):
        raise typer.Exit(1)


def _show_areas(console: Console, compared: "list[AreaResult]") -> None:
    from spaniel.parity import CORRECTIONS

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
            print_text(f"  {count:6}  {CORRECTIONS[anchor].link:36} {CORRECTIONS[anchor].summary}")
    for each in compared:
        if each.example is not None:
            print_text(f"\nDifferent in {each.area}, made small:")
            print_text(f"  given    {each.example.given}")
            print_text(f"  spaniel  {each.example.ours}")
            print_text(f"  haystack {each.example.theirs}")
