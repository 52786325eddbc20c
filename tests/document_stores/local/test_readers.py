"""Processes and threads read beside a process that writes, and each answer is of one state."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.locking import folder_state
from tests.document_stores.faces import equal
from tests.document_stores.in_memory.test_threads import READS, SIZE, assert_one_state, state

READER = """
import sys
from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.in_memory.test_threads import READS, assert_one_state
store, seen = LocalDocumentStore(sys.argv[1]), []
print("reading", flush=True)
while not seen or seen[-1] != int(sys.argv[2]):
    for read in READS:
        seen.append(assert_one_state(read(store)))
assert seen == sorted(seen)
store.close()
print(len(set(seen)))
"""
STATES = 120


def test_other_processes_see_every_write_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_state, "_MAX_TAIL", 150)  # so that the files are replaced under the readers
    with LocalDocumentStore(tmp_path / "kb", search="all") as store:
        store.write_documents(state(0))
        command = [sys.executable, "-c", textwrap.dedent(READER), str(tmp_path / "kb"), str(STATES - 1)]
        readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for reader in readers:
            assert reader.stdout.readline() == "reading\n"
        for number in range(1, STATES):
            store.write_documents(state(number), "overwrite")
        for reader in readers:
            out, _ = reader.communicate(timeout=100)
            assert reader.returncode == 0
            assert int(out) > 1, "it has read while states changed"
        assert store.check() == []


def test_the_log_is_bounded_beside_readers_that_never_pause(tmp_path, monkeypatch):
    with LocalDocumentStore(tmp_path / "kb", search="all") as store:
        store.write_documents(state(0))
        bound = store._state.database.limit_wal
        monkeypatch.setattr(store._state.database, "limit_wal", lambda: bound(200_000))
        done = []

        def reader(read):
            while not done:
                assert_one_state(read(store))

        largest = 0
        with ThreadPoolExecutor(4) as pool:
            reading = [pool.submit(reader, read) for read in READS[:4]]
            try:
                for number in range(1, 150):
                    store.write_documents(state(number), "overwrite")
                    store.update_by_filter(equal("meta.state", number), {"pad": "x" * 300})
                    largest = max(largest, (tmp_path / "kb" / "documents.db-wal").stat().st_size)
            finally:
                done.append(True)
            for each in reading:
                each.result()
        assert largest < 1_000_000
        assert store.count_documents() == SIZE
