"""The mark of each test: `fast`, `faults`, `server` or `slow` (CONTRIBUTING.md)."""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SERVERS = {"opensearch_url": "opensearch", "opensearch_index": "opensearch", "postgres_url": "postgres"}
"""The fixtures that start a server."""

FAULTS = ("document_stores/local/faults/",)
"""Folders of tests with kills, power cuts and failing disks."""

SLOW = (
    "benchmarks/quality/test_present_scores.py",
    "cli/test_process.py",
    "components/converters/test_html_growth.py",
    "components/converters/test_markdown_growth.py",
    "components/converters/test_html_oracle.py",
    "components/converters/test_rst_random.py",
    "components/converters/test_markdown_oracle.py",
    "document_stores/embedded/test_bad_input.py",
    "document_stores/embedded/test_columns.py",
    "document_stores/embedded/test_word_histories.py",
    "document_stores/in_memory/test_model.py",
    "document_stores/in_memory/test_threads.py",
    "document_stores/local/test_readers.py",
    "knowledge_base/test_updates.py",
    "knowledge_base/test_worker_pool.py",
    "parity/test_collections.py",
    "parity/test_peps.py",
    "pipeline/test_same_as_haystack.py",
    "test_docs.py",
)
"""Files and folders of tests on large collections, in many processes, or of long random runs."""


def mark_tests(items: list[pytest.Item]) -> None:
    """Give each test one mark, by its fixtures and its file, unless it has one."""
    for item in items:
        for fixture in SERVERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.server(SERVERS[fixture]))
        if not any(item.get_closest_marker(mark) for mark in ("server", "faults", "slow")):
            item.add_marker(_mark_of(item.path))


def needs_opensearch(item: pytest.Item) -> bool:
    """Return if a test asks for OpenSearch; a bare mark `server` means it."""
    return any(mark.args in ((), ("opensearch",)) for mark in item.iter_markers("server"))


def _mark_of(path: Path) -> str:
    name = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
    if name.startswith(FAULTS):
        return "faults"
    return "slow" if name.startswith(SLOW) else "fast"
