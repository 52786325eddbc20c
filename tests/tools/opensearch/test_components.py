import xml.etree.ElementTree as ET

import pytest

from tools.opensearch.components import Component, Components, pom, read_components, without_absent_extensions

MAVEN = "{http://maven.apache.org/POM/4.0.0}"
SPEC = Components(
    version="3.5.0",
    java_min=21,
    server=("org.x:server:1",),
    modules=(Component("lang", "org.x:lang:1", "x.Lang"), Component("words", "org.x:words:1", "x.Words", ("lang",))),
    plugins=(Component("knn", "org.x:knn:1", add=("org.y:guava:2",)),),
    own_plugins=(Component("guard", class_name="x.Guard", sources="java/guard"),),
)


def tree(text):
    return ET.fromstring(text)  # noqa: S314 - it is our own


def dependencies(text):
    return tree(text).findall(f".//{MAVEN}dependency")


def test_each_part_is_a_project_of_its_own():
    projects = SPEC.projects()

    modules = [each.text for each in tree(projects[""]).iter(f"{MAVEN}module")]
    assert modules == ["server", "lang", "words", "knn", "knn-add"]
    assert set(projects) == {"", *modules}


def test_the_dependencies_of_a_jar_are_fetched_and_those_of_a_zip_are_not():
    [jar] = dependencies(SPEC.projects()["lang"])
    [archive] = dependencies(SPEC.projects()["knn"])

    assert (jar.findtext(f"{MAVEN}type"), jar.find(f"{MAVEN}exclusions")) == ("jar", None)
    assert archive.findtext(f"{MAVEN}type") == "zip"
    assert archive.findtext(f".//{MAVEN}exclusion/{MAVEN}artifactId") == "*"


def test_a_coordinate_becomes_group_artifact_and_version():
    [row] = dependencies(pom("a", ["org.x:server:1.2"], "jar", transitive=True))

    assert [row.findtext(MAVEN + name) for name in ("groupId", "artifactId", "version")] == ["org.x", "server", "1.2"]


def test_a_descriptor_names_the_class_and_its_base_plugins():
    lines = SPEC.descriptor(SPEC.modules[1]).splitlines()

    assert {"name=words", "classname=x.Words", "extended.plugins=lang", "opensearch.version=3.5.0"} <= set(lines)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("extended.plugins=lang,grpc", "extended.plugins=lang"),
        ("extended.plugins=grpc;optional=true", "extended.plugins="),
        ("extended.plugins=lang;optional=true", "extended.plugins=lang;optional=true"),
        ("description=a=b, c", "description=a=b, c"),
    ],
)
def test_a_plugin_extends_only_installed_plugins(line, left):
    assert without_absent_extensions(f"{line}\nname=knn", {"lang", "knn"}) == f"{left}\nname=knn\n"


def test_the_file_of_components_can_be_read_and_is_of_one_version():
    spec = read_components()

    assert {part.artifact.split(":")[2] for part in spec.modules} == {spec.version}
    assert all(part.class_name for part in (*spec.modules, *spec.own_plugins))
    assert spec.installed() >= {"opensearch-knn", "reindex", "lang-painless"}
