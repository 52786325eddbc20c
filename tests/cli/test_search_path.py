"""Number of functions that a search on the command line calls, so that its path does not grow
unnoticed.
"""

from typer.testing import CliRunner

from spaniel.cli.app import app
from tests.frames import frames_of


def run(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_from_the_command_to_its_output(tmp_path):
    (tmp_path / "garden.md").write_text("# Garden\n\nA spade digs.\n\n# Tools\n\nRakes and spades.\n")
    store = str(tmp_path / "store")
    run("index", str(tmp_path / "garden.md"), "--store", store)
    assert "spade" in run("search", "spade", "--store", store)
    frames = frames_of(lambda: run("search", "spade", "--store", store))
    assert len(frames) <= 1400
    assert len({frame.function for frame in frames}) <= 450
    assert len({frame.file for frame in frames}) <= 76
