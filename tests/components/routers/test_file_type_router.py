from pathlib import Path

import pytest
from haystack.components.routers import FileTypeRouter as ReferenceRouter
from haystack.dataclasses import ByteStream as ReferenceStream
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spaniel.components.routers import FileTypeRouter
from spaniel.core.component import get_output_sockets
from spaniel.dataclasses import ByteStream

NAMES = ["a.txt", "b.md", "c.SVG", "d.pdf", "e", "f.msg", "missing.txt"]
MIME_TYPES = ["text/plain", "text/markdown", "text/.*", "image/svg+xml", ".*outlook"]
STREAMS = st.tuples(st.sampled_from([None, "", "text/plain", "image/svg+xml", "odd"]), st.sampled_from(["1", "2"]))
METAS = st.none() | st.dictionaries(st.sampled_from("xy"), st.integers(0, 1), max_size=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES[:-1]:
        (tmp_path / name).write_text(name)
    return tmp_path


def shown(source):
    return str(source) if isinstance(source, Path) else (source.data, source.meta, source.mime_type)


def outcome(router_class, stream_class, init, sources, meta):
    built = [
        source
        if isinstance(source, Path | str)
        else stream_class(source[1].encode(), mime_type=source[0], meta={"x": 9})
        for source in sources
    ]
    try:
        routed = router_class(**init).run(built, meta=meta)
    except (ValueError, OSError) as error:
        return type(error)
    return {output: [shown(source) for source in found] for output, found in routed.items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sources=st.lists(st.sampled_from(NAMES) | STREAMS, max_size=4),
    mime_types=st.lists(st.sampled_from(MIME_TYPES), max_size=3, unique=True),
    meta=METAS | st.lists(METAS.filter(lambda meta: meta is not None), max_size=4),
    as_text=st.booleans(),
    raise_on_failure=st.booleans(),
)
def test_routes_and_rejects_as_haystack(folder, sources, mime_types, meta, as_text, raise_on_failure):
    paths = [
        (str(folder / source) if as_text else folder / source) if isinstance(source, str) else source
        for source in sources
    ]
    init = {"mime_types": mime_types, "raise_on_failure": raise_on_failure}
    expected = outcome(ReferenceRouter, ReferenceStream, init, paths, meta)
    assert outcome(FileTypeRouter, ByteStream, init, paths, meta) == expected


@pytest.mark.parametrize(("mime_types", "message"), [([], "empty"), (["failed"], "reserved"), (["["], "regex pattern")])
def test_rejects_the_same_types_as_haystack(mime_types, message):
    for router in (ReferenceRouter, FileTypeRouter):
        with pytest.raises(ValueError, match=message):
            router(mime_types)


@pytest.mark.parametrize("router", [ReferenceRouter, FileTypeRouter])
def test_rejects_sources_other_than_paths_and_streams(router):
    with pytest.raises(TypeError, match="Unsupported data source type: dict"):
        router(["text/plain"]).run([{"path": "a.txt"}])


@pytest.mark.parametrize("router", [ReferenceRouter, FileTypeRouter])
def test_rejects_metadata_of_another_kind(router):
    with pytest.raises(ValueError, match="meta must be either None, a dictionary or a list of dictionaries"):
        router(["text/plain"]).run([], meta="x")


def test_the_callers_stream_and_metadata_stay_as_they_are():
    stream, meta = ByteStream(b"1", meta={"own": 1}, mime_type="text/plain"), {"tags": ["x"]}
    (routed,) = FileTypeRouter(["text/plain"]).run([stream], meta=meta)["text/plain"]
    routed.meta["tags"].append("y")
    assert (stream.meta, meta) == ({"own": 1}, {"tags": ["x"]})


def test_a_folder_that_gets_metadata_has_failed(tmp_path, caplog):
    assert FileTypeRouter(["text/plain"]).run([tmp_path], meta={"a": 1}) == {"failed": [tmp_path]}
    assert "Skipping it" in caplog.text


def test_additional_types_come_first_and_hold_for_their_router_alone(folder):
    """Haystack's go into the table of the whole process, behind Markdown and Outlook."""
    init = {"mime_types": ["application/x-notes"], "additional_mimetypes": {"application/x-notes": ".MD"}}
    assert list(FileTypeRouter(**init).run([folder / "b.md"])) == ["application/x-notes"]
    assert list(FileTypeRouter(["application/x-notes"]).run([folder / "b.md"])) == ["unclassified"]
    assert list(ReferenceRouter(**init).run([folder / "b.md"])) == ["unclassified"]


def test_every_type_is_an_output_that_converters_can_be_connected_to():
    outputs = get_output_sockets(FileTypeRouter(["text/plain"]))
    assert set(outputs) == {"text/plain", "unclassified", "failed"}
    assert outputs["text/plain"].type == list[str | Path | ByteStream]
