import haystack.dataclasses
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.dataclasses import ByteStream
from tests.dataclasses.documents import BLOBS

BOTH = (ByteStream, haystack.dataclasses.ByteStream)


@given(BLOBS)
def test_plain_data_and_looks_are_haystack_s(fields):
    ours, theirs = (kind(**fields) for kind in BOTH)
    assert ours.to_dict() == theirs.to_dict()
    assert repr(ours) == repr(theirs)


@given(BLOBS)
def test_it_comes_back_from_its_plain_data(fields):
    assert ByteStream.from_dict(ByteStream(**fields).to_dict()) == ByteStream(**fields)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_text_comes_back_in_its_encoding(text, encoding):
    assert ByteStream.from_string(text, encoding=encoding).to_string(encoding) == text


def test_bytes_that_are_no_text_raise():
    with pytest.raises(UnicodeDecodeError):
        ByteStream(b"\xff\xfe\xfa").to_string()


@pytest.mark.parametrize(
    "name", ["a.txt", "a.md", "a.MARKDOWN", "a.msg", "a.pdf", "a.json", "a.unknown-suffix", "no_suffix", "a.tar.gz"]
)
def test_a_type_is_guessed_from_the_name_as_in_haystack(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(b"data")
    ours, theirs = (kind.from_file_path(file, guess_mime_type=True) for kind in BOTH)
    assert ours.to_dict() == theirs.to_dict()


def test_a_type_that_is_given_is_not_guessed(tmp_path):
    file = tmp_path / "a.md"
    file.write_bytes(b"data")
    assert ByteStream.from_file_path(file).mime_type is None
    assert ByteStream.from_file_path(str(file), mime_type="text/x", guess_mime_type=True).mime_type == "text/x"


def test_a_file_gives_back_the_bytes_that_were_written(tmp_path):
    ByteStream(b"\x00\x01", meta={"a": 1}).to_file(tmp_path / "a")
    assert ByteStream.from_file_path(tmp_path / "a", meta={"b": 2}) == ByteStream(b"\x00\x01", meta={"b": 2})


@pytest.mark.parametrize("name", ["data", "meta", "mime_type"])
def test_assigning_to_a_field_warns(name):
    stream = ByteStream(b"a")
    with pytest.warns(Warning, match=f"'{name}'"):
        setattr(stream, name, None)


def test_plain_data_shares_nothing_with_the_stream():
    stream = ByteStream(b"a", meta={"tags": ["x"]})
    stream.to_dict()["meta"]["tags"].append("y")
    assert stream.meta == {"tags": ["x"]}
