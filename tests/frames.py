"""The Python functions that a call enters: how long the path of a query is."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import spaniel

_SOURCES = str(Path(spaniel.__file__).parent)


class Frame(NamedTuple):
    """A function of the package that was entered, or a generator that was resumed."""

    file: str
    function: str


def frames_of(call: Callable[[], object], until: str = "") -> list[Frame]:
    """Return the frames of Spaniel's own code that a call enters.

    :param until: a function of the engine whose first call ends the count.
    """
    frames: list[Frame] = []
    ended = False

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal ended
        if event == "call" and not ended and frame.f_code.co_filename.startswith(_SOURCES):
            frames.append(Frame(frame.f_code.co_filename, frame.f_code.co_qualname))
        elif event == "c_call" and until and argument.__name__ == until:
            ended = True

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return frames
