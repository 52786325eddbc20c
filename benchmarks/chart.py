"""A picture of ratios beside their targets: bars on a logarithmic scale, as SVG."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from benchmarks.rows import Row

_WIDTH, _LEFT, _RIGHT, _LINE, _TOP = 960, 330, 90, 22, 92
_LOWEST, _HIGHEST = 0.1, 10_000.0
_MET, _MISSED, _INK, _FAINT = "#1b7f79", "#d9722e", "#24292f", "#d0d7de"
_FONT = "font-family='system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'"


def chart(rows: Sequence[Row]) -> str:
    """Return the picture of rows that have a target."""
    groups = [(name, list(group)) for name, group in groupby(rows, key=lambda row: row["against"])]
    height = _TOP + sum(_LINE * (len(group) + 1) + 10 for _, group in groups) + 16
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' {_FONT} font-size='12' fill='{_INK}'>",
        f"<rect width='{_WIDTH}' height='{height}' fill='#ffffff'/>",
        "<text x='20' y='30' font-size='18' font-weight='600'>How many times better Spaniel is</text>",
        *_legend(),
        *_axis(height),
    ]
    y = float(_TOP)
    for name, group in groups:
        title = "limits of its own" if name == "limit" else f"beside {name}"
        parts.append(f"<text x='20' y='{y + 15:g}' font-weight='600'>{escape(title)}</text>")
        y += _LINE
        for row in group:
            parts += _bar(row, y)
            y += _LINE
        y += 10
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(ratio: float) -> float:
    """Return the position of a ratio."""
    share = math.log10(min(max(ratio, _LOWEST), _HIGHEST) / _LOWEST) / math.log10(_HIGHEST / _LOWEST)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _legend() -> Iterable[str]:
    for x, colour, label in ((20, _MET, "target met"), (120, _MISSED, "target missed")):
        yield f"<rect x='{x}' y='44' width='12' height='12' rx='2' fill='{colour}'/><text x='{x + 18}' y='54'>{label}</text>"
    yield f"<rect x='240' y='42' width='3' height='16' fill='{_INK}'/><text x='250' y='54'>target</text>"
    yield f"<path d='{_diamond(312, 50)}' fill='#ffffff' stroke='{_INK}'/><text x='324' y='54'>stretch</text>"


def _axis(height: int) -> Iterable[str]:
    for power in range(-1, 5):
        x, ratio = _x(10.0**power), 10.0**power
        colour, width = (_INK, 1.5) if power == 0 else (_FAINT, 1)
        yield f"<line x1='{x}' x2='{x}' y1='{_TOP - 6}' y2='{height - 12}' stroke='{colour}' stroke-width='{width}'/>"
        yield f"<text x='{x}' y='{_TOP - 12}' text-anchor='middle' fill='#57606a'>{ratio:,g}x</text>"


def _bar(row: Row, y: float) -> Iterable[str]:
    label = escape(f"{row['label']}, {_size(row['size'])}")
    yield f"<text x='{_LEFT - 12}' y='{y + 14:g}' text-anchor='end'>{label}</text>"
    ratio, target = row["ratio"], row["target"] or 1.0
    end = _x(1.0)
    if ratio is not None:
        start, stop = sorted((_x(1.0), _x(ratio)))
        colour = _MET if ratio >= target else _MISSED
        yield f"<rect x='{start}' y='{y + 3:g}' width='{max(stop - start, 1):.1f}' height='14' rx='2' fill='{colour}'/>"
        end = stop
    marks = [target] + ([row["stretch"]] if row["stretch"] else [])
    yield f"<rect x='{_x(target) - 1.5:g}' y='{y:g}' width='3' height='20' fill='{_INK}'/>"
    if row["stretch"]:
        yield f"<path d='{_diamond(_x(row['stretch']), y + 10)}' fill='#ffffff' stroke='{_INK}'/>"
    text = "not measured" if ratio is None else f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"
    after = max(end, *(_x(mark) + 6 for mark in marks))
    yield f"<text x='{after + 6:g}' y='{y + 14:g}' fill='{_INK if ratio else '#8c959f'}'>{text}</text>"


def _diamond(x: float, y: float) -> str:
    return f"M{x:g} {y - 6:g}l5 6l-5 6l-5 -6z"


def _size(size: int) -> str:
    return f"{size // 1_000_000} M" if size >= 1_000_000 else f"{size // 1000}k"
