"""The application: its commands, and its handling of arguments."""

import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spaniel.cli.basic_commands import delete, index, search, show, stats
from spaniel.cli.completion import complete_in_bash
from spaniel.cli.explain_command import explain
from spaniel.cli.haystack_commands import convert, migrate, parity
from spaniel.cli.listing_commands import links, ls
from spaniel.cli.maintenance_commands import backup, check, compact, copy_, export, import_, rebuild
from spaniel.cli.model_commands import models
from spaniel.cli.pipeline_commands import draw, run
from spaniel.cli.terminal import ReaderGone
from spaniel.version import __version__


class CommandGroup(TyperGroup):
    """The commands; ``--store`` may also come first: ``spaniel --store kb search "dogs"``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move a leading ``--store`` behind the command."""
        moved: list[str] = []
        while args and args[0].partition("=")[0] == "--store":
            count = 1 if "=" in args[0] else 2
            moved, args = [*moved, *args[:count]], args[count:]
        if args and not args[0].startswith("-"):
            args = [args[0], *moved, *args[1:]]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _list_options(error)
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command, or fail with a list of all commands."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command: {args[0]}. Commands: {', '.join(self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, or fail with a list of its options."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            _list_options(error)
            raise


def _list_options(error: Any) -> None:
    """Add the valid options to an error about an unknown option; Typer has no public class for it."""
    if not hasattr(error, "option_name") or not hasattr(error, "possibilities") or error.ctx is None:
        return
    parameters = error.ctx.command.get_params(error.ctx)
    options = [option for parameter in parameters for option in [*parameter.opts, *parameter.secondary_opts]]
    names = ", ".join(option for option in options if option.startswith("--"))
    error.message, error.possibilities = f"No such option: {error.option_name}. Options: {names}", None


app = typer.Typer(
    cls=CommandGroup,
    name="spaniel",
    help="Search that knows the structure of your documents.",
    epilog="Exit codes: 0 success, 1 an error or nothing found, 2 a wrong option or command, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def spaniel(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Search that knows the structure of your documents."""
    if version:
        typer.echo(f"spaniel {__version__}")
        raise typer.Exit


_COMMANDS: tuple[Callable[..., None], ...] = (
    *(index, search, stats, show, ls, links, delete, explain),
    *(check, rebuild, compact, backup, export, import_, copy_),
    *(run, draw, convert, migrate, parity),
)
for command in _COMMANDS:
    app.command(command.__name__.rstrip("_"))(command)
app.add_typer(models)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for a terminal that lacks a character
    if os.environ.get("_SPANIEL_COMPLETE") == "complete_bash":
        complete_in_bash(app)
    try:
        app()
    except ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drops the rest of the buffer
        sys.exit(0)
