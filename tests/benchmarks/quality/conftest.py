"""A small judged set in the layout of BEIR, and measured scores."""

import json
from pathlib import Path

import pytest

from benchmarks.quality.measuring import Quality
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


QUERIES = [str(number) for number in range(40)]


def scores(value):
    return dict.fromkeys(QUERIES, value)


@pytest.fixture
def quality():
    ranking = {"Spaniel": {"nDCG@10": scores(0.5)}, "peer": {"nDCG@10": scores(0.25)}}
    other = {"Spaniel": {"nDCG@10": scores(0.5)}, "peer": {"nDCG@10": scores(0.5)}}
    context = {"recall": scores(0.5), "kept": scores(0.0), "tokens": scores(100.0)}
    links = {"all": scores(1.0), "share": scores(1.0), "tokens": scores(400.0)}
    return Quality(
        rankings={"scifact": ranking, "xquad_de": other},
        contexts={"scifact": {"default": {200: context}, "chunks of 60": {200: context | {"recall": scores(1.0)}}}},
        links={"hotpotqa100": {"links not followed": links, "links followed": links | {"all": scores(0.0)}}},
    )
