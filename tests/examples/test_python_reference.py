"""The export of the Python language reference, and the demo over it."""

import re
from pathlib import Path
from pydoc_data.topics import topics

import pytest

import spaniel
from examples import demo
from examples.python_reference import export, find_references, map_exported_topics


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    export(folder)
    return folder


@pytest.fixture(scope="module")
def kb(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> spaniel.KnowledgeBase:
    kb = spaniel.open(tmp_path_factory.mktemp("kb") / "kb")
    kb.index(folder)
    return kb


def test_there_is_one_file_a_topic(folder: Path) -> None:
    texts = {text.strip() for text in topics.values()}
    assert len(list(folder.iterdir())) == len(texts)


def test_a_topic_that_stands_whole_in_another_is_exported_once(folder: Path) -> None:
    lines = {file.name: file.read_text(encoding="utf-8").split("\n") for file in folder.iterdir()}
    assert "manager) is entered." not in lines["compound.txt"]
    assert 'See [The "with" statement](with.txt).' in lines["compound.txt"]
    for name, own in lines.items():
        start = own[2 : next((at for at, line in enumerate(own) if line.startswith("See ")), 12)][:10]
        if len("".join(start)) < 100:
            continue
        holders = [other for other, text in lines.items() if "\n".join(start) in "\n".join(text)]
        assert holders == [name]


def test_equal_topics_are_one() -> None:
    assert map_exported_topics({"a": "x", "b": " x\n", "c": "y"}) == {"a": "b", "b": "b", "c": "c"}


def test_every_cross_reference_of_pydoc_is_a_link(folder: Path) -> None:
    for topic, targets in find_references(map_exported_topics(topics)).items():
        last = (folder / f"{topic}.txt").read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
        assert re.findall(r"\]\((\S+)\.txt\)", last) == targets


def test_every_link_leads_to_an_indexed_file(folder: Path, kb: spaniel.KnowledgeBase) -> None:
    numbers = kb.statistics()
    assert numbers.files == len(list(folder.iterdir()))
    assert numbers.links > 100
    assert numbers.broken_links == 0


def test_the_demo_compares_and_its_second_run_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    demo.main(demo.QUESTIONS)
    first = capsys.readouterr().out
    for shown in [*demo.QUESTIONS, *demo.SEARCHES, "linked from ", "parts match ", "shown with "]:
        assert shown in " ".join(first.split())
    assert max(len(line) for line in first.splitlines()) <= 150
    demo.main(["what is a slice"])
    second = capsys.readouterr().out
    assert "Indexed 0 files" in second
    assert "slice" in second
