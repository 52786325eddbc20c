"""The commands for those who come from Haystack: pipelines and programs with our names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from spaniel.cli.plain_text import plain
from spaniel.cli.terminal import errors_told, print_text, stderr, stdout
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

    with errors_told():
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
    with errors_told():
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
