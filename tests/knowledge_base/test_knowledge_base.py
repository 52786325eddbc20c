"""`spaniel.open`: searching, finding, deleting, numbers."""

from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.errors import FilterError, KnowledgeBaseError, MissingDocumentError
from tests.knowledge_base.folders import GUIDE, write


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kb")
    kb = spaniel.open(folder / "kb")
    kb.index(write(folder / "guide", GUIDE))
    return kb


@pytest.fixture
def own(tmp_path: Path) -> KnowledgeBase:
    """One that a test may change."""
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "guide", GUIDE))
    return kb


def test_a_folder_with_other_things_is_refused_and_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"mine.txt": "mine"})
    with pytest.raises(KnowledgeBaseError, match=r"holds other things, and no knowledge base. Choose a new folder"):
        spaniel.open(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"file": ""})
    with pytest.raises(KnowledgeBaseError, match="is a file, but a knowledge base is a folder"):
        spaniel.open(tmp_path / "file")


def test_rejects_the_folder_of_an_older_version(tmp_path: Path) -> None:
    write(tmp_path / "kb", {"documents.log": '"spaniel knowledge base"\t1\n', ".lock": ""})
    with pytest.raises(KnowledgeBaseError, match=r"older version of Spaniel. Delete the folder and index again"):
        spaniel.open(tmp_path / "kb")


def test_an_unknown_scheme_lists_valid_ones() -> None:
    with pytest.raises(
        KnowledgeBaseError, match=r"'s3://bucket' has an unknown scheme\. Valid stores: the path of a folder"
    ):
        spaniel.open("s3://bucket")


def test_opening_makes_nothing(tmp_path: Path) -> None:
    kb = spaniel.open(tmp_path / "kb")
    assert not kb.exists
    assert not kb.path.exists()


def test_a_damaged_record_names_the_remedy(own: KnowledgeBase) -> None:
    own.document_store.records["file tour.md"] = {"fields": []}
    own.close()
    with pytest.raises(KnowledgeBaseError, match=r"damaged: KeyError.* Delete the folder"):
        spaniel.open(own.path)


@pytest.mark.parametrize(
    "ask",
    [lambda kb: kb.search("x"), lambda kb: kb.statistics(), lambda kb: kb.find("x"), lambda kb: kb.delete(path="x")],
)
def test_asking_before_anything_is_indexed_says_so(tmp_path: Path, ask: object) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"Nothing is indexed at .* spaniel index PATH"):
        ask(spaniel.open(tmp_path / "kb"))


def test_links_are_followed(kb: KnowledgeBase) -> None:
    results = kb.search("install pip", follow=["links"])
    assert [(result.kind, result.path, result.section) for result in results] == [
        ("hit", "start.md", ["Start"]),
        ("linked", "tour.md", ["Tour", "First steps"]),
    ]
    assert results[1].linked_from == results[0].id
    assert results[1].why == (f"linked from start.md > Start (+{results[1].score:.2f})",)
    assert results[1].score == pytest.approx(0.3 * results[0].score)


def test_a_linked_passage_can_be_part_of_a_budget(kb: KnowledgeBase) -> None:
    results = kb.search("install pip", follow=["links"], budget=1000)
    assert [result.path for result in results] == ["start.md", "tour.md"]


def test_links_are_followed_as_deep_as_asked(kb: KnowledgeBase) -> None:
    assert [result.path for result in kb.search("walk", follow="links", depth=0)] == ["tour.md"]
    results = kb.search("read more", follow="links")
    assert [result.path for result in results] == ["tour.md", "more/deep.md"]


def test_filters_narrow_hits_and_links(kb: KnowledgeBase) -> None:
    only = {"field": "path", "operator": "==", "value": "start.md"}
    assert [result.path for result in kb.search("install pip", filters=only, follow="links")] == ["start.md"]


def test_a_min_score_leaves_lesser_hits_out(kb: KnowledgeBase) -> None:
    scores = [result.score for result in kb.search("install steps")]
    assert len(kb.search("install steps", min_score=scores[0])) == 1


@pytest.mark.parametrize("query", ["", "  ", "...", "!?"])
def test_a_query_without_words_is_an_error(kb: KnowledgeBase, query: str) -> None:
    with pytest.raises(ValueError, match="contains no searchable terms"):
        kb.search(query)


def test_a_query_that_matches_nothing_finds_nothing(kb: KnowledgeBase) -> None:
    results = kb.search("xyzzy", follow="links", window=1)
    assert (len(results), results.terms) == (0, ["xyzzy"])


@pytest.mark.parametrize("options", [{"top_k": 0}, {"window": -1}, {"depth": -1}])
def test_a_number_out_of_range_is_named(kb: KnowledgeBase, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} must be at least"):
        kb.search("x", **options)


@pytest.mark.parametrize(
    "options", [{"follow": "lonks"}, {"filters": {"field": "lonks", "operator": "==", "value": 1}}]
)
def test_a_field_that_no_document_has_is_an_error_that_lists_the_fields(kb: KnowledgeBase, options: dict) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"No document has the field 'lonks'. Fields: anchor, .*links"):
        kb.search("x", **options)


def test_a_malformed_filter_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(FilterError, match="nope"):
        kb.search("x", filters={"field": "path", "operator": "nope", "value": 1})


@pytest.mark.parametrize("reference", ["tour.md#first-steps", "tour.md", "more/deep.md"])
def test_a_document_is_found_by_its_anchor(kb: KnowledgeBase, reference: str) -> None:
    document = kb.find(reference)
    assert document.meta["anchor"] == reference
    assert kb.find(document.id) == kb.find(document.id[:12]) == kb.get(document.id) == document


def test_the_start_of_several_ids_is_an_error(kb: KnowledgeBase) -> None:
    ids = [document.id for document in kb.document_store.filter_documents()]
    start = next(first for first in "0123456789abcdef" if sum(id.startswith(first) for id in ids) > 1)
    with pytest.raises(KnowledgeBaseError, match=r"is the start of .* ids. Give more of it"):
        kb.find(start)


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("tours.md", "Did you mean tour.md"),
        ("deep", "Did you mean more/deep.md"),
        ("tour.md#first-step", "no such section. Did you mean tour.md#first-steps"),
        ("zzz", "`spaniel search` shows paths and ids"),
        ("", "`spaniel search` shows paths and ids"),
    ],
)
def test_an_unknown_document_comes_with_a_hint(kb: KnowledgeBase, reference: str, hint: str) -> None:
    with pytest.raises(MissingDocumentError, match=hint):
        kb.find(reference)


def test_a_reference_that_is_no_text_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(TypeError, match="reference must be text, an id or a path, got None"):
        kb.find(None)  # type: ignore[arg-type]


def test_a_min_score_that_is_no_number_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(ValueError, match="min_score must be a number, got NaN"):
        kb.search("x", min_score=float("nan"))


def test_get_returns_none_for_an_unknown_id(kb: KnowledgeBase, tmp_path: Path) -> None:
    assert kb.get("zzz") is None
    assert spaniel.open(tmp_path / "kb").get("zzz") is None
    assert not (tmp_path / "kb").exists()


def test_statistics_count(kb: KnowledgeBase) -> None:
    numbers = kb.statistics()
    assert (numbers.files, numbers.kinds) == (3, {".md": 3})
    assert numbers.documents == kb.document_store.count_documents() > numbers.leaves > 0
    assert (numbers.links, numbers.broken_links) == (2, 0)
    assert numbers.bytes_on_disk == sum(file.stat().st_size for file in kb.path.rglob("*") if file.is_file())
    assert numbers.to_dict()["folders"] == [str(kb.path.parent / "guide")]


def test_a_link_whose_target_was_deleted_leads_nowhere(own: KnowledgeBase) -> None:
    own.delete(path="tour.md")
    assert (own.statistics().links, own.statistics().broken_links) == (0, 1)


@pytest.mark.parametrize(("path", "left"), [("start.md", 2), ("more", 2), ("more/", 2)])
def test_a_file_or_folder_is_deleted(own: KnowledgeBase, path: str, left: int) -> None:
    before = own.document_store.count_documents()
    deleted = own.delete(path=path)
    assert own.document_store.count_documents() == before - deleted < before
    assert spaniel.open(own.path).statistics().files == left


def test_a_place_on_disk_is_deleted_even_when_it_is_gone(own: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "guide").rename(tmp_path / "moved")
    own.delete(path=str(tmp_path / "guide"))
    assert not spaniel.open(own.path).exists


@pytest.mark.parametrize("path", ["nothing.md", "tou", ""])
def test_rejects_the_deletion_of_an_unknown_file(own: KnowledgeBase, path: str) -> None:
    before = own.document_store.count_documents()
    with pytest.raises(KnowledgeBaseError, match="No indexed file is named"):
        own.delete(path=path)
    assert own.document_store.count_documents() == before


def test_a_deleted_file_comes_back_when_its_folder_is_indexed(own: KnowledgeBase, tmp_path: Path) -> None:
    own.delete(path="tour.md")
    assert own.index(tmp_path / "guide").added == ["tour.md"]


def test_a_new_knowledge_base_has_the_analyzer_and_fields_that_are_given(tmp_path):
    (tmp_path / "a.md").write_text("# Dogs\n\nThey walk.")
    kb = spaniel.open(tmp_path / "kb", analyzer="english", fields={"title": 3})
    kb.index(tmp_path / "a.md")
    kb.close()
    again = spaniel.open(tmp_path / "kb")
    assert (again.document_store.analyzer, again.document_store.fields) == ("english", {"title": 3.0})
    again.close()
    with pytest.raises(KnowledgeBaseError, match=r"store.rebuild\(analyzer=...\)"):
        spaniel.open(tmp_path / "kb", analyzer="german").index(tmp_path / "a.md")


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(TypeError, match="analyser"):
        spaniel.open(tmp_path / "kb", analyser="english")
