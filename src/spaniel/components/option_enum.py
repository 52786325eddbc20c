"""Base class of the enums that components accept as options."""

from enum import Enum
from typing import Self


class OptionEnum(Enum):
    """Values of an option; each may also be given as text.

    >>> class Mode(OptionEnum):
    ...     MERGE = "merge"
    >>> Mode.from_str("Merge"), str(Mode.MERGE)
    (<Mode.MERGE: 'merge'>, 'merge')
    """

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def from_str(cls, string: str | Self) -> Self:
        """Return the member with this value, in any case; a member is returned unchanged.

        :raises ValueError: the value is unknown.
        """
        if isinstance(string, cls):
            return string
        for member in cls:
            if member.value == str(string).lower():
                return member
        raise ValueError(f"{cls.__name__} must be one of {[member.value for member in cls]}, got {str(string)!r}.")
