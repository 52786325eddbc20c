"""Migrated programs: changed names, kept names, and unchanged code."""

import ast
import inspect
import json
import pkgutil
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import migration
from spaniel.errors import MigrationError
from spaniel.migration import Note, migrate_code


def moved(code: str) -> str:
    return migrate_code(textwrap.dedent(code).encode()).after


def notes(code: str) -> list[str]:
    return [str(note) for note in migrate_code(textwrap.dedent(code).encode()).notes]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from haystack import Document", "from spaniel import Document"),
        ("from haystack import Document as D, Pipeline", "from spaniel import Document as D, Pipeline"),
        (
            "from haystack.components.retrievers.in_memory import InMemoryBM25Retriever",
            "from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever",
        ),
        ("from haystack.components import joiners", "from spaniel.components import joiners"),
        ("from haystack.utils import Secret", "from spaniel.utils import Secret"),
        (
            "from haystack.components.others import Multiplexer",
            "from spaniel.components.joiners.branch import BranchJoiner as Multiplexer",
        ),
        ("import haystack", "import spaniel"),
        ("import haystack as hs", "import spaniel as hs"),
        ("import os, haystack, sys", "import os, spaniel, sys"),
        ("import haystack.dataclasses", "import spaniel.dataclasses"),
        ("import haystack\nx = haystack.Document(content='a')", "import spaniel\nx = spaniel.Document(content='a')"),
        ("import haystack\nf(haystack.Document.from_dict)", "import spaniel\nf(spaniel.Document.from_dict)"),
    ],
)
def test_an_import_and_its_uses_are_changed(before: str, after: str) -> None:
    assert moved(before) == after


@pytest.mark.parametrize(
    "code",
    [
        "from haystack.components.builders import PromptBuilder",
        "from haystack import tracing",
        "from .haystack import Document",
        "from haystacks import Document",
        "import haystacks",
        "haystack = ['needle']",
        "def find(needle, haystack): return haystack.index(needle)",
        "x = 'haystack'",
        "x = 'see haystack.components.joiners.DocumentJoiner for more'",
        "x = f'{a}haystack.components.joiners.DocumentJoiner'",
        "Document(content='haystack.Document')",
        "# from haystack import Document",
        "",
    ],
)
def test_other_code_is_unchanged(code: str) -> None:
    assert moved(code) == code


def test_spaces_comments_and_ends_of_lines_stay() -> None:
    code = (
        "\ufeff# coding: utf-8\r\n"
        "from  haystack.components.joiners  import (  # noqa: X\r\n"
        "    DocumentJoiner,  # joins\r\n"
        "\r\n"
        "    BranchJoiner as B  ,\r\n"
        ")\t# end\r\n"
        "é = 'ü'; import haystack ;x=haystack . Document\r\n"
    )
    expected = code.replace("haystack", "spaniel")
    found = migrate_code(code.encode())
    assert found.after == expected.removeprefix("\ufeff")
    assert found.after.encode(found.encoding) == expected.encode()


def test_an_encoding_that_the_file_names_is_kept() -> None:
    found = migrate_code("# coding: latin-1\nfrom haystack import Document  # é\n".encode("latin-1"))
    assert found.after.encode(found.encoding) == "# coding: latin-1\nfrom spaniel import Document  # é\n".encode(
        "latin-1"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from haystack import Document, AsyncPipeline, Pipeline  # all\n",
            "from haystack import AsyncPipeline\nfrom spaniel import Document, Pipeline  # all\n",
        ),
        (
            "from haystack.components.joiners import (DocumentJoiner, AnswerJoiner as A)",
            "from haystack.components.joiners import AnswerJoiner as A\nfrom spaniel.components.joiners import (DocumentJoiner)",
        ),
        (
            "if x:\n    from haystack import (\n        Document,  # ours\n        GeneratedAnswer,\n        Pipeline,\n    )\n",
            "if x:\n    from haystack import GeneratedAnswer\n    from spaniel import (\n        Document,  # ours\n        Pipeline,\n    )\n",
        ),
        (
            "if x: from haystack import Document, Answer",
            "if x: from haystack import Answer; from spaniel import Document",
        ),
        (
            "a = 1; from haystack import Document, Answer; b = 2",
            "a = 1; from haystack import Answer; from spaniel import Document; b = 2",
        ),
        (
            "import haystack\nhaystack.Document, haystack.GeneratedAnswer",
            "import haystack, spaniel\nspaniel.Document, haystack.GeneratedAnswer",
        ),
        (
            "import haystack.components.builders\nhaystack.Document, haystack.components.builders.PromptBuilder",
            "import haystack.components.builders, spaniel\nspaniel.Document, haystack.components.builders.PromptBuilder",
        ),
        (
            "import haystack.components.joiners\nhaystack.components.joiners.DocumentJoiner, haystack.GeneratedAnswer",
            "import haystack, spaniel.components.joiners\nspaniel.components.joiners.DocumentJoiner, haystack.GeneratedAnswer",
        ),
        ("import haystack as hs\nhs.Document, hs.Answer", "import haystack as hs\nhs.Document, hs.Answer"),
    ],
)
def test_an_import_is_split_by_the_names_that_spaniel_has(before: str, after: str) -> None:
    assert moved(before) == after


@pytest.mark.parametrize(
    ("code", "line", "text"),
    [
        ("\nfrom haystack.components.builders import PromptBuilder", 2, "HaystackComponent(...)"),
        ("from haystack_integrations.document_stores.qdrant import QdrantDocumentStore", 1, "HaystackStore(...)"),
        ("from haystack import AsyncPipeline", 1, "Pipeline has run_async"),
        (
            "from haystack import (\n    Document,\n    Answer,\n)",
            3,
            "'haystack.Answer' is not in Spaniel, and is kept as Haystack's.",
        ),
        ("import haystack\n\nhaystack.Answer", 3, "'haystack.Answer'"),
        (
            "import haystack as hs\nhs.Answer",
            1,
            "'import haystack as hs' is kept, as 'hs' is used for names that are not",
        ),
        ("from haystack.components.joiners import *", 1, "check the ones you use"),
        ("from haystack.components.builders import *", 1, "'haystack.components.builders' is not in Spaniel"),
        ("patch('haystack.components.builders.PromptBuilder.run')", 1, "in a string is not in Spaniel"),
        ("import haystack\nif x:\n    haystack = 1\nhaystack.Document", 4, "may be the module or another value here"),
    ],
)
def test_a_kept_name_has_a_note_with_its_line(code: str, line: int, text: str) -> None:
    found = [note for note in migrate_code(code.encode()).notes if text in note.text]
    assert [note.line for note in found] == [line]


@pytest.mark.parametrize(
    "inner",
    [
        "def f(haystack): return haystack.x",
        "def f(*haystack): return haystack.x",
        "f = lambda haystack: haystack.x",
        "y = [haystack.x for haystack in z]",
        "def f():\n    haystack = 1\n    return [haystack.x for a in b]",
        "def f():\n    for haystack in x: haystack.x",
        "def f():\n    with x as haystack: haystack.x",
        "def f():\n    try: pass\n    except E as haystack: haystack.x",
        "def f():\n    def haystack(): haystack.x",
        "def f():\n    match x:\n        case {**haystack}: haystack.x",
        "class C:\n    haystack = 1\n    y = haystack.x",
        "def f():\n    from x import haystack\n    haystack.x",
    ],
)
def test_another_value_of_that_name_stays(inner: str) -> None:
    assert moved(f"import haystack\n{inner}\nhaystack.Document") == f"import spaniel\n{inner}\nspaniel.Document"


@pytest.mark.parametrize(
    "inner",
    [
        "def f(x=haystack.Document): pass",
        "def f(x: haystack.Document) -> haystack.Document: return haystack.Document",
        "@haystack.component\nclass C(haystack.Document): pass",
        "y = [haystack.Document for haystack in haystack.Pipeline]".replace(
            "haystack.Document for haystack", "x for x"
        ),
        "class C:\n    haystack = 1\n    def f(self): return haystack.Document",
        "f = lambda x=haystack.Document: haystack.Document",
    ],
)
def test_an_import_is_visible_in_scopes_that_do_not_bind_the_name(inner: str) -> None:
    expected = inner.replace("haystack.", "spaniel.")
    assert moved(f"import haystack\n{inner}") == f"import spaniel\n{expected}"


def test_an_import_inside_a_function_reaches_no_further() -> None:
    code = (
        "def f():\n    import haystack\n    return haystack.Document\ndef g(haystack):\n    return haystack.Document\n"
    )
    assert moved(code) == (
        "def f():\n    import spaniel\n    return spaniel.Document\ndef g(haystack):\n    return haystack.Document\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "patch('haystack.components.joiners.DocumentJoiner.run')",
            "patch('spaniel.components.joiners.DocumentJoiner.run')",
        ),
        (
            "x = {'type': 'haystack.components.joiners.document_joiner.DocumentJoiner'}",
            "x = {'type': 'spaniel.components.joiners.document_joiner.DocumentJoiner'}",
        ),
        ("def f(x: 'list[haystack.Document]'): ...", "def f(x: 'list[spaniel.Document]'): ..."),
        ("x: 'haystack.Document' = 'haystack.Document'", "x: 'spaniel.Document' = 'haystack.Document'"),
        (
            '"""\na:\n  type: haystack.components.joiners.ListJoiner  # joins\nb: {type: "haystack.dataclasses.Document"}\n"""',
            '"""\na:\n  type: spaniel.components.joiners.ListJoiner  # joins\nb: {type: "spaniel.dataclasses.Document"}\n"""',
        ),
    ],
)
def test_names_in_texts_are_changed_where_they_are_plainly_names(before: str, after: str) -> None:
    assert moved(before) == after


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"from haystack import (", r"line 1: '\(' was never closed"),
        (b"x = 1\nprint 'a'", "line 2: "),
        (b"from haystack import x\n\xff", "not a Python program|line"),
        (b"# coding: nonsense\n", "nonsense"),
        (b"from haystack import Document\0", "null bytes"),
    ],
)
def test_rejects_invalid_python_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(MigrationError, match=message):
        migrate_code(data)


def test_a_program_of_ours_stays_as_it_is() -> None:
    for module in pkgutil.iter_modules(migration.__path__, "spaniel.migration."):
        code = inspect.getsource(__import__(module.name, fromlist=["x"]))
        assert "import haystack" not in migrate_code(code.encode()).after or code == migrate_code(code.encode()).after


def test_a_second_time_changes_nothing() -> None:
    code = "import haystack\nfrom haystack import Document, Answer\nhaystack.Document, haystack.Answer\n"
    assert moved(moved(code)) == moved(code)


NAMES = ["Document", "Pipeline", "Answer", "GeneratedAnswer", "component"]


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True),
    st.sampled_from([("", ""), ("(", ")"), ("(\n", "\n)"), ("(  # a\n    ", ",  # b\n)")]),
    st.sampled_from([", ", ",\n    ", " ,  # c\n    "]),
    st.sampled_from(["{}", "if x:\n    {}", "a = 1; {}", "{}  # d", "\n{}\nb = 2\n"]),
)
def test_every_name_is_bound_after_as_before(
    names: list[str], brackets: tuple[str, str], comma: str, around: str
) -> None:
    comma = comma if "\n" in brackets[0] else ", "
    statement = f"from haystack import {brackets[0]}{comma.join(names)}{brackets[1]}"
    after = moved(around.format(statement))
    bound = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(after))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    ours = {"Document", "Pipeline", "component"}
    assert sorted(bound) == sorted(("spaniel" if name in ours else "haystack", name) for name in names)


def test_the_difference_is_unified() -> None:
    found = migrate_code(b"import os\nfrom haystack import Document\n")
    assert found.diff("a.py").splitlines() == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,2 +1,2 @@",
        " import os",
        "-from haystack import Document",
        "+from spaniel import Document",
    ]
    assert found.notes == ()
    assert json.dumps(Note(1, "a")) == '[1, "a"]'
