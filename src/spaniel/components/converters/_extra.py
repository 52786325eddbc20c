"""Packages that only some formats need, and what they raise."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from spaniel.errors import ConversionError

_COMMAND = "pip install 'spaniel[convert]'"


def needed(module: str, name: str) -> Any:
    """Return a module of the ``convert`` extra.

    :param name: what needs it, for the error.
    :raises ConversionError: it is not installed; the error names the command that installs it.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ConversionError(f"{name} needs the package {module}, which is not installed. Run: {_COMMAND}") from error


@contextmanager
def damage_named(name: str, kind: str) -> Iterator[None]:
    """Turn what a package raises on a damaged file, which can be anything, into a `ConversionError`.

    :param name: of the file, for the error.
    :param kind: of file.
    """
    try:
        yield
    except ConversionError:
        raise
    except Exception as error:
        raise ConversionError(f"{name} can't be read as {kind}: {said(error)}.") from error


def said(error: Exception) -> str:
    """Return the message of an error as one short line, its type where it has none."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
