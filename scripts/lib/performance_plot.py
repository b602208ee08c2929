# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars as a small SVG picture without dependencies: for each program a ratio and a line at 1, or a time beside its bound.

Colours are of middle brightness and the background is transparent, so that pictures are read on light and dark pages:
viewers do not agree on whether a picture is told which of both it stands on.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

ROW, LABEL, CHART, MARGIN = 19, 275, 330, 44
FASTER, SLOWER, TEXT, LINE = "#3f8fd2", "#d9822b", "#767676", "#767676"


@dataclass
class Bar:
    name: str
    ratio: float


@dataclass
class Turn:
    name: str
    seconds: float
    bound: float | None
    by_hand: float | None


def head(title: str, height: int) -> list[str]:
    width = LABEL + CHART + MARGIN
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="sans-serif" font-size="12" fill="{TEXT}" role="img">',
            f"<title>{escape(title)}</title>"]


def label(name: str, top: int) -> str:
    return f'<text x="{LABEL - 8}" y="{top + 12}" text-anchor="end">{escape(name)}</text>'


def plot(title: str, bars: list[Bar]) -> str:
    """A picture of the bars, one below the other; what takes longer than the comparison has another colour."""
    scale = CHART / max(1.2, *(bar.ratio for bar in bars))
    height = 40 + ROW * len(bars)
    one = LABEL + scale
    lines = [*head(title, height),
             f'<text x="{LABEL}" y="14">time / that of the best other program; shorter is better</text>']
    for row, bar in enumerate(bars):
        top = 24 + ROW * row
        length = bar.ratio * scale
        colour = SLOWER if bar.ratio >= 1.005 else FASTER
        lines += [label(bar.name, top),
                  f'<rect x="{LABEL}" y="{top + 2}" width="{length:.1f}" height="13" fill="{colour}"/>',
                  f'<text x="{LABEL + length + 5:.1f}" y="{top + 12}">{bar.ratio:.2f}</text>']
    lines += [f'<line x1="{one:.1f}" x2="{one:.1f}" y1="20" y2="{height - 12}" stroke="{LINE}" stroke-dasharray="3 3"/>',
              f'<text x="{one:.1f}" y="{height - 1}" text-anchor="middle" font-size="10">1</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def plot_turns(title: str, turns: list[Turn]) -> str:
    """A picture of the times of a turn: a bar for ikra's, a line for the bound and a circle for the best by hand. Each step
    of the scale is ten times the one before."""
    known = [seconds for turn in turns for seconds in (turn.seconds, turn.bound, turn.by_hand) if seconds]
    first, last = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))

    def place(seconds: float) -> float:
        return LABEL + CHART * (math.log10(seconds) - first) / (last - first)

    height = 44 + ROW * len(turns)
    lines = [*head(title, height),
             f'<rect x="{LABEL}" y="5" width="22" height="9" fill="{FASTER}"/><text x="{LABEL + 28}" y="14">ikra</text>',
             f'<line x1="{LABEL + 82}" x2="{LABEL + 82}" y1="3" y2="16" stroke="{LINE}" stroke-width="3"/>'
             f'<text x="{LABEL + 90}" y="14">bound</text>',
             f'<circle cx="{LABEL + 156}" cy="10" r="4" fill="{SLOWER}"/><text x="{LABEL + 166}" y="14">best by hand</text>']
    for power in range(first, last + 1):
        x = place(10.0**power)
        lines += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="22" y2="{height - 16}" stroke="{LINE}" stroke-opacity="0.35"/>',
                  f'<text x="{x:.1f}" y="{height - 3}" text-anchor="middle" font-size="10">{power_of_ten(power)}</text>']
    for row, turn in enumerate(turns):
        top = 24 + ROW * row
        lines += [label(turn.name, top),
                  f'<rect x="{LABEL}" y="{top + 2}" width="{place(turn.seconds) - LABEL:.1f}" height="13" fill="{FASTER}"/>']
        if turn.bound:
            x = place(turn.bound)
            lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + 17}" stroke="{LINE}" stroke-width="3"/>')
        if turn.by_hand:
            lines.append(f'<circle cx="{place(turn.by_hand):.1f}" cy="{top + 8.5}" r="4" fill="{SLOWER}"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def power_of_ten(power: int) -> str:
    """A time of a power of ten seconds."""
    unit, name = next((unit, name) for unit, name in ((0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns")) if power >= unit or unit == -9)
    return f"{10.0**(power - unit):g} {name}"
