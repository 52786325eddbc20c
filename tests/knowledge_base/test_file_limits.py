"""Bounds on files that are converted in the process itself."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.components.converters import files
from spaniel.knowledge_base.file_limits import OutOfTimeError, limit_time
from tests.knowledge_base.folders import GUIDE, write


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return spaniel.open(tmp_path / "kb")


def loop(_: str) -> None:
    while True:
        pass


def sleep(_: str) -> None:
    time.sleep(60)


def recurse(text: str) -> None:
    recurse(text)


def exhaust(_: str) -> None:
    raise MemoryError


def swallow(_: str) -> None:
    while True:
        with suppress(Exception):
            time.sleep(60)


@pytest.mark.parametrize(
    ("convert", "reason"),
    [
        (loop, "took longer than 0 s; --max-seconds"),
        (sleep, "took longer than 0 s; --max-seconds"),
        (swallow, "took longer than 0 s; --max-seconds"),
        (recurse, "is nested too deeply"),
        (exhaust, "needs more memory than is allowed or there is; --max-memory"),
    ],
)
@pytest.mark.parametrize("jobs", [0, 1])
def test_a_bad_file_does_not_cost_the_others(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, convert: object, reason: str, jobs: int
) -> None:
    monkeypatch.setitem(files.CONVERTERS, ".text", convert)
    report = kb.index(write(tmp_path / "docs", {**GUIDE, "bad.text": "x"}), jobs=jobs, max_seconds=0.3)
    assert list(report.failed) == ["bad.text"]
    assert report.failed["bad.text"].startswith(reason)
    assert sorted(report.added) == sorted(GUIDE)


def test_a_timer_of_the_caller_goes_on() -> None:
    came = []
    before = signal.signal(signal.SIGALRM, lambda *_: came.append(1))
    previous = signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(OutOfTimeError), limit_time(0.05):
            time.sleep(5)
        assert not came
        time.sleep(0.6)
        assert came
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *previous)


def test_a_file_that_vanishes_while_it_is_read_is_listed(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write(tmp_path / "docs", GUIDE)
    read = Path.read_bytes

    def vanish(path: Path) -> bytes:
        if path.name == "start.md":
            path.unlink()
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", vanish)
    assert kb.index(docs).failed == {"start.md": "No such file or directory"}
    assert kb.index(docs).failed == {}


def test_a_file_that_changes_while_it_is_read_is_read_again(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write(tmp_path / "docs", {"a.md": "apples"})
    os.utime(docs / "a.md", (1, 1))
    read = Path.read_bytes

    def change(path: Path) -> bytes:
        data = read(path)
        path.write_bytes(b"pears")
        os.utime(path, (2, 2))  # an old file that was moved here
        return data

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", change)
        kb.index(docs)
    assert kb.index(docs).changed == ["a.md"]
    assert [result.text for result in kb.search("pears")] == ["pears"]


@pytest.mark.parametrize("value", [".nan", "123456789012345678901234567890", "1.0e+400", "!!binary gIE="])
def test_metadata_that_json_lacks_costs_at_most_its_file(kb: KnowledgeBase, tmp_path: Path, value: str) -> None:
    docs = write(tmp_path / "docs", {**GUIDE, "a.md": f"---\nx: {value}\n---\nwords"})
    report = kb.index(docs)
    assert set(GUIDE) <= set(report.added)
    assert ("a.md" in report.failed) != ("a.md" in report.added)
