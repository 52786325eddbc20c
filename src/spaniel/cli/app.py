"""The commands of ``spaniel``."""

import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spaniel.cli.basic_commands import delete, index, search, show, stats
from spaniel.cli.explain_command import explain
from spaniel.cli.haystack_commands import convert, migrate, parity
from spaniel.cli.maintenance_commands import COMMANDS as MAINTENANCE
from spaniel.cli.pipeline_commands import draw, run
from spaniel.cli.terminal import (
    ReaderGone,
)
from spaniel.version import __version__


class CommandGroup(TyperGroup):
    """The commands; ``--store`` may also stand before one: ``spaniel --store kb search "dogs"``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return what is left for the command."""
        moved: list[str] = []
        while args and args[0].partition("=")[0] == "--store":
            count = 1 if "=" in args[0] else 2
            moved, args = [*moved, *args[:count]], args[count:]
        if args and not args[0].startswith("-"):
            args = [args[0], *moved, *args[1:]]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _name_options(error)
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is meant, or say which there are."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command: {args[0]}. CommandGroup: {', '.join(self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is meant, or say which options it has."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            _name_options(error)
            raise


def _name_options(error: Any) -> None:
    """Let an error about an unknown option name those there are. Typer has no public name for it."""
    if not hasattr(error, "option_name") or not hasattr(error, "possibilities") or error.ctx is None:
        return
    parameters = error.ctx.command.get_params(error.ctx)
    options = [opt for parameter in parameters for opt in [*parameter.opts, *parameter.secondary_opts]]
    names = ", ".join(option for option in options if option.startswith("--"))
    error.message, error.possibilities = f"No such option: {error.option_name}. Options: {names}", None


app = typer.Typer(
    cls=CommandGroup,
    name="spaniel",
    help="Search that knows the structure of your documents.",
    no_args_is_help=True,
    add_completion=False,
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


for command in (index, search, stats, show, delete):
    app.command()(command)
app.command()(explain)
for _name, _command in MAINTENANCE.items():
    app.command(_name)(_command)
app.command()(run)
app.command()(draw)
app.command()(convert)
app.command()(migrate)
app.command()(parity)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to fail
    try:
        app()
    except ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still in the buffer goes nowhere
        sys.exit(0)
