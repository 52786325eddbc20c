"""Completion of addresses in a shell: paths, ``path#section`` and ``path:line``."""

import io
import os
from collections.abc import Callable, MutableMapping
from contextlib import redirect_stdout

import typer

from spaniel.cli import options
from spaniel.errors import SpanielError

_MAX_COMPLETIONS = 200


def complete_address(context: typer.Context, incomplete: str) -> list[str]:
    """Return the addresses that begin with a text; none if the knowledge base can't be read."""
    from spaniel.knowledge_base import open_knowledge_base

    place = context.params.get("store") or options.DEFAULT_STORE
    try:
        return open_knowledge_base(place).complete(incomplete)[:_MAX_COMPLETIONS]
    except (SpanielError, OSError, ValueError):
        return []  # a shell shows no errors while it completes


def join_words(environment: MutableMapping[str, str]) -> str:
    r"""Join words that Bash splits at colons; return the part of the word that Bash keeps.

    >>> bash = {"COMP_WORDS": "spaniel show a.md : 1", "COMP_CWORD": "4"}
    >>> join_words(bash), bash
    ('a.md:', {'COMP_WORDS': 'spaniel\nshow\na.md:1', 'COMP_CWORD': '2'})
    """
    text = environment.get("COMP_WORDS", "")
    words = text.split("\n" if "\n" in text else " ")
    current = int(environment.get("COMP_CWORD", "0"))
    joined: list[str] = []
    for number, word in enumerate(words[: current + 1]):
        if number > 1 and joined and (word == ":" or words[number - 1] == ":"):
            joined[-1] += word
        else:
            joined.append(word)
    environment["COMP_WORDS"], environment["COMP_CWORD"] = "\n".join(joined), str(len(joined) - 1)
    before, colon, _ = joined[-1].rpartition(":")
    return before + colon


def complete_in_bash(app: Callable[[], object]) -> None:
    """Print the completions of a command line for Bash.

    :param app: prints one per line, and exits.
    """
    kept = join_words(os.environ)
    shown = io.StringIO()
    try:
        with redirect_stdout(shown):
            app()
    finally:
        for line in shown.getvalue().splitlines():
            typer.echo(line.removeprefix(kept))
