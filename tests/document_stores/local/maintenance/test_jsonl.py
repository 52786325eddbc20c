import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.document_stores.local.maintenance.jsonl import read_lines, write_lines

ANY_TEXT = st.text(st.characters() | st.sampled_from("\0\n\u2028\ud83d\ude00\udfff"), max_size=6)


def ignore(count):
    pass


@given(contents=st.lists(ANY_TEXT | st.none(), max_size=4), key=ANY_TEXT, id_=ANY_TEXT.filter(bool))
@example(contents=["\ud83d\ude00"], key="\ud83d\ude00", id_="\ud83d\ude00")
def test_content_is_written_as_a_string_and_every_document_is_read_back(tmp_path_factory, contents, key, id_):
    path = tmp_path_factory.mktemp("lines") / "all.jsonl"
    documents = [
        Document(id=f"{number}{id_}", content=content, meta={key: key}) for number, content in enumerate(contents)
    ]
    assert write_lines(path, documents, ignore) == len(documents)
    for line in path.read_bytes().split(b"\n")[:-1]:
        fields = json.loads(line)
        assert isinstance(fields["id"], str)
        assert isinstance(fields.get("content", ""), str)
    assert list(read_lines(path)) == documents


@pytest.mark.parametrize("content", ["a\0b", "x\ud800y", "\udfff", ""])
def test_other_programs_read_the_content_as_it_is(tmp_path, content):
    write_lines(tmp_path / "one.jsonl", [Document(id="a", content=content)], ignore)
    assert json.loads((tmp_path / "one.jsonl").read_text("utf-8")) == {"id": "a", "content": content}


def test_content_that_an_older_version_wrote_with_a_tag_is_read(tmp_path):
    (tmp_path / "old.jsonl").write_text('{"id":"a","content":{"__spaniel__":"str","value":"\'a\\\\x00b\'"}}\n')
    assert list(read_lines(tmp_path / "old.jsonl")) == [Document(id="a", content="a\0b")]
