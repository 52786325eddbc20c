"""The judged sets, in `../shared/data` or the folder that SPANIEL_JUDGED_SETS names; they are not
part of the project.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from spaniel.evaluation import JudgedSet, Part, read_judged_set

PROJECT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SPANIEL_JUDGED_SETS", PROJECT.parent / "shared" / "data"))


@dataclass(frozen=True)
class SetFiles:
    """The files of a set, and its language.

    :param folder: below `DATA`; None: its name.
    :param pages: its passages are whole files, in reStructuredText.
    """

    folder: str | None = None
    judgments: str = "qrels.tsv"
    corpus: str = "corpus.jsonl"
    language: str = "english"
    pages: bool = False


SETS = {
    "scifact": SetFiles(),
    "hotpotqa100": SetFiles(),
    "musique100": SetFiles(),
    "peps_mini": SetFiles(corpus="documents.jsonl", pages=True),
    "xquad_en": SetFiles(),
    "xquad_de": SetFiles(language="german"),
    "xquad_zh": SetFiles(language="chinese"),
    "limit_small": SetFiles(),
    "scifact_train": SetFiles(folder="scifact", judgments="qrels_train.tsv"),
}
"""The last one is for choosing only: its claims are near those of `scifact`."""
REPORTED = [name for name in SETS if name != "scifact_train"]


def read_set(name: str, part: Part = "all") -> JudgedSet:
    """Return a set, or a half of its queries."""
    files = SETS[name]
    folder = DATA / (files.folder or name)
    return read_judged_set(folder, judgments=files.judgments, corpus=files.corpus, name=name).take_part(part)
