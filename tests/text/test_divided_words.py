import pytest

from spaniel.text.divided_words import join_divided_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an exam-\nple", "an example"),
        ("docu\xadment", "document"),
        ("docu\xad\nment", "document"),
        ("de\ufffetails", "details"),
        ("by e-\nmail", "by e-mail"),
        ("an x\ufffeay", "an x-ay"),
        ("high-level, high-\nlevel", "high-level, high-level"),
        ("a well known, well-\nknown thing", "a well known, well-known thing"),
        ("in and in-\ndented", "in and indented"),
        ("Smith-\nJones", "Smith-\nJones"),
        ("pages 1-\n12", "pages 1-\n12"),
        ("a dash -\nhere", "a dash -\nhere"),
        ("- item\n- other", "- item\n- other"),
        ("inter-\nnatio-\nnal", "international"),
        ("\ufb01le and o\ufb03ce", "file and office"),
        ("end-\n\nnext", "end-\n\nnext"),
    ],
)
def test_only_hyphens_of_division_go(text, expected):
    assert join_divided_words(text) == expected
