"""Packages that only some modes of splitters require."""

from importlib.util import find_spec


def require_package(module: str, extra: str) -> None:
    """Check that an optional package is installed.

    :param module: the name of its module.
    :param extra: the extra of Spaniel that installs it.
    :raises ImportError: it is not; the message has the command that installs it.

    >>> require_package("json", "none")
    """
    if find_spec(module) is None:
        raise ImportError(
            f"The module '{module}' is required here and not installed. Install it with: pip install 'spaniel[{extra}]'"
        )
