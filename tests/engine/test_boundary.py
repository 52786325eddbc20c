"""For every Python argument, the engine answers or raises an ordinary exception: no panic, crash or
endless wait.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spaniel._engine import KeywordIndex, Postings, SlotSet, VectorIndex, copy_value
from tests.engine.boundary import Longer, Midway, Sized

ROOT = Path(__file__).parents[2]
SEARCHING = os.environ.get("SPANIEL_TEST_PROFILE") == "searching"


@pytest.fixture
def index():
    index = KeywordIndex()
    index.apply([], index.prepare([1, 2, 3], ["a b", "a", "c"]))
    return index


def test_random_calls_end_in_no_panic_and_no_crash():
    seed, count = (random.randrange(2**32), 20_000) if SEARCHING else (1, 1500)
    command = [sys.executable, "-m", "tests.engine.boundary", "many", str(seed), str(count)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=250, check=False)

    assert (done.returncode, done.stderr) == (0, ""), f"seed {seed}"


@pytest.mark.parametrize("slots", [range(2**62), range(2**45), Sized([1], 2**62), np.broadcast_to(np.uint64(1), 2**50)])
def test_more_slots_than_memory_holds_are_a_memory_error(index, slots):
    for call in (index.apply, SlotSet, lambda slots: index.search("a", variant="BM25L", top_k=1, allowed=slots)):
        with pytest.raises(MemoryError, match="pass fewer at once"):
            call(slots)
    assert len(index) == 3


def test_texts_that_are_wrong_about_their_number_are_refused(index):
    with pytest.raises(MemoryError, match="pass fewer at once"):
        index.prepare([9], Sized(["a"], 2**60))
    with pytest.raises(MemoryError, match="pass fewer at once"):
        index.prepare([9], [Sized(["a"], 2**60)])
    with pytest.raises(ValueError, match="more items than its length of 1"):
        index.prepare([9], Longer(["a"]))


def test_errors_of_an_iteration_propagate(index):
    with pytest.raises(LookupError, match="midway"):
        index.prepare([8, 9], Midway(["a", "b"]))


@pytest.mark.parametrize("slots", ["12", {1, 2}, {1: 2}, (slot for slot in (1, 2)), None, 3])
def test_rejects_slots_that_are_not_a_sequence(index, slots):
    with pytest.raises(TypeError, match="a sequence such as a list is needed, not <class"):
        index.apply(slots)


@pytest.mark.parametrize("order", "<>=")
def test_numbers_in_any_order_of_bytes_are_read_right(index, order):
    postings = Postings()
    postings.add(np.array([0, 1], order + "u4"), np.array([7, 8], order + "u8"))

    assert SlotSet(np.array([1, 2**40], order + "u8")).tolist() == [1, 2**40]
    assert postings.union(np.array([1], order + "u4")).tolist() == [8]
    assert len(index.search("a", variant="BM25L", top_k=9, allowed=np.array([2], order + "u8"))) == 1


def test_a_vector_takes_no_foreign_order_of_bytes():
    index = VectorIndex()
    index.apply([], index.prepare([1], [np.array([1, 2], "<f8")]))

    assert index.nearest(np.array([1, 1], "<f8"), cosine=False, top_k=1) == [(1, 3)]
    with pytest.raises(BufferError, match="convert them"):
        index.nearest(np.array([1, 1], ">f8"), cosine=False, top_k=1)
    with pytest.raises(BufferError, match="convert them"):
        index.prepare([2], [np.array([1, 2], ">f8")])


@pytest.mark.parametrize("change", [dict.clear, lambda holder: holder.update((n, []) for n in range(99))])
def test_a_dict_that_changes_while_it_is_copied_is_copied_as_it_was(change):
    class Changing:
        def __deepcopy__(self, memo):
            change(holder)
            return "copied"

    holder = {"first": Changing(), "second": [1], "third": {}}

    assert copy_value(holder) == {"first": "copied", "second": [1], "third": {}}


@pytest.mark.parametrize("change", [list.clear, lambda holder: holder.extend([[]] * 99)])
def test_a_list_that_changes_while_it_is_copied_is_copied_as_it_was(change):
    class Changing:
        def __deepcopy__(self, memo):
            change(holder)
            return "copied"

    holder = [Changing(), [1], {}]

    assert copy_value(holder) == ["copied", [1], {}]
