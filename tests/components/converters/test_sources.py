"""Sources of all converters, compared with those of Haystack's text converter."""

import logging
from pathlib import Path

import haystack
import pytest
from haystack.components.converters import TextFileToDocument as TheirTextFileToDocument

from spaniel.components.converters import HTMLToDocument, MarkdownToDocument, RSTToDocument, TextFileToDocument
from spaniel.dataclasses import ByteStream

OURS = {"title", "headings", "heading_slugs", "references", "code_blocks", "path", "source_lines"}
ALL = [HTMLToDocument, MarkdownToDocument, RSTToDocument, TextFileToDocument]


@pytest.mark.parametrize("store_full_path", [True, False])
@pytest.mark.parametrize("meta", [None, {"a": 1}, [{"a": 1}, {"b": 2}, {"c": 3}]])
def test_text_and_metadata_equal_haystacks(tmp_path, meta, store_full_path):
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffOne\ntwo".encode())
    streams = [
        ByteStream(b"three", meta={"k": "v", "file_path": "/some/where.txt"}),
        ByteStream("é".encode("utf-16"), meta={"encoding": "utf-16"}),
    ]
    theirs = [haystack.dataclasses.ByteStream(stream.data, meta=dict(stream.meta)) for stream in streams]
    ours = TextFileToDocument(store_full_path=store_full_path).run([str(path), *streams], meta)["documents"]
    expected = TheirTextFileToDocument(store_full_path=store_full_path).run([str(path), *theirs], meta)["documents"]
    assert [document.content for document in ours] == [document.content for document in expected]
    assert [{key: value for key, value in document.meta.items() if key not in OURS} for document in ours] == [
        document.meta for document in expected
    ]


@pytest.mark.parametrize("converter", ALL)
def test_unreadable_sources_are_reported_and_skipped(converter, tmp_path, caplog):
    binary = tmp_path / "picture.txt"
    binary.write_bytes(b"\x89PNG\0")
    with caplog.at_level(logging.WARNING):
        documents = converter().run([tmp_path / "missing.txt", binary, tmp_path, ByteStream(b"ok")])["documents"]
    assert [document.content for document in documents] == ["ok"]
    assert "missing.txt" in caplog.text
    assert "picture.txt" in caplog.text


@pytest.mark.parametrize("converter", ALL)
def test_a_given_encoding_is_the_only_one_used(converter):
    run = converter(encoding="ascii").run
    assert run([ByteStream("é".encode())])["documents"] == []
    assert run([ByteStream("é".encode("cp1252"), meta={"encoding": "cp1252"})])["documents"][0].content == "é"
    assert run([ByteStream(b"x", meta={"encoding": "no-such"})])["documents"] == []


@pytest.mark.parametrize("converter", ALL)
def test_rejects_metadata_of_the_wrong_shape(converter):
    with pytest.raises(ValueError, match="must match the number of sources"):
        converter().run([ByteStream(b"x")], meta=[{}, {}])
    with pytest.raises(ValueError, match="must be either None, a dictionary or a list"):
        converter().run([ByteStream(b"x")], meta="x")


@pytest.mark.parametrize("converter", ALL)
def test_documents_share_nothing_with_sources_or_metadata(converter):
    source, meta = ByteStream(b"x", meta={"tags": ["a"]}), {"more": ["b"]}
    first, second = converter().run([source, source], meta)["documents"]
    first.meta["tags"].append("c")
    first.meta["more"].append("c")
    assert (source.meta["tags"], meta["more"], second.meta["tags"], second.meta["more"]) == (["a"], ["b"], ["a"], ["b"])


@pytest.mark.parametrize("converter", ALL)
def test_converters_survive_serialisation(converter):
    data = converter(store_full_path=True).to_dict()
    assert converter.from_dict(data).to_dict() == data
    assert data["init_parameters"]["store_full_path"] is True


def test_the_path_of_a_document_is_the_source_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.md").write_text("[b](b.md)")
    for source in ("docs/a.md", tmp_path / "docs" / "a.md"):
        document = MarkdownToDocument().run([source])["documents"][0]
        assert (document.meta["path"], document.meta["references"]) == ("docs/a.md", [[0, 1, "docs/b.md", "link"]])
