"""Windows over the leaves of a root, their bounds, and invariants."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies import FetchByKeys, widen
from spaniel.tracing import Stage
from spaniel.tracing.events import Neighbour, SharesWindow, WindowEnded
from tests.components.retrievers.trees import leaves_of
from tests.strategies.placed import forests_and_hits, is_slice, overlap, placed, ran

TREE = placed([["One. ", "Two. ", "Three. "], ["Four. ", "Five. "]])
LEAF = {leaf.id: leaf for leaf in TREE}
for _node in TREE:
    _node.meta["section"] = [_node.id[:3]]
FEW = settings(max_examples=80)


def windows(*ids: str, stored: list[Document] = TREE, **options: Any) -> list[str]:
    hits = [LEAF[f"r.{id}"] for id in ids]
    return ran(widen(hits, **{"window_size": 1, "over": "root"} | options), stored)[0]["context_windows"]


def test_windows_of_a_root_cross_its_sections():
    assert windows("0.2") == ["Two. Three. Four. "]
    assert windows("0.0", "1.1", window_size=9) == ["One. Two. Three. Four. Five. "] * 2


def test_before_and_after_are_set_apart():
    assert windows("0.2", before=0) == ["Three. Four. "]
    assert windows("0.2", before=2, after=0) == ["One. Two. Three. "]
    assert windows("0.2", before=0, after=0) == ["Three. "]


def test_before_and_after_are_set_apart_over_numbered_chunks():
    chunks = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in range(6)]
    assert ran(widen(chunks[3:4], window_size=1, before=2, after=0), chunks)[0]["context_windows"] == ["123"]


def test_a_hit_may_be_a_section():
    assert ran(widen([LEAF["r.1"]], window_size=1, over="root"), TREE)[0]["context_windows"] == ["Three. Four. Five. "]


def test_a_window_does_not_cross_a_change_of_a_field():
    assert windows("0.2", bounded_by=["section"]) == ["Two. Three. "]
    assert windows("1.0", bounded_by=["meta.section"]) == ["Four. Five. "]
    assert windows("0.2", bounded_by=["nowhere"]) == ["Two. Three. Four. "]


def test_a_bounded_window_ends_at_the_first_change_though_the_value_comes_again():
    chunks = [
        Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n, "speaker": who})
        for n, who in enumerate("abaab")
    ]
    found = ran(widen([chunks[3]], window_size=9, bounded_by=["speaker"]), chunks)[0]
    assert found["context_windows"] == ["23"]


def test_touching_windows_of_two_sections_stay_apart():
    assert windows("0.2", "1.0", bounded_by=["section"], merge_overlapping=True) == ["Two. Three. ", "Four. Five. "]
    assert windows("0.2", "1.0", merge_overlapping=True) == ["Two. Three. Four. Five. "]


@pytest.mark.parametrize("most", [3, 7, 12, 17, 18, 23, 99])
def test_a_window_is_no_longer_than_it_may_be_or_the_hit_alone(most: int):
    [window] = windows("0.2", window_size=9, max_length=most)
    assert "Three. " in window
    assert len(window) <= max(most, len("Three. "))


def test_a_window_grows_on_the_side_with_less_text():
    assert windows("0.2", window_size=9, max_length=12) == ["Two. Three. "]
    assert windows("0.2", window_size=9, max_length=18) == ["Two. Three. Four. "]
    assert windows("0.0", window_size=9, max_length=18) == ["One. Two. Three. "]


def test_the_length_may_be_of_tokens():
    words = {"max_length": 3, "length": lambda text: len(text.split())}
    assert windows("0.2", window_size=9, **words) == ["Two. Three. Four. "]


def test_a_gap_is_marked_where_a_leaf_is_missing():
    stored = [node for node in TREE if node.id != "r.0.1"]
    assert windows("0.2", window_size=2, stored=stored, gap=" [...] ") == ["One.  [...] Three. Four. Five. "]
    assert windows("0.2", window_size=2, stored=stored) == ["One. Three. Four. Five. "]
    assert windows("0.2", gap=" [...] ") == ["Two. Three. Four. "]


def test_a_gap_is_marked_where_a_number_is_missing():
    chunks = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in (1, 2, 4)]
    assert ran(widen(chunks[1:2], window_size=2, gap="..."), chunks)[0]["context_windows"] == ["12...4"]


def test_chunks_that_are_hits_keep_their_score_if_asked():
    hit = LEAF["r.0.1"].independent_copy(score=0.7)
    plain, scored = (
        ran(widen([hit], window_size=1, over="root", keep_scores=keep), TREE)[0]["context_documents"]
        for keep in (False, True)
    )
    assert [chunk.score for chunk in plain] == [None, None, None]
    assert [chunk.score for chunk in scored] == [None, 0.7, None]


def test_a_whole_window_is_one_document_that_names_its_hits():
    hits = [LEAF["r.0.1"].independent_copy(score=0.5), LEAF["r.0.2"].independent_copy(score=0.7)]
    steps = widen(hits, window_size=1, over="root", merge_overlapping=True, whole_windows=True)
    [window] = ran(steps, TREE)[0]["context_documents"]
    assert (window.content, window.score) == ("One. Two. Three. Four. ", 0.7)
    assert window.meta == {
        "__root_id": "r", "__start": 0, "__end": 23,
        "window_hits": ["r.0.1", "r.0.2"], "window_chunks": ["r.0.0", "r.0.1", "r.0.2", "r.1.0"],
    }  # fmt: skip
    apart = ran(widen(hits, window_size=0, over="root", whole_windows=True), TREE)[0]["context_documents"]
    assert [each.meta["section"] for each in apart] == [["r.0"], ["r.0"]]


def test_a_hit_whose_root_is_not_stored_has_an_empty_window():
    found = ran(widen([LEAF["r.0.1"]], window_size=1, over="root"), [])[0]
    assert found == {"context_windows": [""], "context_documents": []}


def test_a_hit_that_does_not_say_where_it_stands_is_returned_alone():
    hit = Document(id="alone", content="Alone.")
    found, asked = ran(widen([hit], window_size=1, over="root", whole_windows=True), TREE)
    assert found == {"context_windows": ["Alone."], "context_documents": [hit]}
    assert asked == []


@pytest.mark.parametrize("meta", [{"__root_id": ["r"]}, {"__start": "0"}, {"__end": None}])
def test_a_place_that_is_none_is_as_good_as_missing(meta: dict[str, Any]):
    odd = Document(id="odd", content="Odd.", meta=LEAF["r.0.1"].meta | meta)
    found = ran(widen([odd, LEAF["r.1.1"]], window_size=1, over="root"), [*TREE, odd])[0]
    assert found["context_windows"] == ["Odd.", "Four. Five. "]


def test_all_windows_of_a_batch_are_one_request():
    other = placed(["x", "y"], "s")
    hits = [*leaves_of(TREE), *leaves_of(other)]
    assert ran(widen(hits, window_size=1, over="root"), [*TREE, *other])[1] == [FetchByKeys({"__root_id": ["r", "s"]})]


def test_events_tell_why_a_window_ends_and_which_hits_share_one():
    stage = Stage("window", {})
    hits = [LEAF["r.0.1"], LEAF["r.0.2"]]
    options = {"over": "root", "bounded_by": ["section"], "merge_overlapping": True, "record": stage.record}
    ran(widen(hits, window_size=2, **options), TREE)
    assert [str(event) for event in stage.events if isinstance(event, (WindowEnded, SharesWindow, Neighbour))] == [
        "its window ends early after it: section changes",
        "its window ends early after it: section changes",
        "shares its window with r.0.2",
        "shares its window with r.0.1",
        "stands 1 before the hit r.0.1",
    ]


OPTIONS = st.fixed_dictionaries(
    {
        "window_size": st.integers(0, 3),
        "before": st.none() | st.integers(0, 3),
        "after": st.none() | st.integers(0, 3),
        "bounded_by": st.sampled_from([(), ("section",)]),
        "max_length": st.none() | st.integers(1, 30),
    }
)


def sectioned(stored: list[Document]) -> None:
    for node in stored:
        node.meta["section"] = [node.id[:4]]


@FEW
@given(forests_and_hits(only_leaves=False), OPTIONS)
def test_united_windows_never_overlap_lose_no_hit_and_are_slices(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any]
):
    stored, hits = drawn
    sectioned(stored)
    sectioned(hits)
    steps = widen(hits, over="root", merge_overlapping=True, whole_windows=True, **options)
    found, asked = ran(steps, stored)
    laid = found["context_documents"]
    assert [(one.id, two.id) for at, one in enumerate(laid) for two in laid[:at] if overlap(one, two)] == []
    assert sorted(id for window in laid for id in window.meta["window_hits"]) == sorted(hit.id for hit in hits)
    assert all(is_slice(window, stored) for window in laid)
    assert len(asked) == bool(hits)


@FEW
@given(forests_and_hits(), OPTIONS)
def test_a_window_holds_its_hit_and_keeps_its_bounds(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any]
):
    stored, hits = drawn
    sectioned(stored)
    sectioned(hits)
    found = ran(widen(hits, over="root", whole_windows=True, **options), stored)[0]
    leaves = {leaf.id: leaf for leaf in leaves_of(stored)}
    for hit, window in zip(hits, found["context_documents"], strict=True):
        chunks = [leaves[id] for id in window.meta["window_chunks"]]
        assert hit.id in window.meta["window_chunks"]
        assert window.score == hit.score
        if options["max_length"] is not None:
            assert len(window.content or "") <= max(options["max_length"], len(hit.content or ""))
        if options["bounded_by"]:
            assert {tuple(chunk.meta["section"]) for chunk in chunks} == {tuple(hit.meta["section"])}


@st.composite
def numbered_and_hits(draw: st.DrawFn) -> tuple[list[Document], list[Document]]:
    """Draw numbered chunks of two sources, some of which are missing, and some of them as hits."""
    numbers = draw(st.lists(st.tuples(st.sampled_from("st"), st.integers(0, 12)), unique=True, min_size=1, max_size=18))
    stored = [
        Document(id=f"{source}{number}", content=f"{source}{number} ",
                 meta={"source_id": source, "split_id": number, "section": draw(st.sampled_from("xy"))})
        for source, number in numbers
    ]  # fmt: skip
    return stored, draw(st.lists(st.sampled_from(stored), unique_by=lambda chunk: chunk.id, max_size=6))


def ran_over_sources(stored: list[Document], hits: list[Document], options: dict[str, Any]) -> list[Document]:
    steps = widen(hits, whole_windows=True, gap="|", **options)
    found, asked = ran(steps, stored)
    assert len(asked) == bool(hits)
    return found["context_documents"]


@FEW
@given(numbered_and_hits(), OPTIONS)
def test_united_windows_of_numbered_chunks_share_no_chunk_and_lose_no_hit(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any]
):
    stored, hits = drawn
    laid = ran_over_sources(stored, hits, {**options, "merge_overlapping": True})
    chunks = [id for window in laid for id in window.meta["window_chunks"]]
    assert len(set(chunks)) == len(chunks)
    assert sorted(id for window in laid for id in window.meta["window_hits"]) == sorted(hit.id for hit in hits)
    for window in laid:
        numbers = [int(id[1:]) for id in window.meta["window_chunks"]]
        assert (window.content or "").count("|") == sum(after - before > 1 for before, after in pairwise(numbers))


@FEW
@given(numbered_and_hits(), OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_metadata_and_of_the_store_does_not_matter(
    drawn: tuple[list[Document], list[Document]], options: dict[str, Any], chance: Any
):
    stored, hits = drawn

    def shuffled(document: Document) -> Document:
        items = list(document.meta.items())
        chance.shuffle(items)
        return document.independent_copy(meta=dict(items))

    again = ran_over_sources(list(map(shuffled, stored))[::-1], list(map(shuffled, hits)), options)
    assert ran_over_sources(stored, hits, options) == again
