"""Settings of all tests."""

import os

from hypothesis import settings

# The reference would send its telemetry from every pipeline run; this is read when it is imported.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

# A busy machine is no fault of the code under test.
settings.register_profile("spaniel", deadline=None)
settings.load_profile("spaniel")
