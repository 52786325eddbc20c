import pytest

from tests.document_stores.local.faults.workload import small_limits


@pytest.fixture(autouse=True)
def _small_limits():
    with small_limits():
        yield
