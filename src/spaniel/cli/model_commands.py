"""The commands of models: list, add, remove, test."""

from typing import Annotated

import typer

from spaniel.cli.terminal import JsonOption, exit_on_error, print_json, print_text
from spaniel.errors import KnowledgeBaseError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_TEXTS = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")

models = typer.Typer(
    name="models",
    help="The models that find passages by their meaning: list, add, remove, test.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Name = Annotated[str, typer.Argument(help="The name of an installed model.", metavar="NAME", show_default=False)]


def choose_model(name: str | None) -> str:
    """Return the name of a model, by default that of an installed one.

    :raises KnowledgeBaseError: none is installed.
    """
    from spaniel.embedding.model_files import list_installed

    installed = [place.stem for place in list_installed()]
    if name is not None or DEFAULT_MODEL in installed:
        return name or DEFAULT_MODEL
    if len(installed) != 1:
        found = (
            f"Several are installed: {', '.join(installed)}. Choose one with --model."
            if installed
            else (f"No model is installed. Install one first: spaniel models add {DEFAULT_MODEL}")
        )
        raise KnowledgeBaseError(found)
    return installed[0]


@models.command("list")
def list_models(as_json: JsonOption = False) -> None:
    """List the installed models, and those that can be added by name."""
    from spaniel.embedding.model_files import get_models_folder, list_installed
    from spaniel.embedding.model_sources import SOURCES

    installed = list_installed()
    known = {name: source for name, source in SOURCES.items() if name not in {place.stem for place in installed}}
    if as_json:
        print_json(
            {
                "folder": str(get_models_folder()),
                "installed": [place.stem for place in installed],
                "known": [{"name": name, "bytes": each.size, "licence": each.licence} for name, each in known.items()],
            }
        )
        return
    lines = [f"Installed in {get_models_folder()}:", *(f"  {place.stem}" for place in installed)]
    lines += [] if installed else ["  none"]
    lines += ["To be added by name:"] if known else []
    lines += [f"  {name}, {source.size / 1e6:.0f} MB, {source.licence}" for name, source in known.items()]
    print_text("\n".join(lines))


@models.command("add")
def add_model(
    name: Annotated[
        str,
        typer.Argument(
            help="A name that 'spaniel models list' has; a folder or archive with an ONNX file and a tokenizer; or a "
            "repository of the Hugging Face Hub.",
            metavar="NAME",
            show_default=False,
        ),
    ],
) -> None:
    """Install a model for this user."""
    from spaniel.embedding.model_sources import install_model

    with exit_on_error():
        place = install_model(name)
    print_text(f"Installed: {place}")


@models.command("remove")
def remove_model(name: _Name) -> None:
    """Remove an installed model."""
    from spaniel.embedding.model_sources import remove_model

    with exit_on_error():
        place = remove_model(name)
    print_text(f"Removed: {place}")


@models.command("test")
def try_model(name: _Name) -> None:
    """Load a model, and print how alike it finds three sentences, and its speed."""
    import time

    from spaniel.embedding import OnnxEncoder, find_model

    with exit_on_error():
        encoder = OnnxEncoder(find_model(name))
        started = time.perf_counter()
        first, near, far = encoder.encode(_TEXTS)
        seconds = (time.perf_counter() - started) / len(_TEXTS)
    print_text(
        f"{encoder.name}: vectors of {encoder.dimension} numbers, {1000 * seconds:.1f} ms for a short sentence\n"
        f"{float(first @ near):.2f}  {_TEXTS[0]} / {_TEXTS[1]}\n"
        f"{float(first @ far):.2f}  {_TEXTS[0]} / {_TEXTS[2]}"
    )
