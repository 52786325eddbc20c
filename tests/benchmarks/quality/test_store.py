"""The size of a store."""

import json

import pytest

from benchmarks.quality import store


def test_the_size_of_a_store_is_beside_that_of_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "DATA", tmp_path)
    (tmp_path / "rust_book").mkdir()
    pages = [{"_id": "a", "text": "# One\n\nDogs bark."}, {"_id": "b", "text": "Cats purr: é"}]
    (tmp_path / "rust_book" / "documents.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))

    sizes = store.measure_store("rust_book")

    assert (sizes["files"], sizes["text"]) == (2, 17 + 13)
    assert sizes["store"] > sizes["text"]
    assert sizes["ratio"] == pytest.approx(sizes["store"] / 30)
