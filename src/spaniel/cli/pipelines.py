"""The commands for pipelines that are written as YAML."""

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spaniel.cli.migration import Foreign
from spaniel.cli.plain_data import plain_data
from spaniel.cli.plain_text import plain
from spaniel.cli.show import show_outputs
from spaniel.cli.terminal import Json, errors_told, print_json, print_text, stdout
from spaniel.errors import DeserializationError, ForeignTypeError, PipelineError, UnknownTypeError

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
    foreign: Foreign = False,
    as_json: Json = False,
) -> None:
    """Run a pipeline and print what it gives."""
    from spaniel.cli.pipeline_inputs import inputs_from

    with errors_told():
        pipeline = _loaded(file, allow or [], foreign=foreign)
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
    foreign: Foreign = False,
) -> None:
    """Print a pipeline as Mermaid text, or write a picture of it."""
    with errors_told():
        pipeline = _loaded(file, allow or [], foreign=foreign)
        if output is not None:
            pipeline.draw(output)
            return
        drawn = io.StringIO()
        with redirect_stdout(drawn):
            pipeline.show()
    print_text(plain(drawn.getvalue().rstrip("\n")))


def _loaded(file: Path, allow: list[str], *, foreign: bool) -> "Pipeline":
    from spaniel.marshal import YamlMarshaller
    from spaniel.pipeline import Pipeline

    if allow and os.getcwd() not in sys.path:  # noqa: PTH109 (it is compared with text)
        sys.path.append(os.getcwd())  # noqa: PTH109 (so that modules beside the user are found, but none is shadowed)
    try:
        data = YamlMarshaller().unmarshal(file.read_bytes())
        return Pipeline.from_dict(data, allowed_modules=allow, foreign=foreign)
    except (DeserializationError, PipelineError) as error:
        raise DeserializationError(f"'{file}': {error}{_advice(error)}") from error


def _advice(error: Exception) -> str:
    cause = error.__cause__
    kinds = {type(each) for each in (cause.exceptions if isinstance(cause, ExceptionGroup) else [cause])}
    options = {UnknownTypeError: "--allow MODULE", ForeignTypeError: "--foreign"}
    named = " ".join(option for kind, option in options.items() if kind in kinds)
    return f" On the command line: {named}." if named else ""
