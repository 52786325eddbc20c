"""The protocol of text formats for plain data."""

from typing import Protocol

from spaniel.json_types import JsonObject


class Marshaller(Protocol):
    """Writes plain data as text, and reads it."""

    def marshal(self, dict_: JsonObject) -> str:
        """Return the data as text."""

    def unmarshal(self, data_: str | bytes | bytearray) -> JsonObject:
        """Return the data from text."""
