import sys
import textwrap
from os import getcwd

import pytest
from haystack.utils import serialize_callable as reference_name
from hypothesis import given
from hypothesis import strategies as st

from spaniel.core import known_types
from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.serialization import allow_deserialization_module
from spaniel.errors import DeserializationError, SerializationError


class Cutter:
    @staticmethod
    def static(text: str) -> list[str]:
        return [text]

    @classmethod
    def of_class(cls, text: str) -> list[str]:
        return [text]

    def of_instance(self, text: str) -> list[str]:
        return [text]


def cut(text: str) -> list[str]:
    return [text]


cutter = Cutter()


@pytest.fixture
def this_module_allowed():
    allow_deserialization_module(__name__)
    yield
    known_types._allowed_modules.discard(__name__)


@pytest.mark.parametrize("function", [cut, Cutter.static, Cutter.of_class, textwrap.wrap, len])
def test_name_is_that_of_haystack(function):
    assert serialize_callable(function) == reference_name(function)


@pytest.mark.parametrize("function", [cut, Cutter.static, Cutter.of_class])
def test_loads_functions_of_allowed_modules(function, this_module_allowed):
    assert deserialize_callable(serialize_callable(function)) == function


def test_rejects_functions_without_a_name():
    def nested(text: str) -> list[str]:
        return [text]

    for function in (lambda text: [text], nested, cutter.of_instance, Cutter.of_instance):
        with pytest.raises(SerializationError, match="can't be serialised"):
            serialize_callable(function)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "eval",
        "",
        "...",
        "spaniel.core.serialization.allow_deserialization_module",
        "spaniel.core.known_types.importlib.import_module",
    ],
)
def test_rejects_functions_of_unallowed_modules(name):
    with pytest.raises(DeserializationError, match="not allowed"):
        deserialize_callable(name)


@pytest.mark.parametrize(
    "path",
    [
        "getcwd",
        "sys.exit",
        "pytest.main",
        "serialize_callable",
        "allow_deserialization_module",
        "cut.__globals__.get",
        "Cutter.__subclasses__",
        "Cutter.static.__call__",
        "cutter.of_instance",
        "missing",
        "known_types",
    ],
)
def test_rejects_imports_and_private_names_of_allowed_modules(path, this_module_allowed):
    assert getcwd
    assert sys
    with pytest.raises(DeserializationError, match=r"does not lead|not the name of a function"):
        deserialize_callable(f"{__name__}.{path}")


def test_unallowed_modules_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "not_to_be_imported.py").write_text("def cut(text): return [text]")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(DeserializationError, match="allow_deserialization_module"):
        deserialize_callable("not_to_be_imported.cut")

    assert "not_to_be_imported" not in sys.modules


def test_import_error_of_an_allowed_module_names_the_package(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import a_package_that_is_not_there\ndef cut(text): return [text]")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("spaniel.core.known_types._allowed_modules", {"needs_more"})

    with pytest.raises(DeserializationError, match="a_package_that_is_not_there"):
        deserialize_callable("needs_more.cut")


@given(st.text(alphabet="abcos._", max_size=12))
def test_any_name_raises_deserialization_error_if_nothing_is_allowed(name):
    with pytest.raises(DeserializationError):
        deserialize_callable(name)
