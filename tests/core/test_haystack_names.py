"""Haystack's names lead to classes of ours that exist, and no class of ours was forgotten."""

import importlib
import inspect
import pkgutil
import typing

import haystack
import pytest

from spaniel import components
from spaniel.core import haystack_names
from spaniel.core.component import component
from spaniel.core.haystack_names import is_haystack_name, suggest_remedy, to_spaniel_name
from spaniel.core.known_types import resolve_class
from spaniel.interop.haystack.annotations import type_from_haystack
from spaniel.pipeline.type_compatibility import is_assignable

NAMES = haystack_names._SPANIEL_NAMES


@pytest.mark.parametrize("ours", sorted(set(NAMES.values())))
def test_names_resolve_to_spaniel_classes(ours: str) -> None:
    assert inspect.isclass(resolve_class(ours))


@pytest.mark.parametrize("module", haystack_names._SAME_MODULE)
def test_names_exist_in_haystack(module: str) -> None:
    theirs = importlib.import_module(f"haystack.{module}")
    assert [name for name in haystack_names._SAME_MODULE[module] if not hasattr(theirs, name)] == []


@pytest.fixture(scope="module")
def _all_components() -> None:
    for found in pkgutil.walk_packages(components.__path__, "spaniel.components."):
        importlib.import_module(found.name)
    for found in pkgutil.walk_packages([f"{haystack.__path__[0]}/components"], "haystack.components."):
        importlib.import_module(found.name)


@pytest.mark.usefixtures("_all_components")
def test_inputs_accept_the_types_of_haystack() -> None:
    compared = 0
    for name, theirs in haystack.component.registry.items():
        ours = component.registry.get(to_spaniel_name(name))
        if not name.startswith("haystack.components.") or ours is None:
            continue
        own, declared = typing.get_type_hints(ours.run), typing.get_type_hints(theirs.run)
        for socket in (own.keys() & declared.keys()) - {"return"}:
            compared += 1
            assert is_assignable(type_from_haystack(declared[socket]), own[socket]), f"{name}: {socket}"
    assert compared > 60


@pytest.mark.usefixtures("_all_components")
def test_lists_every_component_that_haystack_has() -> None:
    theirs = {name.partition(".")[2] for name in haystack.component.registry if name.startswith("haystack.")}
    both = {name for name in component.registry if name.startswith("spaniel.") and name.partition(".")[2] in theirs}
    assert len(both) > 40
    assert [name for name in both if to_spaniel_name(f"haystack.{name.partition('.')[2]}") != name] == []


@pytest.mark.parametrize("name", ["os.system", "haystacks.Heap", "spaniel.Document", ""])
def test_other_names_are_returned_themselves(name: str) -> None:
    assert not is_haystack_name(name)
    assert to_spaniel_name(name) == name


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("haystack.components.builders.PromptBuilder", "'haystack-ai'"),
        ("haystack_experimental.components.X", "'haystack-experimental'"),
        ("haystack_integrations.components.retrievers.pgvector.PgvectorKeywordRetriever", "'pgvector-haystack'"),
        (
            "haystack_integrations.components.generators.cohere.CohereGenerator",
            "the integration of Haystack that has it",
        ),
    ],
)
def test_remedy_names_the_package(name: str, package: str) -> None:
    assert f"with {package} installed" in suggest_remedy(name)
