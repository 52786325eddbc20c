"""What writes plain data as text: YAML, or any other format with the same two methods."""

from typing import Any, Protocol


class Marshaller(Protocol):
    """Writes plain data as text, and reads it."""

    def marshal(self, dict_: dict[str, Any]) -> str:
        """Return the data as text."""
        ...

    def unmarshal(self, data_: str | bytes | bytearray) -> dict[str, Any]:
        """Return the data that a text holds."""
        ...
