"""The commands for pipelines that are written as YAML."""

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spaniel.cli.plain_data import plain_data
from spaniel.cli.plain_text import plain
from spaniel.cli.show import show_outputs
from spaniel.cli.terminal import Json, errors_told, print_json, print_text, stdout
from spaniel.errors import DeserializationError, PipelineError, UnknownTypeError

if TYPE_CHECKING:
    from spaniel.pipeline import Pipeline

PipelineFile = Annotated[Path, typer.Argument(help="A pipeline as YAML.", readable=False, show_default=False)]
Allow = Annotated[
    list[str] | None,
    typer.Option(help="A module whose components the file may name; it is imported, so trust it.", metavar="MODULE"),
]


def run(
    file: PipelineFile,
    input: Annotated[
        list[str] | None,
        typer.Option(
            help="'NAME=VALUE' for every component with that input, or 'COMPONENT.NAME=VALUE'.", metavar="INPUT"
        ),
    ] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> None:
    """Run a pipeline and print what it gives."""
    from spaniel.cli.pipeline_inputs import inputs_from

    with errors_told():
        pipeline = _loaded(file, allow or [])
        outputs = pipeline.run(inputs_from(input or [], pipeline))
    if as_json:
        print_json(plain_data(outputs))
    else:
        show_outputs(stdout(), outputs)


def draw(
    file: PipelineFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a file: .svg, .mmd or .md.", metavar="FILE", show_default=False),
    ] = None,
    allow: Allow = None,
) -> None:
    """Print a pipeline as Mermaid text, or write a picture of it."""
    with errors_told():
        pipeline = _loaded(file, allow or [])
        if output is not None:
            pipeline.draw(output)
            return
        drawn = io.StringIO()
        with redirect_stdout(drawn):
            pipeline.show()
    print_text(plain(drawn.getvalue().rstrip("\n")))


def _loaded(file: Path, allow: list[str]) -> "Pipeline":
    from spaniel.marshal import YamlMarshaller
    from spaniel.pipeline import Pipeline

    if allow and os.getcwd() not in sys.path:  # noqa: PTH109 (it is compared with text)
        sys.path.append(os.getcwd())  # noqa: PTH109 (so that modules beside the user are found, but none is shadowed)
    try:
        data = YamlMarshaller().unmarshal(file.read_bytes())
        return Pipeline.from_dict(data, allowed_modules=allow)
    except (DeserializationError, PipelineError) as error:
        advice = " On the command line: --allow MODULE." if isinstance(error.__cause__, UnknownTypeError) else ""
        raise DeserializationError(f"'{file}': {error}{advice}") from error
