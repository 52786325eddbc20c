"""Where options may stand, and what is said of those that do not exist."""

from typing import Any

from typer.core import TyperGroup


class Commands(TyperGroup):
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
            ctx.fail(f"No such command: {args[0]}. Commands: {', '.join(self.list_commands(ctx))}")
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
