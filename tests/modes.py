"""The two modes of the runtime, so that one test body tries a program in both."""

import asyncio
from collections.abc import Callable
from typing import Any

from spaniel.runtime import Program, execute, execute_async

Run = Callable[..., Any]


def _run_async(program: Program[Any], target: object = None) -> Any:
    return asyncio.run(execute_async(program, target))


MODES: dict[str, Run] = {"sync": execute, "async": _run_async}
