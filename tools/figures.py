#!/usr/bin/env python3
"""Figures of the documents: which command of a page makes which, and whether two of them are the same picture.

usage: figures.py PROJECT_FOLDER MERCER_BINARY       runs the pages that show figures and writes docs/**/figures/*.svg anew

A page shows ![...](figures/NAME.svg), and one of its ```sh run blocks writes NAME.svg into the folder it runs in.
check_docs.py runs the blocks anyway and compares what they leave with what is stored, within the limits below: on another
processor rounding differs, and with it the last digit of a coordinate.
"""
import base64
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
import zlib
from pathlib import Path

BLOCK = re.compile(r"^([ ]*)```sh run\n(.*?)^[ ]*```[ ]*$", re.M | re.S)
SHOWN = re.compile(r"!\[[^\]]*\]\(([^)\s]*figures/([^)\s/]+\.svg))\)")
NUMBER = re.compile(r"(?<![#\w.])-?\d+(?:\.\d+)?")
IMAGE = re.compile(r'href="data:image/png;base64,([^"]*)"')
PATH = re.compile(r' d="([^"]*)"')
COORDINATE = 0.06  # pixels: a hundredth rounds up or down, on both ends of a step, and the score below it moves as little
SHADE = 24  # of 255: one of the steps in which maps are shaded


def shown_in(text):
    """(Path from the page, name) of each figure of a page."""
    return [(match[1], match[2]) for match in SHOWN.finditer(text)]


def pixels(png):
    """All bytes of the pixels of a PNG that has no filters."""
    data, at = b"", 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    return png[16:26], zlib.decompress(data)


def difference_of_images(old, new):
    (head, a), (other, b) = (pixels(base64.b64decode(code)) for code in (old, new))
    if head != other or len(a) != len(b):
        return "an image has another size"
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0)
    return f"a pixel differs by {worst} of 255" if worst > SHADE else ""


def points(data):
    """What a path is made of: its letters, and the numbers of each place, counted from the corner of the picture."""
    letters, numbers, x, y = "", [], 0.0, 0.0
    for letter, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        values = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", rest)]
        letters += letter + str(len(values))
        for i in range(0, len(values) - 1, 2):
            x, y = (x + values[i], y + values[i + 1]) if letter.islower() else (values[i], values[i + 1])
            numbers += [x, y]
    return letters, numbers


def difference(old, new):
    """In words what tells two SVG texts apart; empty where it is rounding."""
    for a, b in zip(IMAGE.findall(old), IMAGE.findall(new)):
        if found := difference_of_images(a, b):
            return found
    old, new = (IMAGE.sub('href="IMAGE"', text) for text in (old, new))
    for a, b in zip(PATH.findall(old), PATH.findall(new)):
        (letters, numbers), (others, more) = points(a), points(b)
        if letters != others:
            return "a line or a group of dots has other parts"
        worst = max((abs(x - y) for x, y in zip(numbers, more)), default=0)
        if worst > COORDINATE:
            return f"a place differs by {worst:.2f} pixels"
    old, new = (PATH.sub(' d="PATH"', text) for text in (old, new))
    a, b = ([float(n) for n in NUMBER.findall(text)] for text in (old, new))
    if NUMBER.sub("#", old) != NUMBER.sub("#", new) or len(a) != len(b):
        return "it has other elements or texts"
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0)
    return f"a number differs by {worst:.2f}" if worst > COORDINATE else ""


def compare(page, made_in):
    """Problems with the figures of a page whose blocks were run in a folder."""
    problems = []
    for path, name in shown_in(page.read_text(encoding="utf-8")):
        stored, made = page.parent / path, Path(made_in) / name
        if not made.exists():
            problems.append(f"no command of the page writes {name}")
        elif not stored.exists():
            problems.append(f"{path} is not stored: run ./dev docs")
        elif found := difference(stored.read_text(encoding="utf-8"), made.read_text(encoding="utf-8")):
            problems.append(f"{path} is not what the page's command makes: {found}")
    return problems


def make(page, binary):
    """Runs the blocks of a page and stores its figures."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for match in BLOCK.finditer(text):
            subprocess.run(["bash", "-ec", textwrap.dedent(match[2])], cwd=folder, check=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={"PATH": f"{binary.parent}:/usr/bin:/bin", "HOME": folder})
        for path, name in shown_in(text):
            (page.parent / path).parent.mkdir(exist_ok=True)
            shutil.copy(Path(folder) / name, page.parent / path)


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    project, binary = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    for page in [project / "README.md", *sorted((project / "docs").rglob("*.md"))]:
        wanted = not sys.argv[3:] or page.stem in sys.argv[3:]
        if wanted and shown_in(page.read_text(encoding="utf-8")):
            make(page, binary)
            print(f"{page.relative_to(project)}: {len(shown_in(page.read_text(encoding='utf-8')))} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
