"""Commands for pipelines as YAML: run, draw."""

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import typer
from rich.console import Console
from rich.text import Text

from spaniel.cli.haystack_commands import ForeignOption
from spaniel.cli.passages import show_result
from spaniel.cli.terminal import JsonOption, exit_on_error, print_json, print_text, sanitize, sanitize_line, stdout
from spaniel.dataclasses import Document
from spaniel.errors import DeserializationError, ForeignTypeError, PipelineError, UnknownTypeError
from spaniel.json_types import Json
from spaniel.knowledge_base import Result

if TYPE_CHECKING:
    from spaniel.pipeline import Pipeline

PipelineArgument = Annotated[Path, typer.Argument(help="A pipeline as YAML.", readable=False, show_default=False)]
AllowOption = Annotated[
    list[str] | None,
    typer.Option(help="A module whose components the file may name; it is imported, so trust it.", metavar="MODULE"),
]


def run(
    file: PipelineArgument,
    input: Annotated[
        list[str] | None,
        typer.Option(
            help="'NAME=VALUE' for every component with that input, or 'COMPONENT.NAME=VALUE'.", metavar="INPUT"
        ),
    ] = None,
    allow: AllowOption = None,
    foreign: ForeignOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run a pipeline, and print its outputs."""
    with exit_on_error():
        pipeline = _load_pipeline(file, allow or [], foreign=foreign)
        if not any(pipeline.walk()):
            raise DeserializationError(f"'{file}' has no components to run. List them under 'components:'.")
        outputs = pipeline.run(parse_inputs(input or [], pipeline))
    if as_json:
        print_json(make_plain(outputs))
    else:
        _show_outputs(stdout(), outputs)


def draw(
    file: PipelineArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a file: .svg, .mmd or .md.", metavar="FILE", show_default=False),
    ] = None,
    allow: AllowOption = None,
    foreign: ForeignOption = False,
) -> None:
    """Print a pipeline as Mermaid text, or write a picture of it."""
    with exit_on_error():
        pipeline = _load_pipeline(file, allow or [], foreign=foreign)
        if output is not None:
            pipeline.draw(output)
            return
        drawn = io.StringIO()
        with redirect_stdout(drawn):
            pipeline.show()
    print_text(sanitize(drawn.getvalue().rstrip("\n")))


def _load_pipeline(file: Path, allow: list[str], *, foreign: bool) -> "Pipeline":
    from spaniel.marshal import YamlMarshaller
    from spaniel.pipeline import Pipeline

    folder = os.getcwd()  # noqa: PTH109 (sys.path holds text)
    if allow and folder not in sys.path:
        sys.path.append(folder)  # last, so that it shadows no installed module
    try:
        data = YamlMarshaller().unmarshal(file.read_bytes())
        return Pipeline.from_dict(data, allowed_modules=allow, foreign=foreign)
    except (DeserializationError, PipelineError) as error:
        raise DeserializationError(f"'{file}': {error}{_suggest_option(error)}") from error


def _suggest_option(error: Exception) -> str:
    cause = error.__cause__
    kinds = {type(each) for each in (cause.exceptions if isinstance(cause, ExceptionGroup) else [cause])}
    options = {UnknownTypeError: "--allow MODULE", ForeignTypeError: "--foreign"}
    suggested = " ".join(option for kind, option in options.items() if kind in kinds)
    return f" On the command line: {suggested}." if suggested else ""


def parse_inputs(texts: Sequence[str], pipeline: "Pipeline") -> dict[str, dict[str, Json]]:
    """Return inputs by component, from texts such as ``query=dogs`` and ``retriever.top_k=3``.

    A value is read as JSON if possible, else as text; an input of text alone gets it unchanged.
    Documents are JSON objects, such as ``{"content": "..."}``.

    :param texts: ``COMPONENT.NAME=VALUE``, or ``NAME=VALUE`` for every component with a free input
        of that name.
    :param pipeline: with the inputs.
    :raises ValueError: a text has another form, or names an unknown input, or one input is named
        twice.
    """
    inputs: dict[str, dict[str, Json]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name:
            raise ValueError(f"'{text}' is not an input. Write NAME=VALUE or COMPONENT.NAME=VALUE.")
        for component, socket, type_ in _find_sockets(name, pipeline):
            values = inputs.setdefault(component, {})
            if socket in values:
                raise ValueError(f"The input '{component}.{socket}' is given twice.")
            values[socket] = _parse_value(value, type_)
    return inputs


def _find_sockets(name: str, pipeline: "Pipeline") -> list[tuple[str, str, Any]]:
    """Return the inputs with a name, each as component, socket and type."""
    component, dot, socket = name.rpartition(".")
    sockets = _iterate_sockets(pipeline.inputs(include_components_with_connected_inputs=bool(dot)))
    found = [each for each in sockets if each[1] == socket and (not dot or each[0] == component)]
    if not found:
        valid = ", ".join(f"{one}.{other}" for one, other, _ in _iterate_sockets(pipeline.inputs()))
        raise ValueError(f"The pipeline has no input '{name}'. Inputs: {valid or 'none'}.")
    return found


def _iterate_sockets(inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, str, Any]]:
    for component, sockets in inputs.items():
        for socket, properties in sockets.items():
            yield component, socket, properties["type"]


def _parse_value(text: str, type_: Any) -> Json:
    types = list(get_args(type_)) if get_origin(type_) in (Union, UnionType) else [type_]
    if str in types and not (text == "null" and type(None) in types):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return _make_documents(value) if Document in types or list[Document] in types else value


def _make_documents(value: Json) -> Json:
    """Return a value with its JSON objects as documents."""
    if isinstance(value, list):
        return [_make_documents(each) for each in value]
    return Document.from_dict(value) if isinstance(value, dict) else value


def make_plain(value: Any) -> Json:
    """Return a value with its documents as dictionaries.

    >>> make_plain({"texts": ("a",), "document": Document(id="1", content="Dogs")})["document"]["content"]
    'Dogs'
    """
    if isinstance(value, Document):
        return value.to_dict(flatten=False)
    if isinstance(value, Mapping):
        return {str(key): make_plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [make_plain(inner) for inner in value]
    return value


def _show_outputs(console: Console, outputs: Mapping[str, Mapping[str, Any]]) -> None:
    """Print lists of documents as search results, other outputs as JSON."""
    for component, values in outputs.items():
        for name, value in values.items():
            console.print(Text(sanitize_line(f"{component}.{name}"), style="cyan"))
            if isinstance(value, list) and value and all(isinstance(each, Document) for each in value):
                for rank, document in enumerate(value, 1):
                    show_result(console, rank, Result(document, document.content or "", "hit", ()))
            else:
                text = json.dumps(make_plain(value), ensure_ascii=False, indent=2, default=str)
                console.print(Text(sanitize(text)))
            console.print()
