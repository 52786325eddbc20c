import os
import signal
import subprocess
import sys

import pytest

from tools.opensearch.processes import exists, is_running, send, wait_until


@pytest.fixture
def process():
    with subprocess.Popen([sys.executable, "-c", "input()", "-Emark=1"], stdin=subprocess.PIPE) as child:
        yield child
        child.kill()


def test_a_process_is_known_by_its_number_and_mark(process):
    assert wait_until(lambda: is_running(process.pid, "-Emark=1"), 30)
    assert not is_running(process.pid, "-Emark=2")


def test_a_process_that_has_ended_does_not_run(process):
    send(process.pid, signal.SIGKILL)

    assert wait_until(lambda: not is_running(process.pid, "-Emark=1"), 30)  # also while nobody has waited for it


def test_a_number_that_is_free_does_not_exist(process):
    assert exists(process.pid)
    process.kill()
    process.wait()

    assert not exists(process.pid)
    send(process.pid, signal.SIGTERM)
    assert exists(os.getpid())


def test_waiting_ends_when_the_time_is_over():
    assert not wait_until(lambda: False, 0)
