import asyncio

import pytest
from haystack.components.embedders import MockDocumentEmbedder as ReferenceEmbedder
from haystack.components.preprocessors import EmbeddingBasedDocumentSplitter as ReferenceSplitter
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder
from spaniel.components.preprocessors import EmbeddingBasedDocumentSplitter
from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter
from spaniel.core.component import component
from tests.components.preprocessors.documents import ours, plain, theirs

PARTS = ["One. ", "Two three. ", "A longer one, of many words! ", "Why? ", " ", "\n", "\f", "word ", "日本語 。", "No."]
texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=25).map("".join).filter(str.strip)
many_fields = st.lists(
    st.fixed_dictionaries({"content": texts, "meta": st.sampled_from([{}, {"tags": ["x"]}])}), max_size=2
)


@st.composite
def parameters_of_splitters(draw):
    shortest = draw(st.integers(0, 40))
    return {
        "sentences_per_group": draw(st.integers(1, 4)),
        "percentile": draw(st.sampled_from([0.0, 0.5, 0.95, 1.0])),
        "min_length": shortest,
        "max_length": draw(st.integers(shortest + 1, 120)),
    }


def by_letters(text: str) -> list[float]:
    return [text.count("o"), text.count("w"), 0.0]


@component
class AsyncEmbedder:
    def __init__(self, *, fail: bool = False) -> None:
        self.fail = fail
        self.running = self.ended = 0
        self.calls: list[str] = []

    def warm_up(self) -> None:
        self.calls.append("warm_up")

    def close(self) -> None:
        self.calls.append("close")

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        raise AssertionError("the async method is there")

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        self.running += 1
        await asyncio.sleep(0)
        self.ended += 1
        if self.fail and "bad" in documents[0].content:
            raise RuntimeError("no vectors today")
        return MockDocumentEmbedder(embedding_fn=by_letters).run(documents)


@settings(max_examples=300, deadline=None)
@given(many_fields, parameters_of_splitters(), st.booleans())
def test_chunks_equal_the_reference_in_id_text_and_meta(many, parameters, by_letter):
    source = {"embedding_fn": by_letters} if by_letter else {"dimension": 3}
    reference = ReferenceSplitter(document_embedder=ReferenceEmbedder(**source), **parameters)
    reference.sentence_splitter = SentenceSplitter(keep_white_spaces=True)
    expected = reference.run(theirs(many))["documents"]

    splitter = EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(**source), **parameters)

    assert plain(splitter.run(ours(many))["documents"]) == plain(expected)
    assert plain(asyncio.run(splitter.run_async(ours(many)))["documents"]) == plain(expected)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=25).map("".join), parameters_of_splitters())
def test_chunks_joined_are_the_text(text, parameters):
    splitter = EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(dimension=3), **parameters)

    chunks = splitter.run([Document(content=text)])["documents"]

    assert "".join(chunk.content for chunk in chunks) == text


async def test_documents_are_embedded_side_by_side_by_the_async_method():
    embedder = AsyncEmbedder()
    splitter = EmbeddingBasedDocumentSplitter(document_embedder=embedder)

    result = await splitter.run_async([Document(content="One. Two."), Document(content="Three.")])
    await splitter.close_async()

    assert [chunk.content for chunk in result["documents"]] == ["One. Two.", "Three."]
    assert embedder.calls == ["warm_up", "close"]


async def test_an_embedder_that_fails_is_reported_and_nothing_is_left_running():
    embedder = AsyncEmbedder(fail=True)
    splitter = EmbeddingBasedDocumentSplitter(document_embedder=embedder)

    with pytest.raises(RuntimeError, match="no vectors today"):
        await splitter.run_async([Document(content="bad one."), Document(content="Two."), Document(content="Three.")])

    assert len(asyncio.all_tasks()) == 1


def test_a_piece_without_a_break_stays_long_with_a_warning(caplog):
    splitter = EmbeddingBasedDocumentSplitter(
        document_embedder=MockDocumentEmbedder(embedding=[1.0]), min_length=0, max_length=5
    )

    chunks = splitter.run([Document(content="One and only sentence.")])["documents"]

    assert [chunk.content for chunk in chunks] == ["One and only sentence."]
    assert "stays longer than 5" in caplog.text


def test_an_empty_document_is_left_out_with_a_warning(caplog):
    splitter = EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(dimension=2))

    assert splitter.run([Document(id="empty-one", content="")]) == {"documents": []}
    assert "empty-one" in caplog.text


@pytest.mark.parametrize(
    "parameters",
    [
        {"sentences_per_group": 0},
        {"percentile": 1.1},
        {"percentile": -0.1},
        {"min_length": -1},
        {"min_length": 10, "max_length": 10},
    ],
)
def test_rejects_invalid_parameters_like_the_reference(parameters):
    with pytest.raises(ValueError) as refused:
        ReferenceSplitter(document_embedder=ReferenceEmbedder(), **parameters)

    with pytest.raises(ValueError, match=str(refused.value).rstrip(".")):
        EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder(), **parameters)


def test_anything_but_documents_with_text_is_refused():
    splitter = EmbeddingBasedDocumentSplitter(document_embedder=MockDocumentEmbedder())

    with pytest.raises(TypeError, match="List of Documents"):
        splitter.run("text")
    with pytest.raises(ValueError, match="picture"):
        splitter.run([Document(id="picture")])


def test_the_serialised_form_is_the_reference_s_and_comes_back():
    expected = ReferenceSplitter(document_embedder=ReferenceEmbedder(dimension=3), percentile=0.5).to_dict()

    written = EmbeddingBasedDocumentSplitter(
        document_embedder=MockDocumentEmbedder(dimension=3), percentile=0.5
    ).to_dict()

    assert written["type"] == expected["type"].replace("haystack.", "spaniel.", 1)
    theirs_nested = expected["init_parameters"].pop("document_embedder")
    ours_nested = written["init_parameters"]["document_embedder"]
    assert {**written["init_parameters"], "document_embedder": 0} == {
        **expected["init_parameters"],
        "document_embedder": 0,
    }
    assert ours_nested["type"] == theirs_nested["type"].replace("haystack.", "spaniel.", 1)
    assert EmbeddingBasedDocumentSplitter.from_dict(written).to_dict() == written


def test_an_embedder_without_its_own_serialised_form_is_written_by_its_parameters():
    written = EmbeddingBasedDocumentSplitter(document_embedder=AsyncEmbedder(fail=True)).to_dict()

    assert written["init_parameters"]["document_embedder"] == {
        "type": f"{__name__}.AsyncEmbedder",
        "init_parameters": {"fail": True},
    }
