"""Files, pages, near duplicates and links in a search: equal to a plain selection from all hits."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.knowledge_base.path_patterns import compile_pattern
from tests.knowledge_base.folders import write

WORDS = ["apple", "pear", "plum", "fig", "lime", "kiwi", "date", "rice"]
FOLDERS = ["", "guide/", "guide/old/", "api/"]
PATTERNS = ["*.md", "guide", "guide/*.md", "guide/**", "api/", "f1*.md", "**/f[0-3].md"]


def make_files(seed: int) -> dict[str, str]:
    """Return files of few words, some of them equal, with links among them."""
    chosen = random.Random(seed)
    names = [f"{chosen.choice(FOLDERS)}f{number}.md" for number in range(24)]
    files = {}
    for name in names:
        parts = []
        for section in range(chosen.randint(1, 3)):
            words = " ".join(chosen.choices(WORDS, k=chosen.randint(3, 30)))
            link = f" See [more](/{chosen.choice(names)})." if chosen.random() < 0.4 else ""
            parts.append(f"# {chosen.choice(WORDS)} {section}\n\n{words}.{link}\n")
        files[name] = "\n".join(parts)
    for copy in range(4):
        files[f"copy{copy}.md"] = files[chosen.choice(names)]
    return files


@pytest.fixture(scope="module", params=range(3))
def kb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("kb")
    opened = spaniel.open(folder / "kb")
    opened.index(write(folder / "files", make_files(request.param)))
    yield opened
    opened.close()


def list_ids(results: Any) -> list[str]:
    return [result.id for result in results]


@pytest.mark.parametrize("seed", range(8))
def test_paths_files_and_pages_are_those_of_a_plain_selection(kb: KnowledgeBase, seed: int) -> None:
    chosen = random.Random(seed)
    query = " ".join(chosen.sample(WORDS, 2))
    path, not_path = chosen.sample(PATTERNS, chosen.randint(0, 2)), chosen.sample(PATTERNS, chosen.randint(0, 1))
    per_file, offset, top_k = chosen.choice([None, 1, 2]), chosen.randint(0, 6), chosen.randint(1, 6)
    year = {"field": "title", "operator": "!=", "value": "apple 0"}
    counts: dict[str, int] = {}
    expected = []
    for result in kb.search(query, top_k=1000, fold=False):
        name = result.path or ""
        is_wanted = not path or any(compile_pattern(each).fullmatch(name) for each in path)
        if not is_wanted or any(compile_pattern(each).fullmatch(name) for each in not_path):
            continue
        if result.title == "apple 0" or (per_file is not None and counts.get(name, 0) >= per_file):
            continue
        counts[name] = counts.get(name, 0) + 1
        expected.append(result.id)
    options: dict[str, Any] = {"path": path, "not_path": not_path, "filters": year, "per_file": per_file, "fold": False}
    assert list_ids(kb.search(query, top_k=1000, **options)) == expected
    assert list_ids(kb.search(query, top_k=top_k, offset=offset, **options)) == expected[offset : offset + top_k]


@pytest.mark.parametrize("follow", [[], ["links"]])
def test_pages_continue_each_other(kb: KnowledgeBase, follow: list[str]) -> None:
    for query in ("apple pear", "kiwi", "rice fig lime"):
        whole = list_ids(kb.search(query, top_k=30, follow=follow))
        pages = [kb.search(query, top_k=7, offset=offset, follow=follow) for offset in range(0, 30, 7)]
        assert [id for page in pages for id in list_ids(page)][: len(whole)] == whole


def test_equal_passages_are_shown_once_and_counted(kb: KnowledgeBase) -> None:
    for word in WORDS:
        results = kb.search(word, top_k=1000)
        every = kb.search(word, top_k=1000, fold=False)
        texts = [re.sub(r"\W+", " ", result.text.lower()) for result in results]
        assert len(set(texts)) == len(texts)
        folded = [passage.id for result in results for passage in result.folded]
        assert sorted([*list_ids(results), *folded]) == sorted(list_ids(every))
        assert (every.total, every.total_is_exact) == (len(every), True)


def test_a_filter_of_paths_holds_for_links_windows_and_neighbours(kb: KnowledgeBase) -> None:
    for query in ("apple pear", "kiwi", "rice fig lime"):
        for options in (
            {"follow": ["links"], "depth": 2},
            {"window": 2},
            {"budget": 900, "neighbours": 2},
            {"merge": True},
        ):
            for result in kb.search(query, path="guide/**", **options):
                assert (result.path or "").startswith("guide/")
                assert result.text in kb.get(result.document.meta["__root_id"]).content


def test_linked_passages_are_ranked_by_their_score_and_a_share_of_the_linking_ones(kb: KnowledgeBase) -> None:
    own = {result.id: result.score or 0.0 for result in kb.search("apple pear", top_k=1000, fold=False)}
    seeds = list(kb.search("apple pear", top_k=10, fold=False))
    documents = {id: kb.get(id) for id in own}
    expected = dict(own)
    for seed in seeds:
        for link in seed.document.meta.get("links", []):
            path, _, section = link.partition("#")
            parts = [
                id
                for id in own
                if documents[id].meta["path"] == path and (not section or documents[id].meta.get("anchor") == link)
            ]
            best = max(parts, key=own.__getitem__, default=None)
            if best is not None and best != seed.id:
                expected[best] = max(expected[best], own[best] + 0.5 * own[seed.id])
    found = kb.search("apple pear", top_k=1000, fold=False, follow=["links"], link_share=0.5)
    assert {result.id: pytest.approx(result.score) for result in found if result.id in own} == expected
    scores = [result.score for result in found]
    assert scores == sorted(scores, reverse=True)
    assert len(kb.search("apple pear", top_k=4, follow=["links"])) == 4


def test_highlights_are_the_matched_words(kb: KnowledgeBase) -> None:
    for result in kb.search("Apple pear"):
        words = {result.text[start:end].lower() for start, end in result.highlights}
        assert words
        assert words <= {"apple", "pear"}
        assert result.to_dict()["highlights"] == [list(span) for span in result.highlights]


def test_a_budget_names_the_section_and_the_file_around(kb: KnowledgeBase) -> None:
    for result in kb.search("apple pear", budget=200):
        for whole in result.around:
            document = kb.get(whole.id)
            assert whole.tokens == -(-len(document.content.encode()) // 4)
            assert document.meta["__start"] <= result.document.meta["__start"]
            assert kb.find(whole.anchor).id == whole.id if whole.anchor else whole.kind == "section"


def test_too_few_distinct_hits_are_searched_for_again(tmp_path: Path) -> None:
    same = {f"same{number}.md": "An apple is a fruit.\n" for number in range(50)}
    other = {f"other{number}.md": f"An apple and the {word}.\n" for number, word in enumerate(WORDS[1:4])}
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "files", {**same, **other}))
    results = kb.search("fruit apple", top_k=4)
    assert len(results) == 4
    assert len(results[0].folded) == 49
    assert [stage.name for stage in results.trace.stages].count("bm25") > 1


@pytest.mark.parametrize("options", [{"offset": -1}, {"per_file": 0}, {"path": 5}, {"fit": "x"}, {"link_share": "x"}])
def test_a_wrong_option_is_named(kb: KnowledgeBase, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        kb.search("apple", **options)


def test_further_passages_of_a_file_come_after_good_ones_of_others(tmp_path: Path) -> None:
    long = "\n\n".join(f"# Part {number}\n\nApple pear {number}." for number in range(8))
    files = {"long.md": long, **{f"f{number}.md": f"Apple pear, and a plum {number}." for number in range(3)}}
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "files", files))
    by_score, spread = (kb.search("apple pear", top_k=4, repeat_share=share) for share in (1, 0.5))
    assert [len({result.path for result in found}) for found in (by_score, spread)] == [1, 4]
    assert by_score[0].id == spread[0].id
    kb.close()
