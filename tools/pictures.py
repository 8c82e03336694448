"""Small SVG charts, for pictures that need no more."""

from html import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 900, 180, 70, 34, 20, 34
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")


def ticks(low, high):
    """About five round numbers between two."""
    span = (high - low) or 1.0
    raw = span / 5
    size = 10 ** len(str(int(raw))) / 10 if raw >= 1 else 1.0
    while size > raw:
        size /= 10
    step = next(s * size for s in (1, 2, 5, 10) if s * size >= raw)
    first = int(low / step) - 1
    return [k * step for k in range(first, first + 14) if low - 1e-9 * span <= k * step <= high + 1e-9 * span]


class Chart:
    """One pair of axes; `y` is where on the page it begins."""

    def __init__(self, y, title, xlabel, xs, ys, height=HEIGHT):
        self.y, self.height = y, height
        self.x0, self.x1 = min(xs), max(xs)
        low, high = min(ys), max(ys)
        pad = 0.06 * (high - low) or 0.5
        self.y0, self.y1 = low - pad, high + pad
        self.parts = [f'<text x="{LEFT}" y="{y + 18}" font-weight="bold">{escape(title)}</text>']
        bottom = y + height - BOTTOM
        for value in ticks(self.x0, self.x1):
            x = self.at(value, 0)[0]
            self.parts.append(f'<path d="M{x:.1f} {y + TOP}V{bottom}" class="grid"/><text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{value:g}</text>')
        for value in ticks(self.y0, self.y1):
            level = self.at(0, value)[1]
            self.parts.append(f'<path d="M{LEFT} {level:.1f}H{WIDTH - RIGHT}" class="grid"/><text x="{LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{value:g}</text>')
        self.parts.append(f'<text x="{WIDTH - RIGHT}" y="{bottom + 28}" text-anchor="end">{escape(xlabel)}</text>')

    def at(self, x, y):
        across = (x - self.x0) / ((self.x1 - self.x0) or 1.0)
        up = (y - self.y0) / (self.y1 - self.y0)
        inner = self.height - TOP - BOTTOM
        return LEFT + across * (WIDTH - LEFT - RIGHT), self.y + TOP + (1 - up) * inner

    def line(self, xs, ys, colour, label):
        points = " ".join("{:.1f},{:.1f}".format(*self.at(x, y)) for x, y in zip(xs, ys))
        labels = sum("class='label'" in part for part in self.parts)
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
        self.parts.append(f"<text class='label' x='{WIDTH - RIGHT - 90 * labels}' y='{self.y + 18}' text-anchor='end' fill='{colour}'>{escape(label)}</text>")

    def bars(self, edges, counts, colour):
        for left, right, count in zip(edges, edges[1:], counts):
            (x0, base), (x1, top) = self.at(left, 0), self.at(right, count)
            self.parts.append(f'<rect x="{x0:.1f}" y="{top:.1f}" width="{max(x1 - x0 - 1, 0.5):.1f}" height="{base - top:.1f}" fill="{colour}"/>')


def page(path, charts):
    height = sum(chart.height for chart in charts) + 10
    style = "text{font:12px sans-serif}.grid{stroke:#ddd;stroke-width:1}"
    body = "\n".join(part for chart in charts for part in chart.parts)
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"><style>{style}</style>\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
