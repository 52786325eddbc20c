"""Several processes that write, some of them killed: acknowledged writes survive, and nothing else."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.local.faults.rounds import seeds
from tests.document_stores.local.faults.worker import killed_while_working
from tests.document_stores.local.faults.workload import Step, answers, fresh, small_limits, states, steps, verify

_WRITERS = 3
_KINDS = {
    "write": 8,
    "bulk": 2,
    "delete": 3,
    "transaction": 4,
    "rebuild": 0.5,
    "compact": 0.3,
    "release": 1,
    "reopen": 1,
}
_OF_ALL = ("delete_by", "update_by", "clear")
"""Steps that concern the documents of all writers."""


def _own(step: Step, name: str) -> Step:
    """Return a step on documents of one writer."""
    documents = tuple(document.independent_copy(id=f"{name}{document.id}") for document in step.documents)
    parts = tuple(_own(part, name) for part in step.parts if part.kind not in _OF_ALL)
    return step._replace(documents=documents, ids=tuple(f"{name}{id}" for id in step.ids), parts=parts)


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_acknowledged_writes_of_several_writers_survive(tmp_path, seed):
    chance, folder = random.Random(seed), tmp_path / "kb"
    LocalDocumentStore(folder).close()
    todos = {name: [_own(step, name) for step in steps(seed * 10 + n, 25, _KINDS)] for n, name in enumerate("pqr")}
    deaths = {name: chance.choice([0, 0, int(10 ** chance.uniform(1, 3))]) for name in todos}
    with ThreadPoolExecutor(_WRITERS) as threads:
        ends = dict(
            zip(
                todos,
                threads.map(lambda name: killed_while_working(folder, todos[name], at=deaths[name]), todos),
                strict=True,
            )
        )
    with small_limits(), LocalDocumentStore(folder) as store:
        found = store.filter_documents()
        assert answers(store) == answers(fresh(found))
        for name, todo in todos.items():
            done, killed = ends[name]
            assert killed or done == len(todo)
            own = {document.id: document for document in found if document.id.startswith(name)}
            allowed = states({}, todo[: done + 1])[done:]
            assert any(list(own.items()) == list(state.items()) for state in allowed), f"{name}: {ends[name]} {deaths}"
    verify(folder, [{document.id: document for document in found}], f"seed {seed}")
