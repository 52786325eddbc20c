"""Calls of the compiled engine as no one should make them, read from bytes: ``run(data)`` is one
program.

``python -m tests.engine.boundary seconds 60 PATH`` runs random programs, each from the file PATH,
which stays if one ends the process; ``python -m tests.engine.boundary file PATH`` runs it again.
"""

import array
import contextlib
import faulthandler
import itertools
import random
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from spaniel import _engine

MAX_CALLS = 40
MEMORY = 4 << 30  # larger requests get a MemoryError


class Reader:
    """Bytes as choices; zeros when they are used up."""

    def __init__(self, data):
        self.rest = iter(data)
        self.is_empty = not data

    def byte(self):
        byte = next(self.rest, None)
        self.is_empty = byte is None
        return byte or 0

    def of(self, choices):
        return choices[(self.byte() << 8 | self.byte()) % len(choices)]


class Text(str):
    __slots__ = ()


class Bytes(bytes):
    pass


class Raises:
    """Raises on every access."""

    def _raise(self, *_):
        raise ArithmeticError("odd")

    __index__ = __int__ = __float__ = __hash__ = __eq__ = __len__ = __iter__ = __getitem__ = __str__ = __repr__ = _raise
    __deepcopy__ = __bool__ = __contains__ = __getattr__ = _raise


class Sized(list):
    """A list that is wrong about its length."""

    def __init__(self, items, length):
        super().__init__(items)
        self.length = length

    def __len__(self):
        return self.length


class Midway(list):
    """A list whose iteration stops with an error."""

    def __iter__(self):
        yield self[0]
        raise LookupError("midway")


class Longer(list):
    """A list that gives far more than its length."""

    def __iter__(self):
        yield from [self[0]] * 1000


class Reentrant:
    """A number that changes the index, the list and the dict that contain it, while it is read or
    copied.
    """

    def __init__(self, index, holder):
        self.index, self.holder = index, holder

    def __index__(self):
        slot = 1 + max([0, *(hit[0] for hit in self.index.search("a", variant="BM25L", top_k=None))])
        with contextlib.suppress(ValueError, OverflowError):
            self.index.apply([], self.index.prepare([slot], ["a re-entered"]))
        self.holder.clear()
        return slot

    def __deepcopy__(self, memo):
        self.__index__()
        if isinstance(self.holder, dict):
            self.holder.update((number, []) for number in range(50))
        return 1


def reentrant(index, holder):
    inner = Reentrant(index, holder)
    if isinstance(holder, dict):
        holder.update(a=inner, b=[inner], c={})
    else:
        holder.extend([1, inner, [2], 3])
    return holder


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def endless():
    value = {}
    value["itself"] = [value]
    return value


INTEGERS = [
    0,
    1,
    2,
    5,
    7,
    31,
    255,
    2**13,
    2**32 - 1,
    2**32,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    10**400,
    -1,
    -(2**63),
]
FLOATS = [0.0, -0.0, 1.5, -1.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf")]
TEXTS = [
    "",
    "a",
    "a b c",
    "b a a",
    "\ud800",
    "x\udfffy a",
    "日本語",
    "e\u0301",
    "\U0010ffff",
    "a\0b",
    "ﬀ İ ẞ" * 9,
    "k1",
    "b",
    "delta",
]
USUAL = ["BM25Okapi", "BM25L", "BM25Plus", "characters", "bigrams"]
TYPES = [np.uint64, np.int64, np.uint32, np.int16, np.int8, np.float64, np.bool_, ">u8", ">u4", ">i2", object]
SHAPES = [
    lambda a: a,
    lambda a: a[::2],
    lambda a: a[::-1],
    lambda a: a[:0],
    lambda a: a.reshape(2, -1),
    lambda a: a.reshape(2, -1).T,
    lambda a: a[0],
    lambda a: a[:1].reshape(()),
    lambda a: np.broadcast_to(a[:1], (3, 5)),
    lambda a: np.broadcast_to(a[0], 2**50) if a.dtype != object else a,
    lambda a: memoryview(a) if a.dtype != object else a,
]
OBJECTS = [
    lambda index: index,
    lambda index: index.prepare([7], ["a seven"]),
    lambda index: index.prepare([2**64 - 1], [["a"]]),
    lambda index: index.explain(
        "a", [slot for slot, _ in index.search("a", variant="BM25L", top_k=1)], variant="BM25L"
    ),
    lambda _: _engine.Selection(b"\xff" * 3, 2),
    lambda _: _engine.Selection(b"\xff" * 300, 2**64 - 100),
    lambda _: _engine.SlotSet([1, 5, 2**64 - 1]),
    lambda _: _engine.Postings(),
    lambda _: Raises(),
    lambda _: [Raises()],
    lambda _: {"k1": Raises(), "b": 0.5},
    lambda _: {"k1": float("nan"), "b": -1, "delta": 1e308, "epsilon": -float("inf")},
    lambda _: Sized([1, 2], 2**62),
    lambda _: Sized(["a"], 2**40),
    lambda _: Sized([1, 2, 3], 1),
    lambda _: Sized([], -1),
    lambda _: Midway([1, 2]),
    lambda _: Midway(["a", "b"]),
    lambda _: Longer([7]),
    lambda _: (each for each in (1, 2)),
    lambda _: {1, 2},
    lambda _: range(2**40),
    lambda _: range(2**64),
    lambda _: range(3),
    lambda _: nested(399),
    lambda _: nested(5000),
    lambda _: endless(),
    lambda _: array.array("Q", [1, 2, 3]),
    lambda _: array.array("I", [0, 1]),
    lambda _: array.array("h", [1, -2]),
    lambda _: array.array("b", [1, -2, 3, 4]),
    lambda _: bytearray(b"abc"),
    lambda _: Bytes(b"\x00\xff"),
    lambda _: memoryview(b"\x01" * 16).cast("Q"),
    lambda _: memoryview(b""),
    lambda _: Text("a b"),
    lambda _: object,
    lambda index: reentrant(index, []),
    lambda index: reentrant(index, {}),
]


def number(reader, _index):
    return reader.of(INTEGERS)


def any_float(reader, _index):
    return reader.of(FLOATS)


def text(reader, _index):
    return reader.of(TEXTS + USUAL)


def usual(reader, _index):
    return reader.of(USUAL)


def numbers(reader, index):
    return [number(reader, index) for _ in range(reader.byte() % 5)]


def texts(reader, index):
    return [text(reader, index) for _ in range(reader.byte() % 5)]


def lists(reader, index):
    return [texts(reader, index) for _ in range(reader.byte() % 4)]


def numpy_array(reader, _index):
    return reader.of(SHAPES)(np.arange(8).astype(reader.of(TYPES)))


def special(reader, index):
    return reader.of(OBJECTS)(index)


def rising(reader, index):
    """Slots that can be added."""
    first = 1 + max([0, *(slot for slot, _ in index.search("a b", variant="BM25L", top_k=None))])
    return list(range(first, first + reader.byte() % 5))


def words(reader, index):
    """Query words with their amounts."""
    return [([(text(reader, index), any_float(reader, index))], any_float(reader, index), any_float(reader, index), True)]


def parameters(reader, index):
    """Parameters of the score of words."""
    names = ("k1", "k3", "whole", "forms", "weights", "b", "other")
    values = (any_float, lambda reader, index: [any_float(reader, index)], special)
    return {reader.of(names): reader.of(values)(reader, index) for _ in range(reader.byte() % 3)}


ANYTHING = [number, any_float, text, usual, numbers, texts, lists, numpy_array, special, special, rising]
ANYTHING += [lambda *_: None, lambda *_: True, lambda *_: (), lambda *_: {}]

METHODS = {  # the usual arguments of each call, positional and named
    "tokenize": ([text, usual], {}),
    "token_spans": ([text, usual], {}),
    "analyze": ([text, usual], {}),
    "word_spans": ([text], {}),
    "word_sequence": ([text], {}),
    "stem": ([text, usual], {}),
    "detect_language": ([text], {}),
    "copy_value": ([special], {}),
    "VectorIndex": ([], {}),
    "nearest": ([numpy_array], {"cosine": special, "top_k": number, "allowed": special, "approximate": special}),
    "code": ([], {}),
    "snapshot": ([], {}),
    "state": ([], {}),
    "Selection": ([special, number], {}),
    "SlotSet": ([numbers], {}),
    "query_words": ([text, usual], {}),
    "terms": ([number], {}),
    "Batch": ([], {}),
    "TermScore": ([], {}),
    "Postings": ([], {}),
    "KeywordIndex": ([usual, number], {}),
    "WordScore": ([], {}),
    "search_words": (
        [words],
        {"parameters": parameters, "languages": usual, "top_k": number, "allowed": special, "min_score": any_float},
    ),
    "explain_words": ([words, numbers], {"parameters": parameters, "languages": usual}),
    "find_documents": ([words], {"languages": usual, "least": number, "field": number, "near": number}),
    "words_with_prefix": ([text, number], {}),
    "unknown_words": ([text, usual], {}),
    "languages": ([], {}),
    "prepare": ([rising, texts], {"others": special, "roots": texts, "languages": texts}),
    "apply": ([numbers, special], {"tidy": number}),
    "tidy": ([], {}),
    "search": (
        [text],
        {"variant": usual, "top_k": number, "parameters": special, "allowed": special, "min_score": any_float},
    ),
    "explain": ([text, numbers], {"variant": usual, "parameters": special}),
    "statistics": ([], {}),
    "add": ([numbers, numbers], {}),
    "remove": ([numbers, numbers], {}),
    "union": ([numbers], {}),
    "tolist": ([], {}),
    "tobytes": ([], {}),
    "__or__": ([special], {}),
    "__and__": ([special], {}),
    "__sub__": ([special], {}),
    "__eq__": ([special], {}),
    "__contains__": ([number], {}),
    "__len__": ([], {}),
    "__repr__": ([], {}),
    "__hash__": ([], {}),
}


def arguments(reader, index, places, names):
    def one(usual):
        return (usual if reader.byte() % 2 else reader.of(ANYTHING))(reader, index)

    given = [one(usual) for usual in places]
    if reader.byte() % 16 == 15:
        given = given[:-1] if given and reader.byte() % 2 else [*given, one(special)]
    optional = {"parameters", "allowed", "min_score", "tidy", "others", "roots", "languages"}
    return given, {name: one(usual) for name, usual in names.items() if name not in optional or reader.byte() % 2}


def call(reader, index, held):
    """Make one call, of a function or of a method of a held object; keep the result."""
    name = reader.of(list(METHODS))
    owners = [owner for owner in (_engine, *held) if hasattr(type(owner) if owner is not _engine else owner, name)]
    if not owners:
        return
    owner = owners[reader.byte() % len(owners)]
    places, keywords = arguments(reader, index, *METHODS[name])
    result = getattr(owner, name)(*places, **keywords)
    if type(result).__module__ == _engine.__name__ and len(held) < 12:
        held.append(result)


def run(data, index=None):
    """Make the calls that the bytes say. Anything but an ordinary exception is a fault: a panic is
    none.
    """
    shared = index is not None
    index = index if shared else _engine.KeywordIndex()
    with contextlib.suppress(ValueError):  # another thread was first
        index.apply([], index.prepare([3, 4, 6], ["a b", "a", "c \ud800"]))
    reader, held = Reader(data), [index, _engine.SlotSet([1, 9]), _engine.Postings()]
    for _ in range(MAX_CALLS):
        if reader.is_empty:
            break
        with contextlib.suppress(Exception):
            call(reader, index, held)
    if not shared:
        count = len(index)
        assert index.statistics()["documents"] == count
        assert len(index.search("a b c", variant="BM25L", top_k=None)) <= count


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run_beside_each_other(programs, threads=4):
    """Run programs on one index from many threads at once."""
    index = _engine.KeywordIndex()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda program: run(program, index), programs))
    assert index.statistics()["documents"] == len(index)


def random_programs(seed):
    rng = random.Random(seed)
    while True:
        yield rng.randbytes(rng.randrange(400))


def run_many(seed, count):
    """Run random programs, sequentially and concurrently."""
    programs = list(itertools.islice(random_programs(seed), count))
    for program in programs:
        run(program)
    for first in range(0, count, 80):
        run_beside_each_other(programs[first : first + 8])


def search_for_faults(seconds, failed):
    """Run random programs for some seconds; the current one is always in the file `failed`."""
    end, seed = time.monotonic() + seconds, random.randrange(2**32)
    for count, program in enumerate(random_programs(seed)):
        if time.monotonic() > end:
            break
        failed.write_bytes(program)
        run(program)
    failed.unlink()
    run_many(seed, 400)
    print(f"boundary: {count} programs, no fault (seed {seed})")


if __name__ == "__main__":
    limit_memory()
    faulthandler.enable()
    match sys.argv[1:]:
        case ["seconds", seconds, failed]:
            search_for_faults(float(seconds), Path(failed))
        case ["many", seed, count]:
            run_many(int(seed), int(count))
        case ["file", path]:
            run(Path(path).read_bytes())
