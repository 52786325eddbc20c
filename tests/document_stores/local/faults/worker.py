"""A process that works on a store until it is killed."""

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.document_stores.local.faults.layers import Call, Tap, tapped
from tests.document_stores.local.faults.workload import Step, apply, small_limits

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__])


class Death(Tap):
    """Kills this process at its n-th call, before it is made or, if it writes, when half of it is
    made.
    """

    def __init__(self, at: int) -> None:
        self.left = at

    def before(self, call: Call) -> None:
        self.left -= 1
        if self.left:
            return
        if (
            call.operation == "write" and call.path and len(call.data) % 3 and Path(call.path).exists()
        ):  # no temporary file
            with open(call.path, "r+b", buffering=0) as file:  # noqa: PTH123
                file.seek(call.offset)
                file.write(call.data[: len(call.data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)


def work(folder: Path, todo: list[Step], at: int, sender: Connection) -> None:
    """Run steps, and acknowledge each by its number.

    :param at: the call to the layers of files at which to die; 0: none.
    """
    with small_limits(), tapped(Death(at)) as kind:
        store: Any = kind(folder)
        for number, step in enumerate(todo, 1):
            store = apply(store, step)
            sender.send(number)
        store.close()
    sender.send("closed")


def killed_while_working(folder: Path, todo: list[Step], *, at: int = 0, seconds: float = 0.0) -> tuple[int, bool]:
    """Return the number of steps that a process acknowledged, and if it was killed before it ended.

    :param at: the call to the layers of files at which it dies; 0: none.
    :param seconds: after which it is killed, from its first step on.
    """
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(folder, todo, at, sender))
    process.start()
    sender.close()
    done, closed, end = 0, False, float("inf")
    while True:
        try:
            if receiver.poll(max(0.0, min(end - time.monotonic(), 60.0))):
                message = receiver.recv()
                closed = message == "closed"
                done = done if closed else message
                if end == float("inf") and seconds:
                    end = time.monotonic() + seconds
            else:
                process.kill()
                end = float("inf")
        except EOFError:
            break
    process.join()
    receiver.close()
    code = process.exitcode
    process.close()
    assert code in (0, -signal.SIGKILL), f"the process ended with {code}"
    return done, not closed
