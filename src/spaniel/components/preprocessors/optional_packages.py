"""Packages that only some modes of splitters require."""

from importlib.util import find_spec


def require_package(module: str, extra: str) -> None:
    """Raise an ImportError with the command to install an optional package that is missing.

    >>> require_package("json", "none")
    """
    if find_spec(module) is None:
        raise ImportError(
            f"The module '{module}' is required here and not installed. Install it with: pip install 'spaniel[{extra}]'"
        )
