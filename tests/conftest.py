"""Settings of all tests."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from spaniel.core import known_types
from tests.servers.postgres import postgres_url  # noqa: F401 (a fixture of all tests)

# The reference would send its telemetry from every pipeline run; this is read when it is imported.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# `make test` draws the same examples every time, so that a red run means a change; `make test-all` draws ten times as many
# new ones. A busy machine is no fault of the code under test.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("SPANIEL_TEST_PROFILE", "repeatable"))


@pytest.fixture(autouse=True)
def _no_module_stays_allowed() -> Iterator[None]:
    """What a test lets serialised data load, it lets itself alone load."""
    before = set(known_types._allowed_modules)
    yield
    known_types._allowed_modules.clear()
    known_types._allowed_modules.update(before)
