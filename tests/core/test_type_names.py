import collections.abc
import datetime as dt
import typing
from collections import OrderedDict, deque
from typing import Any, Literal, Optional, Union

import pytest
from haystack.utils import deserialize_type as reference_deserialize
from haystack.utils import serialize_type as reference_serialize

from spaniel import Document
from spaniel.components.joiners import JoinMode, StringJoiner
from spaniel.core.known_types import allow_modules
from spaniel.core.type_names import TypeParameter, deserialize_type, serialize_type
from spaniel.errors import DeserializationError

TYPES = [
    str,
    type(None),
    list,
    list[str],
    typing.List[str],  # noqa: UP006
    typing.List[str | int],  # noqa: UP006
    Any,
    Optional[str],  # noqa: UP045
    Union[str, int],  # noqa: UP007
    Union[str, int, None],  # noqa: UP007
    str | None,
    list[str | int],
    dict[str, list[Any]],
    typing.Dict[str, None],  # noqa: UP006
    tuple[int, ...],
    typing.Callable[[int, str], bool],
    collections.abc.Callable[[int], str],
    typing.Callable[..., int],
    typing.Callable[[], int],
    list[typing.Callable[[int | None], str]],
    deque[int],
    OrderedDict,
    collections.abc.Iterable[int],
    typing.Iterable[int],
    Literal["a", "b, c", 1],
    type[int],
    set[tuple[int, str]],
]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_types_round_trip_as_in_haystack(type_):
    text = serialize_type(type_)
    assert text == reference_serialize(type_)
    assert deserialize_type(text) == reference_deserialize(text)


@pytest.mark.parametrize(
    "type_", [Document, list[Document], Document | None, dict[str, list[Document]], JoinMode, StringJoiner], ids=str
)
def test_own_classes_round_trip(type_):
    assert deserialize_type(serialize_type(type_)) == type_


def test_reads_type_names_of_older_files():
    assert deserialize_type("tuple[int, Ellipsis]") == tuple[int, ...]
    assert deserialize_type("NoneType") is type(None)


@pytest.mark.parametrize(
    "text",
    [
        *["eval", "open", "builtins.eval", "print", "os.system", "subprocess.Popen", "__import__('os')", "lambda: 1"],
        *[
            "typing.sys",
            "typing.get_type_hints",
            "collections.abc.sys",
            "spaniel.core.known_types.importlib",
            "str.join",
        ],
        *["list[int].__class__", "Literal[f'{x}']", "typing.Literal[[].append]", "list['x']", "list[*int]"],
        *[
            "",
            "list[",
            "1",
            "'a'",
            "int + str",
            "int[str]",
            "typing.List[int][int]",
            "(" * 5000,
            "\0",
            "datetime.datetime",
        ],
    ],
)
def test_rejects_unknown_types(text):
    with pytest.raises(DeserializationError):
        deserialize_type(text)


def test_resolves_types_of_allowed_modules():
    with allow_modules(["datetime"]):
        assert deserialize_type("list[datetime.date]") == list[dt.date]


class Typed(TypeParameter):
    _type_parameter = "type_"

    def __init__(self, type_: type | None = None, other: int = 0) -> None:
        self.type_ = type_
        self.other = other


def test_building_a_type_copies_the_data():
    data = {"type": f"{__name__}.Typed", "init_parameters": {"type_": "int", "other": 1}}
    built = Typed.from_dict(data)
    assert (built.type_, built.other) == (int, 1)
    assert data["init_parameters"]["type_"] == "int"
    assert built.to_dict() == data


@pytest.mark.parametrize("parameters", [{}, {"init_parameters": {}}, {"init_parameters": {"type_": None}}])
def test_the_type_may_be_missing(parameters):
    built = Typed.from_dict({"type": f"{__name__}.Typed", **parameters})
    assert built.to_dict()["init_parameters"] == {"type_": None, "other": 0}
