"""A warning where a field of a shared data object is assigned in place."""

import warnings
from collections.abc import Callable

_owners: dict[object, Callable[[object], bool]] = {}  # by a token for each run of a component


class WarnOnMutation:
    """Base of the data classes: assigning to a field that is set emits a ``Warning``, unless a component owns the object.

    Documents are shared between components and traces. `dataclasses.replace` makes a changed copy instead. The subclasses'
    ``__init__`` fill ``__dict__`` directly, so that building one costs nothing extra.
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
    """Lets the objects that `owns` accepts be changed without a warning while its block runs, in any thread.

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
