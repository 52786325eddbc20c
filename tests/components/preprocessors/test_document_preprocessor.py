import inspect

import pytest
from haystack.components.preprocessors import DocumentPreprocessor as ReferencePreprocessor
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.preprocessors import DocumentPreprocessor
from spaniel.core import known_types
from spaniel.core.serialization import allow_deserialization_module
from spaniel.errors import DeserializationError
from tests.components.preprocessors.documents import many_fields, ours, plain, theirs


def at_spaces(text: str) -> list[str]:
    return text.split(" ")


@settings(max_examples=60, deadline=None)
@given(
    many_fields, st.sampled_from(["word", "line", "page", "period"]), st.integers(1, 4), st.booleans(), st.booleans()
)
def test_documents_equal_the_reference_in_id_text_and_meta(many, split_by, length, keep_id, spaces):
    parameters = {
        "split_by": split_by,
        "split_length": length,
        "keep_id": keep_id,
        "remove_extra_whitespaces": spaces,
        "remove_substrings": ["word"],
    }
    expected = ReferencePreprocessor(**parameters).run(documents=theirs(many))["documents"]

    assert plain(DocumentPreprocessor(**parameters).run(ours(many))["documents"]) == plain(expected)


def test_constructor_parameters_are_those_of_the_reference():
    def shape(cls):
        return [(each.name, each.kind, each.default) for each in inspect.signature(cls.__init__).parameters.values()]

    assert shape(DocumentPreprocessor) == shape(ReferencePreprocessor)


@pytest.mark.parametrize(
    "parameters", [{}, {"split_by": "function", "splitting_function": at_spaces, "remove_regex": "x", "keep_id": True}]
)
def test_the_serialised_form_is_the_reference_s(parameters):
    expected = ReferencePreprocessor(**parameters).to_dict()

    written = DocumentPreprocessor(**parameters).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}


def test_a_serialised_preprocessor_comes_back_with_its_function():
    written = DocumentPreprocessor(split_by="function", splitting_function=at_spaces).to_dict()

    with pytest.raises(DeserializationError, match="not allowed"):
        DocumentPreprocessor.from_dict(written)
    allow_deserialization_module(__name__)
    try:
        assert DocumentPreprocessor.from_dict(written).to_dict() == written
    finally:
        known_types._allowed_modules.discard(__name__)


def test_errors_of_its_parts_are_its_own():
    with pytest.raises(ValueError, match="split_overlap must be less"):
        DocumentPreprocessor(split_length=3, split_overlap=3)
    with pytest.raises(ValueError, match="picture"):
        DocumentPreprocessor().run([Document(id="picture")])


def test_it_is_a_super_component_in_haystack_and_one_component_here():
    assert ReferencePreprocessor().pipeline is not None
    assert not hasattr(DocumentPreprocessor(), "pipeline")
