"""Both methods of every component and of the store on a server come from one program."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import spaniel.components
import spaniel.document_stores.opensearch
import spaniel.pipeline
from spaniel.pipeline import Pipeline

PACKAGES = (spaniel.components, spaniel.document_stores.opensearch, spaniel.pipeline)
OTHERWISE = {
    (Pipeline, "run"): "run_async has a limit more; both execute `run_components`",
    ("OpenSearchDocumentStore", "close"): "each closes a client of its own",
    ("Connection", "close"): "each closes a client of its own",
    ("Connection", "send"): "the requests that programs yield end here",
}


def classes() -> Iterator[type]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            yield from (
                each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == found.name
            )


def pairs() -> Iterator[tuple[type, str]]:
    for each in classes():
        if getattr(each, "_is_protocol", False):
            continue
        plain_names = (name.removesuffix("_async") for name in vars(each) if name.endswith("_async"))
        for plain in plain_names:
            known = {(each, plain), (each.__name__, plain)} & OTHERWISE.keys()
            if not known and not plain.startswith("_") and hasattr(each, plain):
                yield each, plain


PAIRS = list(pairs())


def test_finds_many_programs():
    assert len(PAIRS) > 60


@pytest.mark.parametrize(("cls", "name"), PAIRS, ids=lambda value: getattr(value, "__name__", value))
def test_both_methods_come_from_one_program(cls, name):
    plain, counterpart = getattr(cls, name), getattr(cls, f"{name}_async")
    program = inspect.unwrap(plain)
    assert program is inspect.unwrap(counterpart)
    assert inspect.isgeneratorfunction(program)
