"""Patterns of paths: the files that each means."""

import pytest

from spaniel.knowledge_base.path_patterns import compile_pattern, make_path_filter

FILES = ["a.md", "b.txt", "docs/a.md", "docs/v1/a.md", "docs/v1/x/b.txt", "docs/v2/a.md", "v1/c.md", "[x]/d.md"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a.md", ["a.md", "docs/a.md", "docs/v1/a.md", "docs/v2/a.md"]),
        ("/a.md", ["a.md"]),
        ("./a.md", ["a.md", "docs/a.md", "docs/v1/a.md", "docs/v2/a.md"]),
        ("*.txt", ["b.txt", "docs/v1/x/b.txt"]),
        ("docs/*", ["docs/a.md"]),
        ("docs/*/", ["docs/v1/a.md", "docs/v1/x/b.txt", "docs/v2/a.md"]),
        ("docs", ["docs/a.md", "docs/v1/a.md", "docs/v1/x/b.txt", "docs/v2/a.md"]),
        ("docs/", ["docs/a.md", "docs/v1/a.md", "docs/v1/x/b.txt", "docs/v2/a.md"]),
        ("docs/**", ["docs/a.md", "docs/v1/a.md", "docs/v1/x/b.txt", "docs/v2/a.md"]),
        ("docs/**/a.md", ["docs/a.md", "docs/v1/a.md", "docs/v2/a.md"]),
        ("**/v1/*.md", ["docs/v1/a.md", "v1/c.md"]),
        ("v1", ["docs/v1/a.md", "docs/v1/x/b.txt", "v1/c.md"]),
        ("docs/v[!1]", []),
        ("docs/v[!1]/", ["docs/v2/a.md"]),
        ("docs/v[0-1]/?.md", ["docs/v1/a.md"]),
        ("[[]x]/d.md", ["[x]/d.md"]),
        ("[x", []),
        ("A.md", []),
        ("**", FILES),
    ],
)
def test_matches_the_files_it_means(pattern: str, expected: list[str]) -> None:
    assert [path for path in FILES if compile_pattern(pattern).fullmatch(path)] == expected


@pytest.mark.parametrize("pattern", ["", "/", "[z-a].md"])
def test_a_pattern_that_means_nothing_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="path pattern"):
        compile_pattern(pattern)


def test_both_kinds_of_patterns_hold() -> None:
    assert make_path_filter(["docs", "v1"], ["*.txt", "v2"], FILES)["value"] == ["docs/a.md", "docs/v1/a.md", "v1/c.md"]  # type: ignore[index]
    assert make_path_filter([], ["nothing"], FILES) is None
    assert make_path_filter(["nothing"], [], FILES) == {"field": "meta.path", "operator": "in", "value": []}
