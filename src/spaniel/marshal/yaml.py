"""Plain data as YAML."""

import functools
from typing import TYPE_CHECKING, Any

from spaniel.errors import DeserializationError, UnplainDataError

if TYPE_CHECKING:
    import yaml

_TUPLE = "tag:yaml.org,2002:python/tuple"


class YamlMarshaller:
    """Plain data as YAML. No tag of a file can build an object; tuples have one of their own.

    >>> YamlMarshaller().unmarshal("a: [1, 2]")
    {'a': [1, 2]}
    """

    def marshal(self, dict_: dict[str, Any]) -> str:
        """Return the data as YAML, its keys sorted.

        :raises UnplainDataError: it holds more than plain data.
        """
        import yaml

        try:
            text: str = yaml.dump(dict_, Dumper=_dumper())
        except yaml.representer.RepresenterError as error:
            raise UnplainDataError(f"Only basic Python types can be written as YAML: {error}") from error
        return text

    def unmarshal(self, data_: str | bytes | bytearray) -> dict[str, Any]:
        """Return the data that YAML holds.

        :raises DeserializationError: it is no YAML, holds no mapping, or has a tag that is not known.
        """
        import yaml

        try:
            data = yaml.load(bytes(data_) if isinstance(data_, bytearray) else data_, Loader=_loader())  # noqa: S506 (a SafeLoader)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise DeserializationError(
                f"Error while unmarshalling serialized data: it is no YAML of plain data: {error}"
            ) from error
        if not isinstance(data, dict):
            raise DeserializationError(f"The YAML must hold a mapping, but holds {type(data).__name__}.")
        return data


@functools.cache
def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence(_TUPLE, value))
    return Dumper


@functools.cache
def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor(_TUPLE, _tuple_of)
    return Loader


def _tuple_of(loader: "yaml.SafeLoader", node: "yaml.SequenceNode") -> tuple[Any, ...]:
    return tuple(loader.construct_sequence(node, deep=True))
