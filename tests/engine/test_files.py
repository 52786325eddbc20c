"""An index that went through files is the index that was written, or says that it is not."""

import array
import os
import random
import struct
import threading
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import errors
from spaniel._engine import UNICODE_VERSION, KeywordIndex
from tests.engine import reference

WORDS = [f"w{number}" for number in range(300)]
WEIGHTS = [1 / (rank + 1) for rank in range(300)]
QUERY = "w0 w3 w40 w150 w299"


def texts(count, seed=1):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, WEIGHTS, k=rng.randint(0, 20))) for _ in range(count)]


def save(index, folder, *, adopt=True):
    snapshot = index.snapshot()
    for part in snapshot.parts:
        chunks = list(part.chunks())
        assert max(map(len, chunks)) <= 2**20
        assert sum(map(len, chunks)) == part.size
        (folder / part.name).write_bytes(b"".join(chunks))
    state = snapshot.state()
    for file in folder.iterdir():
        if file.name not in snapshot.names:
            file.unlink()
    if adopt:
        index.adopt(folder, snapshot)
    return state


def answers(index, slots=()):
    """All possible requests."""
    queries = [QUERY, "w1", "w7 w290 nothing"]
    return [
        index.statistics(),
        [index.search(query, variant=v, top_k=k) for query in queries for v in reference.VARIANTS for k in (None, 5)],
        index.search(QUERY, variant="BM25L", top_k=10, allowed=array.array("Q", range(0, 100_000, 3))),
        [[(t.term, t.tf, t.df, t.score) for t in terms] for terms in index.explain(QUERY, slots, variant="BM25Okapi")],
    ]


def built(batches, removed=(), seed=1):
    index, slot = KeywordIndex(), 0
    for size in batches:
        index.apply([], index.prepare(range(slot, slot + size), texts(size, seed + slot)), tidy=False)
        slot += size
    index.apply(removed)
    return index


def test_an_empty_index_comes_back_empty(tmp_path):
    opened = KeywordIndex.open(tmp_path, save(KeywordIndex("words"), tmp_path))

    assert len(opened) == 0
    assert opened.search("a", variant="BM25L", top_k=5) == []
    opened.apply([], opened.prepare([0], ["漢字仮"]))
    assert opened.statistics()["tokens"] == 5, "characters and pairs of them, as before"


@pytest.mark.parametrize("batches", [[3], [20_000], [9000, 800, 70, 6, 1]])
def test_a_saved_index_is_opened_again(tmp_path, batches):
    removed = range(1, sum(batches), 7)
    index = built(batches, removed)
    slots = [slot for slot in range(min(200, sum(batches))) if slot in index]
    before = answers(index, slots)
    state = save(index, tmp_path)

    assert answers(index, slots) == before, "mapped in place"
    assert answers(KeywordIndex.open(str(tmp_path), state), slots) == before
    assert save(index, tmp_path) == state, "nothing new"
    assert index.snapshot().parts == []


@given(st.data())
def test_any_history_with_saves_equals_a_fresh_index(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("index")
    index, living, slot = KeywordIndex(), {}, 0
    for _ in range(data.draw(st.integers(1, 12))):
        step = data.draw(st.sampled_from(["write", "write", "write", "many", "save", "open", "tidy", "late"]))
        if step in ("write", "many"):
            removed = data.draw(st.lists(st.sampled_from(sorted(living)), unique=True)) if living else []
            words = st.lists(st.sampled_from("abcdefgh"), max_size=6)
            added = data.draw(st.lists(words, max_size=5)) * (30 if step == "many" else 1)
            slots = list(range(slot, slot + len(added)))
            index.apply(removed, index.prepare(slots, added), tidy=data.draw(st.booleans()))
            living = {s: t for s, t in living.items() if s not in removed} | dict(zip(slots, added, strict=True))
            slot += len(added) + data.draw(st.integers(0, 2))
        elif step == "save":
            save(index, folder)
        elif step == "open":
            index = KeywordIndex.open(folder, save(index, folder, adopt=False))
        elif step == "late":
            snapshot = index.snapshot()
            for part in snapshot.parts:
                (folder / part.name).write_bytes(b"".join(part.chunks()))
            index.tidy()
            index.adopt(folder, snapshot)
        else:
            index.tidy()
    fresh = KeywordIndex()
    fresh.apply([], fresh.prepare(sorted(living), [living[s] for s in sorted(living)]))
    opened = KeywordIndex.open(folder, save(index, folder))
    for query in (["a", "c"], list("hgfedcba")):
        for variant in reference.VARIANTS:
            expected = fresh.search(query, variant=variant, top_k=None)
            assert index.search(query, variant=variant, top_k=None) == expected
            assert opened.search(query, variant=variant, top_k=None) == expected
        expected = fresh.explain(query, sorted(living), variant="BM25L")
        assert index.explain(query, sorted(living), variant="BM25L") == expected
        assert opened.explain(query, sorted(living), variant="BM25L") == expected
    assert index.statistics() == opened.statistics() == fresh.statistics()


def test_a_snapshot_stays_as_it_is_while_the_index_goes_on(tmp_path):
    index = built([50, 20], removed=[3])
    before, snapshot = answers(index), index.snapshot()
    index.apply(range(10, 60), index.prepare(range(70, 90), texts(20)))
    for part in snapshot.parts:
        (tmp_path / part.name).write_bytes(b"".join(part.chunks()))
    after = answers(index)
    index.adopt(tmp_path, snapshot)

    assert answers(KeywordIndex.open(tmp_path, snapshot.state())) == before
    assert answers(index) == after != before


def test_names_of_files_are_never_used_twice(tmp_path):
    names = [part.name for _ in range(20) for part in built([5]).snapshot().parts]

    assert len(set(names)) == len(names) == 40
    assert {name.split(".")[1] for name in names} == {"segment", "terms"}


@pytest.fixture
def small(tmp_path):
    index = KeywordIndex()
    for slots, documents in (
        (range(530), ["w0 w1", "w3", "w0 w0 w7", "", "w3 w0", *["w0"] * 525]),  # enough for a row
        ([538, 540, 541, 542], ["w150 w0", "w0", "w0", "w0"]),
    ):
        index.apply([], index.prepare(slots, documents), tidy=False)
    index.apply([5])
    state = save(index, tmp_path, adopt=False)
    slots = [0, 1, 2, 3, 4, 538, 540, 541, 542]
    return tmp_path, state, used(tmp_path, state, slots), slots


def used(folder, state, slots):
    """Read all data of an index."""
    index = KeywordIndex.open(folder, state)
    found = [index.search(QUERY, variant="BM25L", top_k=k) for k in (None, 5)]
    found += index.explain(QUERY, slots, variant="BM25Okapi")
    index.apply(slots[:1], index.prepare([600], ["w0 w1 w2 w3"]), tidy=False)
    index.apply([], index.prepare(range(700, 780), ["w1"] * 80), tidy=False)
    assert index.join(1, 1000), "reads all segments"
    return found


def test_a_file_that_is_cut_short_anywhere_is_noticed(small):
    folder, state, _, _ = small
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for length in reversed(range(len(whole))):
            os.truncate(path, length)
            with pytest.raises(errors.DamagedIndexError, match="bytes where"):
                KeywordIndex.open(folder, state)
        path.write_bytes(whole + b"\0")
        with pytest.raises(errors.DamagedIndexError, match="bytes where"):
            KeywordIndex.open(folder, state)
        path.write_bytes(whole)


def test_a_state_that_is_cut_short_or_altered_anywhere_is_noticed(small):
    folder, state, _, _ = small
    for place in range(len(state)):
        with pytest.raises(errors.DamagedIndexError):
            KeywordIndex.open(folder, state[:place])
        altered = bytearray(state)
        altered[place] ^= 1 << place % 8
        with pytest.raises((errors.DamagedIndexError, errors.IndexVersionError)):
            KeywordIndex.open(folder, bytes(altered))


def written(whole):
    """The places of a file that hold something."""
    header, count = struct.unpack_from("<II", whole, 24)
    sections = [struct.unpack_from("<QQ", whole, 72 + 16 * number) for number in range(count)]
    return set(range(header)).union(*(range(start, start + length) for start, length in sections))


def test_every_flipped_bit_of_a_file_is_noticed_where_it_is_read(small):
    folder, state, expected, slots = small
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        unnoticed = set()
        for place in range(len(whole)):
            altered = bytearray(whole)
            altered[place] ^= 1 << place % 8
            path.write_bytes(altered)
            try:
                assert used(folder, state, slots) == expected
                unnoticed.add(place)
            except (errors.DamagedIndexError, errors.IndexVersionError) as error:
                assert path.name in str(error)  # noqa: PT017 - most bits are noticed, some mean nothing
        path.write_bytes(whole)
        assert not unnoticed & written(whole)


def resealed(path, state, change):
    """Change the sections of a file and make all checksums right again. Returns the state that goes
    with it.
    """
    whole = bytearray(path.read_bytes())
    header, count = struct.unpack_from("<II", whole, 24)
    sections = [struct.unpack_from("<QQ", whole, 72 + 16 * number) for number in range(count)]
    change(whole, sections)
    checksum = 72 + 16 * count
    for start, length in sections:
        for block in range(start, start + length, 2**16):
            struct.pack_into("<I", whole, checksum, zlib.crc32(whole[block : min(block + 2**16, start + length)]))
            checksum += 4
    old = whole[header - 4 : header]
    struct.pack_into("<I", whole, header - 4, zlib.crc32(whole[: header - 4]))
    path.write_bytes(whole)
    body = state[16:].replace(
        struct.pack("<QI", len(whole), *struct.unpack("<I", old)),
        struct.pack("<QI", len(whole), *struct.unpack("<I", whole[header - 4 : header])),
    )
    return state[:12] + struct.pack("<I", zlib.crc32(body)) + body


def test_a_file_made_to_harm_with_right_checksums_is_an_error_or_an_answer(small):
    folder, state, _, slots = small
    rng, refused = random.Random(5), 0
    for _ in range(1000):
        path = rng.choice(sorted(folder.iterdir()))
        whole = path.read_bytes()

        def change(data, sections):
            start, length = rng.choice([section for section in sections if section[1]])
            for _ in range(rng.randint(1, 3)):
                place = start + rng.randrange(length)
                data[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, data[place] ^ 1, rng.randrange(256)])

        altered = resealed(path, state, change)
        try:
            used(folder, altered, slots)
        except (errors.DamagedIndexError, KeyError, ValueError):
            refused += 1
        path.write_bytes(whole)
    assert refused > 100


def test_stems_in_a_file_are_those_that_are_computed_or_damage_is_noticed(tmp_path):
    index = KeywordIndex("words", 2)
    documents = ["walks in happier dogs", "walking, happiest sky", "gärten and skies", "dying to die"]
    index.apply([], index.prepare(range(4), documents, others=[["Ponies", "", "a garden", ""]]))
    query, parameters = "walk happy sky garten pony die", {"weights": [1.0, 2.0]}

    def find(opened):
        return opened.search_words(query, parameters=parameters, languages=["english", "german"], top_k=None)

    expected, snapshot = find(index), index.snapshot(["english", "german"])
    for part in snapshot.parts:
        (tmp_path / part.name).write_bytes(b"".join(part.chunks()))
    assert find(KeywordIndex.open(tmp_path, snapshot.state())) == expected
    path = next(file for file in tmp_path.iterdir() if file.suffix == ".terms")
    whole = path.read_bytes()
    for section in (3, 4):
        start, length = struct.unpack_from("<QQ", whole, 72 + 16 * section)
        altered = bytearray(whole)
        altered[start + length // 2] ^= 8
        path.write_bytes(altered)
        with pytest.raises(errors.DamagedIndexError, match=f"{path.name}' is damaged in block 0"):
            find(KeywordIndex.open(tmp_path, snapshot.state()))


@pytest.mark.parametrize("content", [b"", b"x", b"SPANIEL\0", bytes(5000), os.urandom(5000)])
def test_rejects_foreign_files(small, content):
    folder, state, _, _ = small
    with pytest.raises(errors.DamagedIndexError):
        KeywordIndex.open(folder, content)
    path = min(folder.iterdir())
    size = path.stat().st_size
    path.write_bytes(content[:size].ljust(size, b"\0"))
    with pytest.raises((errors.DamagedIndexError, errors.IndexVersionError), match=path.name):
        KeywordIndex.open(folder, state)


def test_damage_is_reported_on_access_and_changes_nothing(tmp_path):
    index = built([20_000])
    before, state = answers(index), save(index, tmp_path)
    path = max(tmp_path.iterdir(), key=lambda file: file.stat().st_size)
    whole = bytearray(path.read_bytes())
    start, length = struct.unpack_from("<QQ", whole, 72 + 16 * 2)
    whole[start + 70_000] ^= 4
    path.unlink()  # a mapped file must not be changed
    path.write_bytes(whole)
    opened = KeywordIndex.open(tmp_path, state)

    assert length > 2**16
    assert answers(opened) == before, "searching does not read it"
    with pytest.raises(errors.DamagedIndexError, match=rf"{path.name}' is damaged in block 1 of its section 'forward'"):
        opened.apply(range(20_000), opened.prepare([30_000], ["w1"]))
    assert answers(opened) == answers(index) == before


def test_a_folder_that_may_not_be_read_is_an_error_of_the_system(small):
    folder, state, _, _ = small
    path = min(folder.iterdir())
    path.unlink()
    path.symlink_to(path.name)

    with pytest.raises(OSError, match="symbolic links"):
        KeywordIndex.open(folder, state)


def test_a_missing_file_is_named(small):
    folder, state, _, _ = small
    path = min(folder.iterdir())
    path.unlink()

    with pytest.raises(errors.DamagedIndexError, match=f"{path.name}' is missing: build"):
        KeywordIndex.open(folder, state)


def test_other_versions_are_distinguished_from_damage(small):
    folder, state, _, _ = small
    with pytest.raises(errors.IndexVersionError, match="format 4"):
        KeywordIndex.open(folder, state[:8] + struct.pack("<I", 4) + state[12:])
    body = state[16:].replace(UNICODE_VERSION.encode(), b"99.0.0")
    with pytest.raises(errors.IndexVersionError, match=r"Unicode 99\.0\.0"):
        KeywordIndex.open(folder, state[:12] + struct.pack("<I", zlib.crc32(body)) + body)
    path = min(folder.iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:8] + struct.pack("<I", 4) + whole[12:])
    with pytest.raises(errors.IndexVersionError, match="format 4"):
        KeywordIndex.open(folder, state)


def test_adopting_files_that_were_never_written_changes_nothing(tmp_path):
    index = built([40])
    before, snapshot = answers(index), index.snapshot()
    with pytest.raises(errors.DamagedIndexError, match="missing"):
        index.adopt(tmp_path, snapshot)

    assert answers(index) == before
    assert answers(KeywordIndex.open(tmp_path, save(index, tmp_path))) == before


def test_readers_go_on_beside_saves_writes_and_merges(tmp_path):
    index = built([2000, 300])
    done, wrong = threading.Event(), []

    def read():
        while not done.is_set():
            hits = index.search(QUERY, variant="BM25L", top_k=10)
            if len(hits) != 10 or hits != sorted(hits, key=lambda hit: (-hit[1], hit[0])):
                wrong.append(hits)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for number in range(30):
            slots = range(2300 + 40 * number, 2340 + 40 * number)
            index.apply(range(number * 20, number * 20 + 10), index.prepare(slots, texts(40, number)))
            state = save(index, tmp_path)
    finally:
        done.set()
        for reader in readers:
            reader.join()

    assert not wrong
    assert answers(KeywordIndex.open(tmp_path, state)) == answers(index)


def test_a_child_process_reads_the_index_of_its_parent(tmp_path):
    opened = KeywordIndex.open(tmp_path, save(built([500, 20]), tmp_path))
    expected = answers(opened)
    child = os.fork()
    if child == 0:
        os._exit(0 if answers(opened) == expected else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
