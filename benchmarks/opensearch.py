"""The OpenSearch store beside the bare client and beside opensearch-haystack, on a cluster that
this starts, in one run.

``python -m benchmarks.opensearch --nodes 3 --documents 100000``. All nodes and the clients share
this machine, so times are those of a very small cluster; ratios are of interleaved sides. All of it
is by the clock: most of the work is the server's.
"""

import argparse
import json
import os
import random
import statistics
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpus import corpus
from spaniel import Document
from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    BM25Retriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
)
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from tools.opensearch.cluster import Cluster
from tools.opensearch.layout import Layout

CHUNK, THREADS = 500, 4
HITS, WINDOW = 50, 3
ROUNDS, TURNS = 3, 30
TEXTS_A_FILE = 10
BLOCK_SIZES = {400, 100, 20}
METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
BENCHMARK_JVM = "-XX:+UseSerialGC"  # both compilers, as a server has


@dataclass
class Figures:
    """The measurements: printed lines, and data."""

    values: dict[str, Any] = field(default_factory=dict)

    def note(self, name: str, value: Any, text: str) -> None:
        """Keep a figure and print it."""
        self.values[name] = value
        print(f"{name:<44} {text}", flush=True)

    def compare(self, name: str, sides: Mapping[str, Sequence[float]], target: float, unit: str = "ms") -> None:
        """Keep the medians of two sides, the second ours, and their ratio."""
        (theirs, ours) = (statistics.median(times) * 1000 for times in sides.values())
        ratio = theirs / ours
        named = ", ".join(f"{side} {statistics.median(times) * 1000:,.1f} {unit}" for side, times in sides.items())
        verdict = "met" if ratio >= target else "missed"
        self.note(
            name,
            {"theirs": theirs, "ours": ours, "ratio": ratio, "target": target},
            f"{ratio:5.2f}x ({target}x: {verdict})  {named}",
        )


@contextmanager
def cluster(nodes: int) -> Iterator[list[str]]:
    """Have a new cluster while the block runs."""
    os.environ.setdefault("SPANIEL_OPENSEARCH_HEAP", "1g")
    os.environ.setdefault("SPANIEL_OPENSEARCH_JAVA_OPTS", BENCHMARK_JVM)
    made = Cluster.make(Layout.make(f"bench-{os.getpid()}", nodes))
    try:
        made.start_all()
        made.wait_for("green", nodes=nodes)
        yield made.urls
    finally:
        made.stop()


@dataclass
class Ground:
    """The cluster of the measurement."""

    urls: list[str]
    shards: int
    replicas: int

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of each index."""
        return {"index.knn": True, "number_of_shards": self.shards, "number_of_replicas": self.replicas}

    @contextmanager
    def store(self, **options: Any) -> Iterator[OpenSearchDocumentStore]:
        """Have a store of a new index."""
        name = f"bench-{uuid.uuid4().hex[:8]}"
        options = {"settings": self.settings, "method": METHOD, "chunk_size": CHUNK, "writers": THREADS, **options}
        with OpenSearchDocumentStore(hosts=[*self.urls], index=name, **options) as store:
            store.create_index()
            try:
                yield store
            finally:
                self.delete(name)

    def client(self) -> Any:
        """Return the bare client."""
        from opensearchpy import OpenSearch

        return OpenSearch(self.urls, timeout=60)

    def delete(self, name: str) -> None:
        """Delete an index."""
        with self.client() as client:
            client.indices.delete(index=name)


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def loading(ground: Ground, documents: list[Document], figures: Figures) -> None:
    """Write documents with the bare client, then with the store, some rounds."""
    sides: dict[str, list[float]] = {"parallel_bulk": [], "Spaniel": []}
    for _ in range(ROUNDS):
        with ground.store() as store:
            sides["parallel_bulk"].append(seconds(lambda: bare_load(ground, store.index, documents)))
        with ground.store() as store:
            sides["Spaniel"].append(seconds(lambda: store.write_documents(documents, refresh=True)))
            stored = size_of(ground, store.index)
    figures.compare(f"load {len(documents):,} documents", sides, 0.8)
    rate = len(documents) / statistics.median(sides["Spaniel"])
    figures.note("documents a second, written", rate, f"{rate:,.0f}")
    figures.note("bytes a document, all copies", stored / len(documents), f"{stored / len(documents):,.0f}")
    text = sum(len(document.content or "") for document in documents)
    figures.note("bytes of text a document", text / len(documents), f"{text / len(documents):,.0f}")


def bare_load(ground: Ground, index: str, documents: list[Document]) -> None:
    """Write documents as the client's own helper does."""
    from opensearchpy import helpers

    rows = ({"_op_type": "create", "_index": index, "_id": each.id, "_source": each.to_dict()} for each in documents)
    with ground.client() as client:
        for written, answer in helpers.parallel_bulk(client, rows, chunk_size=CHUNK, thread_count=THREADS):
            if not written:
                raise RuntimeError(answer)
        client.indices.refresh(index=index)


def size_of(ground: Ground, index: str) -> int:
    """Return the bytes of an index on disk, merged to the end, with all copies."""
    with ground.client() as client:
        client.indices.forcemerge(index=index, params={"max_num_segments": "1"})
        client.indices.refresh(index=index)
        return int(client.indices.stats(index=index)["_all"]["total"]["store"]["size_in_bytes"])


def tree(texts: Sequence[str]) -> list[Document]:
    """Return the nodes of the trees of some files, each of several texts."""
    files = [" ".join(texts[at : at + TEXTS_A_FILE]) for at in range(0, len(texts), TEXTS_A_FILE)]
    roots = [Document(id=f"file-{number}", content=text, meta={"n": number}) for number, text in enumerate(files)]
    nodes = HierarchicalDocumentSplitter(block_sizes=BLOCK_SIZES, split_overlap=0, split_by="word").run(roots)[
        "documents"
    ]
    linked = {f"file-{number}": f"file-{(number * 7 + 3) % len(files)}" for number in range(len(files))}
    for node in nodes:
        node.meta["anchor"] = node.id
        node.meta["links"] = [linked[node.id]] if node.id in linked else []
    return nodes


def structure(ground: Ground, texts: Sequence[str], queries: Sequence[str], figures: Figures) -> None:
    """Merge and widen 50 hits, ours beside opensearch-haystack with Haystack's components, on the
    same documents.
    """
    nodes = tree(texts)
    leaves = [node for node in nodes if not node.meta["__children_ids"]]
    with ground.store() as store, theirs(ground, nodes) as other:
        store.write_documents(nodes, refresh=True)
        ours = [hits_of_siblings(leaves), *(store.bm25_retrieval(query, IS_LEAF, HITS) for query in queries)]
        parts: list[tuple[str, Any, Any, str]] = [
            ("auto-merge 50 hits", AutoMergingRetriever(store), other.auto_merging, "documents"),
            (
                "window 50 hits",
                SentenceWindowRetriever(store, window_size=WINDOW),
                other.windows,
                "retrieved_documents",
            ),
        ]
        for name, component, peer, socket in parts:
            for kind, chosen in (("of a few parents", ours[:1]), ("of a query", ours[1:])):
                given = [(hits, [other.document(hit) for hit in hits]) for hits in chosen]
                check(component.run(**{socket: given[0][0]}), peer.run(**{socket: given[0][1]}))
                sides: dict[str, list[float]] = {"haystack": [], "Spaniel": []}
                for turn in range(TURNS):
                    hits, copies = given[turn % len(given)]
                    sides["haystack"].append(seconds(partial(peer.run, **{socket: copies})))
                    sides["Spaniel"].append(seconds(partial(component.run, **{socket: hits})))
                figures.compare(f"{name}, {kind}", sides, 5)
        rates(store, queries, figures)
        requests(store, queries, figures)


IS_LEAF = {"field": "meta.__block_size", "operator": "==", "value": min(BLOCK_SIZES)}


def hits_of_siblings(leaves: Sequence[Document]) -> list[Document]:
    """Return 50 leaves: four of five of some parents, so that these merge, and some single ones."""
    families: dict[str, list[Document]] = {}
    for leaf in leaves:
        families.setdefault(leaf.meta["__parent_id"], []).append(leaf)
    large = [family for family in families.values() if len(family) >= 4]
    chosen = random.Random(1).sample(large, 20)
    return [leaf for family in chosen[:10] for leaf in family[:4]] + [family[0] for family in chosen[10:]]


def check(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise if two components return other documents."""
    for name, documents in theirs.items():
        mine = {getattr(each, "id", each) for each in ours[name]}
        if mine != {getattr(each, "id", each) for each in documents}:
            raise AssertionError(f"The {name} differ.")


@dataclass
class Theirs:
    """The same documents in a store of opensearch-haystack, and Haystack's components over it."""

    auto_merging: Any
    windows: Any
    document: Callable[[Document], Any]


@contextmanager
def theirs(ground: Ground, nodes: Sequence[Document]) -> Iterator[Theirs]:
    """Have the other side while the block runs."""
    from haystack.components import retrievers
    from haystack.dataclasses import Document as HaystackDocument
    from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore as HaystackStore

    name = f"bench-{uuid.uuid4().hex[:8]}"
    store = HaystackStore(hosts=[*ground.urls], index=name, method=METHOD, settings=ground.settings, timeout=60)

    def copy(node: Document) -> Any:
        return HaystackDocument(id=node.id, content=node.content, meta=dict(node.meta), score=node.score)

    try:
        for at in range(0, len(nodes), 20 * CHUNK):
            store.write_documents([copy(node) for node in nodes[at : at + 20 * CHUNK]], refresh=True)
        yield Theirs(
            retrievers.AutoMergingRetriever(store),
            retrievers.SentenceWindowRetriever(store, window_size=WINDOW),
            copy,
        )
    finally:
        ground.delete(name)
        store.close()


def rates(store: OpenSearchDocumentStore, queries: Sequence[str], figures: Figures) -> None:
    """Measure how many queries a second are answered."""
    for threads in (1, 8):
        asked = [queries[number % len(queries)] for number in range(400)]
        with ThreadPoolExecutor(threads) as pool:
            took = seconds(lambda: list(pool.map(store.bm25_retrieval, asked)))  # noqa: B023 (it is over in this turn)
        figures.note(f"queries a second, {threads} at a time", len(asked) / took, f"{len(asked) / took:,.0f}")


def requests(store: OpenSearchDocumentStore, queries: Sequence[str], figures: Figures) -> None:
    """Count the requests of each strategy."""
    hits = store.bm25_retrieval(queries[0], IS_LEAF, HITS)
    roots = store.get_documents_by_id(["file-0", "file-1"])
    links = RecursiveRetriever(store, filter_key="anchor", relevant_doc_keys=["links"], depth=3)
    strategies: dict[str, Callable[[], object]] = {
        "BM25": lambda: BM25Retriever(store).run(queries[0]),
        "auto-merge, three levels": lambda: AutoMergingRetriever(store, threshold=0.01).run(hits),
        "windows of 50 hits": lambda: SentenceWindowRetriever(store, window_size=WINDOW).run(hits),
        "links, three hops": lambda: links.run(roots),
        "structured: search, merge, windows": lambda: StructuredRetriever(store, window=1).run(queries[0]),
    }
    sent = store._connection.send
    for name, strategy in strategies.items():
        count = 0

        def counted(request: Any) -> Any:
            nonlocal count
            count += 1
            return sent(request)

        store._connection.send = counted  # type: ignore[method-assign]  # one call is one HTTP request
        strategy()
        store._connection.send = sent  # type: ignore[method-assign]
        figures.note(f"requests: {name}", count, str(count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=20_000, help="texts of the trees that are merged and widened")
    parser.add_argument("--json", type=Path, help="write the figures there")
    arguments = parser.parse_args()
    made = corpus(arguments.documents)
    documents = [
        Document(
            id=f"{number:08}",
            content=text,
            meta={"percent": int(percent), "source_id": f"s{number // 20}", "split_id": number % 20},
        )
        for number, (text, percent) in enumerate(zip(made.texts, made.percent, strict=True))
    ]
    figures = Figures()
    with cluster(arguments.nodes) as urls:
        ground = Ground(urls, shards=arguments.nodes, replicas=int(arguments.nodes > 1))
        loading(ground, documents, figures)
        structure(ground, made.texts[: arguments.files], made.queries["natural"][:20], figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures.values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
