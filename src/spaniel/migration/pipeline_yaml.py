"""Conversion of Haystack's pipeline YAML: types are renamed, other text is kept."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from spaniel.core.foreign import use_foreign_package
from spaniel.core.haystack_names import OLD_PARAMETERS, is_haystack_name, to_spaniel_name
from spaniel.core.serialization import find_type_error
from spaniel.marshal import YamlMarshaller
from spaniel.migration.source import Edit, Note, apply_edits
from spaniel.pipeline.serialized_form import validate_pipeline_data

_OURS = "spaniel."
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
_OLD_KEYS = {"max_loops_allowed": "max_runs_per_component"}


class ConvertedPipeline(NamedTuple):
    """A converted pipeline.

    :param text: the YAML with our names.
    :param renamed: renamed types, by line.
    :param missing: types without a counterpart, by line, with a remedy.
    """

    text: str
    renamed: tuple[Note, ...]
    missing: tuple[Note, ...]


def convert_pipeline(text: str, *, foreign: bool = False) -> ConvertedPipeline:
    """Replace the type names of Haystack in a saved pipeline by their counterparts in Spaniel.

    :param text: YAML.
    :param foreign: the pipeline will be loaded with ``foreign=True``: types of Haystack are not
        missing.
    :raises DeserializationError: the text is not a pipeline.

    >>> text = "components: {a: {type: haystack.components.joiners.ListJoiner, init_parameters: {}}}  # joins"
    >>> convert_pipeline(text).text
    'components: {a: {type: spaniel.components.joiners.list_joiner.ListJoiner, init_parameters: {}}}  # joins'
    """
    validate_pipeline_data(YamlMarshaller().unmarshal(text))
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)  # a mapping, as validated
    edits: dict[int, Edit] = {}
    renamed, missing = set(), set()
    with use_foreign_package(foreign):
        for line, name, edit in _names(text, root):
            ours = to_spaniel_name(name)
            if ours != name:
                edits[edit.start] = edit
                renamed.add(Note(line, f"{name} -> {ours}"))
            if fault := find_type_error(name):
                missing.add(Note(line, str(fault)))
    for key, _ in root.value:
        if key.value in _OLD_KEYS:
            edits[key.start_mark.index] = Edit(key.start_mark.index, key.end_mark.index, _OLD_KEYS[key.value])
    return ConvertedPipeline(apply_edits(text, edits.values()), tuple(sorted(renamed)), tuple(sorted(missing)))


def _names(text: str, root: yaml.Node) -> Iterator[tuple[int, str, Edit]]:
    for node in _types(root):
        written = text[node.start_mark.index : node.end_mark.index]
        for found in _DOTTED.finditer(written):
            if node.value == found[0] or is_haystack_name(found[0]):
                start = node.start_mark.index + found.start()
                yield node.start_mark.line + 1, found[0], Edit(start, start + len(found[0]), to_spaniel_name(found[0]))


def _types(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Yield the scalars that name types: of objects, and type parameters of our objects."""
    for type_, parameters in _objects(node, set()):
        yield type_
        for key, value in parameters:
            if isinstance(value, yaml.ScalarNode) and str(key.value).rstrip("_").endswith("type"):
                yield value


def _objects(node: yaml.Node, seen: set[int]) -> Iterator[tuple[yaml.ScalarNode, list[Any]]]:
    """Yield the type of each object, and the parameters of our objects as pairs of nodes."""
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _objects(item, seen)
    if not isinstance(node, yaml.MappingNode):
        return
    values = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    type_, children = values.get("type"), node.value
    if isinstance(type_, yaml.ScalarNode) and "." in type_.value:
        ours, parameters = to_spaniel_name(type_.value), values.get("init_parameters")
        old = OLD_PARAMETERS.get(ours, ())
        is_ours = ours.startswith(_OURS) and isinstance(parameters, yaml.MappingNode)
        children = [pair for pair in parameters.value if pair[0].value not in old] if is_ours and parameters else []
        yield type_, children
    for _, value in children:
        yield from _objects(value, seen)
