"""Export the Python language reference, which every Python carries, to a folder of linked text files.

Each topic of `pydoc` becomes a file that ends in a line ``See also: [Title](file.txt), ...`` made from the cross-references of
`pydoc.Helper`. A topic whose text is part of another one is exported once, and linked from there.
"""

import pydoc
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from pydoc_data.topics import topics

_UNDERLINE = re.compile(r"""([*=~^"'-])\1+$""")  # its sign depends on the level, so on the text around


def export(folder: Path) -> list[Path]:
    """Write a file per topic into a folder, and return the files.

    :param folder: created if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = homes(topics)
    links = cross_references(home)
    files = []
    for topic in sorted(set(home.values())):
        text = drop_contained(topic, sorted(set(home.values()) - {topic}, key=lambda other: -len(topics[other])))
        file = folder / f"{topic}.txt"
        file.write_text(f"{text}\n{see_also(links.get(topic, []))}", encoding="utf-8")
        files.append(file)
    return files


def homes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return for each topic the one that is exported: itself, or the last of those that have the same text."""
    by_text = {text.strip(): topic for topic, text in sorted(texts.items())}
    return {topic: by_text[text.strip()] for topic, text in texts.items()}


def drop_contained(topic: str, others: Iterable[str]) -> str:
    """Return the text of a topic, with a link in place of each other topic contained in it.

    :param others: topics, the longest first.
    """
    lines = topics[topic].strip().split("\n")
    plain = _without_underlines(lines)
    for other in others:
        part = _without_underlines(topics[other].strip().split("\n"))
        start = next((at for at in range(len(plain)) if plain[at : at + len(part)] == part), None)
        if start is not None:
            link = ["", f"See {link_to(other)}.", ""]
            lines[start : start + len(part)] = plain[start : start + len(part)] = link
    return "\n".join(lines)


def _without_underlines(lines: list[str]) -> list[str]:
    return ["" if _UNDERLINE.match(line) else line for line in lines]


def cross_references(home: Mapping[str, str]) -> dict[str, list[str]]:
    """Return for each exported topic the topics that `pydoc` names beside it."""
    named: dict[str, object] = {**pydoc.Helper.topics, **pydoc.Helper.keywords}
    links: dict[str, list[str]] = {}
    for name in named:
        topic, references = resolved(name, named)
        if topic not in home:
            continue
        targets = [home[found] for word in references if (found := resolved(word, named)[0]) in home]
        known = links.setdefault(home[topic], [])
        known += [target for target in dict.fromkeys(targets) if target not in known and target != home[topic]]
    return links


def resolved(name: str, named: Mapping[str, object]) -> tuple[str, list[str]]:
    """Return the topic that a name of `pydoc` stands for, and the names that it refers to."""
    entry = named.get(name, "")
    while isinstance(entry, str) and entry in named:
        entry = named[entry]
    if not isinstance(entry, tuple):
        return "", []
    topic, references = entry
    return topic, references.split()


def see_also(targets: list[str]) -> str:
    """Return the line that links to other topics, or nothing."""
    return f"\nSee also: {', '.join(map(link_to, targets))}\n" if targets else ""


def link_to(topic: str) -> str:
    """Return a link to the file of a topic, named by its heading."""
    return f"[{topics[topic].strip().partition(chr(10))[0]}]({topic}.txt)"


if __name__ == "__main__":
    print(f"{len(export(Path(sys.argv[1])))} files")
