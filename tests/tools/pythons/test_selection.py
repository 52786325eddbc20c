import pytest

from tests.marks import FAULTS, SLOW
from tools.pythons.selection import LEFT_OUT, select_tests
from tools.pythons.wheel import ROOT


def test_files_that_need_another_library_are_left_out():
    chosen = {path.as_posix() for path in select_tests()}
    assert "tests/document_stores/test_documents_read.py" in chosen
    assert "tests/dataclasses/test_document.py" not in chosen  # compares with Haystack
    assert "tests/document_stores/opensearch/test_writing.py" not in chosen
    assert "tests/document_stores/local/faults/test_kills.py" not in chosen
    assert all((ROOT / path).is_file() for path in chosen)


@pytest.mark.parametrize("name", sorted({*LEFT_OUT, *FAULTS, *SLOW}))
def test_a_name_in_a_list_of_tests_exists(name: str) -> None:
    assert (ROOT / "tests" / name).exists()


def test_every_layer_of_the_package_is_tested():
    folders = {path.parts[1] for path in select_tests()}
    assert {"cli", "components", "document_stores", "filters", "knowledge_base", "pipeline", "strategies"} <= folders
