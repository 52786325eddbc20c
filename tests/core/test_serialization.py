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


def test_an_object_is_written_with_its_parameters():
    assert Box(1, "a").to_dict() == {"type": NAME, "init_parameters": {"size": 1, "content": "a", "label": ""}}


def test_our_own_options_are_written_only_where_they_differ():
    assert Box(1, note="n").to_dict()["init_parameters"]["note"] == "n"


def test_nested_objects_and_enums_are_written_as_plain_data():
    assert default_to_dict(Box(1), inner=Box(2), colour=Colour.RED)["init_parameters"] == {
        "inner": Box(2).to_dict(),
        "colour": "red",
    }


def test_what_was_written_is_independent_of_the_object():
    values = [1]
    data = default_to_dict(Plain(values), values=values)
    values.append(2)
    assert data["init_parameters"]["values"] == [1]


def test_an_object_is_read_again(this_module_allowed):
    box = Box.from_dict(Box(1, Box(2)).to_dict())
    assert (box.size, box.content.size) == (1, 2)


def test_an_object_that_is_built_already_is_taken_itself():
    inner = object()
    assert default_from_dict(Plain, {"type": f"{__name__}.Plain", "init_parameters": {"inner": inner}}).inner is inner


def test_data_that_is_read_is_not_shared_with_the_object():
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
def test_data_that_does_not_fit_is_refused(data, message):
    with pytest.raises(DeserializationError, match=message):
        Box.from_dict(data)


def test_a_class_that_does_not_keep_its_parameters_is_not_written():
    class Lossy(Serializable):
        def __init__(self, a: int):
            pass

    with pytest.raises(SerializationError, match="does not keep its parameter 'a'"):
        Lossy(1).to_dict()


def test_a_module_is_allowed_with_those_below_it(monkeypatch):
    monkeypatch.setattr(known_types, "_allowed_modules", set())
    allow_deserialization_module("mine.*")
    assert [is_module_allowed(name) for name in ("mine", "mine.parts", "minelike", "other")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_module_is_allowed_inside_a_block_only():
    with allow_modules(["mine"]), allow_modules(["other"]):
        assert is_module_allowed("mine.parts")
        assert is_module_allowed("other")
    assert not is_module_allowed("mine.parts")


@pytest.mark.parametrize("name", ["spaniel.errors.NoSuch", "spaniel.no_such.Class", "spaniel.errors.__doc__"])
def test_a_name_that_leads_to_no_class_is_refused(name):
    with pytest.raises(DeserializationError):
        resolve_serializable_class(name)


@pytest.mark.parametrize("value", [5, None, True, ["a"], {"a": 1}, 1.5])
def test_a_type_that_is_no_name_is_refused(value):
    with pytest.raises(DeserializationError, match=r"A type is a name such as 'module\.ClassName', not "):
        resolve_serializable_class(value)
    with pytest.raises(DeserializationError, match=r"can't be deserialized as .*Box"):
        Box.from_dict({"type": value})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "serialised data of Box must be a mapping, not 5"),
        ({"type": NAME, "init_parameters": [1]}, r"'init_parameters' of Box must be a mapping, not \[1\]"),
        ({"type": NAME, "init_parameters": {5: 1, "colour": 2}}, r"unknown parameter '5', 'colour' of Box"),
    ],
)
def test_data_of_another_form_is_refused(data, message):
    with pytest.raises(DeserializationError, match=message):
        Box.from_dict(data)


@pytest.mark.parametrize(
    "module", ["spaniel.document_stores.in_memory", "spaniel.document_stores.in_memory.document_store"]
)
def test_a_class_may_be_named_by_any_module_of_spaniel_that_has_it(module):
    store = InMemoryDocumentStore.from_dict({"type": f"{module}.InMemoryDocumentStore", "init_parameters": {}})
    assert store.to_dict()["type"] == "spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore"


def test_another_class_of_spaniel_is_not_taken_for_the_one_that_is_built():
    with pytest.raises(DeserializationError, match="can't be deserialized as"):
        InMemoryDocumentStore.from_dict({"type": "spaniel.Document"})


@pytest.mark.parametrize("module", ["in_memory", "in_memory.document_store"])
def test_a_class_may_be_named_as_haystack_names_it(module):
    name = f"haystack.document_stores.{module}.InMemoryDocumentStore"
    assert resolve_serializable_class(name) is InMemoryDocumentStore
    assert type(InMemoryDocumentStore.from_dict({"type": name, "init_parameters": {}})) is InMemoryDocumentStore


def test_a_type_that_only_haystack_has_is_refused_with_what_to_do():
    with pytest.raises(ForeignTypeError, match="no 'PromptBuilder', but with 'haystack-ai' installed, foreign=True"):
        resolve_serializable_class("haystack.components.builders.prompt_builder.PromptBuilder")


def test_no_command_runs_because_a_type_names_the_module_of_the_command_line():
    with pytest.raises(DeserializationError, match=r"there is no 'Run' in 'spaniel\.__main__'"):
        resolve_serializable_class("spaniel.__main__.Run")
