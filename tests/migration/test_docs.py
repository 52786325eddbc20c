"""The programs of docs/migrate.md: the migrated first one, and the equal output of both."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from spaniel.migration import migrate_code

PAGE = (Path(__file__).parents[2] / "docs/migrate.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(?:python )?(before|after|text)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


def test_the_second_program_is_the_migrated_first_one_except_for_marked_lines() -> None:
    migrated = migrate_code(BLOCKS["before"].encode()).after.splitlines()
    after = BLOCKS["after"].splitlines()
    by_hand = [line for line in after if line.endswith("# by hand")]
    assert len(by_hand) == 2
    assert [line for line in after if line not in by_hand] == [line for line in migrated if line in after]
    assert [line for line in migrated if line not in after] == ['search.add_component("prompt", prompt)']


@pytest.mark.parametrize("program", ["before", "after"])
def test_a_program_prints_the_output_of_the_page(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BLOCKS[program]], capture_output=True, text=True, check=True
    )
    assert done.stdout == BLOCKS["text"]
