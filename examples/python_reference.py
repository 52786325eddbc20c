"""Export the Python language reference, which every Python carries, to a folder of linked text
files.

Each topic of `pydoc` becomes a file that ends in a line ``See also: [Title](file.txt), ...`` with
the cross-references of `pydoc.Helper`. A topic whose text is part of another topic is exported
once, and replaced by a link there.
"""

import pydoc
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from pydoc_data.topics import topics

_UNDERLINE = re.compile(r"""([*=~^"'-])\1+$""")  # the character depends on the level


def export(folder: Path) -> list[Path]:
    """Write a file per topic into a folder, and return the files.

    :param folder: created if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = map_exported_topics(topics)
    links = find_references(home)
    files = []
    for topic in sorted(set(home.values())):
        text = replace_parts(topic, sorted(set(home.values()) - {topic}, key=lambda other: -len(topics[other])))
        file = folder / f"{topic}.txt"
        file.write_text(f"{text}\n{format_links(links.get(topic, []))}", encoding="utf-8")
        files.append(file)
    return files


def map_exported_topics(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the exported topic of each topic: itself, or the last topic with the same text."""
    by_text = {text.strip(): topic for topic, text in sorted(texts.items())}
    return {topic: by_text[text.strip()] for topic, text in texts.items()}


def replace_parts(topic: str, others: Iterable[str]) -> str:
    """Return the text of a topic, with a link in place of each other topic that it contains.

    :param others: other topics, the longest first.
    """
    lines = topics[topic].strip().split("\n")
    plain = _remove_underlines(lines)
    for other in others:
        part = _remove_underlines(topics[other].strip().split("\n"))
        start = next((at for at in range(len(plain)) if plain[at : at + len(part)] == part), None)
        if start is not None:
            link = ["", f"See {format_link(other)}.", ""]
            lines[start : start + len(part)] = plain[start : start + len(part)] = link
    return "\n".join(lines)


def _remove_underlines(lines: list[str]) -> list[str]:
    return ["" if _UNDERLINE.match(line) else line for line in lines]


def find_references(home: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the cross-references of each exported topic in `pydoc`."""
    named: dict[str, object] = {**pydoc.Helper.topics, **pydoc.Helper.keywords}
    links: dict[str, list[str]] = {}
    for name in named:
        topic, references = resolve_name(name, named)
        if topic not in home:
            continue
        targets = [home[found] for word in references if (found := resolve_name(word, named)[0]) in home]
        known = links.setdefault(home[topic], [])
        known += [target for target in dict.fromkeys(targets) if target not in known and target != home[topic]]
    return links


def resolve_name(name: str, named: Mapping[str, object]) -> tuple[str, list[str]]:
    """Return the topic of a name in `pydoc`, and the names that it refers to."""
    entry = named.get(name, "")
    while isinstance(entry, str) and entry in named:
        entry = named[entry]
    if not isinstance(entry, tuple):
        return "", []
    topic, references = entry
    return topic, references.split()


def format_links(targets: list[str]) -> str:
    """Return a line with links to other topics; empty without topics."""
    return f"\nSee also: {', '.join(map(format_link, targets))}\n" if targets else ""


def format_link(topic: str) -> str:
    """Return a link to the file of a topic, with its heading."""
    return f"[{topics[topic].strip().partition(chr(10))[0]}]({topic}.txt)"


if __name__ == "__main__":
    print(f"{len(export(Path(sys.argv[1])))} files")
