"""The examples in the docstrings of the installed Haystack, run there and, after `migrate_code`,
here: equal results.

Embedders that need a service are replaced by the mock embedders of both packages.
"""

import ast
import contextlib
import io
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import haystack
import pytest

from spaniel.dataclasses import ByteStream, Document
from spaniel.errors import MigrationError
from spaniel.interop.haystack import from_haystack
from spaniel.migration import migrate_code

ROOT = Path(haystack.__path__[0])
FENCE = re.compile(r"^[ \t]*```python\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
SAMPLES = {".txt": "A text about dogs.\n", ".csv": "name,age\nRex,3\n", ".md": "# Dogs\n\nThey *bark*.\n"}


FAIL_IN_HAYSTACK = {
    "components/converters/docx.DOCXToDocument-0",  # a file that the docstring does not make
    "components/converters/html.HTMLToDocument-0",  # trafilatura
    "components/converters/json.JSONConverter-1",  # jq
    "components/converters/markdown.MarkdownToDocument-0",  # mdit_plain
    "components/converters/pypdf.PyPDFToDocument-0",  # a file that the docstring does not make
    "components/preprocessors/embedding_based_document_splitter.EmbeddingBasedDocumentSplitter-0",  # nltk
}
"""Examples with nothing to compare: they need files or packages that are not here."""


def code_blocks() -> Iterator[tuple[str, str]]:
    """Yield a name and the code of each block in a docstring."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                name = f"{path.relative_to(ROOT).with_suffix('')}.{getattr(node, 'name', '')}"
                for number, found in enumerate(FENCE.finditer(ast.get_docstring(node) or "")):
                    code = re.sub(r"OpenAI(Text|Document)Embedder", r"Mock\1Embedder", textwrap.dedent(found[1]))
                    yield f"{name}-{number}", code.replace("datetime.now()", "datetime(2026, 12, 1)")


def examples() -> Iterator[Any]:
    """Yield the blocks whose imports exist in both packages."""
    for name, code in code_blocks():
        with contextlib.suppress(MigrationError):  # a fragment of code
            migrated = migrate_code(code.encode()).after
            if "haystack" in imported(code) and "haystack" not in imported(migrated):
                yield pytest.param(code, migrated, id=name)


def imported(code: str) -> set[str]:
    """Return the top-level packages that code imports from."""
    return set(re.findall(r"^\s*(?:from|import) (\w+)", code, re.MULTILINE))


FOUND = list(examples())
EXAMPLES = [example for example in FOUND if example.id not in FAIL_IN_HAYSTACK]


def results(code: str) -> dict[str, Any]:
    """Return the output of a program without documents, and its variables as data."""
    namespace: dict[str, Any] = {"__name__": "example"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "example", "exec"), namespace)  # noqa: S102
    data = {name: plain(value) for name, value in namespace.items() if not name.startswith("__")}
    lines = re.sub(r".*Document\(.*", "", printed.getvalue())
    return {"printed": re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9f}", lines), **data}


def plain(value: Any) -> Any:
    """Return data as dictionaries, lists and numbers, anything else as the name of its class."""
    value = from_haystack(value)
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, (Document, ByteStream)):
        return plain(vars(value) | {"meta": value.meta})
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    return getattr(value, "__name__", type(value).__name__)


def compare(ours: Any, theirs: Any, place: str = "") -> None:
    """Assert that values are equal: numbers nearly, metadata where Haystack has some (Spaniel adds
    to it).
    """
    if isinstance(theirs, dict) and isinstance(ours, dict):
        assert theirs.keys() == ours.keys() or (place.endswith(".meta") and theirs.keys() < ours.keys()), place
        for key, item in theirs.items():
            if key != "id" or ours.get("meta") == theirs.get("meta"):  # an id is made from the metadata
                compare(ours[key], item, f"{place}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list):
        assert len(ours) == len(theirs), place
        for number, pair in enumerate(zip(ours, theirs, strict=True)):
            compare(*pair, f"{place}[{number}]")
    else:
        assert ours == (pytest.approx(theirs) if isinstance(theirs, float) else theirs), place


def test_many_docstrings_have_an_example_that_runs_here() -> None:
    assert len(EXAMPLES) >= 35


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("code", "migrated"), EXAMPLES)
def test_an_example_gives_the_result_of_haystack(
    code: str, migrated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_samples(code)
    compare(results(migrated), results(code))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", [pytest.param(each.values[0], id=each.id) for each in FOUND if each not in EXAMPLES])
def test_an_example_that_is_left_out_fails_in_haystack(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_samples(code)
    with pytest.raises((ImportError, IndexError)):
        results(code)


def make_samples(code: str) -> None:
    """Make the text files that an example names."""
    for name in re.findall(r'"([\w./-]+)"', code):
        if (suffix := Path(name).suffix) in SAMPLES:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(SAMPLES[suffix], encoding="utf-8")
