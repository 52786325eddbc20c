"""Plain data as YAML."""

import functools
from typing import TYPE_CHECKING

from spaniel.errors import DeserializationError, UnplainDataError
from spaniel.json_types import Json, JsonObject

if TYPE_CHECKING:
    import yaml

_TUPLE = "tag:yaml.org,2002:python/tuple"


class YamlMarshaller:
    """Reads and writes YAML. The only tag beyond plain data is that of tuples, so a file builds no
    objects.

    >>> YamlMarshaller().unmarshal("a: [1, 2]")
    {'a': [1, 2]}
    """

    def marshal(self, dict_: JsonObject) -> str:
        """Return the data as YAML with sorted keys.

        :raises UnplainDataError: the data has values that are not plain data.
        """
        import yaml

        try:
            text: str = yaml.dump(dict_, Dumper=_make_dumper())
        except yaml.representer.RepresenterError as error:
            raise UnplainDataError(f"Only basic Python types can be written as YAML: {error}") from error
        return text

    def unmarshal(self, data_: str | bytes | bytearray) -> JsonObject:
        """Return the mapping in a YAML text.

        :raises DeserializationError: the text is not YAML or not a mapping, or has an unknown tag.
        """
        import yaml

        try:
            data = yaml.load(bytes(data_) if isinstance(data_, bytearray) else data_, Loader=_make_loader())  # noqa: S506 (a SafeLoader)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise DeserializationError(
                f"Error while unmarshalling serialized data: it is not YAML of plain data: {error}"
            ) from error
        if not isinstance(data, dict):
            raise DeserializationError(f"The YAML must be a mapping, got {type(data).__name__}.")
        return data


@functools.cache
def _make_dumper() -> "type[yaml.SafeDumper]":
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence(_TUPLE, value))
    return Dumper


@functools.cache
def _make_loader() -> "type[yaml.SafeLoader]":
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor(_TUPLE, _construct_tuple)
    return Loader


def _construct_tuple(loader: "yaml.SafeLoader", node: "yaml.SequenceNode") -> tuple[Json, ...]:
    return tuple(loader.construct_sequence(node, deep=True))
