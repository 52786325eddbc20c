"""Pictures of a pipeline, made here: nothing is sent anywhere."""

import builtins
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from spaniel.errors import PipelineDrawingError
from spaniel.pipeline.graph import Nodes
from spaniel.pipeline.mermaid import mermaid
from spaniel.pipeline.svg import svg

_WRITERS: dict[str, Callable[[Nodes], str]] = {
    ".svg": svg,
    ".mmd": mermaid,
    ".md": lambda nodes: f"```mermaid\n{mermaid(nodes)}```\n",
}


def write_drawing(nodes: Nodes, path: Path) -> None:
    """Write a picture into a file.

    :param path: its ending says which kind.
    :raises PipelineDrawingError: there is no picture of that kind.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise PipelineDrawingError(f"A pipeline is drawn into files ending in {sorted(_WRITERS)}, not '{path.name}'.")
    path.write_text(write(nodes), encoding="utf-8")


def show_drawing(nodes: Nodes) -> None:
    """Show a picture in a notebook, or print the Mermaid text."""
    if not hasattr(builtins, "get_ipython"):  # notebooks put it there
        print(mermaid(nodes), end="")  # noqa: T201 (showing is what it is for)
        return
    display: Any = import_module("IPython.display")
    display.display(display.SVG(svg(nodes)))
