"""The size of a knowledge base on disk, beside the text of its files."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import spaniel
from benchmarks.quality.ours import Options
from benchmarks.quality.sets import DATA

SUFFIXES = {"rust_book": "md", "peps_mini": "rst"}
"""By set of pages, the suffix of their files."""
Sizes = dict[str, float]
"""`files`, `text` and `store` in bytes, and `ratio`: store by text."""


def measure_store(name: str, open_options: Options | None = None) -> Sizes:
    """Return the size of a set's pages, indexed as files, and of the closed knowledge base."""
    with TemporaryDirectory() as folder:
        pages = Path(folder, "pages")
        pages.mkdir()
        with (DATA / name / "documents.jsonl").open(encoding="utf-8") as file:
            for page in map(json.loads, file):
                Path(pages, f"{page['_id']}.{SUFFIXES[name]}").write_text(page["text"], encoding="utf-8")
        kb = spaniel.open(Path(folder, "kb"), **(open_options or {}))
        kb.index(pages)
        kb.close()
        text, store = (_sum_sizes(place) for place in (pages, Path(folder, "kb")))
        return {"files": len(list(pages.iterdir())), "text": text, "store": store, "ratio": store / text}


def _sum_sizes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
