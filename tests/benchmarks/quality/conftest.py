"""A small judged set in the layout of BEIR."""

import json
from pathlib import Path

import pytest

from spaniel.evaluation import JudgedSet

PASSAGES = {
    "h1": ("Dogs", "Dogs bark at night. Wolves howl.", ["h2"]),
    "h2": ("Cats", "Cats purr all day long.", []),
    "h3": ("Birds", "Birds sing in the morning.", ["h1"]),
}


@pytest.fixture
def judged(tmp_path: Path) -> JudgedSet:
    path = tmp_path / "corpus.jsonl"
    with path.open("w") as file:
        for id, (title, text, links) in PASSAGES.items():
            sentences = [f"{sentence}." for sentence in text.rstrip(".").split(". ")]
            metadata = {"links": links, "sentences": sentences}
            file.write(json.dumps({"_id": id, "title": title, "text": text, "metadata": metadata}) + "\n")
    return JudgedSet(
        "hotpotqa100",
        path,
        {"q1": "dogs bark", "q2": "birds sing"},
        {"q1": {"h1": 1, "h2": 1}, "q2": {"h3": 1}},
        {"q1": {"supporting_facts": [["h1", 1], ["h2", 0]]}, "q2": {"supporting_facts": []}},
    )
