from importlib import import_module, util

import pytest


def _is_there(module):
    try:
        return util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("components.builders", "PromptBuilder"),
        ("components.generators.chat", "OpenAIChatGenerator"),
        ("components.agents", "Agent"),
        ("dataclasses", "ChatMessage"),
        ("utils", "ComponentDevice"),
        ("tracing", "tracer"),
    ],
)
def test_names_beyond_retrieval_are_absent(module, name):
    assert hasattr(import_module(f"haystack.{module}"), name)
    if _is_there(f"spaniel.{module}"):
        assert not hasattr(import_module(f"spaniel.{module}"), name)
