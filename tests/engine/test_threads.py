"""Readers beside a writer see each write whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from spaniel._engine import KeywordIndex

SIZE = 60  # documents in every state
STATES = 400


def state(number):
    """Slots and texts of one state; the word `common` is in all of them, as often as the state's
    number says.
    """
    slots = list(range(number * SIZE, (number + 1) * SIZE))
    return slots, [f"common {'pad ' * (number % 50)}doc{slot}" for slot in slots]


def write(index, done):
    try:
        for number in range(1, STATES):
            index.apply(state(number - 1)[0], index.prepare(*state(number)))
    finally:
        done.set()


def read(index, done):
    seen = set()
    while not done.is_set():
        hits = index.search("common", variant="BM25L", top_k=None)
        number = hits[0][0] // SIZE
        assert [slot for slot, _ in hits] == state(number)[0]
        assert len({score for _, score in hits}) == 1
        statistics = index.statistics()
        assert statistics["documents"] == len(index) == SIZE
        assert statistics["vocabulary"] - SIZE in {1, 2}
        assert statistics["tokens"] % SIZE == 0
        seen.add(number)
    return seen


def test_every_read_is_of_a_state_before_or_after_a_write():
    index, done = KeywordIndex(), Event()
    index.apply([], index.prepare(*state(0)))
    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read, index, done) for _ in range(3)]
        pool.submit(write, index, done).result()
        seen = set().union(*(reader.result() for reader in readers))

    assert seen <= set(range(STATES))
    assert [slot for slot, _ in index.search("common", variant="BM25L", top_k=None)] == state(STATES - 1)[0]


def test_a_reader_does_not_see_itself_go_back_in_time():
    index, done = KeywordIndex(), Event()
    index.apply([], index.prepare(*state(0)))

    def numbers():
        while not done.is_set():
            yield index.search("common", variant="BM25L", top_k=1)[0][0] // SIZE

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(lambda: list(numbers())) for _ in range(2)]
        pool.submit(write, index, done).result()

        for reader in readers:
            assert reader.result() == sorted(reader.result())
