# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars as a small SVG picture without dependencies: for each program a ratio, and a line at 1.

Colours are of middle brightness and the background is transparent, so that pictures are read on light and dark pages:
viewers do not agree on whether a picture is told which of both it stands on.
"""
from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

ROW, LABEL, CHART, MARGIN = 19, 275, 330, 44
FASTER, SLOWER, TEXT, LINE = "#3f8fd2", "#d9822b", "#767676", "#767676"


@dataclass
class Bar:
    name: str
    ratio: float


def plot(title: str, bars: list[Bar]) -> str:
    """A picture of the bars, one below the other; what takes longer than the comparison has another colour."""
    scale = CHART / max(1.2, *(bar.ratio for bar in bars))
    width, height = LABEL + CHART + MARGIN, 40 + ROW * len(bars)
    one = LABEL + scale
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             f'font-family="sans-serif" font-size="12" fill="{TEXT}" role="img">',
             f"<title>{escape(title)}</title>",
             f'<text x="{LABEL}" y="14">time / that of the best other program; shorter is better</text>']
    for row, bar in enumerate(bars):
        top = 24 + ROW * row
        length = bar.ratio * scale
        colour = SLOWER if bar.ratio >= 1.005 else FASTER
        lines += [f'<text x="{LABEL - 8}" y="{top + 12}" text-anchor="end">{escape(bar.name)}</text>',
                  f'<rect x="{LABEL}" y="{top + 2}" width="{length:.1f}" height="13" fill="{colour}"/>',
                  f'<text x="{LABEL + length + 5:.1f}" y="{top + 12}">{bar.ratio:.2f}</text>']
    lines += [f'<line x1="{one:.1f}" x2="{one:.1f}" y1="20" y2="{height - 12}" stroke="{LINE}" stroke-dasharray="3 3"/>',
              f'<text x="{one:.1f}" y="{height - 1}" text-anchor="middle" font-size="10">1</text>', "</svg>"]
    return "\n".join(lines) + "\n"
