"""Plain data as text, and back."""

from spaniel.marshal.protocol import Marshaller
from spaniel.marshal.yaml import YamlMarshaller

__all__ = ["Marshaller", "YamlMarshaller"]
