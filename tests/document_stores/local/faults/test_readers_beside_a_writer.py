"""Sixteen readers, half of them processes, beside a writer: no error, no torn read, and a log that
stays small.
"""

import logging
import random
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.database import connections
from tests.document_stores.faces import equal
from tests.document_stores.local.faults.rounds import LONG, SEED
from tests.document_stores.local.faults.worker import processes
from tests.document_stores.local.faults.workload import small_limits
from tests.document_stores.local.processes import another_process

_SECONDS = 60 if LONG else 4
_BATCH = 12  # documents of a batch
_BATCHES = 30  # of which there are, at most
_MAX_LOG_BYTES = 2_000_000


def _report(figures: str) -> None:
    logging.getLogger(__name__).info("%s", figures)


def _batch(number: int, round: int) -> list[Document]:
    """Documents that all hold one word of their own and the number of the round."""
    meta = {"batch": number, "round": round}
    return [
        Document(
            id=f"{number}-{place}", content=f"batch{number} all round{round}", meta=meta, embedding=[float(round), 1.0]
        )
        for place in range(_BATCH)
    ]


def _read(store: LocalDocumentStore, chance: random.Random) -> None:
    """See one batch wholly or not at all, in one round, by each way to read."""
    number = chance.randrange(_BATCHES)
    for found in (
        store.bm25_retrieval(f"batch{number}", top_k=1000),
        store.filter_documents(equal("meta.batch", number)),
        store.embedding_retrieval([1.0, 0.0], top_k=1000, filters=equal("meta.batch", number)),
        store.get_documents_by_key("batch", [number]),
    ):
        assert len(found) in (0, _BATCH), f"{len(found)} documents of batch {number}"
        assert len({document.meta["round"] for document in found}) <= 1
        assert len({document.content for document in found}) <= 1
    everything = store.bm25_retrieval("all", top_k=10_000)
    assert len(everything) % _BATCH == 0
    assert store.count_documents() % _BATCH == 0
    assert len({document.id for document in everything}) == len(everything)


def _read_until(store: LocalDocumentStore, end: float, seed: int) -> int:
    chance, count = random.Random(seed), 0
    while time.monotonic() < end:
        _read(store, chance)
        count += 1
    return count


def _process(folder: Path, seconds: float, seed: int, sender: Connection) -> None:
    with small_limits(), LocalDocumentStore(folder) as store:
        sender.send("ready")
        try:
            sender.send(_read_until(store, time.monotonic() + seconds, seed))
        except BaseException as error:
            sender.send(repr(error))
            raise


def _change(store: LocalDocumentStore, chance: random.Random, round: int) -> None:
    number = chance.randrange(_BATCHES)
    kind = chance.random()
    if kind < 0.6:
        store.write_documents(_batch(number, round), "overwrite")
    elif kind < 0.75:
        store.delete_by_filter(equal("meta.batch", number))
    elif kind < 0.9:
        store.update_by_filter(equal("meta.batch", number), {"round": round})
    elif kind < 0.97:
        with store.transaction():
            store.delete_documents([document.id for document in _batch(number, 0)])
            store.write_documents(_batch(number, round), "overwrite")
    elif kind < 0.99:
        store.rebuild()
    else:
        store.compact()


def test_sixteen_readers_beside_a_writer_see_whole_batches(tmp_path):
    folder, chance, failures, counts = tmp_path / "kb", random.Random(SEED), [], []
    writer = LocalDocumentStore(folder)
    for number in range(_BATCHES):
        writer.write_documents(_batch(number, 0))

    def thread(seed: int, store: LocalDocumentStore) -> None:
        try:
            counts.append(_read_until(store, time.monotonic() + _SECONDS, seed))
        except Exception as error:  # noqa: BLE001 (any is a failure)
            failures.append(repr(error))

    pipes, others = [processes.Pipe(duplex=False) for _ in range(8)], list[Any]()
    for number, (_, sender) in enumerate(pipes):
        others.append(processes.Process(target=_process, args=(folder, _SECONDS, SEED + number, sender)))
        others[-1].start()
        sender.close()
    assert [receiver.recv() for receiver, _ in pipes] == ["ready"] * 8
    apart = another_process(folder)  # half of the threads have nothing in common with the writer
    threads = [threading.Thread(target=thread, args=(SEED - n, writer if n % 2 else apart)) for n in range(1, 9)]
    for each in threads:
        each.start()
    end, round, largest = time.monotonic() + _SECONDS, 1, 0
    while time.monotonic() < end:
        _change(writer, chance, round)
        largest = max(largest, (folder / "documents.db-wal").stat().st_size)
        round += 1
    for each in threads:
        each.join()
    results = [receiver.recv() for receiver, _ in pipes]
    for other, (receiver, _) in zip(others, pipes, strict=True):
        other.join()
        receiver.close()
    failures += [each for each in results if isinstance(each, str)]
    apart.close()
    assert failures == []
    assert min(*counts, *results) > 0
    assert largest < _MAX_LOG_BYTES, f"the log has grown to {largest} bytes in {round} changes"
    assert writer.check() == []
    writer.close()
    _report(
        f"{round} changes beside {sum(counts)} reads of threads and {sum(results)} of processes; log at most {largest} bytes"
    )


def test_the_log_stays_small_while_someone_reads_all_the_time(tmp_path):
    """Alternating readers leave no moment without a reader."""
    with LocalDocumentStore(tmp_path / "kb") as writer:
        writer.write_documents(_batch(0, 0))
        stop, sizes = threading.Event(), []
        reader = another_process(tmp_path / "kb")

        def read() -> None:
            while not stop.is_set():
                with reader._state.reading() as snapshot:
                    assert len(list(snapshot.documents())) % _BATCH == 0
                    time.sleep(0.005)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for round in range(2000 if LONG else 150):
            writer.write_documents(_batch(round % 5, round), "overwrite")
            sizes.append((tmp_path / "kb" / "documents.db-wal").stat().st_size)
        stop.set()
        for thread in threads:
            thread.join()
        reader.close()
    assert max(sizes) < 8_000_000, max(sizes)
    _report(f"log at most {max(sizes)} bytes")


def test_a_long_read_makes_the_log_grow_and_no_write_wait_for_its_end(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(
        connections,
        "_checkpoint",
        lambda connection, usual=connections._checkpoint: (waits.append(1), usual(connection)),
    )
    with LocalDocumentStore(tmp_path / "kb") as writer:
        writer.write_documents(_batch(0, 0))
        log, reader = tmp_path / "kb" / "documents.db-wal", another_process(tmp_path / "kb")
        with reader._state.reading() as snapshot:
            before = [document for _, document in snapshot.documents()]
            for round in range(60):
                writer.write_documents(_batch(0, round), "overwrite")
            assert log.stat().st_size > 1_000_000
            assert 0 < len(waits) < 20
            assert [document for _, document in snapshot.documents()] == before
        for round in range(60):
            writer.write_documents(_batch(0, round), "overwrite")
        assert log.stat().st_size < 500_000
        reader.close()
