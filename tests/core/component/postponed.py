"""A component whose annotations are text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spaniel.core.component import Variadic, component

if TYPE_CHECKING:
    from nowhere import NotThere


@component
class Later:
    def run(self, texts: list[str], numbers: Variadic[int], unknown: NotThere):
        return {}
