"""The models of tests: fetched once for all runs of a checkout."""

import os
from pathlib import Path

import pytest

from spaniel.embedding.model_sources import install_model
from tools.opensearch.folders import locked

FOLDER = Path(__file__).resolve().parents[1] / ".models"


@pytest.fixture(scope="session")
def minilm() -> str:
    """The name of an installed model, all-MiniLM-L6-v2 with 8 bits."""
    return _install("all-MiniLM-L6-v2")


def _install(name: str) -> str:
    os.environ["SPANIEL_MODELS"] = str(FOLDER)
    FOLDER.mkdir(exist_ok=True)
    with locked(FOLDER / f".{name}.lock"):
        if not (FOLDER / f"{name}.jar").exists():
            install_model(name)
    return name


if __name__ == "__main__":
    _install("all-MiniLM-L6-v2")
