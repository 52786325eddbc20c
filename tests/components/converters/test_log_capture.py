import logging
from threading import Barrier, Thread

from spaniel.components.converters._log_capture import capture_warnings

font = logging.getLogger("some_fonts.tables")


def test_warnings_are_listed_once_and_reach_no_other_handler(caplog):
    with capture_warnings("some_fonts") as warnings:
        font.warning("table %s is\n damaged.", "glyf")
        font.error("table %s is damaged", "glyf")
        font.info("read")
    assert warnings == ["some_fonts: table glyf is damaged (2 times)"]
    assert caplog.records == []


def test_many_warnings_are_cut_short():
    with capture_warnings("some_fonts") as warnings:
        for number in range(8):
            font.warning("glyph %s", number)
    assert warnings == [*(f"some_fonts: glyph {number}" for number in range(5)), "3 more messages"]


def test_logging_is_as_before_at_the_end(caplog):
    top = logging.getLogger("some_fonts")
    before = (list(top.handlers), top.propagate)
    with capture_warnings("some_fonts"):
        pass
    assert (top.handlers, top.propagate) == before
    font.warning("later")
    assert "later" in caplog.text


def test_messages_of_other_threads_are_passed_on_or_captured_there(caplog):
    barrier = Barrier(2)
    found = {}

    def capture(name):
        with capture_warnings("some_fonts") as warnings:
            barrier.wait()
            font.warning("of %s", name)
            barrier.wait()
        found[name] = warnings

    threads = [Thread(target=capture, args=(name,)) for name in ("a", "b")]
    with capture_warnings("some_fonts") as warnings:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        bystander = Thread(target=font.warning, args=("of a bystander",))
        bystander.start()
        bystander.join()
    assert found == {"a": ["some_fonts: of a"], "b": ["some_fonts: of b"]}
    assert warnings == []
    assert caplog.messages == ["of a bystander"]
