"""Routers of documents, against Haystack."""

import numpy as np
import pytest
from haystack import Document as ReferenceDocument
from haystack.components import routers as reference
from haystack.dataclasses import ByteStream as ReferenceStream
from haystack.errors import FilterError as ReferenceFilterError
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.components.routers import DocumentLengthRouter, DocumentTypeRouter, MetadataRouter
from spaniel.core.component import get_output_sockets
from spaniel.dataclasses import ByteStream
from spaniel.errors import DeserializationError, FilterError
from tests.components.pairs import Spec, documents, ours, shown_outputs, theirs

CONTENTS = st.none() | st.text(max_size=6)
MIME_TYPES = st.sampled_from(["text/plain", "image/svg+xml", "image/.*", ".*", "audio/mpeg", "application/x-notes"])
PATHS = st.sampled_from(["a.txt", "b.SVG", "c.notes", "d.md", "e.tar.gz", "f", "", "g.unknown"])
TYPE_METAS = st.fixed_dictionaries(
    {}, optional={"type": st.none() | MIME_TYPES | st.just(""), "path": st.none() | PATHS}
)


class TestLength:
    @given(st.lists(CONTENTS, max_size=5), st.integers(-1, 6))
    def test_it_routes_as_haystack_does(self, contents, threshold):
        specs = [Spec(str(number), content) for number, content in enumerate(contents)]
        expected = shown_outputs(reference.DocumentLengthRouter(threshold=threshold).run(theirs(specs)))
        assert shown_outputs(DocumentLengthRouter(threshold=threshold).run(ours(specs))) == expected

    def test_a_document_without_text_is_short_even_below_a_negative_threshold(self):
        routed = DocumentLengthRouter(threshold=-1).run([Document(id="a"), Document(id="b", content="")])
        assert [document.id for document in routed["short_documents"]] == ["a"]


KEYS = {"mime_type_meta_field": "type", "file_path_meta_field": "path"}


class TestType:
    @given(
        documents(TYPE_METAS),
        st.lists(MIME_TYPES, min_size=1, max_size=3, unique=True),
        st.sampled_from(["type", "path", ""]),
    )
    def test_it_routes_as_haystack_does(self, specs, mime_types, without):
        keys = {name: key for name, key in KEYS.items() if key != without}
        expected = shown_outputs(reference.DocumentTypeRouter(mime_types=mime_types, **keys).run(theirs(specs)))
        assert shown_outputs(DocumentTypeRouter(mime_types=mime_types, **keys).run(ours(specs))) == expected

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"mime_types": [], **KEYS}, "cannot be empty"),
            ({"mime_types": ["unclassified"], **KEYS}, "reserved"),
            ({"mime_types": ["["], **KEYS}, "regex pattern"),
            ({"mime_types": ["text/plain"]}, "At least one of"),
        ],
    )
    def test_rejects_the_same_parameters_as_haystack(self, parameters, message):
        for router in (reference.DocumentTypeRouter, DocumentTypeRouter):
            with pytest.raises(ValueError, match=message):
                router(**parameters)

    def test_additional_types_hold_for_their_router_alone(self):
        """Haystack's go into the table of the whole process."""
        extension = ".spanielnotes"
        document = Document(meta={"path": f"a{extension}"})
        parameters = {"mime_types": ["application/x-notes"], "file_path_meta_field": "path"}
        with_it = DocumentTypeRouter(**parameters, additional_mimetypes={"application/x-notes": extension})
        assert list(with_it.run([document])) == ["application/x-notes"]
        assert list(DocumentTypeRouter(**parameters).run([document])) == ["unclassified"]

        extension = ".haystacknotes"
        document = ReferenceDocument(meta={"path": f"a{extension}"})
        reference.DocumentTypeRouter(**parameters, additional_mimetypes={"application/x-notes": extension})
        assert list(reference.DocumentTypeRouter(**parameters).run([document])) == ["application/x-notes"]

    @pytest.mark.parametrize("value", [5, ["text/plain"], {"a": 1}])
    def test_a_type_that_is_no_text_is_unclassified_where_haystack_raises(self, value):
        parameters = {"mime_types": ["text/.*"], "mime_type_meta_field": "type"}
        with pytest.raises(TypeError):
            reference.DocumentTypeRouter(**parameters).run([ReferenceDocument(id="a", meta={"type": value})])
        routed = DocumentTypeRouter(**parameters).run([Document(id="a", meta={"type": value})])
        assert list(routed) == ["unclassified"]

    def test_every_type_is_an_output(self):
        router = DocumentTypeRouter(mime_types=["text/plain", "image/.*"], mime_type_meta_field="type")
        assert set(get_output_sockets(router)) == {"text/plain", "image/.*", "unclassified"}


VALUES = st.none() | st.integers(0, 2) | st.sampled_from(["en", "de", "2024-05-01"])
METAS = st.fixed_dictionaries({}, optional={"lang": VALUES, "year": VALUES})
COMPARISONS = st.fixed_dictionaries(
    {
        "field": st.sampled_from(["meta.lang", "meta.year"]),
        "operator": st.sampled_from(["==", "!="]),
        "value": VALUES,
    }
)
RULES = st.dictionaries(
    st.sampled_from(["one", "two"]),
    COMPARISONS
    | st.builds(lambda parts: {"operator": "OR", "conditions": parts}, st.lists(COMPARISONS, min_size=1, max_size=2)),
    max_size=2,
)


class TestMetadata:
    @given(documents(METAS), RULES)
    def test_it_routes_as_haystack_does(self, specs, rules):
        expected = shown_outputs(reference.MetadataRouter(rules).run(theirs(specs)))
        assert shown_outputs(MetadataRouter(rules).run(ours(specs))) == expected

    @pytest.mark.parametrize("strict", [True, False])
    def test_moments_with_and_without_a_zone_compare_as_in_haystack(self, strict):
        rules = {"late": {"field": "meta.at", "operator": ">=", "value": "2025-02-01"}}
        specs = [Spec("a", meta={"at": "2025-02-03T12:45:46Z"}), Spec("b", meta={"at": "2025-02-03"})]
        expected = shown_outputs(reference.MetadataRouter(rules, strict_datetime_comparison=strict).run(theirs(specs)))
        found = shown_outputs(MetadataRouter(rules, strict_datetime_comparison=strict).run(ours(specs)))
        assert found == expected
        assert len(found["late"]) == (1 if strict else 2)

    def test_byte_streams_are_routed_too(self):
        rules = {"en": {"field": "meta.lang", "operator": "==", "value": "en"}}

        def routed(router, stream_class):
            streams = [stream_class(b"1", meta={"lang": "en"}), stream_class(b"2")]
            return {name: [stream.data for stream in found] for name, found in router.run(streams).items()}

        ours = routed(MetadataRouter(rules, list[ByteStream]), ByteStream)
        assert ours == routed(reference.MetadataRouter(rules, list[ReferenceStream]), ReferenceStream)

    def test_a_rule_is_checked_whole_when_the_router_is_built(self):
        """Haystack finds most faults at the first document that reaches them."""
        rules = {"odd": {"field": "meta.lang", "operator": "is", "value": "en"}}
        with pytest.raises(ReferenceFilterError):
            reference.MetadataRouter(rules).run([ReferenceDocument(id="a", meta={"lang": "en"})])
        with pytest.raises(
            FilterError, match=r"rule 'odd' is not a filter: filters\.operator: Unknown comparison operator 'is'"
        ):
            MetadataRouter(rules)

    @pytest.mark.parametrize(
        "rules", [{"unmatched": {"field": "a", "operator": "==", "value": 1}}, {"x": {"value": 1}}]
    )
    def test_rejects_the_same_parameters_as_haystack(self, rules):
        for router in (reference.MetadataRouter, MetadataRouter):
            with pytest.raises(ValueError):
                router(rules)

    def test_one_odd_document_does_not_stop_the_others(self):
        rules = {"new": {"field": "meta.year", "operator": ">", "value": 2000}}
        specs = [Spec("a", meta={"year": "abc"}), Spec("b", meta={"year": 2020})]
        with pytest.raises(ReferenceFilterError):
            reference.MetadataRouter(rules).run(theirs(specs))
        assert [document.id for document in MetadataRouter(rules).run(ours(specs))["new"]] == ["b"]

    def test_any_name_can_be_a_rule(self):
        rules = {name: {"field": "id", "operator": "==", "value": "a"} for name in ("instance", "self", "types")}
        with pytest.raises(TypeError, match="multiple values for argument"):
            reference.MetadataRouter(rules)
        assert set(get_output_sockets(MetadataRouter(rules))) == {"instance", "self", "types", "unmatched"}

    def test_arrays_in_metadata_are_compared(self):
        rules = {"pair": {"field": "meta.pair", "operator": "==", "value": [1, 2]}}
        routed = MetadataRouter(rules).run([Document(id="a", meta={"pair": np.array([1, 2])})])
        assert len(routed["pair"]) == 1

    def test_a_type_that_is_not_known_is_refused(self):
        data = MetadataRouter({}).to_dict()
        data["init_parameters"]["output_type"] = "list[subprocess.Popen]"
        with pytest.raises(DeserializationError, match="subprocess"):
            MetadataRouter.from_dict(data)
