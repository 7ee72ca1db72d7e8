"""Bar charts as SVG, written as text."""

from __future__ import annotations

from xml.sax.saxutils import escape

from report import Chart, Spread, number

WIDTH, LABEL, VALUE, ROW, TOP = 760, 210, 80, 26, 44
OURS, OTHERS, LINE = "#c2410c", "#64748b", "#1e293b"


def svg(chart: Chart) -> str:
    """The picture; whiskers span the middle half of the rounds."""
    height = TOP + ROW * len(chart.bars) + 10
    widest = max(spread.high for _, spread, _ in chart.bars)
    scale = (WIDTH - LABEL - VALUE) / widest
    bars = "\n".join(_bar(at, bar, scale) for at, bar in enumerate(chart.bars))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" fill="{LINE}">
<title>{escape(chart.title)}</title>
<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>
<text x="12" y="26" font-size="15" font-weight="bold">{escape(chart.title)}</text>
{bars}
</svg>
"""


def _bar(at: int, bar: tuple[str, Spread, bool], scale: float) -> str:
    label, spread, is_ours = bar
    y = TOP + ROW * at
    end, middle = LABEL + spread.middle * scale, y + ROW / 2 - 2
    low, high = (LABEL + each * scale for each in (spread.low, spread.high))
    fill = OURS if is_ours else OTHERS
    return "\n".join(
        [
            f'<text x="{LABEL - 8}" y="{middle + 5:.0f}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{LABEL}" y="{y + 2}" width="{max(end - LABEL, 1):.1f}" height="{ROW - 8}" fill="{fill}"/>',
            f'<path d="M{low:.1f} {middle:.0f}H{high:.1f}" stroke="{LINE}"/>',
            f'<text x="{max(end, high) + 6:.1f}" y="{middle + 5:.0f}">{number(spread.middle)}</text>',
        ]
    )
