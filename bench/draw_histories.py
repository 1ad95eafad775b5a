#!/usr/bin/env python3
"""Draws what bench/solver_histories.cpp prints, and writes its tables as Markdown.

usage: draw_histories.py HISTORIES.csv FOLDER

Writes FOLDER/solver-histories.svg (residual over columns multiplied, three spectra, both axes logarithmic) and
FOLDER/ghosts.svg (Ritz values over the steps of Lanczos), and prints the tables of docs/how/solvers.md.
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

COLOURS = {"block_krylov": "#0072b2", "lanczos": "#d55e00", "lobpcg": "#009e73", "subspace": "#b0438c",
           "power": "#8a6d00", "inverse": "#6a3d9a", "rayleigh_quotient": "#444444"}
DRAWN = ["block_krylov", "lanczos:full", "lobpcg:preconditioned", "subspace:chebyshev", "subspace:plain", "power",
         "inverse", "rayleigh_quotient"]
TITLES = {"gaussian": "gaussian: centred Gaussian kernel of an S-curve, values fall fast",
          "slow": "slow: values 1 / (1 + i)",
          "clustered": "clustered: 1 three times, three values 1e-6 apart at 0.8, then 0.5 · 0.98^i"}
TOLERANCE = 1e-10
COPY = 1e-8


def parts(path):
    """The parts of the file: name -> rows."""
    found = {}
    for block in path.read_text(encoding="utf-8").split("# ")[1:]:
        name, *lines = block.splitlines()
        found[name] = list(csv.DictReader(lines))
    return found


def full_name(row):
    return row["solver"] + (":" + row["variant"] if row["variant"] else "")


class Panel:
    """Lines of one spectrum; names of lines stand in a strip below them, each under the end of its line."""
    LEFT, WIDTH, HEIGHT, LEVEL, TITLE = 66, 740, 190, 15, 34
    X_RANGE, Y_RANGE = (0.0, 2.8), (-14.5, 1)

    def __init__(self, title, lines):
        self.title = title
        self.lines = defaultdict(list)  # the same points once, with all their names
        for name in DRAWN:
            self.lines[tuple(lines[name])].append(name)
        self.levels = self.levels_of_names()
        self.bottom = self.TITLE + self.HEIGHT + self.LEVEL * (max(self.levels.values()) + 1) + 8

    def levels_of_names(self):
        """How deep each name stands. A name ends where its line does and reaches to the left, so it goes below the names
        of all lines that end above it: no name and no line down to one then crosses another."""
        levels, above = {}, []
        for points, names in sorted(self.lines.items(), key=lambda item: item[0][-1][0]):
            end = self.place(*points[-1])[0]
            begin = end - 6.9 * len(", ".join(names)) - 8
            levels[points] = 1 + max((level for x, level in above if x > begin), default=-1)
            above.append((end, levels[points]))
        return levels

    def place(self, columns, residual):
        def share(value, ends):
            return (min(max(math.log10(value), ends[0]), ends[1]) - ends[0]) / (ends[1] - ends[0])
        return (self.LEFT + self.WIDTH * share(columns, self.X_RANGE),
                self.TITLE + self.HEIGHT * (1 - share(max(residual, 1e-300), self.Y_RANGE)))

    def axes(self):
        bottom, right = self.bottom, self.LEFT + self.WIDTH
        yield (f'<rect x="{self.LEFT}" y="{self.TITLE}" width="{self.WIDTH}" height="{bottom - self.TITLE}" '
               'fill="none" stroke="#888"/>')
        yield f'<text x="{self.LEFT}" y="{self.TITLE - 12}" font-weight="bold">{self.title}</text>'
        for exponent in range(0, -15, -2):
            y = self.place(1, 10.0 ** exponent)[1]
            yield f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e4e4e4"/>'
            yield f'<text x="{self.LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">1e{exponent}</text>'
        for columns in (1, 2, 5, 10, 20, 50, 100, 200, 500):
            x = self.place(columns, 1)[0]
            yield f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}" stroke="#888"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{columns}</text>'
        y = self.place(1, TOLERANCE)[1]
        yield f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#888" stroke-dasharray="5 4"/>'
        yield f'<text x="{self.LEFT + 6}" y="{y - 4:.1f}" fill="#666">tolerance</text>'

    def curves(self):
        for points, names in self.lines.items():
            colour = COLOURS[names[0].split(":")[0]]
            dashes = ' stroke-dasharray="6 3"' if names[0].endswith(":plain") else ""
            places = [self.place(*point) for point in points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>'
            x, y = places[-1]
            foot = self.TITLE + self.HEIGHT + self.LEVEL * (self.levels[points] + 1)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            yield (f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{foot}" stroke="{colour}" stroke-width="0.8" '
                   'stroke-dasharray="2 2"/>')
            yield f'<text x="{x - 4:.1f}" y="{foot}" text-anchor="end" fill="{colour}">{", ".join(names)}</text>'


def svg(width, height, lines):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'height="{height}" font-family="sans-serif" font-size="12" fill="#222">',
                      f'<rect width="{width}" height="{height}" fill="#fff"/>', *lines, "</svg>"]) + "\n"


def histories_picture(rows):
    lines = defaultdict(lambda: defaultdict(list))
    for row in rows:
        lines[row["spectrum"]][full_name(row)].append((int(row["columns"]), float(row["residual"])))
    drawn, top = [], 0
    for name, found in lines.items():
        panel = Panel(TITLES[name], found)
        drawn += [f'<g transform="translate(0 {top})">', *panel.axes(), *panel.curves(), "</g>"]
        top += panel.bottom + 34
    drawn.append(f'<text x="{Panel.LEFT + Panel.WIDTH}" y="{top + 8}" text-anchor="end">columns multiplied; up: '
                 'worst residual of six pairs, relative to the largest value</text>')
    return svg(Panel.LEFT + Panel.WIDTH + 24, top + 16, drawn)


class GhostPanel:
    """Ritz values over the steps, one line for each place; a mark wherever a copy of the largest value is complete."""
    LEFT, TOP, WIDTH, HEIGHT, HIGH = 44, 48, 360, 300, 1.12

    def __init__(self, title, rows):
        self.title = title
        self.places, self.steps = defaultdict(list), defaultdict(list)
        for row in rows:
            step, value = int(row["step"]), float(row["value"])
            self.places[int(row["place"])].append((step, value))
            self.steps[step].append(value)
        self.last = max(self.steps)

    def place(self, step, value):
        return self.LEFT + self.WIDTH * step / self.last, self.TOP + self.HEIGHT * (1 - value / self.HIGH)

    def copies(self):
        """(step, how many) where their number grows."""
        most = 1
        for step, values in sorted(self.steps.items()):
            count = sum(abs(value - 1) <= COPY for value in values)
            if count > most:
                most = count
                yield step, count

    def draw(self):
        right, bottom = self.LEFT + self.WIDTH, self.TOP + self.HEIGHT
        yield f'<text x="{self.LEFT}" y="{self.TOP - 24}" font-weight="bold">{self.title}</text>'
        for i in range(1, 6):
            y = self.place(0, 1 / i)[1]
            yield f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ccc"/>'
            yield f'<text x="{self.LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{"1" if i == 1 else f"1/{i}"}</text>'
        for step in range(0, self.last + 1, 20):
            x = self.place(step, 0)[0]
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{step}</text>'
        for points in self.places.values():
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.place(*point) for point in points))
            yield f'<polyline points="{path}" fill="none" stroke="#0072b2" stroke-width="1.3"/>'
        for step, count in self.copies():
            x, y = self.place(step, 1)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#d55e00"/>'
            yield f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle" fill="#b84e00">×{count}</text>'
        yield (f'<rect x="{self.LEFT}" y="{self.TOP}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" '
               'stroke="#888"/>')


def ghosts_picture(rows):
    titles = {"full": "full reorthogonalisation: every value once", "none": "none: the largest value again and again"}
    step, drawn = GhostPanel.LEFT + GhostPanel.WIDTH + 16, []
    for number, (variant, title) in enumerate(titles.items()):
        panel = GhostPanel(title, [row for row in rows if row["variant"] == variant])
        drawn += [f'<g transform="translate({number * step} 0)">', *panel.draw(), "</g>"]
    height = GhostPanel.TOP + GhostPanel.HEIGHT + 48
    drawn.append(f'<text x="{2 * step - 16}" y="{height - 8}" text-anchor="end">steps; up: the ten largest Ritz values, '
                 'eigenvalues 1/i in grey; ×m: m copies of the value 1 to eight digits</text>')
    return svg(2 * step, height, drawn)


def markdown(rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


def summary_table(rows):
    """Passes and columns of the iteration, and passes of the proof, per solver and spectrum."""
    spectra = list(dict.fromkeys(row["spectrum"] for row in rows))
    cells = defaultdict(dict)
    for row in rows:
        proof = f" + {row['proof_passes']}" if row["proof_passes"] != "0" else ""
        mark = "" if row["converged"] == row["complete"] == "1" else " (not proven)"
        cells[full_name(row)][row["spectrum"]] = f"{row['passes']}{proof} ({row['columns']}){mark}"
    listed = [[f"`{name}`", *(found[spectrum] for spectrum in spectra)]
              for name, found in cells.items() if name != "dense"]  # it makes no passes
    return markdown([["solver", *spectra], *listed])


def orthogonality_table(rows):
    last = max(int(row["step"]) for row in rows)
    spectra = list(dict.fromkeys(row["spectrum"] for row in rows))
    cells = defaultdict(dict)
    for row in rows:
        if int(row["step"]) == last:
            cells[row["variant"]][row["spectrum"]] = (f"{row['inner_products']}, {row['updates']}; {row['departure']}; "
                                                      f"{row['copies']}")
    return markdown([["variant", *spectra],
                     *([f"`{name}`", *(found[spectrum] for spectrum in spectra)] for name, found in cells.items())])


def missed_table(rows):
    return markdown([["variant", "proof", "passes", "columns", "residual", "copies of 1", "error of values"],
                     *([f"`{row['variant']}`", "yes" if row["proof"] == "1" else "no", row["passes"], row["columns"],
                        row["residual"], row["copies"], row["value_error"]] for row in rows)])


def near_table(rows):
    return markdown([["solver", "low-rank matrix", "passes", "columns"],
                     *([f"`{full_name(row)}`", row["spectrum"], row["passes"], row["columns"]] for row in rows)])


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        found = parts(source)
        pictures = {"solver-histories.svg": histories_picture(found["histories"]),
                    "ghosts.svg": ghosts_picture(found["ghosts"])}
        for name, text in pictures.items():
            (folder / name).write_text(text, encoding="utf-8")
        print(summary_table(found["summary"]), near_table(found["near"]), missed_table(found["missed"]),
              orthogonality_table(found["orthogonality"]), sep="\n\n")
    except OSError as reason:
        raise SystemExit(f"draw_histories.py: {reason}") from None
    except (KeyError, ValueError, IndexError) as reason:
        raise SystemExit(f"draw_histories.py: {source} is not what solver_histories prints: {reason!r}") from None


if __name__ == "__main__":
    main()
