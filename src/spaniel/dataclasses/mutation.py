"""Warnings about assignment to the fields of shared data objects."""

import warnings
from collections.abc import Callable

_owners: dict[object, Callable[[object], bool]] = {}  # by the owner of a component's run


class WarnOnMutation:
    """Emits a ``Warning`` when a field is assigned, unless a component owns the object.

    Documents are shared between components and traces; `dataclasses.replace` makes a changed copy.
    Subclasses fill ``__dict__`` in ``__init__``, so construction does not pay for the check.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in getattr(self, "__dataclass_fields__", ()) and hasattr(self, name) and not _is_owned(self):
            warnings.warn(
                f"Assigning to '{name}' of a {type(self).__name__} changes it for everyone who holds it. "
                f"Make a changed copy with dataclasses.replace(obj, {name}=...).",
                Warning,
                stacklevel=2,
            )
        object.__setattr__(self, name, value)


class Owner:
    """Silences the warning in a ``with`` block, for objects that `owns` accepts.

    >>> from spaniel import Document
    >>> document = Document(content="a")
    >>> with Owner(lambda value: value is document):
    ...     document.score = 0.5
    """

    __slots__ = ("_owns",)

    def __init__(self, owns: Callable[[object], bool]) -> None:
        self._owns = owns

    def __enter__(self) -> None:
        _owners[self] = self._owns

    def __exit__(self, *_: object) -> None:
        del _owners[self]


def _is_owned(value: object) -> bool:
    return any(owns(value) for owns in list(_owners.values()))
