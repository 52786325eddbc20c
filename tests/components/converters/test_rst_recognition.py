import pytest

from spaniel.components.converters._rst_recognition import declares_rst, is_rst
from spaniel.components.converters.files import convert_bytes, convert_file


@pytest.mark.parametrize(
    "text",
    [
        "Guide\n=====\n\n.. toctree::\n\n   usage\n",
        ".. _settings:\n\nSee :ref:`other` and :setting:`DEBUG`.\n",
        "Title\n-----\n\nRead `the manual <https://example.org>`_.\n",
        "Notes\n=====\n\n.. |v| replace:: 3\n",
    ],
)
def test_directives_targets_roles_and_links_are_rst(text):
    assert is_rst(text)


@pytest.mark.parametrize(
    "text",
    [
        "Plain words only.\n",
        "Title\n=====\n\nUse it like this::\n\n    code\n",
        "MIT License\n\nCopyright (c) ...\n\n.. and so on\n",
        "# Title\n\n[a](b.md) and [c](d.md)\n\n```rst\n.. note:: x\n```\n",
        "In RST a role is :ref:`x`. " + "Plain words follow. " * 1000,
        "See :ref:`a`.",
        "Log:\n:12: `x`\n:13: `y`\n",
    ],
)
def test_plain_text_and_markdown_are_not_rst(text):
    assert not is_rst(text)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ('source_suffix = ".txt"', True),
        ('source_suffix = [".rst", ".txt"]', True),
        ('source_suffix = {".rst": "restructuredtext", ".txt": "restructuredtext"}', True),
        ('source_suffix: dict[str, str] = {".txt": "restructuredtext"}', True),
        ('source_suffix = {".rst": "restructuredtext", ".txt": "markdown"}', False),
        ('source_suffix = ".rst"', False),
        ("project = 'x'", False),
        ("source_suffix = open('stolen', 'w')", False),
        ("not python (", False),
        ("\0", False),
    ],
)
def test_a_configuration_in_a_folder_above_is_parsed_and_not_executed(tmp_path, configuration, expected):
    (tmp_path / "conf.py").write_text(configuration)
    (tmp_path / "guide").mkdir()
    page = tmp_path / "guide" / "page.txt"
    page.write_text("Some *words*.\n")
    assert declares_rst(page) is expected
    assert convert_file(page, "guide/page.txt").content == ("Some words." if expected else "Some *words*.\n")
    assert not (tmp_path / "stolen").exists()


def test_copies_of_sources_in_a_built_site_are_read_as_sources():
    assert convert_bytes(b"Some *words*.\n", "_sources/page.rst.txt").content == "Some words."
    assert convert_bytes(b"Some *words*.\n", "_sources/page.md.txt").content == "Some words."


def test_recognised_text_keeps_its_links_and_one_of_definitions_its_words():
    document = convert_bytes(b"Guide\n=====\n\nSee :doc:`other`.\n\n.. note:: x\n", "page.txt")
    assert document.meta["references"] == [[11, 16, "other.txt", "link"]]
    definitions = b".. |a| unicode:: U+00E1\n.. |b| unicode:: U+00E2\n"
    assert convert_bytes(definitions, "signs.txt").content == definitions.decode()
