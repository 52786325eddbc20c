"""The two modes of the runtime, so that one test body tries a program, or a component, in both."""

import asyncio
from collections.abc import Callable
from typing import Any

from spaniel.runtime import Program, execute, execute_async

Run = Callable[..., Any]


def _execute_async(program: Program[Any], target: object = None) -> Any:
    return asyncio.run(execute_async(program, target))


def run_component(component: Any, *args: Any, **inputs: Any) -> Any:
    return component.run(*args, **inputs)


def run_component_async(component: Any, *args: Any, **inputs: Any) -> Any:
    return asyncio.run(component.run_async(*args, **inputs))


MODES: dict[str, Run] = {"sync": execute, "async": _execute_async}
COMPONENT_MODES: dict[str, Run] = {"sync": run_component, "async": run_component_async}
