import gzip
import json
import logging
import tracemalloc

import haystack
import pytest
from haystack.components.converters import CSVToDocument as TheirCSVToDocument
from haystack.components.converters import JSONConverter as TheirJSONConverter
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.converters import CSVToDocument, JSONConverter, JSONLToDocument, _rows
from spaniel.components.converters._rows import BadRow
from spaniel.components.converters.files import convert_rows, holds_rows
from spaniel.dataclasses import ByteStream
from spaniel.errors import ConversionError
from tests.collection import OWN


@pytest.fixture
def rows(tmp_path):
    """Return the documents of a file with some content, and its bad rows."""

    def convert(content, name="data.jsonl", **options):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        bad: list[BadRow] = []
        documents = list(convert_rows(path, name, report=bad.append, **options))
        for document in documents:
            del document.meta["source_lines"]
        return documents, bad

    return convert


def lines(*objects):
    return "".join(json.dumps(it) + "\n" for it in objects)


def test_rows_become_documents_with_text_id_title_and_metadata(rows):
    row = {"_id": "7", "title": "T", "text": "words", "metadata": {"year": 2024, "tags": ["a"]}, "ok": True, "n": None}
    documents, bad = rows(lines(row))
    assert bad == []
    meta = {"path": "data.jsonl", "title": "T", "year": 2024, "tags": ["a"], "ok": True, "n": None}
    assert documents == [Document(id="7", content="words", meta=meta)]


@pytest.mark.parametrize(
    ("row", "content", "id"),
    [
        ({"content": "c", "text": "t", "body": "b"}, "c", None),
        ({"content": None, "text": "t", "body": "b"}, "t", None),
        ({"body": "b", "id": 3, "_id": 4}, "b", "3"),
        ({"text": "t", "id": "", "_id": "x"}, "t", "x"),
        ({"text": " ", "title": "only a title", "id": None}, "only a title", None),
    ],
)
def test_the_first_existing_field_is_used(rows, row, content, id):
    [document], _ = rows(lines(row))
    assert document.content == content
    if id is not None:
        assert document.id == id


def test_named_fields_take_precedence_and_the_others_are_metadata(rows):
    row = {"abstract": "words", "doi": "10.1/x", "text": "t", "id": 1, "meta": "plain"}
    [document], _ = rows(lines(row), text_field="abstract", id_field="doi")
    assert (document.content, document.id) == ("words", "10.1/x")
    assert document.meta == {"path": "data.jsonl", "text": "t", "id": 1, "meta": "plain"}


def test_ids_of_rows_without_one_are_stable(rows):
    first, second = (rows(lines({"text": "a"}, {"text": "b"}))[0] for _ in range(2))
    assert [document.id for document in first] == [document.id for document in second]
    assert first[0].id != first[1].id


def test_fields_take_precedence_over_meta_and_the_path_is_the_files(rows):
    [document], _ = rows(lines({"text": "t", "source": "row", "path": "p", "meta": {"source": "meta", "x": 1}}))
    assert document.meta == {"path": "data.jsonl", "row_path": "p", "source": "row", "x": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "it is not JSON: Expecting property name"),
        ("[1]", "it is a list, not an object"),
        ('{"a": 1, "b": 2}', "it has no 'content', 'text' or 'body', only 'a', 'b'"),
        ('{"text": 5}', "its 'text' is of the type int, not a text"),
        ('{"text": " "}', "its 'text' is empty"),
        ('{"text": "t", "id": [1]}', "its 'id' is of the type list"),
        ('{"text": "t", "id": true}', "its 'id' is of the type bool"),
        ('{"text": "\\ud83d"}', "it contains a lone surrogate"),
        ('{"text": "t", "x": ' + "[" * 500 + "]" * 500 + "}", "it is nested more than 100 levels"),
        ('{"text": "t", "x": ' + "1" * 5000 + "}", "Exceeds the limit"),
    ],
)
def test_bad_rows_are_reported_by_line_and_the_others_kept(rows, line, reason):
    documents, bad = rows(f'{{"text": "a"}}\n\n{line}\n{{"text": "b"}}')
    assert [document.content for document in documents] == ["a", "b"]
    [(number, said)] = bad
    assert number == 3
    assert reason in said


def test_without_a_report_the_first_bad_row_is_an_error(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\nno\n')
    found = convert_rows(tmp_path / "x.jsonl", "sub/x.jsonl")
    assert next(found).content == "a"
    with pytest.raises(ConversionError, match=r"sub/x\.jsonl, line 2: it is not JSON"):
        next(found)


def test_damaged_bytes_spoil_only_their_row(rows):
    data = '{"text": "é"}\n'.encode() * 30 + b'{"text": "\xff"}\n' + '{"text": "ü"}\n'.encode()
    documents, bad = rows(data)
    assert [document.content for document in documents] == ["é"] * 30 + ["ü"]
    assert bad == [BadRow(31, "it is not in UTF-8")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_are_detected(rows, encoding):
    text = '{"text": "Der Käfer läuft über die Straße."}\n' * 3
    documents, bad = rows(text.encode(encoding))
    assert [document.content for document in documents] == ["Der Käfer läuft über die Straße."] * 3
    assert bad == []


def test_too_long_lines_are_skipped_without_being_loaded(rows, monkeypatch):
    monkeypatch.setattr(_rows, "_MAX_LINE", 100)
    documents, bad = rows(lines({"text": "a"}, {"text": "x" * 1000}, {"text": "b"}))
    assert [document.content for document in documents] == ["a", "b"]
    assert bad == [BadRow(2, "it is longer than 100 characters")]


@pytest.mark.parametrize("name", ["big.jsonl", "big.jsonl.gz", "big.csv"])
def test_large_files_are_streamed(tmp_path, name):
    row = "text\n" if name.endswith("csv") else ""
    row += (("x" * 1000 if name.endswith("csv") else json.dumps({"text": "x" * 1000})) + "\n") * 8000
    (tmp_path / name).write_bytes(gzip.compress(row.encode(), 1, mtime=0) if name.endswith("gz") else row.encode())
    del row
    tracemalloc.start()
    try:
        count = sum(1 for _ in convert_rows(tmp_path / name, name))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 8000
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.jsonl", b"\0\1\2", r"sub/x\.jsonl is binary"),
        ("x.jsonl.gz", b"not packed", r"sub/x\.jsonl\.gz can't be read: "),
        ("x.csv.gz", gzip.compress(b"text\n" * 9, mtime=0)[:-9], r"sub/x\.csv\.gz can't be read: "),
        ("x.csv", b"a,b\n1,2\n", r"sub/x\.csv has no column 'content', 'text' or 'body', only 'a', 'b'; .* text_field"),
        ("x.csv", b"", r"sub/x\.csv has no column 'content', 'text' or 'body', only nothing"),
        ("missing.csv", None, r"sub/missing\.csv can't be read: No such file"),
        ("x.md", b"text", r"sub/x\.md: files of rows are those that end in \.jsonl, \.ndjson, \.csv, \.tsv"),
    ],
)
def test_a_file_that_cant_be_read_is_named(tmp_path, name, data, reason):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ConversionError, match=reason):
        list(convert_rows(tmp_path / name, f"sub/{name}"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", 'id,text,age\n1,"Rex, the ""dog""\nbarks",7\n'),
        ("x.csv", 'id;text;age\r\n1;"Rex, the ""dog""\nbarks";7\r\n'),
        ("x.tsv", 'id\ttext\tage\n1\t"Rex, the ""dog""\nbarks"\t7\n'),
        ("x.csv", 'id|text|age\n\n,,\n1|"Rex, the ""dog""\nbarks"|7\n'),
    ],
)
def test_the_delimiter_of_a_table_is_found(rows, name, text):
    documents, _ = rows(text, name)
    assert documents[-1] == Document(id="1", content='Rex, the "dog"\nbarks', meta={"path": name, "age": "7"})


def test_bad_rows_of_tables_are_reported_by_line(rows):
    documents, bad = rows('text,n,n\n"a\nb",1,2\nc,1,2,3\nd\n ,1,2\n', "x.csv")
    assert [(it.content, it.meta) for it in documents] == [
        ("a\nb", {"path": "x.csv", "n": "1", "n_2": "2"}),
        ("d", {"path": "x.csv"}),
    ]
    assert bad == [BadRow(4, "it has 4 values for 3 columns"), BadRow(6, "its 'text' is empty")]


def test_cells_may_exceed_the_default_limit_of_the_csv_module(rows):
    [document], _ = rows(f"text\n{'x' * 200_000}\n", "x.csv")
    assert len(document.content) == 200_000


def test_a_quote_that_is_never_closed_is_reported_and_the_rows_after_it_are_read(rows):
    documents, bad = rows('text\na\n"b\nc\nd\n', "x.csv")
    assert [document.content for document in documents] == ["a", "c", "d"]
    assert bad == [BadRow(3, "a quote in it is not closed")]


def test_quotes_that_are_closed_or_stand_in_a_value_are_not_reported(rows):
    documents, bad = rows('text\n"a\n""b"""\n5" pipe\n"c\nd"', "x.csv")
    assert [document.content for document in documents] == ['a\n"b"', '5" pipe', "c\nd"]
    assert bad == []


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\ntext;x\nA, B;1\n",
        '"sep=;"\ntext;x\nA, B;1\n',
        'text;"x, y, z"\nA, B;1\n',
        "text;x,y,z,w\nA, B;1\n",
        "\ufefftext;x\nA, B;1\n",
        "text\tx\nA, B\t1\n",
        "text|x\nA, B|1\n",
    ],
)
def test_the_delimiter_is_declared_or_that_of_the_column_of_the_text(rows, content):
    documents, bad = rows(content, "x.csv")
    assert [document.content for document in documents] == ["A, B"]
    assert bad == []


def test_lines_are_counted_behind_a_declared_delimiter_and_an_unclosed_quote(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('sep=,\ntext\na\n"b\nc\n')
    found = [document.meta["source_lines"] for document in convert_rows(path, "x.csv", report=lambda _: None)]
    assert found == [[[0, 3, 3]], [[0, 5, 5]]]


def test_many_unclosed_quotes_take_linear_time(rows):
    documents, bad = rows("text\n" + 'a""b\n"c\n' * 3001, "x.csv")
    assert 3000 < len(documents) + len(bad) <= 6002


def test_texts_have_no_nul_characters(rows):
    assert rows(lines({"text": "a\0b"}))[0][0].content == "a\ufffdb"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = st.sampled_from(["content", "text", "body", "id", "_id", "title", "meta", "metadata", "path", "x", "y.z"])


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=6), max_size=5))
def test_every_row_becomes_a_document_or_a_bad_row(tmp_path_factory, objects):
    path = tmp_path_factory.mktemp("rows") / "x.jsonl"
    path.write_text(lines(*objects), encoding="utf-8")
    bad: list[BadRow] = []
    documents = list(convert_rows(path, "x.jsonl", report=bad.append))
    good = [it for line, it in enumerate(objects, 1) if line not in {row.line for row in bad}]
    assert len(documents) == len(good)
    for document, row in zip(documents, good, strict=True):
        merged = {}
        for key in ("meta", "metadata"):
            merged |= row[key] if isinstance(row.get(key), dict) else {}
        expected = {
            **merged,
            **{key: value for key, value in row.items() if not isinstance(value, dict) or "meta" not in key},
        }
        for key, value in document.meta.items():
            assert key in ("path", "row_path", "source_lines") or expected[key] == value
        left_out = expected.keys() - document.meta.keys()
        assert left_out <= {"content", "text", "body", "id", "_id"}
        assert len(left_out) <= 2


@given(st.binary(max_size=200))
def test_any_bytes_yield_documents_or_a_conversion_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("rows")
    for name in ("x.jsonl", "x.csv", "x.jsonl.gz"):
        (folder / name).write_bytes(data)
        try:
            for document in convert_rows(folder / name, name, report=lambda _: None):
                document.to_dict()
        except ConversionError:
            pass


def test_files_of_rows_are_recognised_by_suffix():
    names = ["a.jsonl", "a.NDJSON", "a.csv.gz", "a.tsv", "a.json", "a.md", "jsonl"]
    assert [name for name in names if holds_rows(name)] == ["a.jsonl", "a.NDJSON", "a.csv.gz", "a.tsv"]


def test_a_real_corpus_is_read():
    path = OWN
    documents = list(convert_rows(path, "peps.jsonl"))
    assert len({document.id for document in documents}) == len(documents) == 333
    with path.open(encoding="utf-8") as lines_of_it:
        first = json.loads(next(lines_of_it))
    assert (documents[0].id, documents[0].content, documents[0].meta["title"]) == (
        first["_id"],
        first["text"],
        first["title"],
    )


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.jsonl", '{"text": "a"}\n\n{"text": "b"}\n', [(1, 1), (3, 3)]),
        ("x.csv", 'text,n\r\n"one\r\ntwo",1\r\nthree,2\r\n', [(2, 3), (4, 4)]),
    ],
)
def test_rows_have_their_lines(tmp_path, name, content, expected):
    (tmp_path / name).write_text(content, newline="")
    found = [document.meta["source_lines"] for document in convert_rows(tmp_path / name, name)]
    assert found == [[[0, *lines]] for lines in expected]


def test_the_lines_of_a_row_do_not_count_for_its_id_and_its_own_field_is_kept(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n{"text": "a"}\n{"text": "b", "source_lines": 7}\n')
    first, second, third = convert_rows(tmp_path / "x.jsonl", "x.jsonl")
    assert first.id == second.id
    assert third.meta["row_source_lines"] == 7


# --- the components -------------------------------------------------------------------------------


def test_jsonl_component_merges_metadata_and_reports_bad_rows(tmp_path, caplog):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "k": 1}\nno\n{"text": "b", "k": 1, "id": 2}\n')
    with caplog.at_level(logging.WARNING):
        source = ByteStream(b'{"text": "c"}', meta={"from": "s"})
        documents = JSONLToDocument().run([tmp_path / "x.jsonl", source], [{"k": 2}, {}])["documents"]
    assert [(it.content, it.meta) for it in documents] == [
        ("a", {"k": 2, "path": "x.jsonl", "file_path": "x.jsonl"}),
        ("b", {"k": 2, "path": "x.jsonl", "file_path": "x.jsonl"}),
        ("c", {"from": "s"}),
    ]
    assert documents[1].id == "2"
    assert "x.jsonl, line 2 is left out: it is not JSON" in caplog.text


def test_jsonl_component_uses_a_given_encoding_and_skips_unreadable_files(tmp_path, caplog):
    data = '{"text": "é"}'.encode("cp1252")
    assert [it.content for it in JSONLToDocument(encoding="cp1252").run([ByteStream(data)])["documents"]] == ["é"]
    assert JSONLToDocument(encoding="ascii").run([ByteStream(data), tmp_path / "no.jsonl"])["documents"] == []
    assert "no.jsonl" in caplog.text


CSV = 'name,text,file_path\nRex,barks,f\nTom,"meows,\nloud",g,more\n\nMia\n'


@pytest.mark.parametrize(
    "options", [{}, {"conversion_mode": "row"}, {"conversion_mode": "row", "store_full_path": True}]
)
def test_csv_component_equals_haystacks(options, tmp_path):
    (tmp_path / "x.csv").write_text(CSV.replace("\n", "\r\n"), newline="")
    streams = [
        {"data": CSV.encode(), "meta": {"file_path": "/a/b.csv", "row_number": "r"}},
        {"data": b"\xef\xbb\xbftext\nx"},
    ]
    column = {"content_column": "text"} if options else {}
    ours = CSVToDocument(**options).run(
        sources=[tmp_path / "x.csv", *(ByteStream(**it) for it in streams)], meta={"name": "m"}, **column
    )
    theirs = TheirCSVToDocument(**options).run(
        sources=[tmp_path / "x.csv", *(haystack.dataclasses.ByteStream(**it) for it in streams)],
        meta={"name": "m"},
        **column,
    )
    assert [(it.id, it.content, it.meta) for it in ours["documents"]] == [
        (it.id, it.content, it.meta) for it in theirs["documents"]
    ]


def test_csv_component_rejects_the_same_input_as_haystack():
    source = ByteStream(b"a,b\n1,2")
    by_row = CSVToDocument(conversion_mode="row")
    with pytest.raises(ValueError, match="'content_column' is required"):
        by_row.run([source])
    with pytest.raises(ValueError, match=r"content_column='c' not found.*\['a', 'b'\]"):
        by_row.run([source], content_column="c")
    with pytest.raises(ValueError, match="delimiter must be a single character"):
        CSVToDocument(delimiter=",,")
    with pytest.raises(ValueError, match=r"conversion_mode must be one of .* got 'x'"):
        CSVToDocument(conversion_mode="x")


OBJECTS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("kxy"), inner, max_size=3),
    max_leaves=4,
)


@given(st.lists(OBJECTS, max_size=4), st.sampled_from([None, "*", {"x"}, {"x", "y"}]))
def test_json_component_equals_haystacks(objects, fields):
    data = [json.dumps(it).encode() for it in objects] + [b"no json"]
    ours = JSONConverter(content_key="k", extra_meta_fields=fields).run(
        [ByteStream(it) for it in data], {"x": "m", "z": 1}
    )
    theirs = TheirJSONConverter(content_key="k", extra_meta_fields=fields).run(
        [haystack.dataclasses.ByteStream(it) for it in data], {"x": "m", "z": 1}
    )
    assert [(it.id, it.content, it.meta) for it in ours["documents"]] == [
        (it.id, it.content, it.meta) for it in theirs["documents"]
    ]


def test_json_component_requires_a_key_or_a_filter():
    with pytest.raises(ValueError, match="No `jq_schema` nor `content_key` specified"):
        JSONConverter()
    with pytest.raises(ImportError, match="pip install jq"):
        JSONConverter(jq_schema=".a")


def test_serialised_forms_equal_haystacks():
    pairs = [
        (CSVToDocument(), TheirCSVToDocument()),
        (
            JSONConverter(content_key="k", extra_meta_fields="*"),
            TheirJSONConverter(content_key="k", extra_meta_fields="*"),
        ),
    ]
    for ours, theirs in pairs:
        expected = haystack.core.serialization.component_to_dict(theirs, "x")
        assert repr(ours.to_dict()) == repr(expected).replace("haystack.", "spaniel.")
        assert type(ours).from_dict(ours.to_dict()).to_dict() == ours.to_dict()
    data = JSONLToDocument(text_field="t").to_dict()
    assert JSONLToDocument.from_dict(data).text_field == "t"
