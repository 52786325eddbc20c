"""Test components, declared once for each library with the same class bodies."""

from types import SimpleNamespace
from typing import Any

import haystack
import haystack.telemetry._telemetry as telemetry
from haystack.core.component.types import GreedyVariadic as HaystackGreedyVariadic
from haystack.core.component.types import Variadic as HaystackVariadic

import spaniel
from spaniel.core.component import GreedyVariadic, Variadic, get_input_sockets, get_output_sockets

telemetry.telemetry = None  # the reference would send usage data over the network with every run


def declare(component: Any, variadic: Any, greedy: Any) -> SimpleNamespace:
    @component
    class Add:
        def __init__(self, amount: int = 1):
            self.amount = amount

        @component.output_types(value=int)
        def run(self, value: int, amount: int | None = None):
            return {"value": value + (self.amount if amount is None else amount)}

    @component
    class Pair:
        @component.output_types(value=int, first=int)
        def run(self, a: int, b: int = 10):
            return {"value": 3 * a + b, "first": a}

    @component
    class Branch:
        def __init__(self, limit: int = 5):
            self.limit = limit

        @component.output_types(above=int, below=int)
        def run(self, value: int):
            return {"above" if value > self.limit else "below": value}

    @component
    class Total:
        @component.output_types(value=int, values=list[int])
        def run(self, values: variadic[int]):
            return {"value": sum(values), "values": list(values)}

    @component
    class OptionalTotal:
        @component.output_types(value=int)
        def run(self, values: variadic[int] = 7):
            return {"value": sum(values)}

    @component
    class First:
        @component.output_types(value=int)
        def run(self, value: greedy[int]):
            return {"value": value[0]}

    @component
    class Gather:
        @component.output_types(values=list[int], size=int)
        def run(self, values: list[int], more: list[int] | None = None):
            return {"values": [*values, *(more or [])], "size": len(values)}

    @component
    class Shout:
        @component.output_types(text=str)
        def run(self, text: str, suffix: str = "!"):
            return {"text": text.upper() + suffix}

    @component
    class Words:
        @component.output_types(words=list[str])
        def run(self, text: str):
            return {"words": text.split(" ")}

    @component
    class Constant:
        @component.output_types(value=int, text=str)
        def run(self):
            return {"value": 4, "text": "four"}

    @component
    class Fragile:
        @component.output_types(value=int)
        def run(self, value: int):
            if value % 5 == 0:
                raise KeyError(f"{value} is refused")
            return {"value": value}

    @component
    class Repeat:
        def __init__(self, outputs: list[str]):
            self.outputs = outputs
            component.set_output_types(self, **dict.fromkeys(outputs, int))

        def run(self, value: int):
            return dict.fromkeys(self.outputs, value)

    return SimpleNamespace(**{name: value for name, value in locals().items() if isinstance(value, type)})


OURS = declare(spaniel.component, Variadic, GreedyVariadic)
THEIRS = declare(haystack.component, HaystackVariadic, HaystackGreedyVariadic)

MAKE = {
    "Add": lambda of: of.Add(2),
    "Pair": lambda of: of.Pair(),
    "Branch": lambda of: of.Branch(6),
    "Total": lambda of: of.Total(),
    "OptionalTotal": lambda of: of.OptionalTotal(),
    "First": lambda of: of.First(),
    "Gather": lambda of: of.Gather(),
    "Shout": lambda of: of.Shout(),
    "Words": lambda of: of.Words(),
    "Constant": lambda of: of.Constant(),
    "Fragile": lambda of: of.Fragile(),
    "Repeat": lambda of: of.Repeat(["x", "y"]),
}
"""Constructors of a component of each kind from either declaration."""

OUTPUTS = {kind: list(get_output_sockets(make(OURS))) for kind, make in MAKE.items()}
INPUTS = {kind: list(get_input_sockets(make(OURS))) for kind, make in MAKE.items()}
