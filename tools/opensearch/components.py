"""The parts of a distribution (`components.json`), and the texts that Maven and the server read."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "components.json"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local.opensearch</groupId><artifactId>{id}</artifactId><version>1</version>
  <packaging>pom</packaging>
{body}
</project>
"""
ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


@dataclass(frozen=True)
class Component:
    """A module or plugin of the server, or one of ours."""

    name: str
    artifact: str = ""
    class_name: str = ""  # only where the artifact has no descriptor
    extends: tuple[str, ...] = ()
    add: tuple[str, ...] = ()  # artifacts that the plugin needs and doesn't bring
    sources: str = ""  # a folder of Java sources to be compiled into it


@dataclass(frozen=True)
class Components:
    """All parts of a distribution."""

    version: str
    java_min: int
    server: tuple[str, ...]
    modules: tuple[Component, ...]
    plugins: tuple[Component, ...]
    own_plugins: tuple[Component, ...]

    def projects(self) -> dict[str, str]:
        """Return the `pom.xml` of each part, and under "" the one that has them all as its modules."""
        parts = {"server": pom("server", self.server, "jar", transitive=True)}
        for module in self.modules:
            parts[module.name] = pom(module.name, [module.artifact], "jar", transitive=True)
        for plugin in self.plugins:  # a plugin's zip brings its own dependencies
            parts[plugin.name] = pom(plugin.name, [plugin.artifact], "zip", transitive=False)
            if plugin.add:
                parts[plugin.name + "-add"] = pom(plugin.name + "-add", plugin.add, "jar", transitive=False)
        names = "".join(f"<module>{name}</module>" for name in parts)
        return {"": POM.format(id="all", body=f"  <modules>{names}</modules>"), **parts}

    def descriptor(self, component: Component) -> str:
        """Return the descriptor of a module; the jars of modules have none."""
        lines = {
            "description": component.name,
            "version": self.version,
            "opensearch.version": self.version,
            "name": component.name,
            "classname": component.class_name,
            "java.version": self.java_min,
            "extended.plugins": ",".join(component.extends),
            "has.native.controller": "false",
        }
        return "".join(f"{key}={value}\n" for key, value in lines.items())

    def installed(self) -> set[str]:
        """Return the names of all modules and plugins that come from artifacts."""
        return {component.name for component in (*self.modules, *self.plugins)}


def read_components(file: Path = FILE) -> Components:
    """Return the content of the file."""
    data = json.loads(file.read_text(encoding="utf-8"))

    def parts(key: str) -> tuple[Component, ...]:
        return tuple(component(row) for row in data[key])

    return Components(
        data["opensearch_version"],
        data["java_min"],
        tuple(data["server"]),
        parts("modules"),
        parts("plugins"),
        parts("own_plugins"),
    )


def component(row: dict[str, Any]) -> Component:
    """Return one part of the file."""
    return Component(**{"class_name" if key == "class" else key: lists_frozen(value) for key, value in row.items()})


def lists_frozen(value: Any) -> Any:
    """Return a tuple for a list, anything else as it is."""
    return tuple(value) if isinstance(value, list) else value


def pom(name: str, artifacts: Iterable[str], kind: str, *, transitive: bool) -> str:
    """Return the project that depends on the artifacts, and on theirs if `transitive`."""
    rows = []
    for artifact in artifacts:
        group, identifier, version = artifact.split(":")
        rows.append(
            f"    <dependency><groupId>{group}</groupId><artifactId>{identifier}</artifactId><version>{version}</version>"
            f"<type>{kind}</type>{'' if transitive else ALONE}</dependency>\n"
        )
    return POM.format(id="part-" + name, body=f"  <dependencies>\n{''.join(rows)}  </dependencies>")


def without_absent_extensions(descriptor: str, installed: set[str]) -> str:
    """Return a plugin's descriptor that extends only installed plugins, as if the others were
    optional.
    """
    lines = []
    for line in descriptor.splitlines():
        key, equals, value = line.partition("=")
        if key == "extended.plugins":
            value = ",".join(name for name in value.split(",") if name.split(";")[0] in installed)
        lines.append(key + equals + value)
    return "\n".join(lines) + "\n"
