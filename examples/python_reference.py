"""Export the Python language reference, which every Python carries, to a folder of linked text files.

Each topic of `pydoc` becomes a file that ends in a line ``See also: [Title](file.txt), ...`` made from the cross-references of
`pydoc.Helper`. A topic whose text stands whole in another's is exported once, and links lead to that section.
"""

import pydoc
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from pydoc_data.topics import topics

from spaniel.text.slugs import github_slug

_UNDERLINE = re.compile(r"""^([*=~^"'-])\1+$""", re.MULTILINE)  # its sign depends on the level, so on the text around


def export(folder: Path) -> list[Path]:
    """Write one file a topic into a folder, and return the files.

    :param folder: created if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = homes(topics)
    links = cross_references(home)
    files = []
    for topic in sorted(set(home.values())):
        file = folder / f"{topic}.txt"
        targets = {title_of(target): address(target, home) for target in links.get(topic, [])}
        file.write_text(topics[topic].strip() + "\n" + see_also(targets), encoding="utf-8")
        files.append(file)
    return files


def homes(texts: Mapping[str, str]) -> dict[str, str]:
    """Return for each topic the one that carries its text: itself, or the first that holds it whole."""
    plain = {topic: _UNDERLINE.sub("", text).strip() for topic, text in texts.items()}
    carriers = {}
    for topic, text in plain.items():
        holders = [other for other in plain if other != topic and text in plain[other]]
        equal = [other for other in holders if plain[other] == text]
        larger = [other for other in holders if other not in equal]
        carriers[topic] = larger[0] if larger else max([topic, *equal])
    return carriers


def cross_references(home: Mapping[str, str]) -> dict[str, list[str]]:
    """Return for each exported topic the topics that `pydoc` names beside it, or beside a topic in it."""
    named: dict[str, object] = {**pydoc.Helper.topics, **pydoc.Helper.keywords}
    links: dict[str, list[str]] = {}
    for name in named:
        topic, references = resolved(name, named)
        if topic not in home:
            continue
        targets = [found for word in references if (found := resolved(word, named)[0]) in home]
        known = links.setdefault(home[topic], [])
        known += [target for target in dict.fromkeys(targets) if target not in known and home[target] != home[topic]]
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


def address(topic: str, home: Mapping[str, str]) -> str:
    """Return where a topic is: its file, or its section in the file of another."""
    carrier = home[topic]
    title = title_of(topic)
    if title == title_of(carrier) or f"\n{title}\n" not in topics[carrier]:
        return f"{carrier}.txt"
    return f"{carrier}.txt#{github_slug(title)}"


def see_also(targets: Mapping[str, str]) -> str:
    """Return the line that links to other topics, given their titles and addresses, or nothing."""
    if not targets:
        return ""
    return f"\nSee also: {', '.join(f'[{title}]({target})' for title, target in targets.items())}\n"


def title_of(topic: str) -> str:
    """Return the heading of a topic."""
    return topics[topic].strip().partition("\n")[0]


if __name__ == "__main__":
    print(f"{len(export(Path(sys.argv[1])))} files")
