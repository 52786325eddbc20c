"""Judged sets: queries, and for each the passages that are relevant to it."""

import csv
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TextIO

import orjson

from spaniel.errors import JudgedSetError
from spaniel.json_types import JsonObject

Part = Literal["dev", "held-out", "all"]


@dataclass(frozen=True)
class JudgedSet:
    """Queries with judgments, and the file of the passages that they are about.

    :param name: of the set.
    :param corpus: the file of passages, one JSON object a line.
    :param queries: the text of each query, by its id.
    :param judgments: by query id, the grade of each judged passage, by its id; above 0 is relevant.
    :param metadata: other data of each query, by its id.
    """

    name: str
    corpus: Path
    queries: dict[str, str]
    judgments: dict[str, dict[str, int]]
    metadata: dict[str, JsonObject] = field(default_factory=dict)

    def read_passages(self) -> Iterator[JsonObject]:
        """Yield the passages: ``_id``, ``title``, ``text`` and perhaps ``metadata``."""
        return _read_lines(self.corpus)

    def take_part(self, part: Part) -> "JudgedSet":
        """Return the set with the queries of a part: one half, the other half, or all.

        The half of a query follows from its id alone. Options are chosen on ``dev`` and reported on
        ``held-out``.

        >>> judged = JudgedSet("pets", Path("pets.jsonl"), {"1": "dog", "2": "cat"}, {"1": {"a": 1}, "2": {"b": 1}})
        >>> [list(judged.take_part(part).queries) for part in ("dev", "held-out", "all")]
        [['2'], ['1'], ['1', '2']]
        """
        if part not in ("dev", "held-out", "all"):
            raise ValueError(f"part must be 'dev', 'held-out' or 'all', got {part!r}.")
        return self.take(id for id in self.queries if part in ("all", part_of(id)))

    def take(self, query_ids: Iterable[str]) -> "JudgedSet":
        """Return the set with some of its queries."""
        chosen = set(query_ids)
        return replace(
            self,
            queries={id: text for id, text in self.queries.items() if id in chosen},
            judgments={id: grades for id, grades in self.judgments.items() if id in chosen},
            metadata={id: data for id, data in self.metadata.items() if id in chosen},
        )


def part_of(query_id: str) -> Part:
    """Return the half of a query: ``dev`` if the SHA-256 of its id begins with an even byte.

    >>> part_of("1"), part_of("2")
    ('held-out', 'dev')
    """
    return "held-out" if hashlib.sha256(query_id.encode()).digest()[0] % 2 else "dev"


def read_judged_set(
    folder: str | os.PathLike[str], *, judgments: str = "qrels.tsv", corpus: str = "corpus.jsonl", name: str = ""
) -> JudgedSet:
    r"""Return the judged set in a folder: ``queries.jsonl``, a corpus, and judgments.

    The layout is that of BEIR (Thakur et al., 2021). Queries without a judgment are left out.

    :param judgments: a file of lines with a query id, a passage id and a grade, separated by
        tabs, below a line of titles.
    :param corpus: the name of the file of passages.
    :param name: of the set; the folder's by default.
    :raises JudgedSetError: a file is missing, or a line of it can't be read.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "queries.jsonl").write_text('{"_id": "1", "text": "red fruit"}')
    >>> _ = (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tapple\t2\n")
    >>> read_judged_set(folder).judgments
    {'1': {'apple': 2}}
    """
    place = Path(folder)
    grades = _read_judgments(place / judgments)
    queries, metadata = {}, {}
    for line in _read_lines(place / "queries.jsonl"):
        id = str(line["_id"])
        if id in grades:
            queries[id] = str(line["text"])
            metadata[id] = line.get("metadata") or {}
    ordered = {id: grades[id] for id in queries}
    return JudgedSet(name or place.name, place / corpus, queries, ordered, metadata)


def _read_judgments(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    with _open(path) as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows, None)
        for number, row in enumerate(rows, 2):
            try:
                query, passage, grade = row
                grades.setdefault(query, {})[passage] = int(grade)
            except ValueError:
                raise JudgedSetError(
                    f"Line {number} of {path} is not a judgment: {row!r}. Write a query id, a passage id and a grade, with tabs."
                ) from None
    return grades


def _read_lines(path: Path) -> Iterator[JsonObject]:
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise JudgedSetError(f"Line {number} of {path} is not JSON: {error}.") from None


def _open(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8", newline="")
    except OSError as error:
        raise JudgedSetError(f"{path} can't be read: {error.strerror}. A judged set needs it.") from None
