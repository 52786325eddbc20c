"""Three real nodes that tests may kill. `make test-cluster` runs this folder, nothing else does."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.opensearch_server import HeldServer, fresh_index
from tools.opensearch.cluster import Cluster


@pytest.fixture(scope="session")
def _nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder: Path = tmp_path_factory.mktemp(f"cluster-{secrets.token_hex(4)}-")
    server = HeldServer(folder, os.getpid(), nodes=3)
    try:
        server.urls()
        cluster = Cluster.open(server.name)
        yield cluster
        cluster.stop(keep=True)  # nodes that tests started are children of this process
    finally:
        server.end()


@pytest.fixture
def cluster(_nodes: Cluster) -> Cluster:
    """A green cluster of three nodes, counted from 0; killed nodes are restarted for the next test."""
    for node in set(_nodes.nodes) - set(_nodes.running()):
        _nodes.start(node)
    _nodes.wait_for("green", nodes=3)
    return _nodes


@pytest.fixture
def cluster_index(cluster: Cluster) -> Iterator[str]:
    """The name of an index that is not there yet, and is deleted after the test."""
    yield from fresh_index(lambda: cluster.urls[cluster.running()[0]])
