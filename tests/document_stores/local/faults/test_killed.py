"""A process that is killed at any moment: acknowledged writes survive, a write in flight is atomic."""

import random
import shutil

import pytest

from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.local.faults.rounds import seeds
from tests.document_stores.local.faults.worker import killed_while_working
from tests.document_stores.local.faults.workload import KINDS, MAINTENANCE, states, steps, verify

_KILLS = 4  # one after the other, on one store
_OFTEN = {"rebuild": 8, "compact": 8, "backup": 4, "release": 4, "write": 8, "both": 4, "delete": 4}


@pytest.mark.parametrize("kinds", [KINDS | MAINTENANCE, _OFTEN], ids=["writing", "maintenance"])
@pytest.mark.parametrize("seed", seeds(3, 25))
def test_acknowledged_writes_survive_a_kill(tmp_path, seed, kinds):
    chance, folder, state = random.Random(seed), tmp_path / "kb", {}
    for number in range(_KILLS):
        todo = steps(seed + number, 60, kinds)
        how = (
            {"at": int(10 ** chance.uniform(0, 3.2))} if chance.random() < 0.7 else {"seconds": chance.uniform(0, 0.5)}
        )
        done, killed = killed_while_working(folder, todo, **how)
        where = f"seed {seed}, kill {number}, {how}, after {done} of {len(todo)} steps"
        found = states(state, todo[: done + 1])[done:]
        state = verify(folder, found, where, thorough=number == _KILLS - 1)
        assert killed or done == len(todo)
        _copies_are_whole(tmp_path, states(state, []) + found, where)


def _copies_are_whole(place, _, where) -> None:
    """A backup that was cut off has no database; a complete backup is a store."""
    for folder in place.glob("kb-copy*"):
        if (folder / "documents.db").exists():
            with LocalDocumentStore(folder) as copy:
                assert copy.check() == [], where
                assert copy.filter_documents({"field": "id", "operator": "==", "value": "none"}) == []
        shutil.rmtree(folder)
