"""The places of models, and the facts in their files."""

import json
import zipfile

import pytest

from spaniel.embedding import find_card, find_model
from spaniel.embedding.model_card import ModelCard
from spaniel.embedding.model_files import read_card
from spaniel.embedding.model_sources import install_model, remove_model
from spaniel.errors import ModelError


@pytest.fixture
def models(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    monkeypatch.setenv("SPANIEL_MODELS", str(folder))
    return folder


def write_model(folder, **configs):
    folder.mkdir(parents=True)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    for name, values in configs.items():
        (folder / f"{name}.json").write_text(json.dumps(values))
    return folder


def test_a_folder_is_a_model(tmp_path):
    found = find_model(write_model(tmp_path / "bge-small-en-v1.5"))
    assert (found.name, found.tokenizer, found.card.pooling) == ("bge-small-en-v1.5", "{}", "cls")


def test_an_archive_is_a_model_of_the_name_of_its_weights(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as archive:
        archive.writestr("e5-small-v2-q.onnx", b"weights")
        archive.writestr("e5-small-v2-q-tokenizer.json", "{}")
    found = find_model(tmp_path / "a.jar")
    assert (found.name, found.weights, found.card.query_prefix) == ("e5-small-v2-q", b"weights", "query: ")


def test_an_onnx_file_is_a_model_with_the_tokenizer_beside_it(tmp_path):
    folder = write_model(tmp_path / "m")
    (folder / "small.onnx").write_bytes(b"small")
    assert find_model(folder / "small.onnx").name == "small"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"model.onnx": b"", "a.txt": b""}, "has no tokenizer.json"),
        ({"tokenizer.json": b"{}"}, "has no ONNX file"),
        ({"a.onnx": b"", "b.onnx": b"", "tokenizer.json": b"{}"}, "has several ONNX files: a.onnx, b.onnx"),
    ],
)
def test_a_folder_without_a_model_is_an_error(tmp_path, files, said):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=said):
        find_model(tmp_path)


def test_a_file_of_another_kind_is_an_error(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"x")
    with pytest.raises(ModelError, match="neither a folder, an archive, nor"):
        find_model(tmp_path / "a.bin")


def test_an_installed_model_is_found_by_its_name_alone_or_with_its_owner(models, tmp_path):
    install_model(str(write_model(tmp_path / "all-MiniLM-L6-v2")))
    for name in ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "ALL-minilm-l6-v2"):
        assert find_model(name).card.max_tokens == 256


def test_an_absent_model_names_the_installed_ones_and_the_command(models, tmp_path):
    install_model(str(write_model(tmp_path / "mine")))
    with pytest.raises(ModelError, match=r"no model 'other'.*spaniel models add other. Installed: mine"):
        find_model("other")


def test_a_removed_model_is_gone(models, tmp_path):
    install_model(str(write_model(tmp_path / "mine")))
    assert remove_model("mine") == models / "mine"
    assert list(models.iterdir()) == []
    with pytest.raises(ModelError, match="Installed: none"):
        remove_model("mine")


def test_a_folder_without_a_model_is_not_installed(models, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="has no ONNX file"):
        install_model(str(tmp_path / "empty"))
    assert not models.exists()


def test_the_files_of_sentence_transformers_say_how_a_model_is_used():
    configs = {
        "1_Pooling/config.json": {"pooling_mode_cls_token": False, "pooling_mode_lasttoken": True},
        "config_sentence_transformers.json": {"prompts": {"query": "q: ", "document": "d: "}},
        "sentence_bert_config.json": {"max_seq_length": 77},
        "modules.json": [{"type": "sentence_transformers.models.Transformer"}],
    }
    assert read_card(configs, ModelCard()) == ModelCard("last", "q: ", "d: ", 77, is_normalized=False)


@pytest.mark.parametrize(
    ("name", "pooling", "query_prefix"),
    [
        ("sentence-transformers/all-mpnet-base-v2", "mean", ""),
        ("BAAI/bge-base-en-v1.5", "cls", "Represent this sentence for searching relevant passages: "),
        ("intfloat/multilingual-e5-small", "mean", "query: "),
        ("nomic-embed-text-v1.5-q", "mean", "search_query: "),
    ],
)
def test_known_models_are_known_by_name(name, pooling, query_prefix):
    card = find_card(name)
    assert (card.pooling, card.query_prefix) == (pooling, query_prefix)


def test_other_models_are_not_known():
    assert find_card("my-bge-small-en") is None
