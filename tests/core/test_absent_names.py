from importlib import import_module, util

import pytest


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("components.builders", "PromptBuilder"),
        ("components.generators", "OpenAIGenerator"),
        ("components.agents", "Agent"),
        ("dataclasses", "ChatMessage"),
        ("utils", "ComponentDevice"),
        ("tracing", "tracer"),
    ],
)
def test_what_retrieval_does_not_need_is_absent(module, name):
    assert hasattr(import_module(f"haystack.{module}"), name)
    if util.find_spec(f"spaniel.{module}") is not None:
        assert not hasattr(import_module(f"spaniel.{module}"), name)
