"""Rankings of other libraries, kept in `.bench/quality` by their version and the set."""

import hashlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import apsw

from benchmarks.quality.sets import PROJECT, SETS
from spaniel.evaluation import JudgedSet
from spaniel.json_types import JsonObject

KEPT = PROJECT / ".bench" / "quality"
DEPTH = 100
_HEADING = re.compile(r"^(\S.*)\n([=\-~^\"'*+#])\2{2,}$", re.MULTILINE)
_FORM = 1  # another one for each change of the functions below
Rankings = dict[str, list[str]]
"""By query id, the ids of the best passages."""


class Peer(NamedTuple):
    """A library to measure against.

    :param package: its distribution, whose version is kept with its rankings.
    :param rank: returns its rankings on a set.
    """

    name: str
    package: str
    rank: Callable[[JudgedSet], Rankings]


def rank_haystack(judged: JudgedSet) -> Rankings:
    """Return the rankings of Haystack's retriever, as it is."""
    from haystack import Document
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(shared=False)
    store.write_documents([Document(id=row["_id"], content=_whole_text(row)) for row in judged.read_passages()])
    retriever = InMemoryBM25Retriever(store, top_k=DEPTH)
    return {
        query: [document.id for document in retriever.run(query=text)["documents"]]
        for query, text in judged.queries.items()
    }


def rank_bm25s(judged: JudgedSet) -> Rankings:
    """Return the rankings of bm25s with Snowball's stems and its stop words, Lucene's formula."""
    import bm25s
    import Stemmer

    language = SETS[judged.name].language
    options: dict[str, Any] = {
        "stemmer": None if language == "chinese" else Stemmer.Stemmer(language),
        "stopwords": {"english": "en", "german": "de"}.get(language, []),
        "show_progress": False,
    }
    rows = list(judged.read_passages())
    index = bm25s.BM25()
    index.index(bm25s.tokenize([_whole_text(row) for row in rows], **options), show_progress=False)
    rankings: Rankings = {}
    for query, text in judged.queries.items():
        tokens = bm25s.tokenize([text], return_ids=False, **options)
        places, scores = index.retrieve(tokens, k=min(DEPTH, len(rows)), show_progress=False)
        found = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        rankings[query] = [rows[place]["_id"] for place, score in found if score > 0]
    return rankings


def rank_tantivy(judged: JudgedSet) -> Rankings:
    """Return the rankings of tantivy with the stems of the language, in one field."""
    import tantivy

    language = SETS[judged.name].language
    stems = {"english": "en_stem", "german": "de_stem"}.get(language, "default")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name=stems)
    index = tantivy.Index(builder.build())
    if stems == "de_stem":
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(40))
        analyzer = analyzer.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.stemmer("german"))
        index.register_tokenizer(stems, analyzer.build())
    writer = index.writer(num_threads=1)
    for row in judged.read_passages():
        writer.add_document(tantivy.Document(id=row["_id"], text=_whole_text(row)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    rankings: Rankings = {}
    for query, text in judged.queries.items():
        parsed, _ = index.parse_query_lenient(" ".join(_words(text)), ["text"])
        hits = searcher.search(parsed, DEPTH).hits
        rankings[query] = [searcher.doc(address)["id"][0] for _, address in hits]
    return rankings


def rank_fts5(judged: JudgedSet) -> Rankings:
    """Return the rankings of SQLite FTS5 with porter's stems; title and headings weigh three times."""
    database = apsw.Connection(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE passages USING fts5(id UNINDEXED, title, headings, text, tokenize='porter unicode61')"
    )
    rows = [(row["_id"], row["title"], _headings(row), row["text"]) for row in judged.read_passages()]
    database.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)
    asked = "SELECT id FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, 0, 3, 3, 1) LIMIT ?"
    rankings: Rankings = {}
    for query, text in judged.queries.items():
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_words(text)))
        rankings[query] = [str(id) for (id,) in database.execute(asked, (words, DEPTH))]
    database.close()
    return rankings


PEERS = {
    "bm25s": Peer("bm25s + Snowball", "bm25s", rank_bm25s),
    "tantivy": Peer("tantivy en_stem", "tantivy", rank_tantivy),
    "fts5": Peer("SQLite FTS5 porter", "apsw", rank_fts5),
    "haystack": Peer("Haystack BM25", "haystack-ai", rank_haystack),
}


def read_rankings(peer: str, judged: JudgedSet) -> Rankings | None:
    """Return the rankings of a peer, kept or new; None if not kept and not installed.

    :param judged: with all queries.
    """
    path = KEPT / f"{judged.name}-{peer}.json"
    kept: JsonObject = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    mark, version = _mark(judged), _version(PEERS[peer].package)
    if kept.get("mark") == mark and kept["version"] == (version or kept["version"]):
        found: Rankings = kept["rankings"]
        return found
    if version is None:
        return None
    try:
        rankings = PEERS[peer].rank(judged)
    except ImportError as error:
        print(f"{peer} is left out: {error}", file=sys.stderr)
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mark": mark, "version": version, "rankings": rankings}), encoding="utf-8")
    return rankings


def list_versions() -> dict[str, str]:
    """Return the versions of the peers whose rankings are kept."""
    found = {}
    for peer, (_, package, _) in PEERS.items():
        for path in KEPT.glob(f"*-{peer}.json"):
            found[package] = str(json.loads(path.read_text(encoding="utf-8"))["version"])
    return found


def _mark(judged: JudgedSet) -> str:
    """Return a digest of a set, of the functions above, and of the language."""
    digest = hashlib.sha256(f"{_FORM} {SETS[judged.name]}".encode())
    digest.update(judged.corpus.read_bytes())
    digest.update(json.dumps(judged.queries).encode())
    return digest.hexdigest()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _whole_text(row: JsonObject) -> str:
    return f"{row['title']}\n{row['text']}" if row["title"] else str(row["text"])


def _headings(row: JsonObject) -> str:
    """Return the headings of a page in reStructuredText: lines above a line of punctuation."""
    return "\n".join(match[1] for match in _HEADING.finditer(row["text"]))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
