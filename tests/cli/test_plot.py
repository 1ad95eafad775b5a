"""Pictures: every kind of every method, files and terminals, what does not fit, what cannot be drawn, the same bytes."""

import base64
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import xml.dom.minidom
import zlib

from program import says

SVG_WORDS = ("<svg", "</svg>")
PREDICTED = "x0,x1,x2,x3,first,second"


def material(mercer):
    """A model of each method, and its table."""
    mercer("data", "blobs", "-n", "60", "--dim", "4", "--noise", "0.3", "-o", "blobs.csv")
    rows = mercer.read("blobs.csv").decode().split("\n")[1:61]
    numbers = [[float(cell) for cell in row.split(",")[:4]] for row in rows]
    mercer.write("targets.csv", PREDICTED + "\n" + "".join(
        ",".join(map(str, [*x, x[0] - 2 * x[1] + 0.1 * (i % 3), x[2] * x[3]])) + "\n" for i, x in enumerate(numbers)))
    for method in ("kernel_pca", "pca", "ppca", "ica", "kernel_ica", "mds", "metric_mds", "ekpca",
                   "kernel_lda", "kernel_bda", "nearest_mean"):
        mercer("fit", "blobs.csv", "--method", method, "-o", method + ".mercer", *(["--positive", "a"] if method == "kernel_bda" else []))
    mercer("fit", "blobs.csv", "--method", "factor_analysis", "--components", "1", "-o", "factor_analysis.mercer")
    for method in ("pcr", "pls"):
        mercer("fit", "targets.csv", "--method", method, "--target", "first,second", "--components", "auto", "-o", method + ".mercer")
    return {name[:-7]: "targets.csv" if name in ("pcr.mercer", "pls.mercer") else "blobs.csv"
            for name in mercer.files() if name.endswith(".mercer")}


def kinds_of(mercer, model, *table):
    return mercer("plot", model, *table, "--json", "--quiet").json["kinds"]


def whole_svg(text):
    document = xml.dom.minidom.parseString(text)
    assert document.documentElement.tagName == "svg"
    assert "nan" not in text.lower() and "inf\"" not in text
    return document


OF_IMAGES = ("eigenimages", "nearest_images", "reconstructions")
# Options that a kind has a use for, but not with these rows.
SAME_IN = {("reconstructions", "--count"), ("pairs", "--count")}  # pairs are of two at least


def test_every_kind_of_every_method_is_a_whole_picture(mercer):
    drawn = {}
    for method, table in material(mercer).items():
        for kind in kinds_of(mercer, method + ".mercer", table):
            shape = ["--image-size", "2x2"] if kind in OF_IMAGES else []
            result = mercer("plot", method + ".mercer", table, "--kind", kind, "-o", "-", *shape, "--quiet")
            whole_svg(result.text)
            drawn.setdefault(kind, []).append(method)
    listed = next(c for c in mercer("help", "--json").json["commands"] if c["command"] == "plot")
    known = next(o for o in listed["options"] if "--kind" in o["flags"])["choices"]
    assert sorted(drawn) == sorted(known), f"never drawn: {set(known) - set(drawn)}"


def chunks_of(png):
    """(Name, content) of the chunks of a PNG, each with the checksum that it states."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        content = png[at + 8:at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + content), name
        chunks.append((name, content))
        at += 12 + size
    assert at == len(png) and chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    return chunks


def test_every_kind_is_a_whole_file_in_every_format_and_theme(mercer):
    seen = set()
    for method, table in material(mercer).items():
        for kind in kinds_of(mercer, method + ".mercer", table):
            if kind in seen:
                continue
            seen.add(kind)
            corners = set()
            for theme in ("light", "dark"):
                shape = ("--image-size", "2x2") if kind in OF_IMAGES else ()
                words = ("plot", method + ".mercer", table, "--kind", kind, *shape, "--theme", theme, "--quiet")
                for name in ("a.svg", "a.png", "a.pdf"):
                    mercer(*words, "-o", name)
                root = whole_svg(mercer.read("a.svg").decode()).documentElement
                width, height = (int(float(root.getAttribute(side))) for side in ("width", "height"))
                chunks = chunks_of(mercer.read("a.png"))
                assert struct.unpack(">II", chunks[0][1][:8]) == (width, height), kind
                raw = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
                step = len(raw) // height
                assert len(raw) == step * height and step in (1 + 3 * width, 1 + 4 * width), kind
                assert len({raw[r * step:(r + 1) * step] for r in range(height)}) > 5, f"{kind}: nothing is drawn"
                corners.add(raw[1:4])
                pdf = mercer.read("a.pdf")
                assert pdf.startswith(b"%PDF-1") and pdf.rstrip().endswith(b"%%EOF"), kind
                start = int(re.findall(rb"startxref\s+(\d+)", pdf)[-1])
                assert pdf[start:start + 4] == b"xref" or b" obj" in pdf[start:start + 20], kind
            assert len(corners) == 2, f"{kind}: one background in both themes"
    assert len(seen) >= 15, seen


def test_defaults_follow_what_a_model_is(mercer):
    material(mercer)
    wanted = {"kernel_pca": "overview", "pca": "overview", "pls": "rmsep", "pcr": "rmsep", "factor_analysis": "loadings",
              "kernel_lda": "confusion", "nearest_mean": "confusion", "metric_mds": "shepard", "ica": "scatter",
              "kernel_ica": "scatter", "ppca": "overview"}
    for method, kind in wanted.items():
        found = mercer("plot", method + ".mercer", "--json", "--quiet").json["kind"]
        assert found == kind, (method, found)
    assert mercer("plot", "mds.mercer", "blobs.csv", "--json", "--quiet").json["kind"] == "shepard"


def test_files_of_three_formats_are_the_same_bytes_again(mercer):
    mercer("data", "circles", "-n", "80", "-o", "circles.csv")
    mercer("fit", "circles.csv")
    for name in ("a.svg", "a.png", "a.pdf"):
        mercer("plot", "circles.mercer", "-o", name, "--quiet")
        first = mercer.read(name)
        mercer("plot", "circles.mercer", "-o", name, "--quiet")  # over a picture
        assert mercer.read(name) == first, name
        mercer("plot", "circles.mercer", "-o", name, "--threads", "1", "--quiet")
        assert mercer.read(name) == first, name
    assert mercer.read("a.png")[:8] == b"\x89PNG\r\n\x1a\n" and mercer.read("a.pdf")[:5] == b"%PDF-"
    whole_svg(mercer.read("a.svg").decode())


def test_size_and_resolution_are_those_asked_for(mercer):
    mercer("data", "circles", "-n", "40", "-o", "circles.csv")
    mercer("fit", "circles.csv")
    mercer("plot", "circles.mercer", "--size", "300x200", "--dpi", "192", "-o", "a.png", "--quiet")
    assert struct.unpack(">II", mercer.read("a.png")[16:24]) == (600, 400)
    mercer("plot", "circles.mercer", "--size", "300x200", "-o", "a.svg", "--quiet")
    assert 'width="300" height="200"' in mercer.read("a.svg").decode()


def test_scores_in_the_picture_are_those_of_the_model(mercer):
    """Dots are read back from the SVG and mapped by its ticks: they are the scores that fit wrote."""
    mercer("data", "blobs", "-n", "30", "-o", "blobs.csv")
    mercer("fit", "blobs.csv", "--method", "pca", "--scores", "scores.csv")
    scores = [[float(c) for c in line.split(",")[:2]] for line in mercer.read("scores.csv").decode().split()[1:]]
    text = mercer("plot", "blobs.mercer", "--kind", "scatter", "--colour", "none", "-o", "-", "--quiet").text
    dots = re.search(r'<path d="((?:M[\d.]+ [\d.]+h0)+)"', text)[1]
    places = [[float(n) for n in dot.split()] for dot in re.findall(r"M([\d. ]+)h0", dots)]
    assert len(places) == 30
    for axis in (0, 1):  # an affine map, found from two rows, must send every score to its dot
        a, b = (max(range(30), key=lambda i: scores[i][axis]), min(range(30), key=lambda i: scores[i][axis]))
        slope = (places[a][axis] - places[b][axis]) / (scores[a][axis] - scores[b][axis])
        for score, place in zip(scores, places):
            assert abs(places[a][axis] + slope * (score[axis] - scores[a][axis]) - place[axis]) < 0.02


def test_colours_by_class_column_and_component(mercer):
    material(mercer)
    plain = mercer("plot", "pca.mercer", "blobs.csv", "--colour", "none", "-o", "-", "--quiet").text
    classes = mercer("plot", "pca.mercer", "--colour", "label", "-o", "-", "--quiet").text
    column = mercer("plot", "pca.mercer", "blobs.csv", "--color", "x1", "-o", "-", "--quiet").text
    component = mercer("plot", "pca.mercer", "--colour", "PC2", "-o", "-", "--quiet").text
    assert len({plain, classes, column, component}) == 4
    assert ">a</text>" in classes and ">x1</text>" in column and "<image" in column and ">PC2</text>" in component


def test_names_are_those_of_the_rows(mercer):
    mercer.write("named.csv", "id,x,y\n" + "".join(f"row-{i},{i * i % 7},{i * 3 % 11}\n" for i in range(12)))
    mercer("fit", "named.csv", "--method", "pca")
    text = mercer("plot", "named.mercer", "--kind", "scatter", "--names", "-o", "-", "--quiet").text
    assert text.count(">row-") >= 8
    assert ">row-" not in mercer("plot", "named.mercer", "--kind", "scatter", "-o", "-", "--quiet").text


def test_labels_that_are_scripts_are_shown(mercer):
    mercer.write("evil.csv", "x,y,label\n" + "".join(
        f"{i},{i * i % 5},{'<script>alert(1)</script>' if i % 2 else 'b&b'}\n" for i in range(20)))
    mercer("fit", "evil.csv", "--method", "pca")
    text = mercer("plot", "evil.mercer", "--title", "<b onload=x>", "-o", "-", "--quiet").text
    document = whole_svg(text)
    assert not document.getElementsByTagName("script") and "<script" not in text
    shown = [node.firstChild.data for node in document.getElementsByTagName("text")]
    assert "b&b" in shown and "<b onload=x>" in shown


def pixels_of(png):
    """Rows of (red, green, blue) of a PNG without filters."""
    width, height = struct.unpack(">II", png[16:24])
    channels = 3 if png[25] == 2 else 4
    data, at = b"", 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw, step = zlib.decompress(data), 1 + channels * width
    return [[tuple(raw[r * step + 1 + channels * c:r * step + 4 + channels * c]) for c in range(width)] for r in range(height)]


def test_images_of_digits_are_the_rows(mercer):
    """The original of a series is the row itself, as shades from white to black."""
    mercer("data", "digits", "-n", "50", "-o", "digits.csv")
    mercer("fit", "digits.csv", "--method", "pca", "--components", "12")
    text = mercer("plot", "digits.mercer", "digits.csv", "--kind", "reconstructions", "--image-size", "8x8", "--count", "1",
                  "-o", "-", "--quiet").text
    images = [base64.b64decode(code) for code in re.findall(r"base64,([^\"]+)\"", text)]
    assert len(images) == 6  # 1, 2, 5, 10, all, original
    first = [float(cell) for cell in mercer.read("digits.csv").decode().split("\n")[1].split(",")[:64]]
    shown = [pixel[0] for row in pixels_of(images[-1]) for pixel in row]
    low, high = min(first), max(first)
    for value, grey in zip(first, shown):
        assert abs(255 * (1 - (value - low) / (high - low)) - grey) <= 1
    says(mercer("plot", "digits.mercer", "--kind", "eigenimages", "-o", "-", status=2), "M102", "--image-size 8x8")
    says(mercer("plot", "digits.mercer", "--kind", "eigenimages", "--image-size", "7x8", "-o", "-", status=2), "M102", "56")


def test_images_of_idx_files_are_known_by_the_model(mercer):
    rows = bytes((i * 37 + j * 11) % 256 for i in range(30) for j in range(12))
    mercer.write("images-idx3-ubyte", struct.pack(">IIII", 0x803, 30, 3, 4) + rows)
    mercer("fit", "images-idx3-ubyte", "--method", "pca", "--components", "3", "-o", "i.mercer")
    text = mercer("plot", "i.mercer", "--kind", "eigenimages", "-o", "-", "--quiet").text
    for code in re.findall(r"base64,([^\"]+)\"", text):
        assert struct.unpack(">II", base64.b64decode(code)[16:24]) == (4, 3)


def test_models_keep_scores_only_where_they_are_small(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "blobs.csv")
    mercer("fit", "blobs.csv", "--method", "pca")
    mercer("plot", "blobs.mercer", "--kind", "scatter", "-o", "a.svg")
    # Rows that come in chunks are nowhere whole: 3 columns of which 3 million scores are more than 20 MB.
    mercer("data", "blobs", "-n", "1000000", "--dim", "3", "-o", "large.npy")
    mercer("fit", "large.npy", "--method", "pca", "--components", "3", "-o", "large.mercer")
    assert os.path.getsize(mercer.path("large.mercer")) < 100_000
    says(mercer("plot", "large.mercer", "--kind", "scatter", status=7), "M717", "mercer plot MODEL TABLE")
    assert mercer("plot", "large.mercer", "--json", "--quiet").json["kind"] == "scree"
    mercer("plot", "large.mercer", "large.npy", "--kind", "scatter", "-o", "large.svg")
    assert os.path.getsize(mercer.path("large.svg")) < 2_000_000


def test_what_does_not_fit_is_an_error_that_names_what_does(mercer):
    material(mercer)
    says(mercer("plot", "kernel_lda.mercer", "--kind", "scree", status=7), "M716", "eigenvalues", "kinds that fit: ", "scatter")
    says(mercer("plot", "nearest_mean.mercer", "--kind", "scatter", status=7), "M716", "no scores", "confusion")
    says(mercer("plot", "factor_analysis.mercer", "--kind", "biplot", status=7), "M716", "1 component", "2 are needed")
    says(mercer("plot", "pca.mercer", "--kind", "scater", status=2), "M112", 'did you mean "scatter"?')
    says(mercer("plot", "pca.mercer", "--kind", "scatter", "--y", "PC3", status=2), "M102", "PC1 to PC2")
    says(mercer("plot", "pca.mercer", "--kind", "scatter", "--y", "second", status=2), "M102", "PC1 to PC2")
    says(mercer("plot", "pca.mercer", "blobs.csv", "--colour", "x9", status=3), "M216", "x9")
    says(mercer("plot", "pca.mercer", "blobs.csv", "--kind", "contour", "--x", "x1", "--y", "x1", status=2), "M102")
    says(mercer("plot", "pca.mercer", "--kind", "contour", status=7), "M717", "rows")
    says(mercer("plot", "pls.mercer", "--kind", "residuals", status=7), "M717")
    for words in (["--theme", "blue"], ["--size", "10"], ["--size", "0x5"], ["--size", "1e9x1e9"], ["--dpi", "x"],
                  ["--count", "0"], ["--image-size", "8"], ["--terminal", "paper"]):
        says(mercer("plot", "pca.mercer", *words, status=2), "M102")
    says(mercer("plot", "pca.mercer", "-o", "a.png", "--size", "20000x20000", "--dpi", "300", status=2), "M102", "too large")


def test_outputs_that_would_hurt_are_refused(mercer):
    mercer("data", "circles", "-n", "40", "-o", "circles.csv")
    mercer("fit", "circles.csv")
    os.mkdir(mercer.path("folder.svg"))
    mercer.write("notes.svg", "not a picture")
    says(mercer("plot", "circles.mercer", "-o", "folder.svg", status=4), "M406")
    says(mercer("plot", "circles.mercer", "-o", ".", status=4), "M406")
    says(mercer("plot", "circles.mercer", "-o", "nowhere/a.svg", status=4), "M402")
    says(mercer("plot", "circles.mercer", "-o", "a.gif", status=4), "M412", ".svg, .png or .pdf")
    says(mercer("plot", "circles.mercer", "-o", "notes.svg", status=4), "M409", "--force")
    assert mercer.read("notes.svg") == b"not a picture"
    mercer("plot", "circles.mercer", "-o", "notes.svg", "--force")
    whole_svg(mercer.read("notes.svg").decode())
    os.link(mercer.path("circles.mercer"), mercer.path("model.svg"))
    says(mercer("plot", "circles.mercer", "-o", "model.svg", "--force", status=2), "M109")
    says(mercer("plot", "circles.mercer", "-o", "-", "--json", status=2), "M102")


def on_terminal(mercer, *arguments, size=(40, 100), **variables):
    """What the program shows on a terminal of so many rows and columns."""
    lead, follow = pty.openpty()
    if size:
        fcntl.ioctl(follow, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    names = ("NO_COLOR", "COLORTERM", "KITTY_WINDOW_ID", "TERM_PROGRAM")
    environment = mercer.environment({**{name: None for name in names}, **variables})
    process = subprocess.Popen([mercer.binary, *arguments], cwd=mercer.folder, env=environment, stdout=follow,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(follow)
    shown = b""
    while True:
        try:
            part = os.read(lead, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(lead)
    assert process.wait(60) == 0
    return shown


def test_terminals_get_what_they_can_show(mercer):
    mercer("data", "circles", "-n", "80", "-o", "circles.csv")
    mercer("fit", "circles.csv")
    words = ("plot", "circles.mercer", "--quiet")
    plain = mercer(*words).text
    assert "\x1b" not in plain and "PC1" in plain and any("\u2800" < c <= "\u28ff" for c in plain)
    assert all(len(line) <= 80 for line in plain.split("\n"))
    full = on_terminal(mercer, *words, TERM="xterm", COLORTERM="truecolor")
    assert b"\x1b[38;2;" in full
    assert b"\x1b[38;5;" in on_terminal(mercer, *words, TERM="xterm-256color")
    for without in ({"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": ""}):
        assert b"\x1b" not in on_terminal(mercer, *words, **without)
    assert b"\x1b_Gf=100" in on_terminal(mercer, *words, TERM="xterm-kitty")
    assert on_terminal(mercer, *words, TERM="foot").startswith(b"\x1bPq")
    assert b"\x1b_G" not in on_terminal(mercer, *words, "--terminal", "characters", TERM="xterm-kitty")


def test_terminals_without_width_or_very_small_ones_do(mercer):
    mercer("data", "circles", "-n", "80", "-o", "circles.csv")
    mercer("fit", "circles.csv")
    for size in (None, (1, 1), (5, 20), (200, 400)):
        shown = on_terminal(mercer, "plot", "circles.mercer", "--quiet", size=size, TERM="dumb").decode()
        assert "PC" in shown


def test_few_and_equal_rows_are_drawn(mercer):
    mercer("data", "blobs", "-n", "30", "--dim", "3", "-o", "blobs.csv")
    mercer("fit", "blobs.csv", "--method", "pca", "--components", "3")
    lines = mercer.read("blobs.csv").decode().split("\n")
    mercer.write("one.csv", "\n".join(lines[:2]) + "\n")
    mercer.write("equal.csv", "\n".join([lines[0]] + 40 * [lines[1]]) + "\n")
    for table in ("one.csv", "equal.csv"):
        for kind in kinds_of(mercer, "blobs.mercer", table):
            shape = ["--image-size", "1x3"] if kind in OF_IMAGES else []
            whole_svg(mercer("plot", "blobs.mercer", table, "--kind", kind, *shape, "-o", "-", "--quiet", status=0).text)


def test_no_kind_ignores_an_option(mercer):
    """Each option changes each kind of picture, or is refused by name."""
    mercer("data", "blobs", "-n", "40", "--dim", "4", "-o", "t.csv")
    mercer.write("t.csv", "".join(f"{'name' if i == 0 else f'r{i}'},{line}\n" for i, line in
                                  enumerate(mercer.read("t.csv").decode().splitlines())))
    mercer("fit", "t.csv", "--method", "pca", "--components", "4", "-o", "pca.mercer")
    mercer("fit", "t.csv", "--method", "kernel_lda", "-o", "lda.mercer")
    mercer("fit", "t.csv", "--method", "mds", "-o", "mds.mercer")
    mercer("fit", "t.csv", "--kernel", "gaussian:sigma=1", "--components", "4", "-o", "kernel.mercer")
    options = (["--x", "2"], ["--y", "1"], ["--z", "2"], ["--colour", "none"], ["--names"], ["--count", "1"], ["--image-size", "4x1"],
               ["--title", "words"], ["--theme", "dark"], ["--size", "300x260"])
    tried, refused = set(), 0
    for model in ("pca.mercer", "lda.mercer", "mds.mercer", "kernel.mercer"):
        for kind in kinds_of(mercer, model, "t.csv"):
            shape = ["--image-size", "2x2"] if kind in OF_IMAGES else []
            words = ["plot", model, "t.csv", "--kind", kind, "-o", "-", "--quiet"]
            plain = mercer(*words, *shape).text
            for option in options:
                if kind == "contour" and option[0] in ("--x", "--y"):
                    option = [option[0], "3"]  # columns, and not one of them twice
                done = mercer(*words, *(shape if option[0] != "--image-size" else []), *option, status=None)
                tried.add(kind)
                if done.status == 0:
                    assert done.text != plain or (kind, option[0]) in SAME_IN, (model, kind, option)
                else:
                    refused += 1
                    assert done.status == 2 and f"{option[0]}: the {kind} plot has no use for it" in done.err, (kind, option, done.err)
    assert len(tried) >= 10 and refused > 20, (tried, refused)


def test_what_the_output_has_no_use_for_is_refused(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "blobs.csv")
    mercer("fit", "blobs.csv")
    for words, said in ((["-o", "a.svg", "--dpi", "200"], "--dpi 200: only PNG files have pixels"),
                        (["-o", "a.svg", "--terminal", "sixel"], "--terminal sixel: the picture is not shown in the terminal"),
                        (["--size", "300x200"], "--size 300x200: in the terminal")):
        says(mercer("plot", "blobs.mercer", *words, status=2), "error[M102]: " + said)
