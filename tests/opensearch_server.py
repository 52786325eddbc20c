"""One real OpenSearch for a whole test run, however many workers it has:
tools/opensearch/README.md.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.marks import needs_opensearch
from tools.opensearch.ask import ask
from tools.opensearch.folders import locked
from tools.opensearch.processes import is_running, send, wait_until

VARIABLE = "SPANIEL_TEST_OPENSEARCH"
ROOT = Path(__file__).resolve().parents[1]
WAIT_SECONDS = 240  # less than the time a test may take, so that the message is ours


class HeldServer:
    """A server held by a process of its own, which ends it on request, or when the owner has ended
    in any way.

    Every process of the run has such an object for the same folder; the first request starts the
    server.
    """

    def __init__(self, folder: Path, owner: int, nodes: int = 1) -> None:
        self.folder, self.owner, self.nodes = folder, owner, nodes
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def name(self) -> str:
        return f"test-{self.owner}-{self.folder.name}"

    def begin(self) -> None:
        """Start the server unless that was done, and don't wait for it."""
        with locked(self.folder / "lock"):
            if (self.folder / "pid").exists():
                return
            with (self.folder / "log").open("wb") as log:
                options = [f"--name={self.name}", f"--nodes={self.nodes}", "--port=0", f"--while-process={self.owner}"]
                self._child = subprocess.Popen(
                    [sys.executable, "-m", "tools.opensearch", "run", *options, f"--report={self.folder / 'report'}"],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C is for the owner, which ends it
                )
            (self.folder / "pid").write_text(str(self._child.pid))

    def urls(self) -> list[str]:
        """Return the addresses of the nodes, once they are green; the test fails if they can't be
        had.
        """
        self.begin()
        report, end = self.folder / "report", time.monotonic() + WAIT_SECONDS
        while not report.exists():
            if not self._runs() and not report.exists():
                pytest.fail(f"The OpenSearch of the tests has ended:\n{(self.folder / 'log').read_text()}")
            if time.monotonic() > end:
                log = (self.folder / "log").read_text()
                pytest.fail(f"No OpenSearch within {WAIT_SECONDS} s; try `python -m tools.opensearch fetch`.\n{log}")
            time.sleep(0.05)
        outcome = json.loads(report.read_text())
        if "error" in outcome:
            pytest.fail(f"No OpenSearch for the tests (name one that runs in {VARIABLE}?): {outcome['error']}")
        return outcome["urls"]

    def end(self) -> None:
        """Stop the server if it was started, and wait until it is gone."""
        if (self.folder / "pid").exists():
            send(int((self.folder / "pid").read_text()), signal.SIGTERM)
            wait_until(lambda: not self._runs(), 60)

    def _runs(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        return is_running(int((self.folder / "pid").read_text()), "tools.opensearch")


def begin_if_needed(items: list[pytest.Item], server: HeldServer) -> None:
    """Start the server in the background if a selected test will ask for it."""
    if VARIABLE not in os.environ and any(map(needs_opensearch, items)):
        server.begin()


def url_of(server: HeldServer) -> str:
    """Return the address of the server that was named in the environment, else of the one of this
    run.
    """
    url = os.environ.get(VARIABLE)
    if url is None:
        return server.urls()[0]
    try:
        ask(url, "/")
    except OSError as error:
        pytest.fail(f"{VARIABLE} names {url}, where no OpenSearch answers: {error}")
    return url


def fresh_index(url: Callable[[], str]) -> Iterator[str]:
    """Give the name of an index that is not there; it and those whose names go on with a hyphen are
    deleted afterwards.
    """
    name = f"spaniel-test-{secrets.token_hex(6)}"
    yield name
    ask(url(), f"/{name},{name}-*?ignore_unavailable=true&allow_no_indices=true", "DELETE", seconds=60)
