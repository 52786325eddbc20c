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
from spaniel.pipeline.type_compatibility import fits

NAMES = haystack_names._OWN_NAMES


@pytest.mark.parametrize("ours", sorted(set(NAMES.values())))
def test_a_name_leads_to_a_class_of_ours(ours: str) -> None:
    assert inspect.isclass(resolve_class(ours))


@pytest.mark.parametrize("module", haystack_names._SAME_PLACE)
def test_a_name_is_one_of_haystack(module: str) -> None:
    theirs = importlib.import_module(f"haystack.{module}")
    assert [name for name in haystack_names._SAME_PLACE[module] if not hasattr(theirs, name)] == []


@pytest.fixture(scope="module")
def _all_components() -> None:
    for found in pkgutil.walk_packages(components.__path__, "spaniel.components."):
        importlib.import_module(found.name)
    for found in pkgutil.walk_packages([f"{haystack.__path__[0]}/components"], "haystack.components."):
        importlib.import_module(found.name)


@pytest.mark.usefixtures("_all_components")
def test_an_input_takes_each_type_that_it_takes_in_haystack() -> None:
    compared = 0
    for name, theirs in haystack.component.registry.items():
        ours = component.registry.get(to_spaniel_name(name))
        if not name.startswith("haystack.components.") or ours is None:
            continue
        own, declared = typing.get_type_hints(ours.run), typing.get_type_hints(theirs.run)
        for socket in (own.keys() & declared.keys()) - {"return"}:
            compared += 1
            assert fits(type_from_haystack(declared[socket]), own[socket]), f"{name}: {socket}"
    assert compared > 60


@pytest.mark.usefixtures("_all_components")
def test_every_component_of_ours_that_haystack_has_is_listed() -> None:
    theirs = {name.partition(".")[2] for name in haystack.component.registry if name.startswith("haystack.")}
    both = {name for name in component.registry if name.startswith("spaniel.") and name.partition(".")[2] in theirs}
    assert len(both) > 40
    assert [name for name in both if to_spaniel_name(f"haystack.{name.partition('.')[2]}") != name] == []


@pytest.mark.parametrize("name", ["os.system", "haystacks.Heap", "spaniel.Document", ""])
def test_a_name_that_is_not_haystacks_stays_itself(name: str) -> None:
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
def test_what_to_do_names_the_package(name: str, package: str) -> None:
    assert f"with {package} installed" in suggest_remedy(name)
