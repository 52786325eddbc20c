"""A warning where a field of a shared data object is assigned in place."""

import warnings


class WarnOnMutation:
    """Base of the data classes: assigning to a field that is set emits a ``Warning``.

    Documents are shared between components and traces. `dataclasses.replace` makes a changed copy instead. The subclasses'
    ``__init__`` fill ``__dict__`` directly, so that building one costs nothing extra.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in getattr(self, "__dataclass_fields__", ()) and hasattr(self, name):
            warnings.warn(
                f"Assigning to '{name}' of a {type(self).__name__} changes it for everyone who holds it. "
                f"Make a changed copy with dataclasses.replace(obj, {name}=...).",
                Warning,
                stacklevel=2,
            )
        object.__setattr__(self, name, value)
