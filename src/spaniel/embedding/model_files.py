"""The files of a model: in a folder, an archive, the folder of installed models, or a hub."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spaniel.embedding.model_card import ModelCard, Pooling, find_card
from spaniel.errors import ModelError

_WEIGHTS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_HUB_FILES = [*_WEIGHTS, "*.onnx_data", "tokenizer.json", "*config*.json", "modules.json", "*/config.json"]
_FOLDER_VARIABLE = "SPANIEL_MODELS"


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model.

    :param name: of the model.
    :param weights: the ONNX file: its path, or its bytes if it is in an archive.
    :param tokenizer: the JSON text of the tokenizer.
    :param card: pooling, prefixes and length.
    """

    name: str
    weights: Path | bytes
    tokenizer: str
    card: ModelCard


def get_models_folder() -> Path:
    """Return the folder of installed models: ``$SPANIEL_MODELS``, or one in the user's cache."""
    if given := os.environ.get(_FOLDER_VARIABLE):
        return Path(given).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "spaniel" / "models"


def find_model(name: str | os.PathLike[str]) -> ModelFiles:
    """Return the files of a model.

    :param name: a folder, an archive (``.jar``, ``.zip``) or an ``.onnx`` file with its tokenizer
        beside it; else the name of an installed model; else a repository ``owner/name`` of the
        Hugging Face Hub, if the package ``huggingface_hub`` is installed.
    :raises ModelError: there is no such model, or it has no ONNX file or tokenizer.
    """
    path = Path(name).expanduser()
    if path.exists():
        return _read_place(path)
    short = str(name).rstrip("/").rpartition("/")[2]
    for place in list_installed():
        if place.stem.lower() == short.lower() or place.name.lower() == short.lower():
            return replace(_read_place(place), name=short)
    return _fetch_from_hub(str(name))


def list_installed() -> list[Path]:
    """Return the folders and archives of installed models, by name."""
    folder = get_models_folder()
    places = folder.iterdir() if folder.is_dir() else ()
    return sorted(place for place in places if place.is_dir() or zipfile.is_zipfile(place))


def _read_place(path: Path) -> ModelFiles:
    if path.is_dir():
        names = [file.relative_to(path).as_posix() for file in sorted(path.rglob("*")) if file.is_file()]
        weights = path / _choose_weights(names, path)
        return _make_files(path, names, weights, lambda name: (path / name).read_bytes())
    if path.suffix == ".onnx":
        beside = [file.name for file in sorted(path.parent.iterdir()) if file.is_file()]
        return _make_files(path, beside, path, lambda name: (path.parent / name).read_bytes())
    if not zipfile.is_zipfile(path):
        raise ModelError(f"'{path}' is not a model: neither a folder, an archive, nor an .onnx file.")
    with zipfile.ZipFile(path) as archive:
        names = sorted(archive.namelist())
        return _make_files(path, names, archive.read(_choose_weights(names, path)), archive.read)


def _make_files(path: Path, names: Sequence[str], weights: Path | bytes, read: Callable[[str], bytes]) -> ModelFiles:
    stem = _choose_weights(names, path) if path.suffix != ".onnx" else path.name
    tokenizer = _choose_tokenizer(names, stem)
    if tokenizer is None:
        raise ModelError(f"The model '{path}' has no tokenizer.json. Put it beside the ONNX file.")
    known = find_card(path.name) or find_card(path.stem) or find_card(stem.removesuffix(".onnx"))
    configs = {name: json.loads(read(name)) for name in names if name.rpartition("/")[2] in _CONFIGS}
    card = read_card(configs, known or ModelCard())
    own = stem.rpartition("/")[2].removesuffix(".onnx")
    name = path.name if own.startswith("model") and path.suffix != ".onnx" else own
    return ModelFiles(name, weights, read(tokenizer).decode(), card)


def _choose_weights(names: Sequence[str], path: Path) -> str:
    """Return the ONNX file of a model; among several, the one of the usual name."""
    found = [name for name in names if name.endswith(".onnx")]
    usual = [name for name in _WEIGHTS if name in found]
    if not found or (len(found) > 1 and not usual):
        reason = f"has several ONNX files: {', '.join(found)}. Name one of them" if found else "has no ONNX file"
        raise ModelError(f"The model '{path}' {reason}.")
    return usual[0] if usual else found[0]


def _choose_tokenizer(names: Sequence[str], weights: str) -> str | None:
    stem = weights.rpartition("/")[2].removesuffix(".onnx")
    ends = [f"{stem}-tokenizer.json", "tokenizer.json"]
    return next((name for end in ends for name in names if name.rpartition("/")[2].endswith(end)), None)


_CONFIGS = frozenset({"config.json", "config_sentence_transformers.json", "sentence_bert_config.json", "modules.json"})


def read_card(configs: Mapping[str, Any], card: ModelCard) -> ModelCard:
    """Return the facts of a model by the configuration files of Sentence Transformers.

    :param configs: the contents of its JSON files, by path.
    :param card: for facts that they lack.

    >>> read_card({"1_Pooling/config.json": {"pooling_mode_cls_token": True}}, ModelCard()).pooling
    'cls'
    """
    for name, values in configs.items():
        if "pooling_mode_cls_token" in values or "pooling_mode_mean_tokens" in values:
            is_last = values.get("pooling_mode_lasttoken")
            pooling: Pooling = "cls" if values.get("pooling_mode_cls_token") else "last" if is_last else "mean"
            card = replace(card, pooling=pooling)
        if name.endswith("sentence_bert_config.json") and values.get("max_seq_length"):
            card = replace(card, max_tokens=values["max_seq_length"])
        if name.endswith("config_sentence_transformers.json") and (prompts := values.get("prompts")):
            passage = prompts.get("document", prompts.get("passage", card.passage_prefix))
            card = replace(card, query_prefix=prompts.get("query", card.query_prefix), passage_prefix=passage)
        if name.endswith("modules.json"):
            kinds = [module.get("type", "") for module in values]
            card = replace(card, is_normalized=any(kind.endswith("Normalize") for kind in kinds))
    return card


def _fetch_from_hub(name: str) -> ModelFiles:
    installed = ", ".join(place.stem for place in list_installed()) or "none"
    ways = f"Give a folder or an archive, or install it: spaniel models add {name}. Installed: {installed}"
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ModelError(f"There is no model '{name}'. {ways}.")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(
            f"There is no model '{name}' on this machine. {ways}; or run: pip install huggingface_hub."
        ) from None
    try:
        folder = snapshot_download(name, allow_patterns=_HUB_FILES)
    except Exception as error:  # its errors have no common class
        raise ModelError(f"The model '{name}' could not be fetched: {error}. {ways}.") from error
    found = _read_place(Path(folder))
    configs = dict(_read_configs(Path(folder)))
    return replace(found, name=name, card=read_card(configs, find_card(name) or ModelCard()))


def _read_configs(folder: Path) -> Iterator[tuple[str, Any]]:
    for file in sorted(folder.rglob("*.json")):
        if file.name in _CONFIGS:
            yield file.relative_to(folder).as_posix(), json.loads(file.read_bytes())
