"""Bringing an index up to date."""

import gzip
import os
import signal
from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import Progress
from tests.knowledge_base.folders import GUIDE, write


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    return write(tmp_path / "guide", GUIDE)


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return spaniel.open(tmp_path / "kb")


def same(one: KnowledgeBase, other: KnowledgeBase) -> bool:
    """Return whether two knowledge bases hold the same documents, and search the same words."""
    documents = [{d.id: d for d in kb.document_store.filter_documents()} for kb in (one, other)]
    words = [kb.document_store.search_statistics() for kb in (one, other)]
    return documents[0] == documents[1] and words[0] == words[1]


def fresh(folder: Path, at: Path) -> KnowledgeBase:
    kb = spaniel.open(at)
    kb.index(folder)
    return kb


def test_all_files_are_new_at_first_and_none_the_second_time(kb: KnowledgeBase, guide: Path) -> None:
    first = kb.index(guide)
    assert (sorted(first.added), first.changed, first.unchanged) == (sorted(GUIDE), [], 0)
    second = kb.index(guide)
    assert (second.added, second.changed, second.unchanged, second.documents) == ([], [], 3, 0)


def test_it_is_kept(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    assert same(spaniel.open(kb.path), kb)
    assert spaniel.open(kb.path).index(guide).unchanged == 3


def test_changes_are_taken_up_as_if_indexed_afresh(kb: KnowledgeBase, guide: Path, tmp_path: Path) -> None:
    kb.index(guide)
    write(guide, {"start.md": "# Start\n\nNew words.\n", "new.md": "Hello.\n"})
    (guide / "more/deep.md").unlink()
    report = kb.index(guide)
    assert (report.added, report.removed, report.unchanged) == (["new.md"], ["more/deep.md"], 0)
    assert sorted(report.changed) == ["start.md", "tour.md"]  # the tour's link leads nowhere now
    assert same(kb, fresh(guide, tmp_path / "other"))
    assert same(spaniel.open(kb.path), kb)


def test_a_file_of_the_same_bytes_is_left_alone_whatever_its_time(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    os.utime(guide / "start.md", (1, 1))
    assert kb.index(guide).unchanged == 3


def test_a_change_of_the_same_size_within_a_clock_step_is_seen(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    before = (guide / "more/deep.md").stat()
    write(guide, {"more/deep.md": GUIDE["more/deep.md"].replace("postings", "POSTINGS")})
    os.utime(guide / "more/deep.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert kb.index(guide).changed == ["more/deep.md"]


def test_files_that_are_gone_elsewhere_stay(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    (guide / "start.md").unlink()
    assert kb.index(guide / "more").removed == []
    assert [result.path for result in kb.search("pip")] == ["start.md"]


def test_a_renamed_file_is_found_under_its_new_name_only(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    (guide / "more/deep.md").rename(guide / "deeper.md")
    kb.index(guide)
    assert [result.path for result in kb.search("postings")] == ["deeper.md"]


def test_a_folder_around_an_indexed_one_takes_its_files_over(kb: KnowledgeBase, guide: Path, tmp_path: Path) -> None:
    kb.index(guide / "more")
    report = kb.index(guide)
    assert (sorted(report.added), report.removed) == (sorted(GUIDE), [])
    assert same(kb, fresh(guide, tmp_path / "other"))


def test_a_broken_link_heals_when_its_target_comes(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.md": "See [b](b.md).", "c.md": "See [nothing](x.md)."})
    kb.index(folder)
    assert kb.find("a.md").meta["broken_links"] == ["b.md"]
    write(folder, {"b.md": "Here."})
    report = kb.index(folder)
    assert (report.added, report.changed, report.unchanged) == (["b.md"], ["a.md"], 1)
    assert kb.find("a.md").meta["links"] == ["b.md"]


def test_a_link_follows_a_label_that_moves(kb: KnowledgeBase, tmp_path: Path) -> None:
    label = ".. _spot:\n\n{}\n====\n\nText.\n"
    folder = write(
        tmp_path / "docs", {"a.rst": "See :ref:`spot`.\n", "b.rst": label.format("Here"), "c.rst": "Text.\n"}
    )
    kb.index(folder)
    assert kb.find("a.rst").meta["links"] == ["b.rst#spot"]
    write(folder, {"b.rst": "Text.\n", "c.rst": label.format("There")})
    kb.index(folder)
    assert kb.find("a.rst").meta["links"] == ["c.rst#spot"]


def test_unreadable_files_are_listed_and_the_others_are_indexed(kb: KnowledgeBase, tmp_path: Path) -> None:
    files = {
        "a.md": "Text.",
        "nul.txt": b"a\0b",
        "bad.md.gz": b"no gzip",
        "cut.md.gz": gzip.compress(b"x" * 999, mtime=0)[:25],
    }
    report = kb.index(write(tmp_path / "docs", files))
    assert report.added == ["a.md"]
    assert report.failed["nul.txt"] == "is binary, not text."
    assert report.failed["bad.md.gz"].startswith("damaged .gz file: ")
    assert report.failed["cut.md.gz"].startswith("damaged .gz file: ")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("crlf.md", b"# Caf\xc3\xa9\r\n\r\nD\xc3\xa9j\xc3\xa0 vu.\r\n"),
        ("bom.md", "# Café\n\nDéjà vu.\n".encode("utf-8-sig")),
        ("latin.md", "# Café\n\nDéjà vu.\n".encode("latin-1")),
        ("wide.md", "# Café\n\nDéjà vu.\n".encode("utf-16")),
        ("packed.md.gz", gzip.compress("# Café\n\nDéjà vu.\n".encode(), mtime=0)),
    ],
)
def test_text_is_read_in_whatever_form(kb: KnowledgeBase, tmp_path: Path, name: str, data: bytes) -> None:
    kb.index(write(tmp_path / "docs", {name: data}))
    assert [result.text for result in kb.search("déjà")] == ["Café\n\nDéjà vu."]


@pytest.mark.parametrize("name", ["changelog.Debian.amd64.gz", "README.Debian", "NEWS.Debian.gz", "TODO.Debian.old"])
def test_files_of_debian_are_text_whatever_comes_behind(kb: KnowledgeBase, tmp_path: Path, name: str) -> None:
    data = b"Apples are red."
    kb.index(write(tmp_path / "docs", {name: gzip.compress(data, mtime=0) if name.endswith(".gz") else data}))
    assert [result.path for result in kb.search("apples")] == [name]


def test_names_that_are_no_unicode_are_indexed(kb: KnowledgeBase, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    kb.index(write(tmp_path / "docs", {name: "Coffee."}))
    assert [result.path for result in spaniel.open(kb.path).search("coffee")] == [name]


def test_an_empty_file_is_known_and_not_found(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"empty.md": "", "a.md": "Text."})
    assert sorted(kb.index(folder).added) == ["a.md", "empty.md"]
    assert kb.index(folder).unchanged == 2
    write(folder, {"a.md": ""})
    kb.index(folder)
    assert kb.document_store.count_documents() == 0


def test_a_file_that_can_no_longer_be_read_keeps_its_place(
    kb: KnowledgeBase, guide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb.index(guide)
    write(guide, {"start.md": "Changed."})

    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "start.md":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    report = kb.index(guide)
    assert report.failed == {"start.md": "Permission denied"}
    assert [result.path for result in kb.search("pip")] == ["start.md"]


def test_a_path_that_does_not_exist_changes_nothing(kb: KnowledgeBase, guide: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match="no file or folder"):
        kb.index(guide, guide / "nowhere")
    assert not kb.path.exists()


def test_a_folder_that_is_gone_tells_how_to_take_it_out(kb: KnowledgeBase, guide: Path) -> None:
    kb.index(guide)
    guide.rename(guide.with_name("moved"))
    with pytest.raises(KnowledgeBaseError, match=f"out of the index: spaniel delete {guide}"):
        kb.index(guide)


def test_nothing_to_index_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(KnowledgeBaseError, match="at least one file or folder"):
        kb.index()


def test_an_empty_folder_is_no_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    report = kb.index(write(tmp_path / "docs", {}))
    assert (report.added, report.failed) == ([], {})


def test_reports_progress_before_each_file_and_at_the_end(kb: KnowledgeBase, guide: Path) -> None:
    seen: list[Progress] = []
    kb.index(guide, progress=seen.append)
    steps = [(each.step, each.files, each.path) for each in seen]
    names = ["start.md", "tour.md", "more/deep.md", ""]
    assert steps == [(step, number, name) for step in ("links", "files") for number, name in enumerate(names)]
    assert seen[-1].bytes == seen[-1].total_bytes == sum(len(text) for text in GUIDE.values())


class Stop(BaseException):
    """Ends a run as an impatient user, or a crash, does."""


def test_a_run_after_a_crash_indexes_the_remaining_files(kb: KnowledgeBase, guide: Path, tmp_path: Path) -> None:
    def crash(progress: Progress) -> None:
        if progress.step == "files" and progress.files == 2:
            raise Stop

    with pytest.raises(Stop):
        kb.index(guide, progress=crash)
    for again in (kb, spaniel.open(kb.path)):
        assert sorted({d.meta["path"] for d in again.document_store.filter_documents()}) == ["start.md", "tour.md"]
    report = kb.index(guide)
    assert report.added == ["more/deep.md"]
    assert same(kb, fresh(guide, tmp_path / "other"))


def test_loads_changes_of_other_processes_before_a_change(kb: KnowledgeBase, guide: Path, tmp_path: Path) -> None:
    other = spaniel.open(kb.path)
    other.index(guide)
    report = kb.index(write(tmp_path / "more", {"x.md": "Words."}))
    assert report.added == ["x.md"]
    assert kb.statistics().files == 4


@pytest.mark.parametrize(("step", "done"), [("links", 0), ("files", 2)])
def test_a_run_that_is_stopped_tells_how_many_files_are_left(
    guide: Path, kb: KnowledgeBase, step: str, done: int
) -> None:
    def stop(progress: Progress) -> None:
        if (progress.step, progress.files) == (step, max(done - 1, 0)):
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    try:
        report = kb.index(guide, progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (report.interrupted, len(report.added), report.left, report.unchanged) == (True, done, 3 - done, 0)
    assert (kb.index(guide).left, kb.statistics().files) == (0, 3)
