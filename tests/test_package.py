"""The names of `import spaniel`, and the packages that it must not load."""

import builtins
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import spaniel

HEAVY = [
    "numpy",
    "networkx",
    "httpx",
    "typer",
    "rich",
    "yaml",
    "dateutil",
    "docutils",
    "markdown_it",
    "selectolax",
    "haystack",
]


def modules_loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("package", HEAVY)
def test_importing_spaniel_loads_no_heavy_package(package: str, loaded: set[str]) -> None:
    assert package not in loaded


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return modules_loaded_by("import spaniel")


def test_public_names_exist() -> None:
    assert [name for name in spaniel.__all__ if not hasattr(spaniel, name)] == []


def test_public_names_are_sorted_and_listed_by_dir() -> None:
    assert sorted([*spaniel.__all__, "open"]) == dir(spaniel)


def test_star_imports_replace_no_builtin() -> None:
    folders = [path for path in Path(spaniel.__path__[0]).rglob("__init__.py") if "interop" not in path.parts]
    packages = [".".join(("spaniel", *path.parent.relative_to(spaniel.__path__[0]).parts)) for path in folders]
    names = {package: getattr(importlib.import_module(package), "__all__", ()) for package in packages}
    assert {package for package in names if not set(names[package]).isdisjoint(dir(builtins))} == set()
    assert callable(spaniel.open)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = spaniel.opne


def test_importing_configures_no_logging() -> None:
    code = "import logging, spaniel; print(logging.getLogger().handlers, logging.getLogger('spaniel').handlers)"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert output.strip() == "[] []"
