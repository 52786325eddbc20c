"""The server's files, fetched by Maven and laid out as in a release archive, once for all runs and
checkouts.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tools.opensearch.components import FILE, Component, Components, read_components, without_absent_extensions
from tools.opensearch.errors import OpenSearchNotStarted
from tools.opensearch.folders import home, locked
from tools.opensearch.jdk import find_jdk

HERE = Path(__file__).parent
MAVEN = ("mvn", "-q", "-B", "-ntp", "-Dstyle.color=never")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
FOREIGN = ("-osx-", "-windows-")  # native libraries of other systems, some megabytes each
LOG4J = """status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] [%node_name]%marker %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""
SETTINGS = "# Every setting is passed with -E: tools/opensearch/layout.py\n"


def distribution() -> Path:
    """Return the folder of the distribution, which is fetched and laid out if it isn't there.

    :raises OpenSearchNotStarted: without Maven or a JDK, or when Maven can't fetch a component.
    """
    target = home() / f"dist-{read_components().version}-{fingerprint()}"
    if target.is_dir():
        return target
    with locked(home() / "dist.lock", waiting_for="another run that fetches OpenSearch"):
        if not target.is_dir():
            for left_over in home().glob(".assemble-*"):  # of a run that was killed: nobody else holds the lock
                shutil.rmtree(left_over)
            assemble(target)
    return target


def fingerprint() -> str:
    """Return a digest of all inputs of a distribution, so that a change makes another one."""
    files = [FILE, Path(__file__), Path(__file__).with_name("components.py"), *sorted(HERE.glob("java/**/*.java"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]


def assemble(target: Path) -> None:
    """Fetch and lay out everything beside `target`, then put it there in one step."""
    spec = read_components()
    jdk = find_jdk(spec.java_min)
    print(f"Fetching OpenSearch {spec.version} from Maven Central into {target} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".assemble-") as scratch:
        parts, root = Path(scratch, "parts"), Path(scratch, "home")
        fetch(spec, parts, jdk)
        lay_out(spec, parts, root, jdk)
        for path in [root, *root.rglob("*")]:  # the server may run as another user
            path.chmod(0o755 if path.is_dir() else 0o644)
        root.rename(target)


def fetch(spec: Components, parts: Path, jdk: Path) -> None:
    """Let Maven put the artifacts of each part into a folder of its own, in one run."""
    if shutil.which(MAVEN[0]) is None:
        raise OpenSearchNotStarted(
            "Maven (mvn) is not on PATH; it fetches OpenSearch. Install it, or use a server that runs (README.md)."
        )
    for name, text in spec.projects().items():
        (parts / name).mkdir(parents=True, exist_ok=True)
        (parts / name / "pom.xml").write_text(text, encoding="utf-8")
    options = ["-DincludeScope=runtime", "-DoutputDirectory=${project.basedir}/jars"]
    environment = {**os.environ, "JAVA_HOME": str(jdk)}
    if subprocess.run([*MAVEN, COPY, *options], cwd=parts, env=environment, stdout=sys.stderr, check=False).returncode:
        raise OpenSearchNotStarted("Maven could not fetch every component of OpenSearch: its messages are above.")


def lay_out(spec: Components, parts: Path, root: Path, jdk: Path) -> None:
    """Copy each jar to its place: a module has those that neither the server nor its base plugins
    have.
    """
    server = jars(parts / "server")
    copy(server.values(), root / "lib")
    brought: dict[str, set[str]] = {}
    for module in spec.modules:
        taken = set(server).union(*(brought[name] for name in module.extends))
        own = {name: path for name, path in jars(parts / module.name).items() if name not in taken}
        brought[module.name] = set(own)
        folder = copy(own.values(), root / "modules" / module.name)
        (folder / "plugin-descriptor.properties").write_text(spec.descriptor(module), encoding="utf-8")
    for plugin in spec.plugins:
        folder = root / "plugins" / plugin.name
        for archive in (parts / plugin.name / "jars").glob("*.zip"):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
        if plugin.add:
            copy(jars(parts / f"{plugin.name}-add").values(), folder)
        compile_sources(plugin, folder, jdk)
        descriptor = folder / "plugin-descriptor.properties"
        text = without_absent_extensions(descriptor.read_text(encoding="utf-8"), spec.installed())
        descriptor.write_text(text, encoding="utf-8")
    for plugin in spec.own_plugins:
        folder = copy([], root / "plugins" / plugin.name)
        compile_sources(plugin, folder, jdk, str(root / "lib" / "*"))
        (folder / "plugin-descriptor.properties").write_text(spec.descriptor(plugin), encoding="utf-8")
    for name in ("bin", "config", "plugins"):  # the server wants all three, even if empty
        (root / name).mkdir(exist_ok=True)
    (root / "config" / "log4j2.properties").write_text(LOG4J, encoding="utf-8")
    (root / "config" / "opensearch.yml").write_text(SETTINGS, encoding="utf-8")


def jars(part: Path) -> dict[str, Path]:
    """Return the jars that Maven fetched for a part, by file name."""
    return {path.name: path for path in (part / "jars").iterdir() if not any(word in path.name for word in FOREIGN)}


def copy(files: Iterable[Path], folder: Path) -> Path:
    """Return the folder, made if need be, that now has these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy2(file, folder / file.name)
    return folder


def compile_sources(plugin: Component, folder: Path, jdk: Path, classpath: str = "") -> None:
    """Compile the plugin's own Java sources, if it has any, into a jar in its folder."""
    if not plugin.sources:
        return
    sources = sorted((HERE / plugin.sources).rglob("*.java"))
    with tempfile.TemporaryDirectory(dir=folder) as classes:
        command: list[str | Path] = [jdk / "bin" / "javac", "-cp", classpath, "-d", classes, *sources]
        if subprocess.run(command, check=False).returncode:
            raise OpenSearchNotStarted(f"{plugin.sources} could not be compiled by {jdk}: its messages are above.")
        with zipfile.ZipFile(folder / f"{plugin.name}-own.jar", "w") as jar:
            for path in sorted(Path(classes).rglob("*.class")):
                jar.write(path, path.relative_to(classes).as_posix())
