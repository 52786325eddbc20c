"""The commands for pipelines that are written as YAML."""

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

from spaniel.cli.haystack_commands import Foreign
from spaniel.cli.passages import result_lines
from spaniel.cli.terminal import Json, exit_on_error, plain, plain_line, print_json, print_text, stdout
from spaniel.dataclasses import Document
from spaniel.errors import DeserializationError, ForeignTypeError, PipelineError, UnknownTypeError
from spaniel.knowledge_base import Result

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
    with exit_on_error():
        pipeline = _loaded(file, allow or [], foreign=foreign)
        if not any(pipeline.walk()):
            raise DeserializationError(f"'{file}' has no components to run. List them under 'components:'.")
        outputs = pipeline.run(parse_inputs(input or [], pipeline))
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
    with exit_on_error():
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


def parse_inputs(texts: Sequence[str], pipeline: "Pipeline") -> dict[str, dict[str, Any]]:
    """Return the inputs that texts stand for, by component.

    A value is JSON where it can be read so, else text; an input that takes text only gets it as it is typed. Documents are
    JSON objects, such as ``{"content": "..."}``.

    :param texts: ``COMPONENT.NAME=VALUE``, or ``NAME=VALUE`` for every component with a free input of that name.
    :param pipeline: which inputs there are.
    :raises ValueError: a text is of another form, names no input, or names one that another text has named.
    """
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name:
            raise ValueError(f"'{text}' is no input. Write NAME=VALUE or COMPONENT.NAME=VALUE.")
        for component, socket, type_ in _takers(name, pipeline):
            values = given.setdefault(component, {})
            if socket in values:
                raise ValueError(f"The input '{component}.{socket}' is given twice.")
            values[socket] = _value(value, type_)
    return given


def _takers(name: str, pipeline: "Pipeline") -> list[tuple[str, str, Any]]:
    """Return which component's input takes a value, and of which type that is."""
    component, dot, socket = name.rpartition(".")
    sockets = list(_sockets(pipeline.inputs(include_components_with_connected_inputs=bool(dot))))
    found = [each for each in sockets if each[1] == socket and (not dot or each[0] == component)]
    if not found:
        valid = ", ".join(f"{one}.{other}" for one, other, _ in _sockets(pipeline.inputs()))
        raise ValueError(f"The pipeline has no input '{name}'. Inputs: {valid or 'none'}.")
    return found


def _sockets(inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, str, Any]]:
    for component, sockets in inputs.items():
        for socket, facts in sockets.items():
            yield component, socket, facts["type"]


def _value(text: str, type_: Any) -> Any:
    types = list(get_args(type_)) if get_origin(type_) in (Union, UnionType) else [type_]
    if str in types and not (text == "null" and type(None) in types):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return _documents(value) if Document in types or list[Document] in types else value


def _documents(value: Any) -> Any:
    """Return a value with its JSON objects as documents."""
    if isinstance(value, list):
        return [_documents(each) for each in value]
    return Document.from_dict(value) if isinstance(value, dict) else value


def plain_data(value: Any) -> Any:
    """Return a value with its documents as dictionaries.

    >>> plain_data({"texts": ("a",), "document": Document(id="1", content="Dogs")})["document"]["content"]
    'Dogs'
    """
    if isinstance(value, Document):
        return value.to_dict(flatten=False)
    if isinstance(value, Mapping):
        return {str(key): plain_data(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_data(inner) for inner in value]
    return value


def show_outputs(console: Console, outputs: Mapping[str, Mapping[str, Any]]) -> None:
    """Print what a pipeline gives: lists of documents as results, all else as JSON.

    :param console: where to.
    :param outputs: by component and output.
    """
    for component, values in outputs.items():
        for name, value in values.items():
            console.print(Text(plain_line(f"{component}.{name}"), style="cyan"))
            if isinstance(value, list) and value and all(isinstance(each, Document) for each in value):
                for rank, document in enumerate(value, 1):
                    found = Result(document, document.content or "", "hit", ())
                    for line in result_lines(console, rank, found, (), full=False):
                        console.print(line)
            else:
                text = json.dumps(plain_data(value), ensure_ascii=False, indent=2, default=str)
                console.print(Text(plain(text)))
            console.print()
