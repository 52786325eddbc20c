"""Where options may stand."""

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
        return super().parse_args(ctx, args)
