"""Metadata keys that a knowledge base lists without reading its documents."""

from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.document_stores.local import LocalDocumentStore
from tests.knowledge_base.folders import GUIDE, write

ROWS = '{"id": "rex", "text": "Rex barks.", "year": 2020}\n{"id": "tom", "text": "Tom purrs.", "colour": "red"}\n'


def known(kb: KnowledgeBase) -> set[str]:
    return kb._catalog.list_fields()


def stored(kb: KnowledgeBase) -> set[str]:
    return {key for document in kb.document_store.filter_documents() for key in document.meta}


def test_the_fields_are_those_of_the_documents_after_every_change(tmp_path: Path) -> None:
    folder = write(tmp_path / "guide", GUIDE | {"pets.jsonl": ROWS, "empty.md": ""})
    kb = spaniel.open(tmp_path / "kb")
    assert known(kb) == set()
    kb.index(folder)
    assert {"year", "colour", "links"} <= known(kb) == stored(kb) == known(spaniel.open(kb.path))
    write(folder, {"pets.jsonl": ROWS.replace("year", "born")})
    kb.index(folder)
    assert "born" in known(kb) == stored(kb) == known(spaniel.open(kb.path))
    kb.delete(path="pets.jsonl")
    assert "born" not in known(kb) == stored(kb) == known(spaniel.open(kb.path))


def test_neither_a_filter_nor_the_start_of_an_id_reads_all_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "guide", GUIDE))

    def everything(*_: object) -> None:
        pytest.fail("all documents were read")

    monkeypatch.setattr(LocalDocumentStore, "get_metadata_fields_info", everything)
    monkeypatch.setattr(LocalDocumentStore, "filter_documents", everything)
    only = {"field": "meta.path", "operator": "==", "value": "start.md"}
    (hit,) = kb.search("pip", filters=only, follow="links")
    assert kb.find(hit.id[:12]).id == hit.id
