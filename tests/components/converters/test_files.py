import gzip
import json

import pytest

from spaniel.components.converters import files
from spaniel.components.converters.files import CONVERTERS, convert_bytes, convert_file, labels_of
from spaniel.errors import ConversionError
from spaniel.text.link_resolver import LinkResolver

SOURCES = {
    ".md": "# Title\n\nSee [other](other.md#part) and [x](x.md).\n",
    ".markdown": "# Title\n\nSee [other](other.md#part) and [x](x.md).\n",
    ".rst": "Title\n=====\n\nSee `other <other.md#part>`_ and `x <x.md>`_.\n",
    ".html": '<h1>Title</h1><p>See <a href="other.md#part">other</a> and <a href="x.md">x</a>.',
    ".htm": '<h1>Title</h1><p>See <a href="other.md#part">other</a> and <a href="x.md">x</a>.',
    ".txt": "Title\n=====\n\nSee [other](other.md#part) and [x](x.md).\n",
    ".text": "# Title\n\nSee [other](other.md#part) and [x](x.md).\n",
    "": "Title\n*****\n\nSee [other](other.md#part) and [x](x.md).\n",
}


@pytest.mark.parametrize("suffix", SOURCES)
def test_every_format_yields_title_headings_and_links(suffix, tmp_path):
    path = tmp_path / f"file{suffix}"
    path.write_text(SOURCES[suffix])
    document = convert_file(path, f"docs/file{suffix}", LinkResolver({"docs/other.md"}))
    assert document.meta["path"] == f"docs/file{suffix}"
    assert document.meta["title"] == "Title"
    assert [heading[:2] for heading in document.meta["headings"]] == [[1, "Title"]]
    assert document.meta["heading_slugs"] == ["title"]
    shown = [(document.content[start:end], target, kind) for start, end, target, kind in document.meta["references"]]
    assert shown == [("other", "docs/other.md#part", "link"), ("x", "x.md", "broken")]
    assert json.loads(json.dumps(document.meta)) == document.meta


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "Preface.\n\n## Setup\n\n# Usage\n"),
        ("a.rst", "Preface.\n\nSetup\n-----\n\nUsage\n=====\n"),
        ("a.html", "<p>Preface.</p><h2>Setup</h2><h1>Usage</h1>"),
        ("a.txt", "Preface.\n\n## Setup\n\n# Usage\n"),
    ],
)
def test_the_first_heading_of_any_level_is_the_title(name, text):
    assert convert_bytes(text.encode(), name).meta["title"] == "Setup"


def test_a_file_without_a_heading_is_titled_by_its_name(tmp_path):
    (tmp_path / "notes.txt").write_text("Some words.")
    assert convert_file(tmp_path / "notes.txt", "a/notes.txt").meta["title"] == "notes.txt"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"\0\1\2", "is binary"),
        ("a.md", b"  \n", "holds no text"),
        ("a.html", b"<script>1</script>", "holds no text"),
        ("a.xyz", b"text", r"no converter reads this kind of file.*\.md"),
        ("missing.md", None, "can't be read: No such file"),
    ],
)
def test_errors_name_the_file_and_the_reason(name, data, reason, tmp_path):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ConversionError, match=f"sub/{name}.*{reason}"):
        convert_file(tmp_path / name, f"sub/{name}")


def test_a_compressed_file_is_unpacked(tmp_path):
    (tmp_path / "z.md.gz").write_bytes(gzip.compress(b"# Title\n\nSome *words*.", mtime=0))
    document = convert_file(tmp_path / "z.md.gz", "z.md.gz")
    assert document.content == "Title\n\nSome words."
    assert document.meta["title"] == "Title"


@pytest.mark.parametrize(
    "data", [b"no gzip", gzip.compress(b"x" * 999, mtime=0)[:25], gzip.compress(b"x" * 999, mtime=0)[:-9] + b"y" * 9]
)
def test_a_damaged_compressed_file_is_named(data, tmp_path):
    (tmp_path / "z.md.gz").write_bytes(data)
    with pytest.raises(ConversionError, match=r"^sub/z\.md\.gz can't be read: damaged \.gz file: "):
        convert_file(tmp_path / "z.md.gz", "sub/z.md.gz")


def test_rejects_compressed_files_that_unpack_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MAX_UNPACKED", 99)
    (tmp_path / "z.txt.gz").write_bytes(gzip.compress(b"x" * 100, mtime=0))
    with pytest.raises(ConversionError, match=r"z\.txt\.gz can't be read: it unpacks to more than"):
        convert_file(tmp_path / "z.txt.gz", "z.txt.gz")


def test_suffixes_are_compared_without_case(tmp_path):
    (tmp_path / "README.MD").write_text("# T")
    assert convert_file(tmp_path / "README.MD", "README.MD").content == "T"


def test_other_anchors_of_a_file_lead_to_their_sections():
    assert labels_of('# A\n\n<a id="x"></a>\ntext\n', "a.md") == {"a.md#x": "a.md#a"}
    assert labels_of("# A\n", "a.md") == {}
    assert labels_of(".. _l:\n\nTitle\n=====\n\nx\n", "a.rst")["l"] == "a.rst#l"


@pytest.mark.parametrize("convert", dict.fromkeys(CONVERTERS.values()), ids=lambda convert: convert.__name__)
def test_a_converter_takes_any_text(convert):
    from hypothesis import given
    from hypothesis import strategies as st

    pieces = [
        "# ",
        "=====\n",
        "\n",
        "\n\n",
        "a ",
        "[b](c.md)",
        "`d <e>`_",
        "<h1>",
        "</h1>",
        "<a href=x>",
        "</a>",
        "- ",
        "```\n",
        "  ",
        "|",
        ".. x::\n",
        ".. _y:\n",
        "*",
        "::\n",
        ":z:`w`",
    ]

    @given(st.lists(st.sampled_from(pieces), max_size=25).map("".join))
    def check(text):
        converted = convert(text)
        for _, title, start in converted.headings:
            assert title
            assert title in converted.text[start : start + 2 * len(title) + 250]
        assert len(converted.slugs) == len(set(converted.slugs)) == len(converted.headings)
        assert all(0 <= start <= end <= len(converted.text) for start, end, _ in converted.references)
        assert [heading.start for heading in converted.headings] == sorted(
            {heading.start for heading in converted.headings}
        )

    check()
