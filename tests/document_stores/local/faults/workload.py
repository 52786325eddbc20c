"""Random changes of a store, the documents they must leave, and the check that they do."""

import contextlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from spaniel import Document
from spaniel.document_stores.embedded import merger
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore, transaction
from spaniel.document_stores.local.database import connections
from spaniel.document_stores.local.index import indexes, keyword_source
from spaniel.document_stores.local.locking import folder_state

WORDS = ["apple", "pear", "plum", "fig", "kiwi", "lime", "date", "quince", "sloe", "grape"]
IDS = [f"d{number}" for number in range(150)]

State = dict[str, Document]


class Step(NamedTuple):
    """One change: it is whole, or it is not made. A ``transaction`` has parts, and may be rolled
    back at its end.
    """

    kind: str
    documents: tuple[Document, ...] = ()
    ids: tuple[str, ...] = ()
    group: int = 0
    mark: int = 0
    parts: tuple["Step", ...] = ()
    is_rolled_back: bool = False


@contextlib.contextmanager
def small_limits() -> Iterator[None]:
    """Make index files and checkpoints happen with the few documents that a test has."""
    changed: list[tuple[Any, str, Any]] = [
        (folder_state, "_MAX_TAIL", 40),
        (folder_state, "_MAX_TAIL_ON_CLOSE", 10),
        (keyword_source, "MIN_BULK_DOCUMENTS", 60),
        (merger, "MAX_INLINE_MERGE", 20),
        (indexes, "MAX_INLINE_MERGE", 20),
        (transaction, "MIN_BULK_DOCUMENTS", 60),
        (transaction, "_MAX_BATCH_DOCUMENTS", 50),
        (connections.Database.limit_wal, "__defaults__", (150_000,)),
    ]
    before = [getattr(module, name) for module, name, _ in changed]
    for module, name, value in changed:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(changed, before, strict=True):
            setattr(module, name, value)


# --- changes --------------------------------------------------------------------------------------


def _document(id: str, mark: int, random: random.Random) -> Document:
    content = " ".join(random.choices(WORDS, k=random.randrange(1, 12)))
    meta = {"group": random.randrange(6), "mark": mark, "tags": random.sample(WORDS, 2)}
    return Document(id=id, content=content, meta=meta, embedding=[random.uniform(-1, 1) for _ in range(4)])


def _make_trees(documents: list[Document], distance: int) -> None:
    """Make trees of some of the documents: roots and parents, with the texts of their leaves."""
    for first in range(0, len(documents) - 4, distance):
        root, parent, *leaves = range(first, first + 5)
        for node, children in ((parent, leaves[:2]), (root, [parent, leaves[2]])):
            for child in children:
                meta = {"path": f"p{first}", "__parent_id": documents[node].id, "__children_ids": []}
                documents[child] = replace(documents[child], meta=meta | documents[child].meta)
            joined = "".join(str(documents[child].content) for child in children)
            meta = {"path": f"p{first}", "__children_ids": [documents[child].id for child in children]}
            documents[node] = replace(documents[node], content=joined, meta=documents[node].meta | meta)


KINDS = {"write": 10, "bulk": 2, "delete": 4, "delete_by": 1, "update_by": 4, "both": 3, "clear": 0.3, "transaction": 3}
PARTS = {"write": 6, "bulk": 4, "delete": 3, "delete_by": 1, "update_by": 2, "clear": 2, "transaction": 2}
MAINTENANCE = {"rebuild": 1, "compact": 1, "backup": 1, "release": 2, "reopen": 1, "search": 5}


def steps(seed: int, count: int, kinds: dict[str, float] = KINDS | MAINTENANCE) -> list[Step]:
    """Return changes that a seed tells."""
    random_ = random.Random(seed)
    return [_step(random_.choices(list(kinds), list(kinds.values()))[0], mark, random_) for mark in range(count)]


def _step(kind: str, mark: int, random: random.Random, depth: int = 0) -> Step:
    if kind == "transaction":
        kinds = random.choices(list(PARTS), list(PARTS.values()), k=random.randrange(1, 6 - depth))
        parts = tuple(_step(kind, mark, random, depth + 1) for kind in kinds if kind != "transaction" or depth < 2)
        return Step(kind, mark=mark, parts=parts, is_rolled_back=random.random() < 0.3)
    most = {"write": 12, "both": 12, "bulk": 140}.get(kind, 0)
    chosen = random.sample(IDS, random.randrange(most // 2, most) if most else 0)
    documents = [_document(id, mark, random) for id in chosen]
    if mark % 2:
        _make_trees(documents, 5 + mark % 4)
    return Step(kind, tuple(documents), tuple(random.sample(IDS, 8)), random.randrange(6), mark)


def _in_group(step: Step) -> dict[str, Any]:
    return {"field": "meta.group", "operator": "==", "value": step.group}


def _both(store: Any, step: Step) -> None:
    with store.transaction():
        store.delete_documents(list(step.ids))
        store.write_documents(list(step.documents), "overwrite")
        store.update_by_filter(_in_group(step), {"mark": step.mark})


class _RollBackError(Exception):
    """Ends a transaction that is to be rolled back."""


def _transaction(store: Any, step: Step) -> None:
    with contextlib.suppress(_RollBackError), store.transaction():
        for part in step.parts:
            APPLY[part.kind](store, part)
        if step.is_rolled_back:
            raise _RollBackError


def _search(store: Any, step: Step) -> None:
    assert len(store.bm25_retrieval("apple fig", top_k=5)) <= 5
    store.embedding_retrieval([1.0, 0, 0, 0], top_k=3)
    store.filter_documents(_in_group(step))


APPLY: dict[str, Callable[[Any, Step], object]] = {
    "write": lambda store, step: store.write_documents(list(step.documents), "overwrite"),
    "bulk": lambda store, step: store.write_documents(iter(step.documents), "overwrite"),
    "delete": lambda store, step: store.delete_documents(list(step.ids)),
    "delete_by": lambda store, step: store.delete_by_filter(_in_group(step)),
    "update_by": lambda store, step: store.update_by_filter(_in_group(step), {"mark": step.mark}),
    "both": _both,
    "transaction": _transaction,
    "clear": lambda store, _: store.delete_all_documents(),
    "rebuild": lambda store, _: store.rebuild(),
    "compact": lambda store, _: store.compact(),
    "release": lambda store, _: store.release(),
    "search": _search,
    "backup": lambda store, step: store.backup(f"{store.path}-copy{step.mark}"),
}


def apply(store: Any, step: Step) -> Any:
    """Do a step; return the store, which is another object where it was opened again."""
    if step.kind == "reopen":
        store.close()
        return type(store)(store.path)
    APPLY[step.kind](store, step)
    return store


# --- expected states ------------------------------------------------------------------------------


def after(state: State, step: Step) -> State:
    """Return the documents after a step, in store order."""
    if step.kind == "transaction":
        return state if step.is_rolled_back else states(state, step.parts)[-1]
    state = dict(state)
    if step.kind == "clear":
        return {}
    if step.kind in ("delete", "both"):
        for id in step.ids:
            state.pop(id, None)
    if step.kind == "delete_by":
        state = {id: document for id, document in state.items() if document.meta["group"] != step.group}
    for document in step.documents:
        state.pop(document.id, None)
        state[document.id] = document
    if step.kind in ("update_by", "both"):
        for id, document in state.items():
            if document.meta["group"] == step.group:
                state[id] = document.independent_copy()
                state[id].meta["mark"] = step.mark
    return state


def states(first: State, done: Iterable[Step]) -> list[State]:
    """Return the documents before all steps, after the first step, and so on."""
    found = [first]
    for step in done:
        found.append(after(found[-1], step))
    return found


# --- checks ---------------------------------------------------------------------------------------


def answers(store: Any) -> list[Any]:
    """Return the results of keyword searches, a vector search and filters."""
    ranked = [
        store.bm25_retrieval(query, top_k=200) for query in ("apple", "fig plum kiwi", "missing", "date date lime")
    ]
    ranked.append(store.embedding_retrieval([0.5, -0.25, 1.0, 0.125], top_k=200))
    found: list[Any] = [sorted((-round(each.score, 7), each.id) for each in documents) for documents in ranked]
    for field, operator, value in (
        ("meta.group", "==", 3),
        ("meta.mark", ">", 10),
        ("meta.tags", "contains", "fig"),
        ("id", "in", IDS[:20]),
    ):
        documents = store.filter_documents({"field": field, "operator": operator, "value": value})
        found.append([document.id for document in documents])
    return found


def fresh(documents: Iterable[Document]) -> InMemoryDocumentStore:
    """Return a store that is built from documents just now."""
    store = InMemoryDocumentStore(search="leaves")
    store.write_documents(list(documents))
    return store


def verify(
    folder: Path, allowed: list[State], where: str, *, thorough: bool = True, index_is_whole: bool = True
) -> State:
    """Open a store after a fault, and see that it holds one of some states, answers rightly, and
    goes on.

    :param thorough: see that it can be written, too.
    :param index_is_whole: index files are not damaged.
    :returns: the state.
    """
    with LocalDocumentStore(folder) as store:
        found = {document.id: document for document in store.filter_documents()}
        assert any(list(found.items()) == list(state.items()) for state in allowed), (
            f"{where}: {len(found)} documents are found, but {[len(state) for state in allowed]} may be there; "
            f"missing: {[sorted(set(state) - set(found))[:5] for state in allowed]}, "
            f"more: {[sorted(set(found) - set(state))[:5] for state in allowed]}"
        )
        assert answers(store) == answers(fresh(found.values())), f"{where}: the answers are not those of a fresh store"
        problems = store.check()
        assert not (problems if index_is_whole else [each for each in problems if not each.startswith("index: ")]), (
            where
        )
        if thorough:
            goes_on(store, found, where)
            needed = set(store._state.keywords.snapshot().names)
    if thorough:
        no_leftovers(folder, needed, where)
    return found


def goes_on(store: LocalDocumentStore, found: State, where: str) -> None:
    """Check that a store can be written and rebuilt."""
    extra = [Document(id=f"x{number}", content="apple extra", meta={"group": 3, "mark": 0}) for number in range(50)]
    store.write_documents(extra)
    assert answers(store) == answers(fresh([*found.values(), *extra])), f"{where}: it does not go on rightly"
    store.delete_documents([document.id for document in extra])
    assert answers(store) == answers(fresh(found.values())), f"{where}: it does not go on rightly"
    store.rebuild()
    assert store.check() == [], where


def no_leftovers(folder: Path, needed: set[str], where: str) -> None:
    """See that a closed store has no files but those it needs."""
    assert {path.name for path in folder.iterdir()} == {"documents.db", "index", "writer.lock"}, where
    assert {path.name for path in (folder / "index").iterdir()} == {"manifest", *needed}, where
