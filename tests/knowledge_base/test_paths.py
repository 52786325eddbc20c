"""Paths on disk as users type them."""

from pathlib import Path

import pytest

import spaniel
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.paths import expand_path
from tests.knowledge_base.folders import GUIDE, write


def test_a_tilde_is_the_home_folder() -> None:
    assert expand_path("~/notes") == Path.home() / "notes"


def test_an_empty_path_is_refused() -> None:
    with pytest.raises(
        KnowledgeBaseError, match=r"The path is empty. Name a file or folder; '.' is the current folder"
    ):
        expand_path("")


def test_rejects_an_unknown_home_folder_in_every_method(tmp_path: Path) -> None:
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "guide", GUIDE))
    for ask in (spaniel.open, kb.index, lambda path: kb.delete(path=path)):
        with pytest.raises(KnowledgeBaseError, match="'~nouser-x/y' names no place: there is no such home folder"):
            ask("~nouser-x/y")  # type: ignore[operator]
    assert kb.statistics().files == 3
