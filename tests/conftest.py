"""Settings of all tests."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from spaniel.core import known_types
from tests.marks import mark_tests
from tests.models import minilm  # noqa: F401 (a fixture of all tests)
from tests.modes import COMPONENT_MODES, MODES, Run
from tests.opensearch_server import HeldServer, begin_if_needed, fresh_index, url_of
from tests.servers.postgres import postgres_url  # noqa: F401 (a fixture of all tests)

# The reference would send its telemetry from every pipeline run; this is read when it is imported.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# `make test` draws the same examples every time, so that a red run means a change; `make test-all`
# draws ten times as many new ones. A busy machine is not a fault of the code under test.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("brief", deadline=None, derandomize=True, max_examples=10)  # `make test-pythons`
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("SPANIEL_TEST_PROFILE", "repeatable"))


@pytest.fixture(autouse=True)
def _no_module_stays_allowed() -> Iterator[None]:
    """Undo the modules that a test allows serialized data to load."""
    before = set(known_types._allowed_modules)
    yield
    known_types._allowed_modules.clear()
    known_types._allowed_modules.update(before)


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a program: each test once in plain code, once in a coroutine."""
    return MODES[request.param]


@pytest.fixture(params=COMPONENT_MODES)
def run_component(request: pytest.FixtureRequest) -> Run:
    """Runs a component: each test once by its ``run``, once by its ``run_async``."""
    return COMPONENT_MODES[request.param]


SERVER = pytest.StashKey[HeldServer]()


def pytest_configure(config: pytest.Config) -> None:
    """The run has one folder for the server it may need; workers get that of the process that
    started them.
    """
    given = getattr(config, "workerinput", {}).get("opensearch_server")
    folder, owner = given or (tempfile.mkdtemp(prefix="spaniel-"), os.getpid())
    config.stash[SERVER] = HeldServer(Path(folder), owner)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    server = node.config.stash[SERVER]
    node.workerinput["opensearch_server"] = (str(server.folder), server.owner)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_tests(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    if not session.config.option.collectonly:
        begin_if_needed(session.items, session.config.stash[SERVER])


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(SERVER, None)
    if server is not None and server.owner == os.getpid():
        server.end()
        shutil.rmtree(server.folder)


@pytest.fixture(scope="session")
def opensearch_url(pytestconfig: pytest.Config) -> str:
    """The address of a real OpenSearch, shared by all tests of a run.

    A test that asks for it by `getfixturevalue` is marked with `server`, so that the server starts
    while others run.
    """
    return url_of(pytestconfig.stash[SERVER])


@pytest.fixture
def opensearch_index(opensearch_url: str) -> Iterator[str]:
    """The name of an index that is not there yet, and is deleted after the test."""
    yield from fresh_index(lambda: opensearch_url)
