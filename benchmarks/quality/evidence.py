"""Judged sets with spans as answers: XQuAD's answers, SciFact's evidence, HotpotQA's facts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spaniel.evaluation import JudgedSet, Span
from spaniel.json_types import JsonObject

PARAGRAPHS = "\n\n"
"""Between the paragraphs of an article."""


@dataclass(frozen=True)
class Evidence:
    """Texts, and the relevant spans of each query.

    :param judged: its queries that have such spans.
    :param texts: by the id of a source.
    :param titles: of the sources; empty if they have none.
    :param relevant: by query id.
    :param files: each text is a file of its own; else a row of the set's corpus.
    """

    judged: JudgedSet
    texts: dict[str, str]
    titles: dict[str, str]
    relevant: dict[str, list[Span]]
    files: bool

    def write(self, folder: Path) -> Path:
        """Return the file or folder to index: the corpus itself, or the texts written as files."""
        if not self.files:
            return self.judged.corpus
        folder.mkdir()
        for source, text in self.texts.items():
            Path(folder, source).write_text(text, encoding="utf-8")
        return folder


def read_articles(judged: JudgedSet) -> Evidence:
    """Return XQuAD's articles as text files of five paragraphs, with the span of each answer."""
    texts: dict[str, str] = {}
    starts: dict[str, tuple[str, int]] = {}
    for passage in judged.read_passages():
        source = f"{passage['_id'].partition('p')[0]}.txt"
        before = f"{texts[source]}{PARAGRAPHS}" if source in texts else ""
        starts[passage["_id"]] = (source, len(before))
        texts[source] = before + passage["text"]
    relevant = {}
    for query, data in judged.metadata.items():
        source, start = starts[data["passage"]]
        start += data["answer_start"]
        relevant[query] = [Span(source, start, start + len(data["answer"]))]
        assert texts[source][start:].startswith(data["answer"]), query
    return Evidence(judged, texts, dict.fromkeys(texts, ""), relevant, files=True)


def read_sentences(judged: JudgedSet) -> Evidence:
    """Return SciFact's abstracts or HotpotQA's passages, with the sentences that decide each query."""
    passages = {passage["_id"]: passage for passage in judged.read_passages()}
    sentences = {id: _find_sentences(passage) for id, passage in passages.items()}
    relevant: dict[str, list[Span]] = {}
    for query, data in judged.metadata.items():
        spans = [sentences[passage][number] for passage, number in _list_facts(data)]
        if spans:
            relevant[query] = spans
    texts = {id: passage["text"] for id, passage in passages.items()}
    titles = {id: passage["title"] for id, passage in passages.items()}
    return Evidence(judged.take(relevant), texts, titles, relevant, files=False)


def _list_facts(data: JsonObject) -> Iterable[tuple[str, int]]:
    yield from data.get("supporting_facts", ())
    for evidence in data.get("evidence", ()):
        yield from ((evidence["doc"], number) for number in evidence["sentences"])


def _find_sentences(passage: JsonObject) -> list[Span]:
    """Return the spans of the sentences, which have other blanks than the text in HotpotQA."""
    spans, place = [], 0
    for sentence in passage["metadata"]["sentences"]:
        found = re.compile(r"\s+".join(map(re.escape, sentence.split()))).search(passage["text"], place)
        assert found is not None, sentence
        place = found.end()
        spans.append(Span(passage["_id"], found.start(), place))
    return spans
