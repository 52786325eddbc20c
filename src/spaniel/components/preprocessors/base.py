"""Packages that only some modes need."""

from importlib.util import find_spec


def require_package(module: str, extra: str) -> None:
    """Return if a module is installed.

    :param module: its name.
    :param extra: the extra of Spaniel that brings it.
    :raises ImportError: it is not; the message names the command that installs it.

    >>> require_package("json", "none")
    """
    if find_spec(module) is None:
        raise ImportError(
            f"The module '{module}' is needed here and not installed. Install it with: pip install 'spaniel[{extra}]'"
        )
