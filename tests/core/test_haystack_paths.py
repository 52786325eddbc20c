import ast
from importlib import import_module
from pathlib import Path

import pytest

import spaniel
from spaniel.core.haystack_names import HAYSTACK_PATHS

SOURCES = Path(spaniel.__path__[0])
PACKAGES_WITH_OWN_NAMES = {"spaniel.core.component"}


def only_reexports(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    kinds = {type(node) for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))}
    return ast.ImportFrom in kinds and kinds <= {ast.Import, ast.ImportFrom, ast.Assign}


def module_name(path):
    parts = path.relative_to(SOURCES.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize(("path", "source"), HAYSTACK_PATHS.items())
def test_each_path_has_names_of_its_source(path, source):
    module, implementation = import_module(path), import_module(source)
    shared = [name for name, value in vars(module).items() if vars(implementation).get(name, module) is value]
    renamed = {"AsyncPipeline", "PipelineBase"} & vars(module).keys()
    assert shared or renamed


def test_every_reexporting_module_in_core_and_utils_is_listed():
    found = {
        module_name(path)
        for folder in ("core", "utils")
        for path in (SOURCES / folder).rglob("*.py")
        if only_reexports(path)
    }
    assert found - PACKAGES_WITH_OWN_NAMES - {"spaniel.utils"} <= HAYSTACK_PATHS.keys()
