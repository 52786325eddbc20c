"""A trace that is written to a file and read again is the same trace."""

import io
import json
import math
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

import spaniel
from spaniel import Document
from spaniel.components.retrievers import FilterRetriever, MultiRetriever, StructuredRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.errors import DeserializationError
from spaniel.tracing.events import Matched
from tests.tracing.libraries import FILTERS, QUERIES, documents, stored
from tests.tracing.test_why_not import CHAINS

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/trace.schema.json").read_text(encoding="utf-8"))


def reloaded(trace: spaniel.Trace, folder: Path) -> spaniel.Trace:
    trace.save(folder / "trace.json")
    return spaniel.Trace.load(folder / "trace.json")


def shown(trace: spaniel.Trace) -> str:
    file = io.StringIO()
    trace.show(file)
    return file.getvalue()


@settings(max_examples=30)
@given(documents(), QUERIES, FILTERS, CHAINS)
def test_a_reloaded_trace_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, made: list[Document], query: str, filters: Any, options: dict[str, Any]
) -> None:
    store = stored(made, search="leaves")
    with spaniel.trace() as t:
        StructuredRetriever(store, filters=filters, **options).run(query)
    again = reloaded(t, tmp_path_factory.getbasetemp())
    assert again.to_dict(documents=True) == t.to_dict(documents=True)
    jsonschema.validate(again.to_dict(documents=True), SCHEMA)
    assert again.events == t.events
    assert shown(again) == shown(t)
    assert not t.diff(again)
    assert [again.why(document.id) for document in t.results] == [t.why(document.id) for document in t.results]
    assert [again.lineage(id) for id in t.documents] == [t.lineage(id) for id in t.documents]
    for document in made:
        assert again.why_not(document.id, store) == t.why_not(document.id)


def test_a_reloaded_trace_without_a_store_reports_the_missing_store(tmp_path: Path) -> None:
    store = stored([Document(id="a", content="red"), Document(id="b", content="blue")])
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store).run("red")
    again = reloaded(t, tmp_path)
    answer = again.why_not("b")
    assert [reason.text for reason in answer.reasons] == [
        "not among the 1 documents that it found; no store is there to be asked"
    ]
    assert answer.changed == ()
    assert again.why_not("b", store=store).first.cause == "no_common_term"  # type: ignore[union-attr]


@pytest.mark.parametrize("documents", [False, True])
def test_the_data_of_many_kinds_of_stages_is_as_the_schema_says(documents: bool) -> None:
    store = stored([Document(id="a", content="red", embedding=[1.0], meta={"day": date(2024, 5, 1), "n": math.inf})])
    by_words = InMemoryBM25Retriever(store, filters={"field": "meta.day", "operator": "==", "value": date(2024, 5, 1)})
    with spaniel.trace() as t:
        MultiRetriever(retrievers={"x": by_words, "y": by_words}, top_k=1).run("red")
        InMemoryEmbeddingRetriever(store, min_score=-math.inf).run([1.0])
        FilterRetriever(store).run()
    data = t.to_dict(documents=documents)
    jsonschema.validate(json.loads(json.dumps(data, allow_nan=False)), SCHEMA)
    assert json.loads(json.dumps(data)) == data


def test_scores_that_are_no_numbers_survive(tmp_path: Path) -> None:
    with spaniel.trace() as t:
        spaniel.tracing.note("odd", [], [Document(id="a", score=math.inf), Document(id="b", score=math.nan)])
    first, second = reloaded(t, tmp_path).results
    assert first.score == math.inf
    assert math.isnan(second.score)  # type: ignore[arg-type]


def test_a_lone_surrogate_survives(tmp_path: Path) -> None:
    store = stored([Document(id="a", content="bad \udc80 text")])
    with spaniel.trace() as t:
        FilterRetriever(store).run()
    assert reloaded(t, tmp_path).documents["a"].content == "bad \udc80 text"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": 7}', '{"schema": 2, "stages": [{}]}', "null", "\x00", "[" * 100_000]
)
def test_a_file_that_holds_no_trace_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(text)
    with pytest.raises(DeserializationError, match=r"trace\.json"):
        spaniel.Trace.load(file)


def test_a_trace_of_schema_1_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text('{"schema": 1, "stages": [], "results": [], "labels": {}, "documents": {}}')
    with pytest.raises(DeserializationError, match=r"trace of schema 1, but .* reads schema 2\. Run the search again"):
        spaniel.Trace.load(file)


def test_an_event_of_an_unknown_kind_is_such_an_error(tmp_path: Path) -> None:
    with spaniel.trace() as t:
        InMemoryBM25Retriever(stored([Document(id="a", content="red")])).run("red")
    file = tmp_path / "trace.json"
    t.save(file)
    file.write_text(file.read_text().replace("Matched", "Imagined"))
    with pytest.raises(DeserializationError, match="Imagined"):
        spaniel.Trace.load(file)


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with spaniel.trace() as t:
        FilterRetriever(stored([])).run()
    file = tmp_path / "trace.json"
    t.save(file)
    before = file.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space"):
        t.save(file)
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (before, [file])


def test_events_are_whole_objects_again(tmp_path: Path) -> None:
    with spaniel.trace() as t:
        InMemoryBM25Retriever(stored([Document(id="a", content="red red")])).run("red")
    [event] = reloaded(t, tmp_path).events
    assert isinstance(event, Matched)
    assert event.terms[0].frequency == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("seconds", "long"), ("settings", []), ("requests", [{"method": "x"}]), ("results", [{"id": 5}]), ("name", None)],
)
def test_a_field_of_another_type_is_such_an_error_or_does_no_harm(tmp_path: Path, field: str, value: Any) -> None:
    with spaniel.trace() as t:
        FilterRetriever(stored([Document(id="a", content="red")])).run()
    data = t.to_dict(documents=True)
    data["stages"][0][field] = value
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(data))
    try:
        shown(spaniel.Trace.load(file))
    except DeserializationError as error:
        assert "trace.json" in str(error)  # noqa: PT017 (either is right)
