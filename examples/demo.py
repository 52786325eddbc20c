"""Search the Python language reference in four ways, and compare the results and their reasons.

usage: python -m examples.demo [QUESTION], or with the question in the environment variable Q
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import spaniel
from examples.python_reference import export
from spaniel.cli.passages import make_passage
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import Result

FOLDER = Path(".demo")
QUESTIONS = [
    "how does a with statement call the context manager",
    "what happens when an exception is raised in a finally clause",
    "method resolution order of a class with several bases",
]
SEARCHES = {
    "plain BM25": {"merge": False},
    "auto-merging": {"merge": True},
    "windows": {"merge": False, "window": 1},
    "following links": {"merge": True, "follow": ["links"]},
}
NUM_SHOWN = 2
PASSAGE_CHARACTERS = 200
MIN_COLUMNS = 150


def main(questions: list[str]) -> None:
    """Update the index of the reference, and print a table for each question."""
    console = Console(width=max(Console().width, MIN_COLUMNS))
    try:
        kb = spaniel.open(FOLDER / "kb")
    except KnowledgeBaseError as error:
        sys.exit(f"Error: {error}")
    files = export(FOLDER / "python-reference")
    report = kb.index(FOLDER / "python-reference")
    numbers = kb.statistics()
    console.print(
        f"The Python language reference: {len(files)} files, {numbers.leaves:,} passages, {numbers.words:,} words, "
        f"{numbers.links} links. Indexed {len(report.added) + len(report.changed)} files in {report.seconds:.1f} s."
    )
    for question in questions:
        try:
            console.print(make_table(kb, question))
        except ValueError as error:
            sys.exit(f"Error: {error}")
    console.print('Ask your own question: make demo Q="what is a slice"')


def choose_questions(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the arguments, else the variable Q, else sample questions."""
    return list(arguments) or [question for question in [environment.get("Q")] if question] or QUESTIONS


def make_table(kb: spaniel.KnowledgeBase, question: str) -> Table:
    """Return the best passages of each way to search, side by side."""
    table = Table(title=f"\n{question}", title_style="bold", title_justify="left", show_lines=True)
    columns = []
    for name, options in SEARCHES.items():
        table.add_column(name, ratio=1)
        results = kb.search(question, top_k=NUM_SHOWN, **options)
        columns.append([make_cell(result) for result in results])
    for row in range(max(len(column) for column in columns)):
        table.add_row(*(column[row] if row < len(column) else "" for column in columns))
    return table


def make_cell(result: Result) -> Text:
    """Return a passage as a table cell: place, score, size, best part, reasons."""
    score = "linked" if result.score is None else f"{result.score:.2f}"
    text = Text(f"{' > '.join([result.path or '', *result.section[1:]])}\n", style="cyan")
    text.append(f"{score}, {len(result.text.split())} words\n", style="green")
    text.append_text(make_passage(result, PASSAGE_CHARACTERS, flat=True))
    for reason in result.why:
        text.append(f"\nwhy: {reason}", style="dim")
    return text


if __name__ == "__main__":
    main(choose_questions(sys.argv[1:], os.environ))
