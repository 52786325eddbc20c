import pytest

from tools.opensearch import jdk
from tools.opensearch.errors import OpenSearchNotStarted


@pytest.fixture
def make_jdk(tmp_path, monkeypatch):
    """Makes the folder of a JDK whose `java` says that it is of this version; no other is on the
    machine.
    """
    monkeypatch.setattr(jdk, "INSTALLED", (f"{tmp_path}/*",))
    monkeypatch.setattr(jdk, "closed_to_others", lambda _: None)  # pytest's own folders are
    monkeypatch.delenv("OPENSEARCH_JAVA_HOME", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setattr(jdk.shutil, "which", lambda *_, **__: None)

    def make(name, version):
        folder = tmp_path / name / "bin"
        folder.mkdir(parents=True)
        for program in ("java", "javac"):
            (folder / program).write_text(f"""#!/bin/sh\necho 'openjdk version "{version}" 2026-01-01' >&2\n""")
            (folder / program).chmod(0o755)
        return tmp_path / name

    return make


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('openjdk version "26-ea" 2026-03-17', 26),
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx=y\nopenjdk version "21.0.2"', 21),
        ("command not found", 0),
    ],
)
def test_the_major_version_is_parsed_from_the_output_of_java(text, version):
    assert jdk.major_of(text) == version


def test_one_that_is_too_old_is_passed_over(make_jdk):
    make_jdk("a", "17.0.1")
    wanted = make_jdk("b", "25.0.1")

    assert jdk.find_jdk(21) == wanted


def test_the_one_that_was_named_for_opensearch_comes_first(make_jdk, monkeypatch):
    make_jdk("a", "25.0.1")
    wanted = make_jdk("b", "21.0.1")
    monkeypatch.setenv("OPENSEARCH_JAVA_HOME", str(wanted))

    assert jdk.find_jdk(21) == wanted


def test_without_a_jdk_the_error_names_the_found_ones_and_a_remedy(make_jdk):
    make_jdk("a", "17.0.1")

    with pytest.raises(OpenSearchNotStarted, match=r"JDK 21 or newer.*OPENSEARCH_JAVA_HOME.*a \(Java 17\)"):
        jdk.find_jdk(21)


def test_a_program_that_does_not_run_has_no_version(tmp_path):
    assert jdk.major(tmp_path / "java") == 0
