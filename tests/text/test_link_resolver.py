import pytest

from spaniel.text.link_resolver import LinkResolver, ResolvedLink
from spaniel.text.plain_text import convert_text

PATHS = {
    *(
        "README.md",
        "guide/start.md",
        "guide/index.md",
        "guide/more words.md",
        "api.rst",
        "ref/README.md",
        "site/page.html",
    ),
    *("peps/pep-0008.rst", "peps/pep-0001.rst", "docs/commands/install.md", "docs/using/config.md"),
}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("more%20words.md", "guide/more words.md"),
        ("../api.rst#errors", "api.rst#errors"),
        ("../api.html#errors", "api.rst#errors"),
        ("../api", "api.rst"),
        ("./", "guide/index.md"),
        ("../ref/", "ref/README.md"),
        ("../ref", "ref/README.md"),
        ("/guide/start.md", "guide/start.md"),
        ("/README.md?plain=1#top", "README.md#top"),
        ("..", "README.md"),
        ("index.html", "guide/index.md"),
        ("#Set-Up", "guide/start.md#set-up"),
        ("start.md#set-up", "guide/start.md#set-up"),
        ("#old", "guide/start.md#set-up"),
        ("#intro", "guide/start.md"),
    ],
)
def test_a_target_inside_the_folder_is_a_link(target, expected):
    anchors = {"set-up": "set-up", "old": "set-up", "intro": ""}
    assert LinkResolver(PATHS).resolve(target, "guide/start.md", anchors) == ResolvedLink("link", expected)


@pytest.mark.parametrize(
    "target", ["https://example.org/a.md", "mailto:a@example.org", "//example.org", "ftp://example.org"]
)
def test_an_address_elsewhere_is_a_url(target):
    assert LinkResolver(PATHS).resolve(target, "README.md") == ResolvedLink("url", target)


@pytest.mark.parametrize(
    "target",
    [
        "missing.md",
        "../outside.md",
        "../../etc/passwd",
        "#nowhere",
        "guide/start.md#x/../../y.md",
        ":ref:nowhere",
        ":doc:x",
    ],
)
def test_dangling_targets_are_broken_and_kept_as_written(target):
    resolved = LinkResolver(PATHS).resolve(target, "README.md", {"top": "top"})
    assert resolved in (ResolvedLink("broken", target), ResolvedLink("link", target))
    assert (resolved.kind == "broken") == ("start.md" not in target)


@pytest.mark.parametrize("target", ["", "#", "javascript:void(0)", "data:text/plain,x", ":ref:genindex"])
def test_targets_without_destination_are_left_out(target):
    assert LinkResolver(PATHS).resolve(target, "README.md") is None


def test_a_leading_slash_means_the_folder_or_one_above_the_file():
    assert LinkResolver(PATHS).resolve("/commands/install", "docs/using/config.md") == ResolvedLink(
        "link", "docs/commands/install.md"
    )


def test_without_the_files_every_target_inside_the_folder_is_a_link():
    resolver = LinkResolver()
    assert resolver.resolve("../any.md#x", "guide/start.md") == ResolvedLink("link", "any.md#x")
    assert resolver.resolve("../../any.md", "guide/start.md") == ResolvedLink("broken", "../../any.md")


def test_sphinx_roles_go_through_labels_files_and_numbers():
    resolver = LinkResolver(PATHS, {"my label": "api.rst#my-label"})
    assert resolver.resolve(":ref:My  Label", "README.md") == ResolvedLink("link", "api.rst#my-label")
    assert resolver.resolve(":doc:../api", "guide/x.rst") == ResolvedLink("link", "api.rst")
    assert resolver.resolve(":doc:/guide/start", "peps/x.rst") == ResolvedLink("link", "guide/start.md")
    assert resolver.resolve(":pep:8", "peps/pep-0001.rst") == ResolvedLink("link", "peps/pep-0008.rst")
    assert resolver.resolve(":pep:20#zen", "peps/pep-0001.rst") == ResolvedLink(
        "url", "https://peps.python.org/pep-0020/#zen"
    )


def test_another_anchor_of_a_file_leads_to_its_section():
    resolver = LinkResolver(PATHS, {"site/page.html#note": "site/page.html#top"})
    assert resolver.resolve("site/page.html#note", "README.md") == ResolvedLink("link", "site/page.html#top")


def test_plain_text_links_are_found_outside_code():
    text = "[a](a.txt), `b b <b.txt>`_ <https://x.org/y>. f[i](x) ![pic](p.png)\n```\n[c](c.txt)\n```\n[d](d.txt 'no') [e](e.txt \"t\")"
    converted = convert_text(text)
    shown = [(text[start:end], target) for start, end, target in converted.references]
    assert shown == [("a", "a.txt"), ("b b", "b.txt"), ("https://x.org/y", "https://x.org/y"), ("e", "e.txt")]


@pytest.mark.parametrize(("file", "target"), [("caf\u00e9.md", "cafe\u0301.md"), ("cafe\u0301.md", "caf%C3%A9.html#x")])
def test_names_of_files_are_equal_however_accents_are_composed(file, target):
    link = LinkResolver({file, "a.md"}).resolve(target, "a.md")
    assert link == ResolvedLink("link", file + target[target.find("#") :] if "#" in target else file)
