#!/usr/bin/env python3
"""A page with every kind of picture and with the tables that are hard to draw, to be looked at.

usage: gallery.py MERCER_BINARY FOLDER [--open] [--only WORD]

Writes FOLDER/index.html and beside it each picture as SVG, PNG and PDF, light and dark: every kind, 1 to 12 classes, long
and hostile labels, one row, equal rows, rows with gaps, a component without variance, very large and very small numbers,
200 000 rows, narrow and wide pictures. Each file is looked into: SVG must be whole XML without script and without numbers
that are none, PNG must have as many pixels as asked for, PDF must begin and end as such.

--open also shows all of them to Chromium and pdftoppm: every file must open, and the SVG as Chromium draws it and the PDF
as pdftoppm does must be the picture of the PNG, but for the edges of letters. --only draws those pictures alone whose names hold the word. Exit status 1 where something is wrong.
"""
import argparse
import base64
import html
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zlib
from pathlib import Path

FORMATS = ("svg", "png", "pdf")
THEMES = ("light", "dark")
# Sum of the differences of all pixels, over that of the PNG from its background: nothing at all gives 1. Edges of letters
# and dots fall on other parts of pixels; the fonts are not the same.
MOST_DIFFERENT = 0.6
LONG = "a class whose name is so long that no legend can hold all of it, whatever the width"
HOSTILE = ("<script>alert(1)</script>", "</svg><b onload=x>", "a & b \"c\" 'd'", "\u202emirrored", "tab\there", "]]>", "Ünïcödé 漢字")
METHODS = ("kernel_pca", "pca", "ppca", "ica", "kernel_ica", "mds", "metric_mds", "ekpca", "kernel_lda", "nearest_mean")


class Gallery:
    def __init__(self, binary, folder, only):
        self.binary, self.folder, self.only = binary, folder, only
        self.sections, self.problems = [], []
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "material").mkdir(parents=True)

    def mercer(self, *words):
        """Output of a command in the folder of tables and models; a failure is a problem."""
        result = subprocess.run([self.binary, *words, "--quiet"], cwd=self.folder / "material", capture_output=True, check=False,
                                env={**os.environ, "NO_COLOR": "1"})
        if result.returncode:
            self.problems.append(f"{shlex.join(words)}: {result.stderr.decode().strip()}")
        return result.stdout

    def write(self, name, header, rows):
        def cell(value):
            text = str(value)
            return '"' + text.replace('"', '""') + '"' if re.search(r"[\",\n\t]", text) else text
        lines = [",".join(map(cell, row)) for row in (header, *rows)]
        (self.folder / "material" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def section(self, title):
        self.sections.append((title, []))

    def show(self, name, *words, size=None):
        """A picture in all formats and themes."""
        for theme in THEMES if self.only in name else ():
            command = ["plot", *words, "--theme", theme, *(["--size", size] if size else [])]
            for extension in FORMATS:
                self.mercer(*command, "-o", f"../{name}-{theme}.{extension}")
            self.sections[-1][1].append((f"{name}-{theme}", "mercer " + shlex.join(command)))
            self.look_into(f"{name}-{theme}")

    def look_into(self, name):
        try:
            text = (self.folder / f"{name}.svg").read_text(encoding="utf-8")
            document = xml.dom.minidom.parseString(text)
            size = [float(document.documentElement.getAttribute(side)) for side in ("width", "height")]
            if document.getElementsByTagName("script") or re.search(r"[\s\"](nan|-?inf)[\s\"]", text, re.I):
                self.problems.append(f"{name}.svg: a script, or a number that is none")
            width, height, pixels = read_png((self.folder / f"{name}.png").read_bytes())
            if [width, height] != size or len(set(pixels[i:i + 3] for i in range(0, len(pixels), 3))) < 2:
                self.problems.append(f"{name}.png: {width} x {height} pixels in place of {size}, or of one colour only")
            pdf = (self.folder / f"{name}.pdf").read_bytes()
            if not pdf.startswith(b"%PDF-") or not pdf.rstrip().endswith(b"%%EOF"):
                self.problems.append(f"{name}.pdf: not whole")
        except Exception as error:  # whatever is wrong with a file, the others are looked into
            self.problems.append(f"{name}: {error}")

    def page(self):
        parts = ["<!doctype html><meta charset=utf-8><title>Gallery</title><style>body{font:15px sans-serif;margin:2em}"
                 "figure{display:inline-block;margin:0 1em 1.5em 0;vertical-align:top}img{border:1px solid #ccc;max-width:48vw}"
                 "figcaption{font:12px monospace;max-width:46vw;overflow-wrap:anywhere}</style><h1>Gallery</h1>"]
        for title, pictures in self.sections:
            parts.append(f"<h2>{html.escape(title)}</h2>")
            for name, command in pictures:
                others = " ".join(f'<a href="{name}.{extension}">{extension}</a>' for extension in FORMATS)
                parts.append(f'<figure><img src="{name}.svg" alt="{name}"><figcaption>{html.escape(command)} {others}'
                             "</figcaption></figure>")
        (self.folder / "index.html").write_text("\n".join(parts) + "\n", encoding="utf-8")

    def names(self):
        return [name for _, pictures in self.sections for name, _ in pictures]


def read_png(data):
    """Width, height and bytes red, green, blue of the program's own PNG files, whose rows have no filter."""
    width, height = struct.unpack(">II", data[16:24])
    channels, packed, at = (3 if data[25] == 2 else 4), b"", 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw, step = zlib.decompress(packed), 1 + channels * width
    rows = b"".join(raw[r * step + 1:(r + 1) * step] for r in range(height))
    if channels == 4:
        rows = b"".join(rows[i:i + 3] for i in range(0, len(rows), 4))
    return width, height, rows


def make_tables(gallery):
    gallery.mercer("data", "digits", "-n", "500", "-o", "digits.csv")
    gallery.mercer("data", "ring", "-n", "300", "--noise", "0.1", "-o", "ring.csv")
    gallery.mercer("data", "blobs", "-n", "300", "--dim", "6", "-o", "blobs.csv")
    gallery.mercer("data", "s_curve", "-n", "25000", "-o", "curve.npy")
    gallery.mercer("data", "blobs", "-n", "200000", "--dim", "3", "-o", "many.npy")
    text = gallery.mercer("data", "blobs", "-n", "120", "--dim", "4", "--noise", "0.4", "-o", "-").decode()
    rows = [[float(cell) for cell in line.split(",")[:4]] for line in text.split("\n")[1:121]]
    names = ("north", "east", "south", "west")
    gallery.write("targets.csv", [*names, "yield", "loss"],
                  [[*x, x[0] - 2 * x[1] + 0.3 * (i % 5), x[2] * x[3]] for i, x in enumerate(rows)])
    for classes in range(1, 13):
        gallery.write(f"classes{classes}.csv", [*names, "label"], [[*x, f"kind {i % classes}"] for i, x in enumerate(rows)])
    gallery.write("long.csv", [*names, "label"], [[*x, LONG + " " * (i % 3) + "!" * (i % 3)] for i, x in enumerate(rows)])
    gallery.write("hostile.csv", ["id", *names, "label"],
                  [[f"<i>{i}</i>", *x, HOSTILE[i % len(HOSTILE)]] for i, x in enumerate(rows)])
    gallery.write("one.csv", names, rows[:1])
    gallery.write("equal.csv", names, 40 * rows[:1])
    gallery.write("gaps.csv", names, [["" if (i + j) % 9 == 0 else v for j, v in enumerate(x)] for i, x in enumerate(rows)])
    gallery.write("flat.csv", ["x", "y", "z"], [[x[0], 2 * x[0], -x[0]] for x in rows])
    for name, factor in (("large", 1e100), ("small", 1e-100), ("million", 1e6)):
        gallery.write(f"{name}.csv", names, [[factor * v + factor for v in x] for x in rows])
    gallery.write("names.csv", ["id", *names], [[f"a row of number {i}", *x] for i, x in enumerate(rows[:60])])


def show_every_kind(gallery):
    """Each kind of the program, for the first methods that it fits; none may be left out."""
    commands = json.loads(gallery.mercer("help", "--json"))["commands"]
    options = next(command["options"] for command in commands if command["command"] == "plot")
    known = set(next(option["choices"] for option in options if "--kind" in option["flags"]))
    gallery.mercer("fit", "digits.csv", "--method", "pca", "--components", "40", "-o", "digits.mercer")
    gallery.mercer("fit", "targets.csv", "--method", "pls", "--target", "yield,loss", "--components", "auto", "-o", "pls.mercer")
    gallery.mercer("fit", "blobs.csv", "--method", "factor_analysis", "--components", "2", "-o", "factor_analysis.mercer")
    for method in METHODS:
        gallery.mercer("fit", "ring.csv" if method == "kernel_pca" else "blobs.csv", "--method", method,
                       *([] if method == "nearest_mean" else ["--components", "2" if method in ("kernel_lda", "ekpca") else "3"]),
                       "-o", f"{method}.mercer")
    wanted = [("overview", "digits.mercer"), ("scatter", "digits.mercer"), ("scatter3d", "digits.mercer"), ("pairs", "digits.mercer"),
              ("scree", "digits.mercer"), ("contour", "kernel_pca.mercer"), ("loadings", "factor_analysis.mercer"),
              ("biplot", "pca.mercer"), ("residuals", "pls.mercer", "targets.csv"), ("residuals", "digits.mercer", "digits.csv"),
              ("rmsep", "pls.mercer"), ("confusion", "nearest_mean.mercer"), ("confusion", "kernel_lda.mercer"),
              ("shepard", "metric_mds.mercer"), ("eigenimages", "digits.mercer"), ("reconstructions", "digits.mercer", "digits.csv"),
              ("nearest_images", "digits.mercer", "digits.csv"), ("contour", "kernel_lda.mercer"), ("loadings", "digits.mercer"),
              ("scatter", "ica.mercer"), ("scatter", "kernel_ica.mercer"), ("biplot", "ppca.mercer"), ("pairs", "ekpca.mercer"),
              ("shepard", "mds.mercer", "blobs.csv")]
    gallery.section("Every kind")
    for number, (kind, *files) in enumerate(wanted):
        images = ["--image-size", "8x8"] if kind in ("eigenimages", "reconstructions", "nearest_images") else []
        gallery.show(f"kind{number:02}-{kind}", *files, "--kind", kind, *images)
    if missing := known - {kind for kind, *_ in wanted}:
        gallery.problems.append(f"kinds without a picture: {sorted(missing)}")


def show_classes(gallery):
    gallery.section("1 to 12 classes")
    for classes in range(1, 13):
        gallery.mercer("fit", f"classes{classes}.csv", "--method", "pca", "-o", "classes.mercer")
        gallery.show(f"classes{classes:02}", "classes.mercer", "--kind", "scatter", size="460x330")
    gallery.section("Colours by numbers")
    gallery.show("by-column", "pca.mercer", "blobs.csv", "--kind", "scatter", "--colour", "x3")
    gallery.show("by-component", "kernel_pca.mercer", "--kind", "scatter", "--colour", "PC3")


def show_what_is_hard(gallery):
    gallery.section("Labels and names")
    for table in ("long", "hostile"):
        gallery.mercer("fit", f"{table}.csv", "--method", "pca", "-o", f"{table}.mercer")
        gallery.show(table, f"{table}.mercer", "--title", HOSTILE[0] + " " + LONG)
        gallery.show(f"{table}-pairs", f"{table}.mercer", "--kind", "pairs")
    gallery.show("hostile-names", "hostile.mercer", "--kind", "scatter", "--names")
    gallery.mercer("fit", "hostile.csv", "--method", "nearest_mean", "-o", "hostile-means.mercer")
    gallery.show("hostile-confusion", "hostile-means.mercer", "--kind", "confusion")
    gallery.mercer("fit", "names.csv", "--method", "pca", "-o", "names.mercer")
    gallery.show("names", "names.mercer", "--kind", "scatter", "--names")
    gallery.section("Few and equal rows, gaps, no variance")
    gallery.mercer("fit", "targets.csv", "--method", "pca", "--components", "3", "--columns", "north,east,south,west", "-o", "four.mercer")
    for table in ("one", "equal"):
        for kind in ("scatter", "pairs", "scatter3d", "biplot", "contour", "residuals"):
            gallery.show(f"{table}-{kind}", "four.mercer", f"{table}.csv", "--kind", kind, size="460x340")
    gallery.mercer("fit", "gaps.csv", "--method", "ppca", "--missing", "model", "-o", "gaps.mercer")
    gallery.show("gaps", "gaps.mercer", "gaps.csv")
    gallery.show("gaps-colour", "gaps.mercer", "gaps.csv", "--kind", "scatter", "--colour", "north")
    gallery.mercer("fit", "flat.csv", "--method", "pca", "--components", "1", "-o", "flat.mercer")
    gallery.show("flat", "flat.mercer")
    gallery.show("flat-map", "flat.mercer", "flat.csv", "--kind", "contour")
    gallery.section("Large and small numbers")
    for table in ("large", "small", "million"):
        gallery.mercer("fit", f"{table}.csv", "--method", "pca", "-o", f"{table}.mercer")
        gallery.show(table, f"{table}.mercer")
    gallery.show("million-biplot", "million.mercer", "--kind", "biplot")
    gallery.section("Many rows")
    gallery.mercer("fit", "curve.npy", "--method", "pca", "--components", "3", "-o", "curve.mercer")
    gallery.mercer("fit", "many.npy", "--method", "pca", "--components", "2", "-o", "many.mercer")
    gallery.show("many", "many.mercer", "many.npy", "--kind", "scatter")
    gallery.show("curve", "curve.mercer", "curve.npy", "--kind", "scatter", "--colour", "PC3")
    gallery.show("curve3d", "curve.mercer", "curve.npy", "--kind", "scatter3d", "--colour", "PC1")
    gallery.show("curve-pairs", "curve.mercer", "curve.npy", "--kind", "pairs")
    gallery.section("Sizes")
    for size in ("120x90", "240x480", "1200x260"):
        gallery.show(f"size-{size}", "digits.mercer", size=size)
        gallery.show(f"size-map-{size}", "kernel_pca.mercer", "--kind", "contour", size=size)


CHECKER = """<!doctype html><meta charset=utf-8><body><pre id=out>not done</pre><script>
const load = source => new Promise((good, bad) => { const i = new Image(); i.onload = () => good(i); i.onerror = bad; i.src = source; });
const pixels = (image, w, h) => { const c = document.createElement('canvas'); c.width = w; c.height = h;
  const on = c.getContext('2d'); on.drawImage(image, 0, 0, w, h); return on.getImageData(0, 0, w, h).data; };
(async () => { const lines = [];
  for (const [name, svg, png] of PICTURES) try {
    const a = await load(svg), b = await load(png), w = b.naturalWidth, h = b.naturalHeight;
    const x = pixels(a, w, h), y = pixels(b, w, h); let sum = 0, ink = 0;
    for (let i = 0; i < x.length; ++i) { sum += Math.abs(x[i] - y[i]); ink += Math.abs(y[i] - y[i % 4]); }
    lines.push(name + ' ' + (sum / Math.max(1, ink)).toFixed(3));
  } catch (problem) { lines.push(name + ' does not open'); }
  document.getElementById('out').textContent = lines.join('\\n') + '\\nend'; })();
</script>"""


def opened_by_chromium(gallery, names):
    """How much the SVG as Chromium draws it differs from the PNG, which it reads, too."""
    pictures = []
    for name in names:
        codes = [base64.b64encode((gallery.folder / f"{name}.{extension}").read_bytes()).decode() for extension in ("svg", "png")]
        pictures.append([name, "data:image/svg+xml;base64," + codes[0], "data:image/png;base64," + codes[1]])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "check.html"
        page.write_text(CHECKER.replace("PICTURES", json.dumps(pictures)), encoding="utf-8")
        # Without a sandbox of its own, which containers do not grant; the only page is ours.
        shown = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                f"--user-data-dir={folder}/profile", "--timeout=60000", "--virtual-time-budget=60000", "--dump-dom",
                                page.as_uri()], capture_output=True, text=True, timeout=300, check=False).stdout
    found = re.search(r'<pre id="out">(.*?)\nend</pre>', shown, re.S)
    if not found:
        return {name: "Chromium came to no end" for name in names}
    return dict(line.split(" ", 1) for line in html.unescape(found[1]).split("\n"))


def opened_by_pdftoppm(gallery, name):
    made = subprocess.run(["pdftoppm", "-r", "96", "-singlefile", gallery.folder / f"{name}.pdf"], capture_output=True, check=False)
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", made.stdout)
    if made.returncode or made.stderr or not head:
        return f"does not open: {made.stderr.decode().strip()}"
    width, height, pixels = read_png((gallery.folder / f"{name}.png").read_bytes())
    shown = made.stdout[head.end():]
    if (int(head[1]), int(head[2])) != (width, height) or len(shown) != len(pixels):
        return f"{int(head[1])} x {int(head[2])} pixels in place of {width} x {height}"
    ink = sum(abs(pixels[i] - pixels[i % 3]) for i in range(len(pixels)))
    return f"{sum(abs(a - b) for a, b in zip(shown, pixels)) / max(1, ink):.3f}"


def open_all(gallery):
    names = gallery.names()
    by_chromium = {}
    for first in range(0, len(names), 20):
        by_chromium.update(opened_by_chromium(gallery, names[first:first + 20]))
    worst = {}
    for reader, answer in (("Chromium", by_chromium.get), ("pdftoppm", lambda name: opened_by_pdftoppm(gallery, name))):
        for name in names:
            text = str(answer(name))
            good = re.fullmatch(r"[0-9.]+", text) and float(text) <= MOST_DIFFERENT
            if not good:
                gallery.problems.append(f"{name}, {reader}: {text}")
            else:
                worst[reader] = max(worst.get(reader, (0, "")), (float(text), name))
    for reader, (difference, name) in worst.items():
        print(f"{reader}: {len(names)} pictures, the one that differs most by {difference} of what is drawn: {name}")


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("binary", type=Path)
    words.add_argument("folder", type=Path)
    words.add_argument("--open", action="store_true")
    words.add_argument("--only", default="")
    asked = words.parse_args()
    gallery = Gallery(asked.binary.resolve(), asked.folder.resolve(), asked.only)
    make_tables(gallery)
    show_every_kind(gallery)
    show_classes(gallery)
    show_what_is_hard(gallery)
    gallery.page()
    if asked.open:
        open_all(gallery)
    shutil.rmtree(gallery.folder / "material")
    print("\n".join(gallery.problems))
    print(f"{len(gallery.names())} pictures in {len(FORMATS)} formats: {gallery.folder}/index.html")
    print(f"{len(gallery.names())} passed, {len(gallery.problems)} failed")
    return 1 if gallery.problems else 0


if __name__ == "__main__":
    sys.exit(main())
