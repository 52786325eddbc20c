"""The selection of passages: distinct ones, few of a file, a page of the result."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.strategies.passage_selection import select_passages
from spaniel.tracing.events import Dropped, Folded
from tests.strategies.placed import ran

TEXTS = ["red sky at night", "blue sea", "Red sky, at night.", "green"]
PASSAGES = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(["a.md", "b.md", None])), max_size=12)


def passages(*rows: tuple[str, str | None]) -> list[Document]:
    return [
        Document(id=str(number), content=text, meta={"path": path} if path else {})
        for number, (text, path) in enumerate(rows)
    ]


def select(ranked: list[Document], *, top_k: int = 99, offset: int = 0, **choice: Any) -> list[str]:
    selected = select_passages(ranked, top_k=top_k, offset=offset, **choice)
    return [passage.id for passage in ran(selected, [])[0]]


def select_slowly(ranked: list[Document], per_file: int) -> list[str]:
    texts, files, kept = set[str](), list[object](), list[str]()
    for passage in ranked:
        text, file = (passage.content or "").lower().replace(",", "").strip("."), passage.meta.get("path", passage.id)
        if text not in texts and files.count(file) < per_file:
            texts.add(text)
            files.append(file)
            kept.append(passage.id)
    return kept


@given(PASSAGES, st.integers(1, 3), st.integers(0, 4), st.integers(1, 4))
def test_a_page_is_a_slice_of_the_whole_selection(rows: list, per_file: int, offset: int, top_k: int) -> None:
    ranked = passages(*rows)
    whole = select_slowly(ranked, per_file)
    assert select(ranked, fold=True, per_file=per_file) == whole
    page = select(ranked, fold=True, per_file=per_file, offset=offset, top_k=top_k)
    assert page == whole[offset : offset + top_k]


def test_nothing_is_left_out_without_being_asked() -> None:
    assert select(passages(("red", "a.md"), ("red", "a.md"))) == ["0", "1"]


def test_a_page_and_its_source_count_as_one_file() -> None:
    ranked = passages(("red", "x.html"), ("blue", "_sources/x.rst.txt"), ("green", "y.html"))
    assert select(ranked, per_file=1) == ["0", "2"]


def test_a_row_gives_one_passage_and_a_file_many() -> None:
    roots = {
        "0": ("rows.csv", "r"),
        "1": ("rows.csv", "r"),
        "2": ("rows.csv", "s"),
        "3": ("a.md", "a"),
        "4": ("a.md", "a"),
    }
    ranked = [Document(id=id, content=id, meta={"path": path, "__root_id": root}) for id, (path, root) in roots.items()]
    assert select(ranked, per_row=1, row_files=[".csv"]) == ["0", "2", "3", "4"]
    assert select(ranked, per_row=1) == ["0", "1", "2", "3", "4"]


def test_each_passage_left_out_has_its_reason() -> None:
    ranked = passages(("red", "a.md"), ("Red.", "b.md"), ("blue", "a.md"), ("green", "c.md"), ("grey", "d.md"))
    events: list[object] = []
    ran(select_passages(ranked, fold=True, per_file=1, offset=1, top_k=1, record=events.append), [])
    flat = [event for each in events for event in ([each] if isinstance(each, (Folded, Dropped)) else list(each))]  # type: ignore[call-overload]
    causes = {event.about: getattr(event, "cause", "folded") for event in flat}
    assert causes == {"0": "offset", "1": "folded", "2": "per_file", "4": "top_k"}
