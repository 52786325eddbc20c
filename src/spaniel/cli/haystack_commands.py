"""Commands for users of Haystack: convert pipelines, migrate programs, compare both packages."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaniel.cli.terminal import (
    JsonOption,
    exit_on_error,
    format_count,
    print_json,
    print_text,
    progress_bar,
    sanitize,
    stderr,
    stdout,
)
from spaniel.errors import DeserializationError, MigrationError

if TYPE_CHECKING:
    from spaniel.migration import MigratedCode
    from spaniel.parity import AreaResult

ForeignOption = Annotated[
    bool,
    typer.Option("--foreign", help="Take components that Spaniel lacks from Haystack, which must be installed."),
]
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def convert(
    file: Annotated[Path, typer.Argument(help="A pipeline as YAML.", readable=False, show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a file instead of printing.", metavar="FILE", show_default=False),
    ] = None,
    foreign: ForeignOption = False,
) -> None:
    """Print a pipeline of Haystack with Spaniel's names, and list the types that Spaniel lacks.

    Exits with 1 if any is missing.
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
        print_text(sanitize("\n".join(converted.text.splitlines())))
    console = stderr()
    console.print(f"{format_count(len(converted.renamed), 'name')} changed.")
    for note in converted.missing:
        console.print(Text(sanitize(f"'{file}', {note}"), style="red"))
    if converted.missing:
        raise typer.Exit(1)


def migrate(
    paths: Annotated[list[Path], typer.Argument(help="Python files, and folders of them.", show_default=False)],
    write: Annotated[bool, typer.Option("--write", help="Write the files; without it they are not changed.")] = False,
) -> None:
    """Change the imports of programs from Haystack to Spaniel, and show the difference.

    Imports that Spaniel lacks are kept and listed with their line. Exits with 1 on invalid Python.
    """
    from spaniel.migration import migrate_code, python_files, replace_file

    changed, failed, notes = 0, 0, 0
    with exit_on_error():
        for file in (file for path in paths for file in python_files(path)):
            try:
                code = migrate_code(file.read_bytes())
            except MigrationError as error:
                failed += 1
                stderr().print(Text(sanitize(f"Error: '{file}': {error}"), style="red"))
                continue
            notes += len(code.notes)
            changed += code.after != code.before
            _show_difference(file, code)
            if write and code.after != code.before:
                replace_file(file, code.after.encode(code.encoding))
    summary = f"{format_count(changed, 'file')} {'changed' if write else 'to change'}."
    if changed and not write:
        summary += " Nothing is written; add --write to do it."
    if notes:
        summary += f" {format_count(notes, 'place')} to look at."
    stderr().print(summary)
    if failed:
        raise typer.Exit(1)


def _show_difference(file: Path, code: "MigratedCode") -> None:
    for line in code.diff(file.as_posix().lstrip("/")).splitlines():
        style = "bold" if line.startswith(("+++", "---")) else _DIFF_STYLES.get(line[:1], "")
        stdout().print(Text(sanitize(line), style=style), soft_wrap=True)
    for note in code.notes:
        stderr().print(Text(sanitize(f"'{file}', {note}"), style="yellow"))


def parity(
    area: Annotated[
        list[str] | None,
        typer.Option("--area", help="An area, as in the first column; repeat it for several.", metavar="NAME"),
    ] = None,
    cases: Annotated[int, typer.Option("--cases", help="Number of inputs per area.", min=1, metavar="N")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random inputs.", metavar="S")] = 0,
    as_json: JsonOption = False,
) -> None:
    r"""Compare with Haystack: count equal, corrected and different results of both packages on
    random inputs.

    Needs haystack-ai: pip install 'spaniel\[parity]'. Exits with 1 on a difference that
    docs/parity.md does not explain.
    """
    from spaniel.parity import AREAS, as_data, compare

    with exit_on_error(), progress_bar("", cases * len(area or AREAS)) as update:
        compared = compare(
            area or (), cases=cases, seed=seed, progress=lambda name: update(advance=1, description=name)
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
            print_text(f"  {count:6}  {f'docs/parity.md#{anchor}':36} {CORRECTIONS[anchor]}")
    for each in compared:
        if each.example is not None:
            print_text(f"\nDifferent in {each.area}, made small:")
            print_text(f"  given    {each.example.given}")
            print_text(f"  spaniel  {each.example.ours}")
            print_text(f"  haystack {each.example.theirs}")
