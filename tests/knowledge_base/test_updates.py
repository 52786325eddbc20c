"""An updated index equals a new one: the same documents after every history of a folder."""

import os
import random
import shutil
from pathlib import Path

import pytest

import spaniel
from spaniel import KnowledgeBase
from tests.knowledge_base.folders import write

HISTORIES = int(os.environ.get("SPANIEL_HISTORIES", "12"))

NAMES = ["a", "b", "index", "README", "guide", "Guide", "start page"]
SUFFIXES = [".md", ".rst", ".html", ".txt", ".markdown", ".htm", ""]
FOLDERS = ["", "guide/", "guide/more/", "api/", "Api/", "a/"]
LABELS = ["spot", "intro", "first-steps", "other place"]
TITLES = ["Intro", "First steps", "Spot", "Spot", "API"]


class Author:
    """Writes random files that link to each other, and moves them about."""

    def __init__(self, folder: Path, random: random.Random) -> None:
        self.folder, self.random = folder, random

    def choose_name(self) -> str:
        choose = self.random.choice
        return choose(FOLDERS) + choose(NAMES) + choose(SUFFIXES)

    def choose_target(self) -> str:
        choose = self.random.choice
        name = choose(["", "", "../", "/", "./"]) + choose(FOLDERS) + choose([*NAMES, "", "start%20page"])
        return name + choose(["", "", *SUFFIXES]) + choose(["", "", "#spot", "#intro", "#First-Steps", "?x=1"])

    def write_text(self, suffix: str) -> str:
        choose, parts = self.random.choice, []
        for _ in range(self.random.randrange(5)):
            title, target, label = choose(TITLES), self.choose_target(), choose(LABELS)
            if suffix == ".rst":
                parts.append(f".. _{label}:\n\n{title}\n{'=' * len(title)}\n\nSee :ref:`{choose(LABELS)}`,")
                parts.append(f":doc:`{target.partition('#')[0] or 'x'}` and `there <{target}>`__ and :pep:`8`.\n\n")
            elif suffix in (".html", ".htm"):
                base = choose(["", "", "<base href='guide/'>"])
                parts.append(f"{base}<h2>{title}</h2><p id='{label}'>See <a href='{target}'>this</a>.</p>\n")
            else:
                anchor = choose(["", "", f"<a id='{label}'></a>\n\n"])
                parts.append(f"# {title}\n\n{anchor}See [this]({target.replace(' ', '%20')}), [that]({label}),\n")
                parts.append(f"[[{choose(NAMES)}]], {{ref}}`{label}`, {{doc}}`{target}`.\n\n({choose(LABELS)})=\n")
        return "".join(parts)

    def list_files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def edit(self) -> str:
        """Make a random change, and describe it."""
        files = self.list_files()
        kind = self.random.choice(["write", "write", "write", "rows", "delete", "move", "move folder", "case", "conf"])
        if kind == "conf":
            suffixes = self.random.choice([".rst", [".rst", ".txt"], {".txt": "markdown"}])
            return self.put(self.random.choice(["", "guide/"]) + "conf.py", f"source_suffix = {suffixes!r}\n")
        if kind == "rows":
            ids = self.random.sample(range(6), 3)
            name = self.random.choice(["a.jsonl", "b.jsonl", "guide/c.jsonl"])
            return self.put(name, "".join(f'{{"id": "{id}", "text": "Row {id} of {name}."}}\n' for id in ids))
        if kind == "write" or not files:
            name = self.choose_name()
            return self.put(name, self.write_text(Path(name).suffix))
        file = self.random.choice(files)
        if kind == "delete":
            file.unlink()
            return f"delete {file}"
        if kind == "move":
            target = self.folder / self.random.choice(FOLDERS) / file.name
        elif kind == "case":
            target = file.with_name(file.name.swapcase())
        else:
            file = file.parent
            target = self.folder / self.random.choice(FOLDERS) / self.random.choice(NAMES)
            if file == self.folder or target.is_relative_to(file):
                return "nothing"
        if target.exists() or any(parent.is_file() for parent in target.parents):
            return "nothing"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(file, target)
        return f"{kind} {file} to {target}"

    def put(self, name: str, text: str) -> str:
        place = self.folder / name
        if place.is_dir() or any(parent.is_file() for parent in place.parents):
            return "nothing"
        write(self.folder, {name: text})
        return f"write {name}:\n{text}"


def read_documents(kb: KnowledgeBase) -> dict[str, dict]:
    documents = kb.document_store.filter_documents() if kb.exists else []
    return {document.id: document.to_dict(flatten=False) for document in documents}


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_an_update_equals_a_new_index(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    folder = write(tmp_path / "docs", {})
    author = Author(folder, source)
    kb = spaniel.open(tmp_path / "kb")
    history = [author.edit() for _ in range(6)]
    for number in range(6):
        part = folder / source.choice(FOLDERS)
        if source.random() < 0.3 and part.is_dir():
            history.append(f"index {part}: {kb.index(part)}")
        history += [author.edit() for _ in range(source.randrange(1, 4))]
        history.append(f"index: {kb.index(folder)}")
        new = spaniel.open(tmp_path / f"new{number}")
        new.index(folder)
        old, expected = read_documents(kb), read_documents(new)
        assert old == expected, "\n".join(history)
        assert kb.index(folder).unchanged == len(kb._catalog.files), "\n".join(history)
