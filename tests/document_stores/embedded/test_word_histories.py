"""After any history, a store that scores words answers as a new store of the same documents, and as
the plain formula.
"""

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spaniel import Document
from spaniel.document_stores.embedded.document_store import EmbeddedDocumentStore
from spaniel.document_stores.embedded.indexing import SEARCH_SCOPES
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from tests.document_stores.embedded.plain_words import PlainIndex
from tests.document_stores.local.processes import another_process


def split(text: str) -> list[str]:
    return text.lower().split()


FIELDS = {"title": 2.0, "section": 2.0, "file_name": 0.5}
SETTINGS: dict[str, dict[str, Any]] = {
    "english": {"analyzer": "english", "fields": {"title": 2.0}},
    "german": {"analyzer": "german"},
    "auto": {"analyzer": "auto", "fields": FIELDS},
    "code": {"analyzer": "code", "fields": {"title": 1.0, "section": 3.0}},
    "function": {"analyzer": split, "fields": FIELDS},
    "pattern": {"analyzer": re.compile(r"[a-zß-ÿ]+"), "fields": {"title": 2.0}},
    "standard": {"analyzer": "standard", "fields": FIELDS},
}
VOCABULARY = (
    "walk walks walked walking dog dogs Hund Hunde Hundes getUserName user_name e-mail email Straße straße haus Häuser "
    "the of und der store stores storage \u0001dog \u000edog \u000fenglish 犬を飼う c++ 3,000 3000 walkinng (dog) - cat: [a]"
)
WORDS = VOCABULARY.split()
LANGUAGES = ("english", "german", "klingon", None, 7, ["english"])


class RollBackError(Exception):
    """Ends a transaction that is to be rolled back."""


class History:
    """Random writes to a store, beside plain copies of the documents.

    :param local: the folder of a local store; None for one in memory.
    """

    def __init__(self, seed: int, settings: dict[str, Any], local: Path | None) -> None:
        self.draw = random.Random(seed)
        self.scope = self.draw.choice(["all", "leaves"])
        self.options = {"search": self.scope, **settings}
        self.folder = local
        self.documents: dict[str, Document] = {}
        self.store = self.open()
        self.reader = None if local is None else another_process(local, **self.options)

    def open(self) -> EmbeddedDocumentStore:
        if self.folder is None:
            return InMemoryDocumentStore(**self.options)
        return LocalDocumentStore(self.folder, **self.options)

    def text(self, most: int) -> str:
        return " ".join(self.draw.choices(WORDS, k=self.draw.randint(0, most)))

    def value(self) -> Any:
        odd = (None, 3, [self.text(2), None, ["dog"]], {"dog": "dogs"}, "", True, 2.5)
        return self.draw.choice(odd) if self.draw.random() < 0.2 else self.text(3)

    def document(self, id: str) -> Document:
        draw = self.draw
        meta: dict[str, Any] = {"n": draw.randint(0, 3)}
        for key in ("title", "section"):
            if draw.random() < 0.6:
                meta[key] = self.value()
        if draw.random() < 0.7:
            meta["__root_id"] = draw.choice(["r0", "r1", "\u0001r", "1", id, 5])
        if draw.random() < 0.6:
            meta["__language"] = draw.choice(LANGUAGES)
        if draw.random() < 0.5:
            meta["path"] = draw.choice(["a/dogs.md", "walk.tar.gz", ".md", ""])
        if draw.random() < 0.15:
            meta["__children_ids"] = ["1"]
        return Document(id=id, content=None if draw.random() < 0.05 else self.text(12), meta=meta)

    def write(self) -> None:
        batch = [self.document(str(number)) for number in self.draw.sample(range(40), self.draw.randint(1, 12))]
        self.store.write_documents(batch, DuplicatePolicy.OVERWRITE)
        for document in batch:
            self.documents.pop(document.id, None)
            self.documents[document.id] = document

    def update(self) -> None:
        changes: list[dict[str, Any]] = [
            {"title": self.value()},
            {"section": self.text(2)},
            {"__root_id": self.draw.choice(["r0", "r2", None])},
            {"__language": self.draw.choice(LANGUAGES)},
            {"__children_ids": self.draw.choice([[], ["3"]])},
            {"other": "dog"},
            {"path": "new/dogs.txt"},
        ]
        change, n = self.draw.choice(changes), self.draw.randint(0, 3)
        self.store.update_by_filter({"field": "meta.n", "operator": "==", "value": n}, change)
        for document in self.documents.values():
            if document.meta["n"] == n:
                document.meta.update(change)

    def delete(self) -> None:
        for id in self.draw.sample(sorted(self.documents), min(len(self.documents), self.draw.randint(1, 6))):
            self.store.delete_documents([id])
            del self.documents[id]

    def clear(self) -> None:
        self.store.delete_all_documents()
        self.documents = {}

    def transaction(self) -> None:
        if not isinstance(self.store, LocalDocumentStore):
            return
        before = {id: document.independent_copy() for id, document in self.documents.items()}
        is_rolled_back = self.draw.random() < 0.4
        with contextlib.suppress(RollBackError), self.store.transaction():
            for _ in range(self.draw.randint(1, 3)):
                self.draw.choice([self.write, self.update, self.delete])()
            if is_rolled_back:
                raise RollBackError
        if is_rolled_back:
            self.documents = before

    def maintain(self) -> None:
        if not isinstance(self.store, LocalDocumentStore):
            return
        step = self.draw.choice(["rebuild", "compact", "release", "reopen", "change"])
        if step == "change":
            settings = SETTINGS[self.draw.choice([name for name in SETTINGS if name != "function"])]
            self.options = {"search": self.scope, "fields": {}, **settings}
            self.store.rebuild(analyzer=self.options["analyzer"], fields=self.options["fields"])
        elif step == "reopen":
            self.store.close()
            self.store = self.open()
        else:
            getattr(self.store, step)()

    def step(self) -> None:
        steps = [self.write, self.write, self.update, self.update, self.delete, self.transaction, self.maintain]
        (self.clear if self.draw.random() < 0.03 else self.draw.choice(steps))()

    def check(self) -> None:
        stored = self.store.filter_documents()
        assert sorted(each.id for each in stored) == sorted(self.documents)
        fresh = InMemoryDocumentStore(**self.options)
        fresh.write_documents([self.documents[each.id] for each in stored])
        settings = (self.options["analyzer"], self.options.get("fields", {}))
        plain = PlainIndex(list(self.documents.values()), settings, SEARCH_SCOPES[self.scope])
        stores = [store for store in (self.store, self.reader) if store is not None]
        for store in stores:
            assert store.search_statistics() == fresh.search_statistics() == plain.statistics()
        for query in (self.text(4) or "dog", self.draw.choice(["the of und", "dogs", "emails walking", "\u0001"])):
            expected = [(each.id, each.score) for each in fresh.bm25_retrieval(query, top_k=100)]
            scores = plain.score(query)
            assert dict(expected) == pytest.approx(scores, abs=1e-9)
            for store in stores:
                found = [(each.id, each.score) for each in store.bm25_retrieval(query, top_k=100)]
                assert [id for id, _ in found] == [id for id, _ in expected]
                assert dict(found) == pytest.approx(dict(expected), abs=1e-9)
                explained = store.explain_bm25(query, [id for id, _ in found])
                sums = {id: sum(match.score for match in matches) for id, matches in explained.items()}
                assert sums == pytest.approx(dict(found), abs=1e-9)

    def close(self) -> None:
        if isinstance(self.store, LocalDocumentStore):
            assert self.store.check() == []
            self.store.close()
        if self.reader is not None:
            self.reader.close()


@pytest.fixture(params=["memory", "local"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | None]:
    return tmp_path / "store" if request.param == "local" else None


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", range(6))
def test_a_history_is_searched_as_its_documents(seed: int, name: str, place: Path | None) -> None:
    history = History(seed, SETTINGS[name], place)
    for _ in range(25):
        history.step()
        history.check()
    history.close()
