"""Settings of all tests."""

import os

from hypothesis import settings

# The reference would send its telemetry from every pipeline run; this is read when it is imported.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# `make test` draws the same examples every time, so that a red run means a change; `make test-all` draws ten times as many
# new ones. A busy machine is no fault of the code under test.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("SPANIEL_TEST_PROFILE", "repeatable"))
