"""Random CSV, as strategies."""

from hypothesis import strategies as st

PLAIN_CELLS = [
    "",
    "",
    "",
    "",
    "a",
    "b c",
    " ",
    '"x,y"',
    '"say ""hi"""',
    '"two\nlines"',
    '""',
    'a"b',
    "日",
    "\u2028",
    "\x0c",
]
LINE_ENDS = ["\n", "\n", "\r\n"]


@st.composite
def sheets(draw, cells=PLAIN_CELLS, separator=","):
    """Draw a table: mostly of equally long rows, some shorter, few longer, with blank lines."""
    width = draw(st.integers(1, 6))
    lengths = st.sampled_from([width] * 12 + [max(1, width - 1)] * 3 + [width + 1])
    row = lengths.flatmap(lambda length: st.lists(st.sampled_from(cells), min_size=length, max_size=length))
    lines = draw(
        st.lists(
            row.map(separator.join) | st.just(separator * (width - 1)) | st.sampled_from(["", " ", " \t"]), max_size=9
        )
    )
    end = draw(st.sampled_from(LINE_ENDS))
    start = draw(st.sampled_from(["", "", "", "\ufeff"]))
    return start + end.join(lines) + draw(st.sampled_from([end, end, "", '"']))


metas = st.sampled_from([{}, {"name": "s.csv", "tags": ["t"]}, {"source_id": "x", "split_id": 4, "row_idx_start": 1}])


def documents_of(texts):
    """Draw lists of the fields of documents with these texts."""
    return st.lists(
        st.fixed_dictionaries({"content": texts | st.none(), "meta": metas}, optional={"id": st.just("1")}), max_size=2
    )
