"""Text formats of plain data."""

from spaniel.marshal.protocol import Marshaller
from spaniel.marshal.yaml import YamlMarshaller

__all__ = ["Marshaller", "YamlMarshaller"]
