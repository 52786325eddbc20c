import enum

import pytest

from spaniel.core import known_types
from spaniel.core.known_types import allow_modules, is_module_allowed, resolve_serializable_class
from spaniel.core.serialization import Serializable, allow_deserialization_module, default_from_dict, default_to_dict
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError, ForeignTypeError, SerializationError


class Colour(enum.Enum):
    RED = "red"


class Box(Serializable):
    def __init__(self, size: int, content: object = None, *, label: str = "", note: str = ""):
        self.size, self.content, self.label, self.note = size, content, label, note

    _own_options = frozenset({"note"})


class Plain:
    def __init__(self, values: list[int] | None = None, inner: object = None):
        self.values, self.inner = values, inner


NAME = f"{__name__}.Box"


@pytest.fixture
def this_module_allowed():
    with allow_modules([__name__]):
        yield


def test_serialises_init_parameters():
    assert Box(1, "a").to_dict() == {"type": NAME, "init_parameters": {"size": 1, "content": "a", "label": ""}}


def test_serialises_own_options_only_if_not_default():
    assert Box(1, note="n").to_dict()["init_parameters"]["note"] == "n"


def test_serialises_nested_objects_and_enums():
    assert default_to_dict(Box(1), inner=Box(2), colour=Colour.RED)["init_parameters"] == {
        "inner": Box(2).to_dict(),
        "colour": "red",
    }


def test_serialised_data_is_independent_of_the_object():
    values = [1]
    data = default_to_dict(Plain(values), values=values)
    values.append(2)
    assert data["init_parameters"]["values"] == [1]


def test_object_round_trips(this_module_allowed):
    box = Box.from_dict(Box(1, Box(2)).to_dict())
    assert (box.size, box.content.size) == (1, 2)


def test_accepts_built_objects():
    inner = object()
    assert default_from_dict(Plain, {"type": f"{__name__}.Plain", "init_parameters": {"inner": inner}}).inner is inner


def test_object_shares_no_data():
    data = {"type": f"{__name__}.Plain", "init_parameters": {"values": [1]}}
    default_from_dict(Plain, data).values.append(2)
    assert data["init_parameters"]["values"] == [1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"init_parameters": {}}, "Missing 'type'"),
        ({"type": "other.Box"}, "Class 'other.Box' can't be deserialized as"),
        (
            {"type": NAME, "init_parameters": {"size": 1, "colour": 2}},
            r"parameter 'colour' of Box\. Valid parameters are: 'content'",
        ),
        ({"type": NAME, "init_parameters": None}, "is missing 1 required positional argument: 'size'"),
        ({"type": NAME}, "is missing 1 required positional argument: 'size'"),
        (
            {"type": NAME, "init_parameters": {"size": 1, "content": {"type": "no.Such"}}},
            "Failed to deserialize 'content'",
        ),
    ],
)
def test_rejects_data_of_another_class(data, message):
    with pytest.raises(DeserializationError, match=message):
        Box.from_dict(data)


def test_rejects_class_without_parameters_as_attributes():
    class Lossy(Serializable):
        def __init__(self, a: int):
            pass

    with pytest.raises(SerializationError, match="does not keep its parameter 'a'"):
        Lossy(1).to_dict()


def test_allows_submodules_of_a_module(monkeypatch):
    monkeypatch.setattr(known_types, "_allowed_modules", set())
    allow_deserialization_module("mine.*")
    assert [is_module_allowed(name) for name in ("mine", "mine.parts", "minelike", "other")] == [
        True,
        True,
        False,
        False,
    ]


def test_allows_modules_in_a_block_only():
    with allow_modules(["mine"]), allow_modules(["other"]):
        assert is_module_allowed("mine.parts")
        assert is_module_allowed("other")
    assert not is_module_allowed("mine.parts")


@pytest.mark.parametrize("name", ["spaniel.errors.NoSuch", "spaniel.no_such.Class", "spaniel.errors.__doc__"])
def test_rejects_names_without_a_class(name):
    with pytest.raises(DeserializationError):
        resolve_serializable_class(name)


@pytest.mark.parametrize("value", [5, None, True, ["a"], {"a": 1}, 1.5])
def test_rejects_types_other_than_names(value):
    with pytest.raises(DeserializationError, match=r"A type must be a name such as 'module\.ClassName', got "):
        resolve_serializable_class(value)
    with pytest.raises(DeserializationError, match=r"can't be deserialized as .*Box"):
        Box.from_dict({"type": value})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "serialised data of Box must be a mapping, got 5"),
        ({"type": NAME, "init_parameters": [1]}, r"'init_parameters' of Box must be a mapping, got \[1\]"),
        ({"type": NAME, "init_parameters": {5: 1, "colour": 2}}, r"unknown parameter '5', 'colour' of Box"),
    ],
)
def test_rejects_malformed_data(data, message):
    with pytest.raises(DeserializationError, match=message):
        Box.from_dict(data)


@pytest.mark.parametrize(
    "module", ["spaniel.document_stores.in_memory", "spaniel.document_stores.in_memory.document_store"]
)
def test_accepts_any_module_that_exports_the_class(module):
    store = InMemoryDocumentStore.from_dict({"type": f"{module}.InMemoryDocumentStore", "init_parameters": {}})
    assert store.to_dict()["type"] == "spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore"


def test_rejects_another_class_of_spaniel():
    with pytest.raises(DeserializationError, match="can't be deserialized as"):
        InMemoryDocumentStore.from_dict({"type": "spaniel.Document"})


@pytest.mark.parametrize("module", ["in_memory", "in_memory.document_store"])
def test_accepts_haystack_names(module):
    name = f"haystack.document_stores.{module}.InMemoryDocumentStore"
    assert resolve_serializable_class(name) is InMemoryDocumentStore
    assert type(InMemoryDocumentStore.from_dict({"type": name, "init_parameters": {}})) is InMemoryDocumentStore


def test_rejects_types_of_haystack_with_a_remedy():
    with pytest.raises(ForeignTypeError, match="no 'PromptBuilder', but with 'haystack-ai' installed, foreign=True"):
        resolve_serializable_class("haystack.components.builders.prompt_builder.PromptBuilder")


def test_naming_the_command_line_module_runs_no_command():
    with pytest.raises(DeserializationError, match=r"there is no 'Run' in 'spaniel\.__main__'"):
        resolve_serializable_class("spaniel.__main__.Run")
