import inspect
import math

import pytest
from haystack.components.embedders import MockDocumentEmbedder as ReferenceDocumentEmbedder
from haystack.components.embedders import MockTextEmbedder as ReferenceTextEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.core import known_types
from spaniel.core.serialization import allow_deserialization_module
from spaniel.errors import DeserializationError
from tests.components.preprocessors.documents import many_fields, ours, plain, theirs

PAIRS = [(MockTextEmbedder, ReferenceTextEmbedder), (MockDocumentEmbedder, ReferenceDocumentEmbedder)]
OURS = [MockTextEmbedder, MockDocumentEmbedder]


def by_length(text: str) -> list[float]:
    return [len(text), 1]


def no_numbers(text: str) -> list[float]:
    return ["a"]


@pytest.fixture
def this_module_allowed():
    allow_deserialization_module(__name__)
    yield
    known_types._allowed_modules.discard(__name__)


sources = st.sampled_from([{"dimension": 3}, {"dimension": 768}, {"embedding": [1, 2.5]}, {"embedding_fn": by_length}])
reports = st.fixed_dictionaries(
    {},
    optional={
        "prefix": st.text(max_size=3),
        "suffix": st.text(max_size=3),
        "model": st.just("m"),
        "meta": st.just({"a": 1}),
    },
)
embedded_meta = st.fixed_dictionaries(
    {},
    optional={
        "meta_fields_to_embed": st.lists(st.sampled_from(["title", "tags", "page_number"]), max_size=2),
        "embedding_separator": st.sampled_from(["\n", " | "]),
    },
)


@settings(deadline=None)
@given(st.text(), sources, reports)
def test_a_text_s_vector_equals_the_reference(text, source, report):
    parameters = {**source, **report}

    assert MockTextEmbedder(**parameters).run(text) == ReferenceTextEmbedder(**parameters).run(text)


@settings(deadline=None)
@given(many_fields, sources, reports, embedded_meta)
def test_documents_with_vectors_equal_the_reference(many, source, report, fields):
    parameters = {**source, **report, **fields}
    expected = ReferenceDocumentEmbedder(**parameters).run(theirs(many))

    result = MockDocumentEmbedder(**parameters).run(ours(many))

    assert plain(result["documents"]) == plain(expected["documents"])
    assert result["meta"] == expected["meta"]


@settings(deadline=None)
@given(st.text())
def test_a_drawn_vector_has_length_one(text):
    vector = MockTextEmbedder(dimension=16).run(text)["embedding"]

    assert math.isclose(math.fsum(number * number for number in vector), 1.0)


def test_the_input_documents_are_not_changed():
    document = Document(content="a")

    embedded = MockDocumentEmbedder(dimension=2).run([document])["documents"][0]

    assert document.embedding is None
    assert (embedded.id, len(embedded.embedding)) == (document.id, 2)


def test_a_fixed_vector_is_not_shared_by_the_documents():
    first, second = MockDocumentEmbedder([1.0]).run([Document(content="a"), Document(content="b")])["documents"]

    first.embedding.append(2.0)

    assert second.embedding == [1.0]


def test_the_report_is_not_shared_by_the_runs():
    embedder = MockTextEmbedder(dimension=1, meta={"tags": []})

    embedder.run("a")["meta"]["tags"].append("x")

    assert embedder.run("a")["meta"]["tags"] == []


def test_both_modes_give_the_same(run_component):
    documents = [Document(content="a")]

    assert run_component(MockTextEmbedder(), "a") == MockTextEmbedder().run("a")
    assert run_component(MockDocumentEmbedder(), documents) == MockDocumentEmbedder().run(documents)


@pytest.mark.parametrize("cls", OURS)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"embedding": [1.0], "embedding_fn": by_length}, ValueError, "not both"),
        ({"embedding": []}, ValueError, "must not be empty"),
        ({"embedding": "text"}, TypeError, "sequence of numbers"),
        ({"embedding": ["a"]}, TypeError, "sequence of numbers"),
        ({"dimension": 0}, ValueError, "positive integer, not 0"),
    ],
)
def test_rejects_invalid_parameters(cls, parameters, error, message):
    with pytest.raises(error, match=message):
        cls(**parameters)


def test_rejects_functions_that_return_non_numbers():
    with pytest.raises(TypeError, match="return value of 'embedding_fn'"):
        MockTextEmbedder(embedding_fn=no_numbers).run("a")


def test_each_embedder_points_to_the_other_when_given_the_wrong_input():
    with pytest.raises(TypeError, match=r"expects a string.*MockDocumentEmbedder"):
        MockTextEmbedder().run([Document(content="a")])
    for wrong in ("a", ["a"], [Document(content="a"), "a"]):
        with pytest.raises(TypeError, match=r"expects a list of Documents.*MockTextEmbedder"):
            MockDocumentEmbedder().run(wrong)


@pytest.mark.parametrize(("cls", "reference"), PAIRS)
def test_constructor_signature_equals_the_reference(cls, reference):
    def shape(cls):
        return [(each.name, each.kind, each.default) for each in inspect.signature(cls.__init__).parameters.values()]

    assert shape(cls) == shape(reference)


@pytest.mark.parametrize(("cls", "reference"), PAIRS)
@pytest.mark.parametrize(
    "parameters", [{}, {"embedding": [1, 2]}, {"dimension": 2, "meta": {"a": [1]}}, {"embedding_fn": by_length}]
)
def test_the_serialised_form_is_the_reference_s(cls, reference, parameters):
    expected = reference(**parameters).to_dict()

    written = cls(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}


@pytest.mark.parametrize("cls", OURS)
def test_an_embedder_comes_back_from_its_serialised_form(cls, this_module_allowed):
    written = cls(embedding_fn=by_length, prefix="p").to_dict()

    assert cls.from_dict(written).embedding_fn is by_length
    assert cls.from_dict(written).to_dict() == written


@pytest.mark.parametrize("cls", OURS)
def test_a_function_of_another_module_is_not_loaded(cls):
    written = cls().to_dict()
    written["init_parameters"]["embedding_fn"] = "os.system"

    with pytest.raises(DeserializationError, match="not allowed"):
        cls.from_dict(written)
