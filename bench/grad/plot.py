#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot.py - draws the table of bench/grad's section "threshold".

    build/release/bench/grad threshold --adapter=vulkan | bench/grad/plot.py docs/grad-threshold.svg
"""
import math
import sys

WIDTH, HEIGHT, LEFT, TOP = 640, 400, 70, 30
COLOURS = ["#e07410", "#1f61b4", "#2a8a4a"]


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def main():
    rows, names = [], []
    for line in sys.stdin:
        fields = line.split()
        if fields[:1] == ["instances"]:
            names = ["immediate evaluation", "CPU device", line.split("us")[-1].strip()]
        elif fields and all(f.replace(".", "").isdigit() for f in fields):
            rows.append([float(f) for f in fields])
    if not rows:
        sys.exit("plot.py: no table of bench/grad on standard input")
    low_x, high_x = 0, math.log10(max(r[0] for r in rows))
    low_y, high_y = decades([v for r in rows for v in r[1:]])
    x_of = lambda v: LEFT + (math.log10(v) - low_x) / (high_x - low_x) * WIDTH
    y_of = lambda v: TOP + (high_y - math.log10(v)) / (high_y - low_y) * HEIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} '
           f'{TOP + HEIGHT + 60}" font-family="sans-serif" font-size="13">',
           "<!-- SPDX-License-Identifier: Apache-2.0; made by bench/grad/plot.py -->",
           '<rect width="100%" height="100%" fill="#fff"/>']
    for power in range(low_y, high_y + 1):
        y = y_of(10 ** power)
        text = f"{10 ** power:,} us" if power < 3 else f"{10 ** (power - 3):,} ms"
        out.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for row in rows[::2]:
        x = x_of(row[0])
        out.append(f'<path d="M{x:.1f} {TOP}v{HEIGHT}" stroke="#eee"/><text x="{x:.1f}" '
                   f'y="{TOP + HEIGHT + 20}" text-anchor="middle">{int(row[0]):,}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 45}" text-anchor="middle">'
               'instances</text>')
    for column in range(1, len(rows[0])):
        colour = COLOURS[column - 1]
        points = " ".join(f"{x_of(r[0]):.1f},{y_of(r[column]):.1f}" for r in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
                   f'<text x="{LEFT + 20}" y="{TOP + 4 + 20 * column}" fill="{colour}">'
                   f'{names[column - 1]}</text>')
    with open(sys.argv[1], "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
