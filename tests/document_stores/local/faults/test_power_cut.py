"""A power cut at any moment: the store is opened from the possible rests of each prefix of all
calls.
"""

import logging
import random
import shutil
from pathlib import Path

import pytest

from spaniel.document_stores.local.files import Files
from spaniel.errors import StoreFileError
from tests.document_stores.local.faults.disk import FATES, Disk, Recorder
from tests.document_stores.local.faults.layers import tapped
from tests.document_stores.local.faults.rounds import LONG, sample, seeds
from tests.document_stores.local.faults.workload import KINDS, State, apply, states, steps, verify

_KINDS = KINDS | {"rebuild": 1, "compact": 1, "release": 2, "reopen": 1}


class Recorded:
    """The calls of some steps, and the documents after each."""

    def __init__(self, folder: Path, seed: int, count: int, *, synced: bool = True) -> None:
        todo = steps(seed, count, _KINDS)
        self.root, self.states, recorder = folder, states({}, todo), Recorder()
        folder.mkdir()
        with tapped(recorder) as kind:
            store = kind(folder)
            for number, step in enumerate(todo, 1):
                if not synced:
                    store._state.database.writer().execute("PRAGMA synchronous = OFF")
                recorder.mark("begin", number)
                store = apply(store, step)
                recorder.mark("done", number)
            store.close()
        self.calls = recorder.calls

    def cut(self, end: int, fate: str, chance: random.Random, place: Path) -> list[State]:
        """Write the rest after a power cut to a folder, and return the states that it may hold.

        :param end: the number of calls before the cut.
        """
        disk, begun, done = Disk(), 0, 0
        for call in self.calls[:end]:
            if call.operation == "begin":
                begun = call.offset
            elif call.operation == "done":
                done = call.offset
            else:
                disk.do(call)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for path, content in disk.after_the_cut(fate, chance, str(self.root)):
            target = place / Path(path).relative_to(self.root)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        return self.states[done : begun + 1]


def _cut_often(
    recorded: Recorded, seed: int, place: Path, short: int, long: int, *, index_is_whole: bool = True
) -> None:
    chance = random.Random(seed)
    cases = sample(range(len(recorded.calls) * len(FATES)), short, long, chance)
    for number, case in enumerate(cases):
        end, fate = case // len(FATES) + 1, FATES[case % len(FATES)]
        allowed = recorded.cut(end, fate, random.Random(seed + case), place)
        where = f"seed {seed}, call {end} of {len(recorded.calls)}, {fate}"
        verify(place, allowed, where, thorough=number % 10 == 0, index_is_whole=index_is_whole)


@pytest.mark.parametrize("seed", seeds(4, 2))
def test_durable_writes_survive_a_power_cut(tmp_path, seed, caplog):
    recorded = Recorded(tmp_path / "kb", seed, 40 if LONG else 25)
    with caplog.at_level(logging.WARNING):
        _cut_often(recorded, seed, tmp_path / "left", 30, 1_000_000)
    assert "can't be used" not in caplog.text, "an index file was named before it was safe"


# --- tests of these tests: a fault that is there is found -----------------------------------------


def test_a_database_that_is_not_synced_is_found_to_lose_writes(tmp_path):
    recorded = Recorded(tmp_path / "kb", 5, 20, synced=False)
    with pytest.raises(AssertionError, match="documents are found, but"):
        _cut_often(recorded, 5, tmp_path / "left", 200, 200)


def test_a_log_that_is_not_synced_is_found_to_lose_writes(tmp_path):
    recorded = Recorded(tmp_path / "kb", 5, 20)
    recorded.calls = [call for call in recorded.calls if call.operation != "sync" or not call.path.endswith("-wal")]
    with pytest.raises((AssertionError, StoreFileError), match=r"documents are found, but|is damaged"):
        _cut_often(recorded, 5, tmp_path / "left", 200, 200)


@pytest.mark.parametrize("operation", ["sync", "sync_folder"])
def test_index_files_that_are_not_synced_are_found_to_be_damaged(tmp_path, operation, caplog):
    """They are built again, so that nothing is lost."""
    recorded = Recorded(tmp_path / "kb", 5, 20)
    recorded.calls = [call for call in recorded.calls if call.operation != operation or "/index" not in call.path]
    with caplog.at_level(logging.WARNING):
        _cut_often(recorded, 5, tmp_path / "left", 60, 60, index_is_whole=False)
    assert "can't be used" in caplog.text


def test_a_new_folder_is_durable(tmp_path):
    recorder = Recorder()
    with tapped(recorder) as kind:
        kind(tmp_path / "a" / "b").close()
    synced = [call.path for call in recorder.calls if call.operation == "sync_folder"]
    assert {str(tmp_path), str(tmp_path / "a")} <= set(synced)


def test_a_record_names_all_that_the_layer_of_the_index_does(tmp_path):
    recorder = Recorder()
    with tapped(recorder) as kind:
        found = kind._file_access.files(tmp_path / "index")
    assert {name for name in vars(Files) if not name.startswith("_")} == {
        "make_folder", "names", "read", "signature", "write", "rename", "remove", "sync",
    }  # fmt: skip
    assert isinstance(found, Files)
