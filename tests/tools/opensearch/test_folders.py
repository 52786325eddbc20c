import tempfile
import threading
import time
from pathlib import Path

import pytest

from tools.opensearch import folders
from tools.opensearch.errors import OpenSearchNotStarted


def test_the_folder_that_was_named_is_made_and_open(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.HOME_VARIABLE, str(tmp_path / "os"))
    monkeypatch.setattr(folders.os, "geteuid", lambda: 1000)

    assert folders.home() == tmp_path / "os"
    assert (tmp_path / "os").stat().st_mode & 0o777 == 0o755


def test_an_ordinary_user_has_it_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.delenv(folders.HOME_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(folders.os, "geteuid", lambda: 1000)

    assert folders.home() == tmp_path / "spaniel-opensearch"


def test_a_folder_that_cannot_be_made_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(folders.HOME_VARIABLE, str(tmp_path / "file" / "os"))

    with pytest.raises(OpenSearchNotStarted, match=r"file/os can't be made .*SPANIEL_OPENSEARCH_HOME"):
        folders.home()


def test_root_gets_the_folder_that_the_server_user_cannot_enter(tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv(folders.HOME_VARIABLE, str(closed / "os"))
    monkeypatch.setattr(folders.os, "geteuid", lambda: 0)

    with pytest.raises(OpenSearchNotStarted, match="closed to others: set SPANIEL_OPENSEARCH_HOME"):
        folders.home()


def test_the_first_closed_folder_on_the_way_is_found():
    with tempfile.TemporaryDirectory() as name:  # not in tmp_path, which is within closed folders
        closed = Path(name).resolve()
        (closed / "inner").mkdir()

        closed.chmod(0o700)
        assert folders.closed_to_others(closed / "inner") == closed

        closed.chmod(0o711)
        assert folders.closed_to_others(closed / "inner") is None


def test_who_wants_a_lock_that_is_held_waits_and_says_so(tmp_path, capsys):
    held, order = threading.Event(), []

    def other():
        held.wait()
        with folders.locked(tmp_path / "lock", waiting_for="the first"):
            order.append("second")

    thread = threading.Thread(target=other)
    thread.start()
    with folders.locked(tmp_path / "lock"):
        held.set()
        while "Waiting for the first" not in capsys.readouterr().err:
            time.sleep(0.01)
        order.append("first")
    thread.join()

    assert order == ["first", "second"]
